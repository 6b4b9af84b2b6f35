#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""Cut an SFrame section of version 3 again, so that it is smaller.

FILE is a linked 64-bit ELF file with an .sframe.  The new section has the same
rule at each address; the executable specification checks that before anything
is printed.  An entry stays inside a function of the old section.  With --across
an entry may go over several functions, and the padding behind a function gets
the rule of the function's last row.  Prints the sizes of both sections.

The idea has two parts.  An entry need not be a function: a reader goes from an
address to a range, and from the range to a row.  And two entries may share one
block of rows.  So a function may be cut wherever its parts occur elsewhere, too:
prologues and epilogues repeat even where functions do not.  The length of a
block's last row is not in the block, so the code behind two equal parts may
differ.
"""

import argparse
import struct
import sys
from collections import Counter, namedtuple

import sframe_spec
from check import PROBLEMS, Elf, why_not

ENTRY = 16          # bytes of an index entry
ATTRIBUTE = 5       # bytes in front of a block's rows
MOST_ROWS = 48      # of a piece: a reader passes over the rows one by one
MOST_REPEATED = 8   # rows of a part that is looked for elsewhere
PASSES = 3
PADDING = 16        # fewer bytes than this between two functions are padding

# Rows that follow each other, from `address` to `end`.  `kind` has the bits of
# the attribute that hold for all rows: signal frame, key, type of the entry.
# A row is its start and the bytes behind the start in the file.
Run = namedtuple("Run", "address end kind rows")
# An entry that stays as it is: a PLT, or an outermost frame without rows.
Fixed = namedtuple("Fixed", "address size block n_rows")


def start_width(last_start):
    """The code of the smallest field for starts up to LAST_START."""
    return 0 if last_start < 1 << 8 else 1 if last_start < 1 << 16 else 2


def read(section, across):
    """The runs of SECTION, and the entries that stay."""
    runs, fixed, follows_run = [], [], False
    for index in range(section.n_fdes):
        function = section.function(index)
        rows = list(section.rows(function))
        width = 1 << function.fre_type
        if function.pcmask or not rows or rows[0].start != 0:
            end = rows[-1].offset + rows[-1].size if rows else function.rows_at
            fixed.append(Fixed(function.address, function.size,
                               section.data[function.rows_at - ATTRIBUTE:end],
                               len(rows)))
            follows_run = False
            continue
        kind = function.info & 0xF0, function.info2
        own = [(function.address + row.start,
                section.data[row.offset + width:row.offset + row.size])
               for row in rows]
        end = function.address + function.size
        if across and follows_run and runs[-1].kind == kind and (
                0 <= function.address - runs[-1].end < PADDING):
            last = runs.pop()
            runs.append(Run(last.address, end, kind, last.rows + own))
        else:
            runs.append(Run(function.address, end, kind, own))
        follows_run = True
    return [run._replace(rows=without_equal(run.rows)) for run in runs], fixed


def without_equal(rows):
    """ROWS without those that say what the row before them says."""
    return [row for number, row in enumerate(rows)
            if number == 0 or rows[number - 1][1] != row[1]]


def encode(run, first, behind):
    """The block of rows FIRST to BEHIND - 1 of RUN, as bytes."""
    start = run.rows[first][0]
    width = start_width(run.rows[behind - 1][0] - start)
    block = struct.pack("<HBBB", behind - first, run.kind[0] | width,
                        run.kind[1], 0)
    return block + b"".join((address - start).to_bytes(1 << width, "little")
                            + row for address, row in run.rows[first:behind])


def count_parts(runs):
    """How often each block of a few rows occurs, longer ones only where the
    shorter one at the same place occurs twice."""
    uses, alive = Counter(), [range(len(run.rows)) for run in runs]
    for length in range(1, MOST_REPEATED + 1):
        found = Counter()
        places = [[(first, encode(run, first, first + length))
                   for first in firsts if first + length <= len(run.rows)]
                  for run, firsts in zip(runs, alive)]
        for place in places:
            found.update(block for _, block in place)
        uses.update({block: n for block, n in found.items() if n > 1})
        alive = [[first for first, block in place if found[block] > 1]
                 for place in places]
    return uses


def cut(run, uses):
    """The cheapest pieces of RUN, by a walk from its start to its end: at each
    row, which last piece makes the rows so far cheapest?"""
    best = [(0, 0)]  # (bytes, where the last piece begins) in front of each row
    for behind in range(1, len(run.rows) + 1):
        choices = []
        for first in range(behind - 1, max(behind - MOST_ROWS, 0) - 1, -1):
            block = encode(run, first, behind)
            shared = max(uses.get(block, 1), 1)
            choices.append((best[first][0] + ENTRY + len(block) / shared,
                            first))
        best.append(min(choices))
    pieces, behind = [], len(run.rows)
    while behind > 0:
        first = best[behind][1]
        pieces.append((first, behind))
        behind = first
    return pieces[::-1]


def choose(runs):
    """The pieces of each run.  A part that no piece uses is not shared, so the
    uses of the last choice are what the next choice counts with."""
    uses = count_parts(runs)
    for _ in range(PASSES):
        pieces = [cut(run, uses) for run in runs]
        uses = Counter(encode(run, *piece)
                       for run, own in zip(runs, pieces) for piece in own)
    return pieces


def write(section, entries):
    """A section at the address of SECTION with ENTRIES: (address, size, block,
    number of rows)."""
    blocks, rows, index = {}, b"", b""
    for address, size, block, _ in sorted(entries):
        if block not in blocks:
            blocks[block] = len(rows)
            rows += block
        at = section.address + sframe_spec.HEADER_SIZE + len(index)
        index += struct.pack("<qII", address - at, size, blocks[block])
    return struct.pack(
        "<HBBBbbBIIIII", sframe_spec.MAGIC, 3,
        sframe_spec.SORTED | sframe_spec.PCREL, section.abi, section.fixed_fp,
        section.fixed_ra, 0, len(entries), sum(entry[3] for entry in entries),
        len(rows), 0, len(index)) + index + rows


def smaller(section, across=False):
    """The bytes of a section that says what SECTION says."""
    runs, entries = read(section, across)
    for run, pieces in zip(runs, choose(runs)):
        starts = [address for address, _ in run.rows] + [run.end]
        entries += [(starts[first], starts[behind] - starts[first],
                     encode(run, first, behind), behind - first)
                    for first, behind in pieces]
    return write(section, entries)


def meaning(section, across):
    """The rules of SECTION: (start, end, rule) in the order of addresses; equal
    neighbours are one.  The executable specification alone reads them."""
    said = []
    for index in range(section.n_fdes):
        function = section.function(index)
        rows = list(section.rows(function))
        end = function.address + function.size
        if function.pcmask or not rows:
            said.append((function.address, end, [
                (row.start, section.rule(function, row)) for row in rows]))
            continue
        starts = [function.address + row.start for row in rows] + [end]
        said += [(starts[n], starts[n + 1], section.rule(function, row))
                 for n, row in enumerate(rows)]
    merged = []
    for start, end, rule in sorted(said, key=lambda one: one[:2]):
        gap = start - merged[-1][1] if merged else PADDING
        if across and 0 < gap < PADDING:
            merged[-1] = (merged[-1][0], start, merged[-1][2])
        if merged and merged[-1][1:] == (start, rule):
            start = merged.pop()[0]
        merged.append((start, end, rule))
    return merged


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--across", action="store_true",
                        help="let an entry go over several functions")
    parser.add_argument("-o", metavar="SECTION", help="keep the bytes here")
    parser.add_argument("file")
    options = parser.parse_args()
    try:
        with open(options.file, "rb") as file:
            found = Elf(file.read()).find()
        if found is None:
            raise ValueError("no .sframe")
        old = sframe_spec.Section(found[3], found[2])
    except (*PROBLEMS, sframe_spec.Violation) as problem:
        sys.exit(f"{options.file}: {why_not(problem)}")
    if old.version != 3 or old.order != "<" or not old.flags & sframe_spec.PCREL:
        sys.exit(f"{options.file}: not a little-endian section of version 3")
    data = smaller(old, options.across)
    new = sframe_spec.Section(data, old.address)
    problems = sframe_spec.violations(data, old.address)
    if problems or (
            meaning(new, options.across) != meaning(old, options.across)):
        sys.exit(f"{options.file}: the new section says something else: "
                 f"{problems[:1]}")
    print(f"{options.file}: {len(old.data)} -> {len(data)} bytes"
          f" ({len(data) / len(old.data):.3f}), {old.n_fdes} -> {new.n_fdes}"
          " entries")
    if options.o:
        with open(options.o, "wb") as file:
            file.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
