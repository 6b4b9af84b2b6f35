#!/usr/bin/env python3
"""Print a profile for pprof as folded stacks, sorted, with labels.

An independent reader of profile.proto (github.com/google/pprof): numbers of
fields are written down here once more.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import gzip
import sys


def number(data, at):
    """A varint, and what is behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message, in lists by number."""
    found, at = {}, 0
    while at < len(data):
        key, at = number(data, at)
        if key & 7 == 0:
            value, at = number(data, at)
        else:
            assert key & 7 == 2
            size, at = number(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        found.setdefault(key >> 3, []).append(value)
    return found


def numbers(data):
    """A packed list."""
    values, at = [], 0
    while at < len(data):
        value, at = number(data, at)
        values.append(value)
    return values


with gzip.open(sys.argv[1]) as file:
    profile = fields(file.read())
strings = [text.decode() for text in profile[6]]
assert strings[0] == ''
functions = {f[1][0]: strings[f[2][0]]
             for f in map(fields, profile[5])}
names = {}
for location in map(fields, profile[4]):
    names[location[1][0]] = functions[fields(location[4][0])[1][0]]
types = [fields(kind) for kind in profile[1]]
print(*(f'{strings[t[1][0]]}/{strings[t[2][0]]}' for t in types))
lines = []
for sample in map(fields, profile[2]):
    labels = []
    for label in map(fields, sample[3]):
        text = strings[label[2][0]] if 2 in label else str(label[3][0])
        labels.append(strings[label[1][0]] + '=' + text)
    stack = ';'.join(names[i] for i in reversed(numbers(sample[1][0])))
    values = numbers(sample[2][0])
    assert len(values) == len(types)
    lines.append(' '.join([stack, *map(str, values), *labels]))
print(*sorted(lines), sep='\n')
