#!/usr/bin/env python3
"""How small could the SFrame section of a file be?

Every FDE costs its index entry and its share of the block of rows it points to.  A
block is paid by all FDEs that use it.  No more of them can use it than the program has
places with exactly these rows.  So an FDE costs at least its index entry and the block's
size divided by the number of those places.  A dynamic programme over every way to cut
the program's rows finds the least sum: no section of version 3 with FDEs of at most
ROWS rows, which begin where a row or a function begins, is smaller.  A section as small
as that need not exist: the bound supposes that every place uses the block it shares.

Prints for each file: bytes of the bound, of the default and of --compact, and each
divided by the bytes of .eh_frame and .eh_frame_hdr; seconds a file.

  python3 tools/maintainer/size_bound.py /usr/bin/git
  git 259898 320029 281928 0.714 0.879 0.774
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import collections
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import common

HEADER, ENTRY, ATTRIBUTE = 28, 16, 5
PADDING_MAX = 15  # bytes between functions under one FDE

# A row with the rule's number and size.  If `continues` is set, it has the same rule
# as the row before it, and is written only if an FDE begins with it.
Row = collections.namedtuple('Row', 'rule size duration continues')


def stats(tool, path, *options):
    out = subprocess.run([tool, '-n', '--replace', '--stats=json', *options,
                          path], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def section_of(tool, path):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, 'section')
        subprocess.run([tool, '-q', '--replace', '--no-split', '--no-share',
                        f'--section-only={name}', path], check=True)
        with open(name, 'rb') as file:
            return file.read()


def functions_of(section):
    """(start, size, flags, [(row start, bytes of the row)]), ascending."""
    if section[:3] != b'\xe2\xde\x03':
        sys.exit('size_bound.py: not a little-endian section of version 3')
    n, = struct.unpack_from('<I', section, 8)
    rows_at = HEADER + struct.unpack_from('<I', section, 24)[0]
    for i in range(n):
        entry = HEADER + ENTRY * i
        start, size, offset = struct.unpack_from('<qII', section, entry)
        at = rows_at + offset
        n_rows, *flags = struct.unpack_from('<HBBB', section, at)
        at += ATTRIBUTE
        width = 1 << (flags[0] & 15)
        rows = []
        for _ in range(n_rows):
            row_start = int.from_bytes(section[at:at + width], 'little')
            at += width
            info = section[at]
            end = at + 1 + ((info >> 1 & 15) << (info >> 5 & 3))
            rows.append((row_start, section[at:end]))
            at = end
        flags[0] &= ~15  # the width of starts is not a property of the rows
        yield start + entry, size, tuple(flags), rows


def runs_of(functions, inside):
    """Rows that follow each other without anything that must part them."""
    rules = {}
    runs, flags_before, end_before = [], None, None
    for start, size, flags, rows in functions:
        gap = None if end_before is None else start - end_before
        repeating = flags[2] != 0
        joined = (not inside and flags == flags_before and not repeating
                  and 0 <= gap <= PADDING_MAX)
        if not joined:
            runs.append([])
        elif gap:
            runs[-1][-1] = runs[-1][-1]._replace(
                duration=runs[-1][-1].duration + gap)
        ends = [row[0] for row in rows[1:]] + [size]
        for i, ((row_start, row), end) in enumerate(zip(rows, ends)):
            rule = rules.setdefault((flags, row), len(rules))
            continues = joined and i == 0 and runs[-1][-1].rule == rule
            runs[-1].append(Row(rule, len(row), end - row_start, continues))
        flags_before, end_before = flags, start + size
    return runs


def extend(state, row):
    """The hash of a segment with ROW at its end; the duration of its last row is
    left out.  Equal hashes of different segments would only lower the bound."""
    value, pending, n_rows, size, last_start, length = state
    if row.continues and n_rows:
        return (value, pending + row.duration, n_rows, size, last_start,
                length + row.duration)
    return (hash((value, pending, row.rule)), row.duration, n_rows + 1,
            size + row.size, length, length + row.duration)


NOTHING = (0, 0, 0, 0, 0, 0)


def count_repeats(runs, rows_max):
    """Occurrences of segments that repeat, by (run, first row, rows)."""
    counts = {}
    alive = [(r, i, i, NOTHING) for r, run in enumerate(runs)
             for i in range(len(run))]
    for n_rows in range(1, rows_max + 1):
        longer = []
        for r, i, end, state in alive:
            while end < len(runs[r]) and state[2] < n_rows:
                state = extend(state, runs[r][end])
                end += 1
            if state[2] == n_rows:
                longer.append((r, i, end, state))
        kinds = collections.Counter(state[0] for *_, state in longer)
        alive = [item for item in longer if kinds[item[3][0]] > 1]
        for r, i, _, state in alive:
            counts[r, i, n_rows] = kinds[state[0]]
        if not alive:
            break
    return counts


def block_bytes(state):
    _, _, n_rows, size, last_start, _ = state
    width = 1 if last_start < 1 << 8 else 2 if last_start < 1 << 16 else 4
    return ATTRIBUTE + size + n_rows * width


def cheapest(run, r, counts, rows_max):
    cost = [0.0] + [float('inf')] * len(run)
    for i in range(len(run)):
        state = NOTHING
        for j in range(i, len(run)):
            state = extend(state, run[j])
            if state[2] > rows_max:
                break
            share = block_bytes(state) / counts.get((r, i, state[2]), 1)
            cost[j + 1] = min(cost[j + 1], cost[i] + ENTRY + share)
    return cost[-1]


def bound(section, rows_max, inside):
    runs = runs_of(functions_of(section), inside)
    counts = count_repeats(runs, rows_max)
    return HEADER + sum(cheapest(run, r, counts, rows_max)
                        for r, run in enumerate(runs))


def main():
    parser = common.parser_of(__doc__)
    common.add_build(parser)
    parser.add_argument('-r', '--rows', type=int, default=48,
                        help='rows that an FDE may have (default: 48)')
    parser.add_argument('-i', '--inside', action='store_true',
                        help='FDEs stay inside functions')
    parser.add_argument('files', nargs='+', metavar='file')
    arguments = parser.parse_args()
    tool = common.converter(arguments)
    for path in arguments.files:
        least = bound(section_of(tool, path), arguments.rows, arguments.inside)
        default = stats(tool, path)
        compact = stats(tool, path, '--compact')
        cfi = default['eh_frame_bytes'] + default['eh_frame_hdr_bytes']
        figures = (least, default['sframe_bytes'], compact['sframe_bytes'])
        print(os.path.basename(path), *(f'{int(n)}' for n in figures),
              *(f'{n / cfi:.3f}' for n in figures), flush=True)


if __name__ == "__main__":
    common.run(main)
