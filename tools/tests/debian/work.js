// SPDX-License-Identifier: GPL-2.0
//
// Work for node and gjs: recursion, closures, sorting, patterns, JSON, exceptions; hot
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

const n = Number((typeof process === 'object' ? process.argv[2] : ARGV[0]) || 10);

console.log(fib(n + 12));
const tree = new Tree(500);
for (let i = 0; i < n * 60; i++)
	tree.add(i * 7919 % 9973);
console.log([...tree.keys()].reduce((a, b) => a + b));
let text = '';
for (let i = 0; i < n * 1000; i++)
	text += `word${(i * 7919 % 9973).toString(16)} `;
const words = text.match(/\b(w\w*?)([0-9a-f]+)\b/g).sort((a, b) => a < b ? 1 : -1);
console.log(words.length, JSON.stringify(JSON.parse(JSON.stringify(words))).length);
let died = 0;
for (let i = 0; i < n * 1000; i++) {
	try {
		null.x = i;
	} catch (error) {
		died++;
	}
}
console.log(died, text.replace(/\d+/g, (digits) => digits.length + digits).length);
