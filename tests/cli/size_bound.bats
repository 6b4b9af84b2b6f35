#!/usr/bin/env bats
# tools/maintainer/size_bound.py: how small a section could be.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

bound ()
{
  python3 "$srcdir/tools/maintainer/size_bound.py" -b "${CFI2SFRAME%/src/cfi2sframe}" "$@"
}

@test "no section is smaller than the bound" {
  needs python3
  small_program
  copy "$(command -v bash)" bash
  for file in ./small ./bash; do
    bound -r 48 "$file" >across
    bound -r 65535 -i "$file" >inside
    read -r _ across default compact _ <across
    read -r _ inside _ <inside
    [ "$across" -le "$compact" ] || report
    [ "$across" -lt "$inside" ] || report
    [ "$inside" -le "$default" ] || report
  done
  # It is near, too.
  [ $((across * 100)) -ge $((compact * 85)) ]
  [ $((inside * 100)) -ge $((default * 85)) ]
}

@test "the bound is that of every way to cut, one by one" {
  needs python3
  PYTHONPATH=$srcdir/tools/maintainer PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 \
    python3 - <<'END'
import itertools, random
import size_bound as sb

def rows_of(run, begin, end):
    """Starts and rules of the rows that are there."""
    rows, at = [], 0
    for i in range(begin, end):
        if not (run[i].continues and rows):
            rows.append((at, run[i].rule, run[i].size))
        at += run[i].duration
    return tuple(rows)

def cost(rows, uses):
    last = rows[-1][0]
    width = 1 if last < 256 else 2 if last < 65536 else 4
    return 16 + (5 + sum(size + width for _, _, size in rows)) / uses

def by_hand(runs, rows_max):
    segments = {}
    for run in runs:
        for begin in range(len(run)):
            for rows in {rows_of(run, begin, end)
                         for end in range(begin + 1, len(run) + 1)}:
                segments[rows] = segments.get(rows, 0) + 1
    total = sb.HEADER
    for run in runs:
        best = float('inf')
        for n in range(len(run)):
            for cuts in itertools.combinations(range(1, len(run)), n):
                pieces = [rows_of(run, a, b) for a, b in
                          zip((0, *cuts), (*cuts, len(run)))]
                if max(len(rows) for rows in pieces) <= rows_max:
                    best = min(best, sum(cost(rows, segments[rows])
                                         for rows in pieces))
        total += best
    return total

random.seed(1)
for number in range(60):
    functions, address = [], 0x1000
    for _ in range(random.randint(1, 7)):
        rows, start = [], 0
        for _ in range(random.randint(1, 3)):
            rows.append((start, random.choice([b'\3\10', b'\5\20\360'])))
            start += random.choice([1, 2, 2, 300])
        flags = (0, 0, 0) if random.random() < .8 else (128, 0, 0)
        functions.append((address, start, flags, rows))
        address += start + random.choice([0, 0, 3, 40])
    for inside in False, True:
        for rows_max in 3, 48:
            runs = sb.runs_of(functions, inside)
            if max(map(len, runs)) > 13:
                continue
            counts = sb.count_repeats(runs, rows_max)
            found = sb.HEADER + sum(sb.cheapest(run, r, counts, rows_max)
                                    for r, run in enumerate(runs))
            assert abs(found - by_hand(runs, rows_max)) < 1e-6, number
END
}
