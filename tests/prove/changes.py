#!/usr/bin/env python3
"""Random changes of rows: does sframe-prove find each?

    changes.py PROVE FILE CHANGES SEED

FILE is an x86-64 file with .sframe and .eh_frame.  A byte of a function's
attribute or of a row is changed at random, again and again.  What counts is a
change after which the executable specification of conformance/ gives another
rule for some PC that has CFI, or finds the section broken; PROVE has to refuse
FILE then.  Prints what it did not find, and a line with the counts.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import bisect
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "conformance"))
import check  # noqa: E402
import sframe_spec  # noqa: E402


def fde_ranges(data, address):
    """(start, end) of each FDE of .eh_frame, sorted; CIEs whose pointers are
    relative and signed 32-bit numbers only."""
    at, ranges, plain = 0, [], {}
    while at + 8 <= len(data):
        length, entry = struct.unpack_from("<II", data, at)
        if length == 0:
            break
        if entry == 0:
            plain[at] = data[at + 9:at + 13].startswith(b"zR\0")
        else:
            start, size = struct.unpack_from("<iI", data, at + 8)
            if plain.get(at + 4 - entry):
                start += address + at + 8
                ranges.append((start, start + size))
        at += 4 + length
    return sorted(ranges)


class Changes:
    """A file's section, and what its PCs mean."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = bytearray(file.read())
        elf = check.Elf(bytes(self.data))
        headers = dict(elf.sections)
        self.offset, self.size = headers[".sframe"][4:6]
        self.address = headers[".sframe"][3]
        eh_frame = headers[".eh_frame"]
        self.ranges = fde_ranges(
            bytes(self.data[eh_frame[4]:eh_frame[4] + eh_frame[5]]),
            eh_frame[3])
        self.section = sframe_spec.Section(self.contents(), self.address)
        self.functions = [self.section.function(index)
                          for index in range(self.section.n_fdes)]

    def contents(self):
        return bytes(self.data[self.offset:self.offset + self.size])

    def has_cfi(self, pc):
        index = bisect.bisect(self.ranges, (pc, 1 << 64)) - 1
        return index >= 0 and self.ranges[index][0] <= pc < self.ranges[
            index][1]

    def place(self, generator):
        """A byte of the rows, and the number of a function that has it."""
        index = generator.randrange(len(self.functions))
        function = self.functions[index]
        rows = list(self.section.rows(function))
        begin = function.rows_at - 5
        end = rows[-1].offset + rows[-1].size if rows else begin + 5
        return generator.randrange(begin, end), index

    def meanings(self, section, index):
        """What is said of the PCs at which the function's rows change, old
        rows and new ones."""
        function = self.functions[index]
        starts = {row.start + near for row in self.section.rows(function)
                  for near in (-1, 0, 1, 2, 4)}
        answers = {}
        for start in starts:
            pc = function.address + start
            if 0 <= start < function.size and self.has_cfi(pc):
                try:
                    answers[pc] = section.lookup_in(index, pc)
                except sframe_spec.Violation:
                    answers[pc] = "broken"
        return answers

    def matters(self, index, place, value):
        """Does a byte with another VALUE make a rule wrong?"""
        old = self.data[self.offset + place]
        before = self.meanings(self.section, index)
        self.data[self.offset + place] = value
        after = self.meanings(
            sframe_spec.Section(self.contents(), self.address), index)
        self.data[self.offset + place] = old
        return any(after[pc] not in (answer, "none")
                   for pc, answer in before.items())


def main(prove, path, count, seed):
    changes, generator = Changes(path), random.Random(int(seed))
    if not changes.ranges:
        sys.exit(path + ": no CFI that changes could contradict")
    tried = missed = 0
    with tempfile.NamedTemporaryFile() as copy:
        while tried < int(count):
            place, index = changes.place(generator)
            value = generator.randrange(256)
            if not changes.matters(index, place, value):
                continue
            tried += 1
            at = changes.offset + place
            changed = bytearray(changes.data)
            changed[at] = value
            copy.seek(0)
            copy.write(changed)
            copy.flush()
            result = subprocess.run([prove, copy.name], check=False,
                                    capture_output=True)
            if result.returncode != 1:
                missed += 1
                print(f"{path}: byte {place:#x} of .sframe as {value:#x}:"
                      f" exit status {result.returncode}")
    print(f"{path}: {tried} changes, {missed} not found")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
