# SPDX-License-Identifier: GPL-2.0
"""Reads perf.data as far as deferred callchains need it: which samples wait for
which cookie, which records bring one, which tasks exited, what was lost.

The layout is that of perf_event_open(2) and of perf's own
Documentation/perf.data-file-format.txt.
"""

import collections
import struct

RECORD_LOST, RECORD_EXIT, RECORD_SAMPLE = 2, 4, 9
RECORD_LOST_SAMPLES, RECORD_CALLCHAIN_DEFERRED = 13, 22
CONTEXT_USER_DEFERRED = 2**64 - 640

(SAMPLE_IP, SAMPLE_TID, SAMPLE_TIME, SAMPLE_ADDR, SAMPLE_READ, SAMPLE_CALLCHAIN,
 SAMPLE_ID, SAMPLE_CPU, SAMPLE_PERIOD, SAMPLE_STREAM_ID) = \
    (1 << bit for bit in range(10))
SAMPLE_IDENTIFIER = 1 << 16

# What comes in a sample before the chain, and in the trailer of other records.
_IN_SAMPLE = [(SAMPLE_IDENTIFIER, "id"), (SAMPLE_IP, "ip"), (SAMPLE_TID, "tid"),
              (SAMPLE_TIME, "time"), (SAMPLE_ADDR, "addr"), (SAMPLE_ID, "id"),
              (SAMPLE_STREAM_ID, "stream"), (SAMPLE_CPU, "cpu"),
              (SAMPLE_PERIOD, "period")]
_IN_TRAILER = [(SAMPLE_TID, "tid"), (SAMPLE_TIME, "time"), (SAMPLE_ID, "id"),
               (SAMPLE_STREAM_ID, "stream"), (SAMPLE_CPU, "cpu"),
               (SAMPLE_IDENTIFIER, "id")]

Sample = collections.namedtuple("Sample", "tid time cookie")
Deferred = collections.namedtuple("Deferred", "tid time cookie length")


class PerfData:
    """samples: those with a callchain; deferred: records with one that was put
    off; exits: tid -> time; lost: how many records perf says it lost."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:8] == b"PERFILE2":
            self.order = "<"
        elif self.data[:8] == b"2ELIFREP":
            self.order = ">"
        else:
            raise ValueError(f"{path}: not a perf.data file")
        self.samples, self.deferred = [], []
        self.exits = {}
        self.lost = 0
        self._read_attrs()
        self._read_records()

    def _get(self, fmt, at):
        return struct.unpack_from(self.order + fmt, self.data, at)

    def _read_attrs(self):
        """Kinds of data in an event's samples, by the event's identifiers."""
        _, size, at, length, begin, amount = self._get("QQQQQQ", 8)
        self.begin, self.end = begin, begin + amount
        self.types = {}
        for one in range(at, at + length, size):
            (kind,) = self._get("Q", one + 24)
            if kind & SAMPLE_READ:
                raise ValueError("samples with counts are not understood")
            ids, amount = self._get("QQ", one + size - 16)
            for identifier in self._get(f"{amount // 8}Q", ids):
                self.types[identifier] = kind
            self.types[None] = kind
        if length != size and not all(kind & SAMPLE_IDENTIFIER
                                      for kind in self.types.values()):
            raise ValueError("several events, and samples that do not tell which")

    def _type(self, at):
        """Of the event whose identifier is at this place, or of the only one."""
        if not self.types[None] & SAMPLE_IDENTIFIER:
            return self.types[None]
        return self.types[self._get("Q", at)[0]]

    @staticmethod
    def _fields(kind, which, at):
        """Where the values of one word each are, and where they end."""
        values = {}
        for bit, name in which:
            if kind & bit:
                values[name] = at
                at += 8
        return values, at

    def _read_records(self):
        at = self.begin
        while at + 8 <= self.end:
            kind, _, size = self._get("IHH", at)
            if size < 8:
                raise ValueError(f"a record of {size} bytes")
            self._record(kind, at, at + size)
            at += size

    def _record(self, kind, at, end):
        if kind == RECORD_SAMPLE:
            self._sample(at + 8)
        elif kind == RECORD_CALLCHAIN_DEFERRED:
            cookie, length = self._get("QQ", at + 8)
            values, _ = self._fields(self._type(end - 8), _IN_TRAILER,
                                     at + 24 + 8 * length)
            self.deferred.append(Deferred(*self._who(values), cookie, length))
        elif kind == RECORD_EXIT:
            (tid,) = self._get("i", at + 16)
            (self.exits[tid],) = self._get("Q", at + 24)
        elif kind == RECORD_LOST:
            self.lost += self._get("Q", at + 16)[0]
        elif kind == RECORD_LOST_SAMPLES:
            self.lost += self._get("Q", at + 8)[0]
        # What is compressed would look like a recording without samples.
        elif kind in (81, 83):
            raise ValueError("compressed")

    def _who(self, values):
        return self._get("i", values["tid"] + 4)[0], self._get("Q", values["time"])[0]

    def _sample(self, at):
        kind = self._type(at)
        if not kind & SAMPLE_CALLCHAIN:
            return
        values, at = self._fields(kind, _IN_SAMPLE, at)
        (length,) = self._get("Q", at)
        chain = self._get(f"{length}Q", at + 8)
        cookie = None
        if CONTEXT_USER_DEFERRED in chain:
            cookie = chain[chain.index(CONTEXT_USER_DEFERRED) + 1]
        self.samples.append(Sample(*self._who(values), cookie))
