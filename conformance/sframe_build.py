# SPDX-License-Identifier: 0BSD
"""Writes SFrame sections, right ones and wrong ones.

Sections are described by plain objects and written field by field.  `build`
also returns a map of the fields (name -> offset, size), so that a caller can
change any of them afterwards.  This module shares nothing with sframe_spec.py,
which reads sections, so a mistake in one of them is found by the other one.
"""

import struct
from dataclasses import dataclass, field

SORTED, FRAME_POINTER, PCREL = 0x1, 0x2, 0x4
SP, FP = 1, 0  # base register bit of a row


@dataclass
class Fre:
    """A row: `words` are numbers, written with `size` bytes each."""
    start: int
    words: tuple = ()
    base: int = SP
    size: int = 1
    mangled: bool = False
    info: int = None  # in place of what follows from the fields above


@dataclass
class Fde:
    """A function of `size` bytes at `address`."""
    address: int
    size: int
    fres: list
    fre_type: int = 0
    pcmask: bool = False
    repeat: int = 0
    flexible: bool = False
    signal: bool = False
    key_b: bool = False
    shares: int = None  # number of the function with the rows that are used
    raw: bytes = None   # bytes in place of the rows, counted as one
    info: int = 0       # further bits
    info2: int = 0


@dataclass
class Sframe:
    version: int
    abi: int
    fdes: list
    address: int = 0x10000
    flags: int = None  # sorted, and PC-relative where the version can
    aux: bytes = b""
    gap: bytes = b""   # between the header and the entries
    hole: bytes = b""  # between the entries and the rows
    tail: bytes = b""  # behind the rows
    fields: dict = field(default_factory=dict)

    @property
    def order(self):
        return ">" if self.abi in (1, 4) else "<"


class _Writer:
    def __init__(self, order):
        self.order, self.bytes, self.fields = order, bytearray(), {}

    def put(self, name, letter, value):
        size = struct.calcsize(self.order + letter)
        self.fields[name] = (len(self.bytes), size)
        bits = value & ((1 << 8 * size) - 1)
        self.bytes += bits.to_bytes(size,
                                    "little" if self.order == "<" else "big")

    def raw(self, name, data):
        self.fields[name] = (len(self.bytes), len(data))
        self.bytes += data


def _info(section, fde):
    info = fde.fre_type | fde.info | (0x10 if fde.pcmask else 0)
    info |= 0x20 if fde.key_b else 0
    return info | (0x80 if fde.signal and section.version == 3 else 0)


def _write_row(writer, name, fde, row):
    writer.put(f"{name}.start", "BHI"[fde.fre_type], row.start)
    code = {1: 0, 2: 1, 4: 2}[row.size]
    info = row.base | len(row.words) << 1 | code << 5 | row.mangled << 7
    writer.put(f"{name}.info", "B", info if row.info is None else row.info)
    for number, word in enumerate(row.words):
        writer.put(f"{name}.word{number}", {1: "B", 2: "H", 4: "I"}[row.size],
                   word)


def _count(fde):
    return len(fde.fres) if fde.raw is None else 1


def _write_rows(section):
    """The rows of all functions, and the offset of each function's first row."""
    writer, offsets = _Writer(section.order), []
    for number, fde in enumerate(section.fdes):
        if fde.shares is not None:
            offsets.append(offsets[fde.shares])
            continue
        offsets.append(len(writer.bytes))
        name = f"fde{number}"
        if section.version == 3:
            writer.put(f"{name}.num_fres", "H", _count(fde))
            writer.put(f"{name}.info", "B", _info(section, fde))
            writer.put(f"{name}.info2", "B", fde.info2 | fde.flexible)
            writer.put(f"{name}.rep_size", "B", fde.repeat)
        if fde.raw is not None:
            writer.raw(f"{name}.raw", fde.raw)
            continue
        for index, row in enumerate(fde.fres):
            _write_row(writer, f"{name}.fre{index}", fde, row)
    return writer, offsets


def _write_entry(writer, section, number, fde, rows_offset, base):
    """Entry NUMBER; BASE is the address that its start is relative to."""
    name = f"fde{number}"
    relative = fde.address - base
    if section.version == 3:
        writer.put(f"{name}.start", "q", relative)
        writer.put(f"{name}.size", "I", fde.size)
        writer.put(f"{name}.fre_off", "I", rows_offset)
        return
    writer.put(f"{name}.start", "i", relative)
    writer.put(f"{name}.size", "I", fde.size)
    writer.put(f"{name}.fre_off", "I", rows_offset)
    owner = fde if fde.shares is None else section.fdes[fde.shares]
    writer.put(f"{name}.num_fres", "I", _count(owner))
    writer.put(f"{name}.info", "B", _info(section, fde))
    if section.version == 2:
        writer.put(f"{name}.rep_size", "B", fde.repeat)
        writer.put(f"{name}.padding2", "H", 0)


