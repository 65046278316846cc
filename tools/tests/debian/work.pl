#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Work for perl: recursion, closures, hashes, sorting, patterns, sprintf, eval.
#
# usage: work.pl N

use strict;
use warnings;

sub fib
{
	my $n = shift;

	return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}

sub words
{
	my ($n) = @_;
	my %seen;
	my $text = join ' ', map { sprintf 'word%x', $_ * 7919 % 9973 } 1 .. $n * 400;

	$seen{$1}++ while $text =~ /\b(w\w*?[0-9a-f]{2,})\b/g;
	my @sorted = sort { $seen{$b} <=> $seen{$a} || $a cmp $b } keys %seen;
	(my $other = $text) =~ s/(\d+)/length($1) . $1/ge;
	return scalar(@sorted) . ' ' . length($other);
}

my $n = shift || 10;
my @makers = map { my $k = $_; sub { fib($k) } } 1 .. $n + 4;
print join(' ', map { $_->() } @makers), "\n";
print words($n), "\n";
my $died = 0;
for my $i (1 .. $n * 50) {
	eval { die { code => $i } if $i % 3 == 0; 1 } or $died++;
}
print "$died\n";
print scalar(reverse(join ',', map { unpack('H*', pack('N', $_)) } 1 .. $n * 100)) =~ tr/0-9//, "\n";
