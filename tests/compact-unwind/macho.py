#!/usr/bin/env python3
"""Wrap an __unwind_info section in a minimal 64-bit Mach-O object.

Usage: macho.py SECTION OUT amd64|aarch64

One LC_SEGMENT_64 with one section; numbers are those of Apple's loader.h.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import struct
import sys

CPU = {"amd64": (0x01000007, 3), "aarch64": (0x0100000C, 0)}


def main(section, out, machine):
    with open(section, "rb") as file:
        data = file.read()
    header_size, segment_size, section_size = 32, 72, 80
    at = header_size + segment_size + section_size
    cpu, subtype = CPU[machine]
    header = struct.pack("<8I", 0xFEEDFACF, cpu, subtype, 1, 1,
                         segment_size + section_size, 0, 0)
    segment = struct.pack("<2I16s4Q4I", 0x19, segment_size + section_size,
                          b"", 0, len(data), at, len(data), 7, 7, 1, 0)
    record = struct.pack("<16s16s2Q8I", b"__unwind_info", b"__TEXT", 0,
                         len(data), at, 2, 0, 0, 0, 0, 0, 0)
    with open(out, "wb") as file:
        file.write(header + segment + record + data)


if __name__ == "__main__":
    main(*sys.argv[1:])
