#!/usr/bin/env python3
"""The vectors of conformance/: what sframe-prove says of each.

    vectors.py PROVE

A vector is a section with answers for some PCs.  It becomes an ELF file whose
CFI has exactly these answers, an FDE of one byte for each PC.  A vector to be
accepted has to be proved; with one answer changed it may not be.  A vector to
be refused may not be proved, and is called broken.  Prints what went wrong,
and a line with the counts.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
CONFORMANCE = os.path.join(HERE, "..", "..", "conformance")
sys.path.insert(0, CONFORMANCE)
import sframe_spec  # noqa: E402

# By the number of SFrame's ABI: e_machine, byte order, SP, FP, RA.
MACHINES = {1: (183, ">", 31, 29, 30), 2: (183, "<", 31, 29, 30),
            3: (62, "<", 7, 6, 16), 4: (22, ">", 15, 11, 14)}
EH_FRAME = 0x8000  # offset and address; the section's is 0x10000
PLAIN = "cfa=sp+8 ra=[cfa-8] fp=same"


def uleb(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def sleb(value):
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value & 127])


class Place:
    """A value of an answer: register or CFA, offset, in memory or not."""

    def __init__(self, text, machine):
        names = {"sp": machine[2], "fp": machine[3], "cfa": None}
        self.memory = text.startswith("[")
        base, offset = re.fullmatch(r"\[?([a-z]+\d*?|r\d+)([-+]\d+)\]?",
                                    text).groups()
        self.reg = names[base] if base in names else int(base[1:])
        self.offset = int(offset)

    def address(self):
        """DW_OP_bregx, which has any number."""
        return b"\x92" + uleb(self.reg) + sleb(self.offset)


def block(ops):
    return uleb(len(ops)) + ops


def rule_of_cfa(place):
    if place.memory:
        return b"\x0f" + block(place.address() + b"\x06")
    if place.offset >= 0:
        return b"\x0c" + uleb(place.reg) + uleb(place.offset)
    return b"\x12" + uleb(place.reg) + sleb(place.offset)


def rule_of(register, text, machine):
    """The instructions for the caller's REGISTER."""
    if text == "same":
        return b"\x08" + uleb(register)
    place = Place(text, machine)
    if place.reg is None:
        return ((b"\x11" if place.memory else b"\x15") + uleb(register)
                + sleb(place.offset))
    if not place.memory and place.offset == 0:
        return b"\x09" + uleb(register) + uleb(place.reg)
    return ((b"\x10" if place.memory else b"\x16") + uleb(register)
            + block(place.address()))


def instructions(answer, machine):
    """Those that say what ANSWER says, or bytes as they are."""
    if isinstance(answer, bytes):
        return answer
    if answer == "outermost":
        return b"\x0c\x07\x08\x07" + uleb(machine[4])
    fields = dict(field.split("=") for field in answer.split()
                  if "=" in field)
    return ((b"\x2d" if " signed-" in answer else b"")
            + rule_of_cfa(Place(fields["cfa"], machine))
            + rule_of(machine[4], fields["ra"], machine)
            + rule_of(machine[3], fields["fp"], machine))


def entry(order, body):
    body += bytes(-(len(body) + 4) % 8)
    return struct.pack(order + "I", len(body)) + body


def eh_frame(answers, machine, size=1):
    """The CFI that has ANSWERS, by PC, each for SIZE bytes."""
    order, ra = machine[1], machine[4]
    out, cies = b"", {}
    for pc, answer in sorted(answers.items()):
        words = answer.split() if isinstance(answer, str) else []
        letters = (b"zS" if "signal" in words else b"z") + (
            b"B" if "signed-b" in words else b"")
        if letters not in cies:
            cies[letters] = len(out)
            out += entry(order, struct.pack(order + "IB", 0, 1) + letters
                         + b"\0\x01\x01" + uleb(ra) + b"\0")
        out += entry(order, struct.pack(order + "IQQB",
                                        len(out) + 4 - cies[letters], pc,
                                        size, 0)
                     + instructions(answer, machine))
    return out + bytes(4)


