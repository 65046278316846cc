// SPDX-License-Identifier: GPL-2.0
//
// Work for node, gjs and jsc: recursion, closures, sorting, patterns, JSON, exceptions; hot
// functions are compiled, others are interpreted.
//
// usage: work.js N

'use strict';

function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

class Tree {
	constructor(key) {
		this.key = key;
		this.left = this.right = null;
	}

	add(key) {
		const side = key < this.key ? 'left' : 'right';

		if (this[side])
			this[side].add(key);
		else
			this[side] = new Tree(key);
	}

	* keys() {
		if (this.left)
			yield* this.left.keys();
		yield this.key;
		if (this.right)
			yield* this.right.keys();
	}
}

/* What node, gjs and jsc have instead of each other's. */
const args = typeof process === 'object' ? process.argv.slice(2) :
	typeof ARGV === 'object' ? ARGV : globalThis.arguments;
const say = typeof console === 'object' ? console.log : print;
const n = Number(args[0] || 10);

say(fib(n + 12));
const tree = new Tree(500);
for (let i = 0; i < n * 60; i++)
	tree.add(i * 7919 % 9973);
say([...tree.keys()].reduce((a, b) => a + b));
let text = '';
for (let i = 0; i < n * 1000; i++)
	text += `word${(i * 7919 % 9973).toString(16)} `;
const words = text.match(/\b(w\w*?)([0-9a-f]+)\b/g).sort((a, b) => a < b ? 1 : -1);
say(words.length, JSON.stringify(JSON.parse(JSON.stringify(words))).length);
let died = 0;
for (let i = 0; i < n * 1000; i++) {
	try {
		null.x = i;
	} catch (error) {
		died++;
	}
}
say(died, text.replace(/\d+/g, (digits) => digits.length + digits).length);