def _header(writer, section, flags, n_rows, fre_size):
    entry = {1: 17, 2: 20, 3: 16}[section.version]
    fde_off = len(section.gap)
    fre_off = fde_off + entry * len(section.fdes) + len(section.hole)
    for name, letter, value in (
            ("magic", "H", 0xDEE2), ("version", "B", section.version),
            ("flags", "B", flags), ("abi_arch", "B", section.abi),
            ("cfa_fixed_fp_offset", "b", 0),
            ("cfa_fixed_ra_offset", "b", -8 if section.abi == 3 else 0),
            ("auxhdr_len", "B", len(section.aux)),
            ("num_fdes", "I", len(section.fdes)), ("num_fres", "I", n_rows),
            ("fre_len", "I", fre_size), ("fdeoff", "I", fde_off),
            ("freoff", "I", fre_off)):
        writer.put(name, letter, section.fields.get(name, value))


def build(section):
    """The bytes of SECTION, and the places of its fields in them."""
    rows, offsets = _write_rows(section)
    flags = section.flags
    if flags is None:
        flags = SORTED | (PCREL if section.version > 1 else 0)
    n_rows = sum(_count(fde if fde.shares is None
                        else section.fdes[fde.shares])
                 for fde in section.fdes)
    writer = _Writer(section.order)
    _header(writer, section, flags, n_rows, len(rows.bytes))
    writer.raw("aux", section.aux)
    writer.raw("gap", section.gap)
    for number, fde in enumerate(section.fdes):
        base = section.address
        if flags & PCREL:
            base += len(writer.bytes)
        _write_entry(writer, section, number, fde, offsets[number], base)
    writer.raw("hole", section.hole)
    at = len(writer.bytes)
    fields = dict(writer.fields)
    fields.update({name: (at + offset, size)
                   for name, (offset, size) in rows.fields.items()})
    return bytes(writer.bytes + rows.bytes + section.tail), fields


def patched(data, fields, name, value, order):
    """DATA with field NAME set to VALUE, cut to the field's size."""
    offset, size = fields[name]
    value &= (1 << 8 * size) - 1
    return (data[:offset]
            + value.to_bytes(size, "little" if order == "<" else "big")
            + data[offset + size:])


# ELF files, for readers that take only these.

_ELF_MACHINES = {1: 183, 2: 183, 3: 62, 4: 22}
SHT_GNU_SFRAME, PT_GNU_SFRAME = 0x6FFFFFF4, 0x6474E554


def elf_file(data, abi, address, text=(0x20000, 0x40000)):
    """A little ELF file whose .sframe is DATA, at ADDRESS.

    It has a loaded segment with the section, an executable segment at the
    addresses TEXT (start, end) without contents, PT_GNU_SFRAME, and the three
    section headers that readers need.
    """
    order = ">" if abi in (1, 4) else "<"
    names = b"\0.sframe\0.shstrtab\0.text\0"
    at, header, segments = 0x1000, 64, 3
    # A segment's offset and address agree modulo the page size.
    at += address % 0x1000
    strings = at + len(data)
    sections = (strings + len(names) + 7) & ~7
    ident = b"\x7fELF\x02" + (b"\x01" if order == "<" else b"\x02") + b"\x01"
    out = bytearray(ident.ljust(16, b"\0"))
    out += struct.pack(order + "HHIQQQIHHHHHH", 3, _ELF_MACHINES[abi], 1, 0,
                       header, sections, 0, 64, 56, segments, 64, 4, 2)
    for kind, flags, offset, start, size, memory, align in (
            (1, 4, at, address, len(data), len(data), 0x1000),
            (1, 5, 0, text[0], 0, text[1] - text[0], 0x1000),
            (PT_GNU_SFRAME, 4, at, address, len(data), len(data), 8)):
        out += struct.pack(order + "IIQQQQQQ", kind, flags, offset, start,
                           start, size, memory, align)
    out = out.ljust(at, b"\0") + data + names
    out = out.ljust(sections, b"\0") + bytes(64)
    for name, kind, flags, start, offset, size, align in (
            (1, SHT_GNU_SFRAME, 2, address, at, len(data), 8),
            (9, 3, 0, 0, strings, len(names), 1),
            (19, 8, 6, text[0], at, text[1] - text[0], 16)):
        out += struct.pack(order + "IIQQQQIIQQ", name, kind, flags, start,
                           offset, size, 0, 0, align, 0)
    return bytes(out)
