#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Work for perl: text is made, matched, counted, sorted and printed.
use strict;
use warnings;

my $seed = 1;

sub pick {
	my ($many) = @_;

	$seed = ($seed * 1103515245 + 12345) % 2147483648;
	return int($seed / 65536) % $many;
}

sub word {
	my ($depth) = @_;

	return chr(97 + pick(26)) if $depth == 0;
	return word($depth - 1) . chr(97 + pick(26));
}

sub sentence {
	return join(' ', map { word(pick(6)) } 1 .. 8) . '.';
}

sub count_words {
	my ($count, $text) = @_;

	$count->{$1}++ while $text =~ /\b([a-z]+)\b/g;
	return scalar(() = $text =~ /([aeiou])[^aeiou .]*\1/g);
}

my %count;
my $echoes = 0;
for my $round (1 .. 40) {
	my $text = join(' ', map { sentence() } 1 .. 60);
	$echoes += count_words(\%count, $text);
}
my @often = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
printf "%-8s %d\n", $_, $count{$_} for @often[0 .. 4];
print "$echoes echoes\n";
