# SPDX-License-Identifier: LGPL-2.1-or-later
"""Headers of 64-bit ELF files; of others the type alone.

Scripts of tools/maintainer read ELF files by this module, too.  conformance/,
which shares nothing with the rest, has a reader of its own.
"""

import struct
from typing import Iterator, List, NamedTuple

MAGIC = b"\x7fELF"
CLASS_64 = b"\2" # behind the magic number
START = 18 # bytes: all that elf_type looks at
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_X86_64, EM_AARCH64 = 62, 183
PT_LOAD, PT_GNU_SFRAME = 1, 0x6474e554
PF_X = 1


def _order(start: bytes) -> str:
    return ">" if start[5] == 2 else "<"


def elf_type(start: bytes) -> int:
    """Return the e_type of the file that begins with START, 0 if it is no ELF
    file."""
    if start[:4] != MAGIC or len(start) < START:
        return 0
    return int(struct.unpack_from(_order(start) + "H", start, 16)[0])


def machine(data: bytes) -> int:
    """Return the e_machine of the ELF file DATA."""
    return int(struct.unpack_from(_order(data) + "H", data, 18)[0])


class Segment(NamedTuple):
    """A program header, all of it."""
    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    size: int # in the file
    memory: int
    alignment: int


def segments(data: bytes) -> Iterator[Segment]:
    """Yield the program headers of the ELF file DATA, up to one that is not
    wholly in it."""
    try:
        order = _order(data)
        table, = struct.unpack_from(order + "Q", data, 32)
        size, count = struct.unpack_from(order + "2H", data, 54)
        for at in range(table, table + size * count, size or 1):
            yield Segment(*struct.unpack_from(order + "2I6Q", data, at))
    except (IndexError, struct.error):
        return


def what_runs(data: bytes) -> List[object]:
    """Return what of the ELF file DATA is there when it runs: its header, but for
    where sections are, its program headers, and the bytes that these name.

    Bytes that several program headers name are returned once, since any number
    of them can name the whole file.
    """
    data = data[:40] + bytes(8) + data[48:58] + bytes(6) + data[64:]
    found = list(segments(data))
    runs: List[object] = [data[:64], found]
    end = 0
    for segment in sorted(found, key=lambda segment: segment.offset):
        last = segment.offset + segment.size
        runs.append(data[max(end, segment.offset):last])
        end = max(end, last)
    return runs
