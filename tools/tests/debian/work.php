<?php
// SPDX-License-Identifier: GPL-2.0
//
// Work for PHP: recursion, closures, sorting, patterns, generators, exceptions.
//
// usage: work.php N

function fib($n)
{
	return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}

function numbers($n)
{
	for ($i = 0; $i < $n; $i++)
		yield $i * 7919 % 9973;
}

$n = (int)($argv[1] ?? 10);
echo fib($n + 10), "\n";
for ($round = 0; $round < $n; $round++) {
	$words = [];
	foreach (numbers(4000) as $number)
		$words[] = sprintf("word%x", $number);
	usort($words, fn($a, $b) => strcmp($b, $a));
	$text = preg_replace_callback('/([a-z]+)([0-9a-f]+)/',
		fn($match) => $match[2] . $match[1], implode(' ', $words));
	for ($i = 0; $i < 500; $i++) {
		try {
			intdiv($i, 0);
		} catch (DivisionByZeroError $error) {
			$text[0] = 'x';
		}
	}
}
echo md5($text), "\n";
