#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""Which demands of the specification does the .sframe of a file break?

Prints a line for each violation, with the demand's name in sentences.json.
Exit status: 0 none, 1 some, 2 a file has no section or cannot be read.

The suite shares nothing with the programs that it judges, so it reads ELF files
by itself.
"""

import argparse
import struct
import sys

import sframe_spec

SHT_NOBITS, SHT_GNU_SFRAME = 8, 0x6FFFFFF4
PT_LOAD, PT_GNU_SFRAME = 1, 0x6474E554
SHF_ALLOC, ET_REL = 2, 1


class Elf:
    """The tables of a 64-bit ELF file."""

    def __init__(self, data):
        self.data = data
        if data[:5] != b"\x7fELF\x02":
            raise ValueError("no 64-bit ELF file")
        self.order = {1: "<", 2: ">"}[data[5]]
        fields = struct.unpack_from(self.order + "HHIQQQIHHHHHH", data, 16)
        self.type = fields[0]
        self.segments = [
            struct.unpack_from(self.order + "IIQQQQQQ", data,
                               fields[4] + index * 56)
            for index in range(fields[9])]
        headers = [
            struct.unpack_from(self.order + "IIQQQQIIQQ", data,
                               fields[5] + index * 64)
            for index in range(fields[11])]
        names = headers[fields[12]][4] if headers else 0
        self.sections = [(self._name(names + header[0]), header)
                         for header in headers]

    def _name(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode(
            "utf-8", "replace")

    def find(self):
        """The .sframe: (kind, flags, address, bytes) or None."""
        for name, header in self.sections:
            if name == ".sframe" and header[1] != SHT_NOBITS:
                return (header[1], header[2], header[3],
                        self.data[header[4]:header[4] + header[5]])
        for kind, _, offset, address, _, size, _, _ in self.segments:
            if kind == PT_GNU_SFRAME and size:
                return (SHT_GNU_SFRAME, SHF_ALLOC, address,
                        self.data[offset:offset + size])
        return None


def has_type(contents):
    """Is it a section of a version with the type SHT_GNU_SFRAME?  That came
    with erratum 1 of version 2, as the flag for relative starts did."""
    return len(contents) > 3 and (contents[2] > 2
                                  or contents[3] & sframe_spec.PCREL)


def file_demands(elf, kind, flags, address, contents):
    """Section 1.1: the section's type, and that it is loaded."""
    size = len(contents)
    if kind != SHT_GNU_SFRAME and has_type(contents):
        yield f"section-type: {kind:#x} is not SHT_GNU_SFRAME"
    if not flags & SHF_ALLOC:
        yield "section-loaded: the section has no SHF_ALLOC"
    if elf.type == ET_REL:
        return
    inside = [segment for segment in elf.segments
              if segment[3] <= address
              and address + size <= segment[3] + segment[5]]
    if not any(segment[0] == PT_LOAD for segment in inside):
        yield "section-loaded: no segment PT_LOAD has the section"
    if not any(segment[0] == PT_GNU_SFRAME for segment in inside):
        yield "segment: no segment PT_GNU_SFRAME has the section"


def check_file(path, raw):
    with open(path, "rb") as file:
        data = file.read()
    if raw is not None:
        return [str(found) for found in sframe_spec.violations(data, raw)]
    elf = Elf(data)
    section = elf.find()
    if section is None:
        raise ValueError("no .sframe")
    kind, flags, address, contents = section
    lines = list(file_demands(elf, kind, flags, address, contents))
    return lines + [str(found)
                    for found in sframe_spec.violations(contents, address)]


def hexadecimal(text):
    return int(text, 16)


# What is raised for a file that cannot be judged.
PROBLEMS = (ValueError, OSError, struct.error, LookupError)


def why_not(problem):
    """Why a file cannot be judged."""
    if isinstance(problem, (struct.error, LookupError)):
        return "damaged ELF file"
    return getattr(problem, "strerror", None) or problem


def parse_arguments():
    first, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=first, epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", metavar="ADDRESS",
                        type=hexadecimal,
                        help="FILE is the bytes of a section for ADDRESS "
                        "(hexadecimal), not an ELF file")
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="a 64-bit ELF file")
    return parser.parse_args()


def main():
    options, status = parse_arguments(), 0
    for path in options.files:
        try:
            lines = check_file(path, options.raw)
        except PROBLEMS as problem:
            print(f"{path}: {why_not(problem)}", file=sys.stderr)
            status = 2
            continue
        for line in lines:
            print(f"{path}: {line}")
        status = max(status, 1 if lines else 0)
    return status


if __name__ == "__main__":
    sys.exit(main())
