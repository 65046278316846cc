#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges the bookkeeping of deferred callchains: does every cookie get its record, and
every sample, in every session?

usage: records.py [--task-exit-loses] GROUP...

A GROUP is the perf.data files, separated by commas, of sessions that ran at
the same time. In each file:

  answered    cookies in samples with a record
  open        cookies without one that were their task's last: it had not
              returned to user space when the recording ended
  missing     other cookies without a record
  others'     records for a cookie in another session's samples
  orphans     records for a cookie in no sample of the group
  late        samples that came when the last record for their cookie was written
              already: perf shows them without a stack
  duplicates  second records for a cookie that no sample came before since the first:
              one may have come when the first was about to be written
  overtaken   cookies whose samples were already there when the record of an earlier
              one of their task was written: perf takes that for their own, finds
              that it is not, and does not wait for another
  reread      parts of its buffer that perf wrote to the file twice: records
              and samples equal in everything, time in nanoseconds included

A group passes if nothing is missing or overtaken, there are no more orphans than lost
samples, at most 0.2 % of the samples are late (those of tasks without tables are the
kernel's, which leaves up to 4 %), at most 5 % of the cookies have a duplicate, no task that
exited has a cookie open (but one that exited in the recording's last 100 ms: its record may
have been about to come when perf ended the events of its CPU, one after another), and at
least 50 cookies were answered.

With --task-exit-loses, tasks that exited may have one open in sessions of one task's
events, which are named *.task: where the kernel's own engine defers, do_exit() takes the
task's events away (perf_event_exit_task()) before it has the last chain written
(unwind_deferred_task_exit()), with the module and without.
"""

import bisect
import collections
import os
import sys

import perfdata

FLOOR = 50
DUPLICATE_SHARE = 0.05
LATE_SHARE = 0.002
ENDING_NS = 100_000_000


def overtaken(samples, records):
    """How many cookies' samples another record of their task came between, and theirs?"""
    written = collections.defaultdict(list)
    own = {}
    for record in sorted(records, key=lambda record: record.time):
        written[record.tid].append(record)
        own[record.cookie] = record.time
    found = set()
    for sample in samples:
        if own.get(sample.cookie, 0) <= sample.time:
            continue
        after = bisect.bisect_right(written[sample.tid], sample.time,
                                    key=lambda record: record.time)
        if any(record.cookie != sample.cookie
               for record in written[sample.tid][after:after + 1]):
            found.add(sample.cookie)
    return len(found)


def times_of(items):
    """cookie -> times, in order."""
    found = collections.defaultdict(list)
    for one in sorted(items, key=lambda one: one.time):
        if one.cookie is not None:
            found[one.cookie].append(one.time)
    return found


def needless(written, sampled):
    """How many records have had no sample of their cookie since the one before?"""
    count = 0
    for cookie, times in written.items():
        for before, time in zip(times, times[1:]):
            at = bisect.bisect_left(sampled[cookie], before)
            count += at == len(sampled[cookie]) or sampled[cookie][at] > time
    return count


class Account:
    """One session's cookies and records."""

    def __init__(self, data, group):
        elsewhere = {sample.cookie for other in group if other is not data
                     for sample in other.samples}
        self.lost = data.lost
        self.waiting = {}           # cookie -> tid
        last = {}                   # tid -> its last cookie
        self.samples = len(data.samples)
        for sample in sorted(set(data.samples), key=lambda sample: sample.time):
            if sample.cookie is not None:
                self.waiting[sample.cookie] = sample.tid
                last[sample.tid] = sample.cookie
        written = set(data.deferred)
        self.reread = len(data.deferred) - len(written)
        records = times_of(written)
        self.answered = sum(cookie in records for cookie in self.waiting)
        self.late = sum(one.cookie in records and records[one.cookie][-1] < one.time and
                        last[one.tid] != one.cookie for one in set(data.samples))
        self.duplicates = needless(records, times_of(
            sample for one in group for sample in one.samples))
        self.overtaken = overtaken(data.samples, written)
        self.empty = sum(not one.length for one in written)
        unknown = set(records) - set(self.waiting)
        self.others = len(unknown & elsewhere)
        self.orphans = len(unknown - elsewhere)
        left = {cookie: tid for cookie, tid in self.waiting.items()
                if cookie not in records}
        self.open = [tid for cookie, tid in left.items() if last[tid] == cookie]
        self.missing = len(left) - len(self.open)
        end = max((sample.time for sample in data.samples), default=0) - ENDING_NS
        self.exited = sum(data.exits.get(tid, end) < end for tid in self.open)

    def reasons(self, exit_loses):
        found = []
        if self.answered < FLOOR:
            found.append(f"only {self.answered} answered")
        if self.duplicates > DUPLICATE_SHARE * self.answered:
            found.append(f"{self.duplicates} duplicates")
        for name in ("missing", "exited", "overtaken"):
            if getattr(self, name) and not (exit_loses and name == "exited"):
                found.append(f"{getattr(self, name)} {name}")
        if self.late > self.lost + LATE_SHARE * self.samples:
            found.append(f"{self.late} late")
        if self.orphans > self.lost:
            found.append(f"{self.orphans} orphans")
        return found

    def row(self):
        return (f"{self.samples:8} {len(self.waiting):8} {self.answered:8} "
                f"{len(self.open):6} {self.exited:6} {self.missing:7} {self.late:6} "
                f"{self.others:7} "
                f"{self.orphans:7} {self.duplicates:10} {self.overtaken:9} {self.reread:6} "
                f"{self.empty:6} {self.lost:6}")


HEADER = (f"{'session':20} samples  cookies answered   open exited missing   late "
          f"others' orphans duplicates overtaken reread  empty   lost")


def judge_group(paths, task_exit_loses=False):
    """Prints a row for each session; whether all are right."""
    data = [perfdata.PerfData(path) for path in paths]
    good = True
    for path, mine in zip(paths, data):
        account = Account(mine, data)
        name = os.path.basename(path).removesuffix(".data")
        reasons = account.reasons(task_exit_loses and name.endswith(".task"))
        print(f"{name:18} {account.row()}  "
              f"{'FAIL: ' + ', '.join(reasons) if reasons else 'pass'}")
        good &= not reasons
    return good


def main():
    groups = sys.argv[1:]
    task_exit_loses = groups[:1] == ["--task-exit-loses"]
    if task_exit_loses:
        del groups[0]
    if not groups:
        sys.exit(__doc__)
    passed = failed = 0
    print(HEADER)
    for group in groups:
        good = judge_group(group.split(","), task_exit_loses)
        passed += good
        failed += not good
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
