#!/usr/bin/env python3
"""Are the rows that --analyze makes for programs of Go those of Go's own table?

Go's runtime unwinds by a table.  This program reads it from the runtime's module data
(its slices pctab, pclntable and ftab), not from the table's header, and shares nothing
with cfi2sframe, so that an error in either shows.  Go 1.18 and later, without
relocations (-buildmode=exe).

Prints for each file: bytes of rows that find the CFA by SP and agree with the table;
bytes of those that do not; bytes of rows by FP, about which the table says nothing.  On
aarch64, where rows say that the caller's FP is in the stack, it has to be in the word
below the return address, and that at or above the stack pointer.  1 s a file.

  python3 tools/maintainer/go_depths.py hello

Exit status: 0, or 1 if a row does not agree, or nothing could be compared.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import bisect
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import common
from sframe_retrofit import elf

MAGICS = (0xFFFFFFF0, 0xFFFFFFF1)  # Go 1.18, 1.20


class Image:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.loads = [segment for segment in elf.segments(self.bytes)
                      if segment.kind == elf.PT_LOAD]
        self.machine = elf.machine(self.bytes)

    def at(self, address):
        for load in self.loads:
            if load.address <= address < load.address + load.size:
                return address - load.address + load.offset
        raise ValueError(hex(address))

    def module(self):
        """The words of the module data, which begin with a pointer to a header of
        the table, and the header's unit of code."""
        for load in self.loads:
            if load.flags & elf.PF_X:
                continue
            first = load.offset + -load.address % 8
            words = memoryview(self.bytes)[first:load.offset + load.size]
            words = words[:len(words) // 8 * 8].cast("Q")
            for i in range(len(words) - 24):
                try:
                    header = self.at(words[i])
                except ValueError:
                    continue
                magic, pad = struct.unpack_from("<IH", self.bytes, header)
                if magic in MAGICS and pad == 0 \
                        and words[i + 20] == words[i + 22] \
                        and words[i + 17] == words[i + 18]:
                    return words[i:i + 24], self.bytes[header + 6]
        return None, None


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def depths(image):
    """Starts of stretches and their depths, None where there is none."""
    module, quantum = image.module()
    starts, found = [], []
    if module is None:
        return starts, found
    pctab, funcs, ftab = (image.at(module[i]) for i in (10, 13, 16))
    n, text = module[17], module[22]
    data = image.bytes
    for i in range(n - 1):
        entry, at = struct.unpack_from("<II", data, ftab + 8 * i)
        end = struct.unpack_from("<I", data, ftab + 8 * i + 8)[0]
        pcsp = struct.unpack_from("<I", data, funcs + at + 16)[0]
        pc, depth, first = entry, -1, True
        table = pctab + pcsp
        while pcsp and pc < end:
            change, table = varint(data, table)
            if change == 0 and not first:
                break
            distance, table = varint(data, table)
            depth += -(change >> 1) - 1 if change & 1 else change >> 1
            starts.append(text + pc)
            found.append(depth)
            first = False
            pc += distance * quantum
        starts.append(text + max(pc, entry) if not pcsp else text + end)
        found.append(None)
    return starts, found


def rows(program, path):
    """(start, end, base, offset, FP, RA) of the rows that --analyze makes."""
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out")
        subprocess.run([program, "--analyze", "-o", out, path], check=True,
                       stdout=subprocess.DEVNULL)
        text = subprocess.run([program, "--dump", out], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
    last = end = None
    for line in text.splitlines():
        header = re.search(r"pc = (0x[0-9a-f]+), size = (\d+) bytes", line)
        row = re.match(r"\s*([0-9a-f]{16})\s+(sp|fp)\+(\d+)"
                       r"\s+(\S+)\s+(\S+)", line)
        gone = re.match(r"\s*([0-9a-f]{16})\s", line)
        if header or gone:
            start = int(header[1], 16) if header else int(gone[1], 16)
            if last:
                yield last[0], min(start, end) if not header else end, \
                    *last[1:]
            last = None
        if header:
            end = int(header[1], 16) + int(header[2])
        if row:
            last = int(row[1], 16), row[2], int(row[3]), row[4], row[5]
    if last:
        yield last[0], end, *last[1:]


def saved(fp, ra, depth):
    """Whether Go saves registers as FP and RA, columns of the dump, say."""
    if ra == "u":
        return fp == "u"
    return int(ra[2:]) <= depth and fp in ("u", f"c-{int(ra[2:]) + 8}")


def judge(program, path):
    image = Image(path)
    starts, found = depths(image)
    fixed = 8 if image.machine == elf.EM_X86_64 else 0
    right = wrong = by_fp = 0
    for start, end, base, offset, fp, ra in rows(program, path):
        at = start
        while at < end:
            i = bisect.bisect_right(starts, at) - 1
            until = min(end, starts[i + 1] if i + 1 < len(starts) else end)
            until = max(until, at + 1)
            depth = found[i] if i >= 0 else None
            if depth is None:
                pass
            elif base == "fp":
                by_fp += until - at
            elif depth + fixed == offset and (fixed or saved(fp, ra, depth)):
                right += until - at
            else:
                wrong += until - at
                if wrong < 400:
                    print(f"  {at:#x}: sp+{offset}, table {depth}")
            at = until
    print(f"{path}: {right} agree, {wrong} differ, {by_fp} by FP")
    return wrong == 0 and right > 0


def main():
    parser = common.parser_of(__doc__)
    common.add_build(parser)
    parser.add_argument("files", nargs="+", metavar="file")
    arguments = parser.parse_args()
    verdicts = [judge(common.converter(arguments), path)
                for path in arguments.files]
    return 0 if all(verdicts) else 1


common.run(main)