def elf(abi, data, address, code, cfi, sections=True, table=()):
    """A file with the section DATA at ADDRESS, CODE (start, end) in zeros, and
    CFI as .eh_frame.  Without SECTIONS, PT_GNU_EH_FRAME leads there, with a
    TABLE of (PC, address of its FDE)."""
    machine = MACHINES[abi]
    order = machine[1]
    search = b"".join(struct.pack(order + "ii", pc - EH_FRAME, fde - EH_FRAME)
                      for pc, fde in table)
    if table:
        search = struct.pack(order + "I", len(table)) + search
    if not sections:  # version, encodings, where the CFI is
        kinds = (3, 0x3b) if table else (255, 255)
        cfi = struct.pack(order + "4Bi", 1, 0x1b, *kinds,
                          4 + len(search)) + search + cfi
    names = b"\0.eh_frame\0.shstrtab\0"
    at = (EH_FRAME + len(cfi) + 0xfff & ~0xfff) + address % 0x1000
    text = (at + len(data) + 0xfff & ~0xfff) + code[0] % 0x1000
    strings = text + code[1] - code[0]
    headers = strings + len(names) + 7 & ~7
    ident = b"\x7fELF\x02" + (b"\x01" if order == "<" else b"\x02") + b"\x01"
    out = ident.ljust(16, b"\0")
    out += struct.pack(order + "HHIQQQIHHHHHH", 3, machine[0], 1, 0, 64,
                       headers if sections else 0, 0, 64, 56,
                       4 if sections else 5, 64, 3 if sections else 0,
                       2 if sections else 0)
    for kind, flags, offset, start, size in (
            (1, 4, EH_FRAME, EH_FRAME, len(cfi)),
            (1, 4, at, address, len(data)),
            (1, 5, text, code[0], code[1] - code[0]),
            (0x6474E554, 4, at, address, len(data)),
            (0x6474E550, 4, EH_FRAME, EH_FRAME,
             12 + len(search)))[:4 if sections else 5]:
        out += struct.pack(order + "IIQQQQQQ", kind, flags, offset, start,
                           start, size, size, 0x1000)
    out = out.ljust(EH_FRAME, b"\0") + cfi
    out = (out.ljust(at, b"\0") + data).ljust(strings, b"\0") + names
    out = out.ljust(headers, b"\0") + bytes(64)
    for name, kind, flags, start, offset, size in (
            (1, 1, 2, EH_FRAME, EH_FRAME, len(cfi)),
            (11, 3, 0, 0, strings, len(names))):
        out += struct.pack(order + "IIQQQQIIQQ", name, kind, flags, start,
                           offset, size, 0, 0, 8, 0)
    return out


class Vectors:
    def __init__(self, prove, folder):
        self.prove, self.folder = prove, folder
        self.runs = self.failures = 0

    def read(self, vector):
        with open(os.path.join(CONFORMANCE, "vectors", vector["file"]),
                  "rb") as file:
            return file.read()

    def status(self, vector, data, code, answers):
        path = os.path.join(self.folder, "elf")
        cfi = eh_frame(answers, MACHINES[vector["abi"]])
        with open(path, "wb") as file:
            file.write(elf(vector["abi"], data, vector["address"], code, cfi))
        self.runs += 1
        return subprocess.run([self.prove, path], check=False, text=True,
                              capture_output=True)

    def expect(self, what, vector, good, result):
        if not good:
            self.failures += 1
            print(f"{vector['name']}: {what}: exit status"
                  f" {result.returncode}, {result.stderr.strip()[:200]}")

    def refuse(self, vector):
        data = self.read(vector)
        result = self.status(vector, data, (0x20000, 0x20100),
                             {0x20000: PLAIN})
        fault = " .sframe at 0" if data else ": there is no loaded .sframe"
        self.expect("is broken", vector, result.returncode == 1
                    and fault in result.stderr, result)

    def accept(self, vector):
        data = self.read(vector)
        section = sframe_spec.Section(data, vector["address"])
        functions = [section.function(i) for i in range(section.n_fdes)]
        # Where the text leaves a choice, readers may differ.
        answers = {lookup["pc"]: lookup["answers"][0]
                   for lookup in vector["lookups"]
                   if len(lookup["answers"]) == 1}
        rules = [pc for pc, answer in answers.items() if answer != "none"]
        code = (min([f.address for f in functions] + list(answers)),
                max([f.address + f.size for f in functions]
                    + [pc + 1 for pc in answers]))
        if not rules or code[1] - code[0] > 1 << 16:
            return
        # CFI for which there is no row counts as left out.
        taken = {pc: PLAIN if answer == "none" else answer
                 for pc, answer in answers.items()}
        result = self.status(vector, data, code, taken)
        self.expect("is proved", vector, result.returncode == 0
                    and f" equal {len(rules)} not-expressible 0 left-out"
                    f" {len(answers) - len(rules)} " in result.stdout, result)
        # The next one may be another function's, or row's.
        pc = sorted(rules)[self.runs % len(rules)]
        taken[pc] = self.changed(taken[pc])
        result = self.status(vector, data, code, taken)
        self.expect(f"{pc:#x} differs", vector, result.returncode == 1
                    and f"{pc:#x}: CFI" in result.stderr
                    and " wrong 1\n" in result.stdout, result)

    def changed(self, answer):
        """Another answer: each part of it in turn."""
        if answer == "outermost":
            return PLAIN
        parts = answer.split()
        part = self.runs % len(parts)
        if not "=" in parts[part]:
            parts[part] = {"signed-a": "signed-b"}.get(parts[part], "")
        elif parts[part].endswith("=same"):
            parts[part] = parts[part][:-4] + "[cfa-40]"
        else:
            parts[part] = re.sub(r"([-+]\d+)",
                                 lambda m: f"{int(m.group(1)) + 8:+d}",
                                 parts[part])
        return " ".join(parts)

    def run(self):
        with open(os.path.join(CONFORMANCE, "vectors", "index.json"),
                  encoding="ascii") as file:
            vectors = json.load(file)["vectors"]
        for vector in vectors:
            if vector["abi"] in MACHINES and vector["open"] != "either":
                getattr(self, vector["open"])(vector)
        print(f"{len(vectors)} vectors, {self.runs} runs,"
              f" {self.failures} failures")
        return self.failures > 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(Vectors(os.path.abspath(sys.argv[1]), scratch).run())
