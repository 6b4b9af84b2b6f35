#!/usr/bin/env python3
"""A copy of a converted file in which each row has the same fault, for tests of
what reads rows.

    wrong_rows.py FILE COPY cfa-offset|fp-sign

Rows may not be shared (--no-share).
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "conformance"))
import check  # noqa: E402
import sframe_spec  # noqa: E402


def changes(section, function, row, fault):
    """(offset, bytes) of the word of ROW that gets another value."""
    number = 0 if fault == "cfa-offset" else 2 if section.machine.tracks_ra else 1
    if function.fde_type or len(row.words) <= number:
        return
    old = row.signed_words[number]
    new = old + 8 if fault == "cfa-offset" else -old
    head = sframe_spec.START_SIZES[function.fre_type] + 1
    size = (row.size - head) // len(row.words)
    yield (row.offset + head + number * size,
           (new % (1 << 8 * size)).to_bytes(
               size, "little" if section.order == "<" else "big"))


def main(path, copy, fault):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    header = dict(check.Elf(bytes(data)).sections)[".sframe"]
    address, start, size = header[3:6]
    section = sframe_spec.Section(bytes(data[start:start + size]), address)
    count = 0
    for index in range(section.n_fdes):
        function = section.function(index)
        for row in section.rows(function):
            for at, word in changes(section, function, row, fault):
                data[start + at:start + at + len(word)] = word
                count += 1
    if count == 0:
        sys.exit(path + ": no place for this fault")
    with open(copy, "wb") as file:
        file.write(data)
    shutil.copymode(path, copy)


if __name__ == "__main__":
    main(*sys.argv[1:])
