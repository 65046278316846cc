// SPDX-License-Identifier: GPL-2.0
/*
 * Work for Java: it is interpreted, and compiled while it runs.
 *
 * usage: java work.java SECONDS
 */
import java.util.*;

class Work {
	static int fib(int n)
	{
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static int sort(Random random)
	{
		List<String> words = new ArrayList<>();
		Map<String, Integer> begin = new HashMap<>();

		for (int i = 0; i < 20000; i++)
			words.add(Integer.toString(random.nextInt()));
		Collections.sort(words);
		for (String word : words)
			begin.merge(word.substring(0, Math.min(3, word.length())), 1, Integer::sum);
		return begin.size();
	}

	public static void main(String[] args)
	{
		long end = System.nanoTime() + 1000000000L * Integer.parseInt(args[0]);
		Random random = new Random(1);
		long sum = 0;

		while (System.nanoTime() < end)
			sum += fib(20) + sort(random);
		System.out.println(sum);
	}
}
