#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Work for rustc: a source of so many functions, generic ones among them, optimized.
#
# usage: work.rs FUNCTIONS

source=/tmp/work.$$.rs
for ((i = 0; i < $1; i++)); do
	cat <<-EOF
	#[derive(Clone, Debug, PartialEq)]
	pub struct S$i<T> { pub all: Vec<T>, pub next: Option<Box<S$i<T>>> }
	impl<T: Copy + Into<u64> + Ord> S$i<T> {
		pub fn sum(&self, n: usize) -> u64 {
			let mine: u64 = self.all.iter().take(n).map(|x| (*x).into() ^ $i).sum();
			mine + self.next.as_ref().map_or(0, |s| s.sum(n / 2))
		}
	}
	pub fn work$i(mut words: Vec<String>) -> std::collections::HashMap<String, u64> {
		words.sort_by(|a, b| b.cmp(a));
		let s = S$i { all: words.iter().map(|w| w.len() as u32).collect(), next: None };
		words.into_iter().map(|w| { let n = s.sum(w.len()); (w, n) }).collect()
	}
	EOF
done >$source
rustc --crate-name work --crate-type lib -O --emit obj -o /tmp/work.$$.o $source
status=$?
rm -f $source /tmp/work.$$.o
exit $status
