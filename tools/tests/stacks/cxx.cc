// SPDX-License-Identifier: GPL-2.0
/*
 * C++: virtual calls, exceptions through three frames, destructors that run
 * during unwinding, a rethrow. The run-time library has no tables of its own.
 *
 * A known limit: for the few instructions in which libgcc goes on at a handler, its
 * frame's registers are that frame's already: then one stands twice, or some are lost.
 *
 * stacks: (_ZN6Square4areaEv | _ZN6Circle4areaEv) virtuals main
 * stacks: _ZN5GuardD2Ev (level1 | level2 level1 | level3 level2 level1) main
 * stacks: leaf? level3 level2 level1 main
 * stacks: (level2 level1 | level1 | virtuals)? main
 * stacks: (@plt | @libc+ @plt?) ((level3? level2)? level1)? main
 * stacks: @libc+ (level3 level3 level2 | level2 level2 | level1) level1 main
 * stacks: @libc+ (level3 | level2 | level1) @libc main
 * stacks: @libc+ main main
 */
#include "stacks.h"

extern "C" {
int leaf(int n);
int level1(int n);
int level2(int n);
int level3(int n);
int virtuals(int n);
}

struct Guard {
	FN ~Guard();
};

struct Shape {
	virtual int area() = 0;
};

struct Square : Shape {
	FN int area() override;
};

struct Circle : Shape {
	FN int area() override;
};

FN Guard::~Guard()
{
	burn();
}

FN int Square::area()
{
	burn();
	return 4;
}

FN int Circle::area()
{
	volatile char room[50];

	room[1] = 3;
	burn();
	return room[1];
}

static Square square;
static Circle circle;
static Shape *volatile shapes[] = { &square, &circle };

FN int virtuals(int n)
{
	return shapes[n & 1]->area() + shapes[(n + 1) & 1]->area();
}

FN int leaf(int n)
{
	burn();
	return n;
}

FN int level3(int n)
{
	Guard guard;
	volatile char room[200];

	room[n & 63] = 1;
	if (leaf(n) & 1)
		throw n;
	return n + room[n & 63];
}

FN int level2(int n)
{
	Guard guard;

	try {
		return level3(n) + 1;
	} catch (long other) {
		return (int)other;
	}
}

FN int level1(int n)
{
	Guard guard;

	try {
		return level2(n) + 1;
	} catch (int caught) {
		burn();
		if (caught & 2)
			throw;
		return caught;
	}
}

int main(int argc, char **argv)
{
	int n = 0;

	limit(argc, argv);
	while (time_left()) {
		virtuals(n);
		try {
			level1(n++);
		} catch (int last) {
			n = last + 1;
		}
	}
	return 0;
}
