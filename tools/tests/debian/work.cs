#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Work for Mono: its compiler, which is a program of C# itself, and what that makes:
# recursion, virtual calls, generic collections, sorting, text, exceptions.
#
# usage: work.cs ROUNDS

source=/tmp/work.$$.cs
program=/tmp/work.$$.exe
cat >$source <<'EOF'
using System;
using System.Collections.Generic;
using System.Text;

abstract class Tree
{
	public abstract long Sum();
}

class Leaf : Tree
{
	public override long Sum() { return 1; }
}

class Fork : Tree
{
	readonly Tree left, right;

	public Fork(int depth)
	{
		left = depth > 0 ? (Tree)new Fork(depth - 1) : new Leaf();
		right = depth > 1 ? (Tree)new Fork(depth - 2) : new Leaf();
	}

	public override long Sum() { return left.Sum() + right.Sum(); }
}

static class Work
{
	static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

	static int Round(int round)
	{
		var words = new Dictionary<string, int>();
		var text = new StringBuilder();
		int failed = 0;

		for (int i = 0; i < 2000; i++)
			words["word" + i * 7919 * (round + 1) % 9973] = i;
		var keys = new List<string>(words.Keys);
		keys.Sort((a, b) => string.CompareOrdinal(b, a));
		foreach (string key in keys)
			text.Append(key.Substring(2)).Append(words[key]);
		for (int i = 0; i < 100; i++) {
			try {
				int.Parse("x" + i);
			} catch (FormatException) {
				failed++;
			}
		}
		return text.Length + failed + Fib(18);
	}

	static int Main(string[] args)
	{
		long sum = 0;

		for (int i = 0; i < int.Parse(args[0]); i++)
			sum += Round(i) + new Fork(14).Sum();
		Console.WriteLine(sum);
		return 0;
	}
}
EOF
mono /usr/lib/mono/4.5/mcs.exe -out:$program $source && mono $program "$1"
status=$?
rm -f $source $program
exit $status
