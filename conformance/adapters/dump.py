#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""An adapter for programs that print a whole section.

    dump.py readelf [PROGRAM]        GNU readelf --sframe
    dump.py llvm-readobj [PROGRAM]   llvm-readobj --sframe
    dump.py cfi2sframe [PROGRAM]     cfi2sframe --dump

The program gets an ELF file with the section.  A PC is looked up in the rows
that it prints, as the specification says.
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import sframe_build  # noqa: E402
import request  # noqa: E402

REGISTERS = {1: {"31": "sp", "29": "fp"}, 2: {"31": "sp", "29": "fp"},
             3: {"7": "sp", "6": "fp"}, 4: {"15": "sp", "11": "fp"}}


class Died(Exception):
    """The program crashed, or took more than ten seconds."""


def output(command, data, abi, address):
    with tempfile.NamedTemporaryFile() as file:
        file.write(sframe_build.elf_file(data, abi, address))
        file.flush()
        try:
            result = subprocess.run(command + [file.name], check=False,
                                    capture_output=True, timeout=10)
        except subprocess.TimeoutExpired as expired:
            raise Died from expired
    if result.returncode < 0:
        raise Died
    return (result.stdout + result.stderr).decode("utf-8", "replace")


class Readelf:
    """GNU readelf prints a line for each function and for each row."""

    versions, abis, tells = "2,3", "1,2,3,4", ""
    default = ["readelf"]
    options = ["--sframe"]

    def __init__(self, text, abi):
        self.abi, self.functions = abi, []
        self.refused = "Header" not in text or "Num FDEs" not in text
        for line in text.splitlines():
            self._line(line)

    def _line(self, line):
        match = re.search(r"func idx \[\d+\]: pc = 0x([0-9a-f]+),"
                          r" size = (\d+) bytes", line)
        if match:
            self.functions.append([int(match[1], 16), int(match[2]), [],
                                   False])
            return
        if "STARTPC[m]" in line and self.functions:
            self.functions[-1][3] = True
        match = re.match(r"\s+([0-9a-f]{16})\s+(\S.*)$", line)
        if match and self.functions:
            self.functions[-1][2].append((int(match[1], 16), match[2]))

    # A column: "sp+16", "c-8" (in memory at CFA - 8), "(r10-8)", "r17", "u"
    # (unchanged), "f" (fixed), "U" (padding).  Wide ones are not separated.
    COLUMN = re.compile(r"(\()?(sp|fp|c|r\d+)(?:\+?(-?\d+))?\)?|[ufU]")

    def _value(self, match):
        base = {"c": "cfa"}.get(match[2], match[2])
        if base.startswith("r"):
            base = REGISTERS[self.abi].get(base[1:], base)
        inner = f"{base}{int(match[3] or 0):+}"
        return f"[{inner}]" if match[1] or base == "cfa" else inner

    def rule(self, text):
        if "undefined" in text:
            return "outermost"
        columns = list(self.COLUMN.finditer(text.replace("[s]", "")))
        if len(columns) != 3 or columns[0][2] is None:
            return "error"
        fixed = "[cfa-8]" if self.abi == 3 else "same"
        default = {"u": "same", "f": "[cfa-8]", "U": fixed}
        cfa, fp, ra = (default.get(column[0]) or self._value(column)
                       for column in columns)
        return f"cfa={cfa} ra={ra} fp={fp}"

    def lookup(self, pc):
        for start, size, rows, mask in self.functions:
            if start <= pc < start + size:
                if mask:
                    return "unsupported"  # the block's size is not printed
                found = None
                for at, text in rows:
                    if at <= pc:
                        found = text
                return "none" if found is None else self.rule(found)
        return "none"


class Cfi2sframe(Readelf):
    """cfi2sframe --dump prints as GNU readelf does, and ends with a message at the
    first thing that it cannot read."""

    default = ["cfi2sframe"]
    options = ["--dump"]

    def __init__(self, text, abi):
        super().__init__(text, abi)
        if ": SFrame: " in text and self.functions:
            start, _, rows, _ = self.functions[-1]
            rows.append((rows[-1][0] + 1 if rows else start, "?"))

    def rule(self, text):
        # The dump prints even a CFA that is based on the CFA, which is no rule.
        return "error" if text.startswith("c") else super().rule(text)


class LlvmReadobj:
    """llvm-readobj prints blocks of fields."""

    versions, abis, tells = "2", "1,2,3", ""
    default = ["llvm-readobj"]
    options = ["--sframe"]

    def __init__(self, text, abi):
        self.abi, self.functions = abi, []
        self.refused = "FuncDescEntry" not in text and "NumFDEs" not in text
        for line in text.splitlines():
            self._line(line.strip())

    def _line(self, line):
        name, _, value = line.partition(":")
        value = value.strip()
        if name == "PC":
            self.functions.append([int(value, 16), 0, [], 0])
        elif not self.functions:
            return
        elif name == "Size":
            self.functions[-1][1] = int(value, 0)
        elif name == "Repetitive block size":  # if it is used
            self.functions[-1][3] = int(value, 0)
        elif name == "Start Address":
            self.functions[-1][2].append((int(value, 16), {}))
        elif name in ("Base Register", "CFA Offset", "RA Offset",
                      "FP Offset") and self.functions[-1][2]:
            self.functions[-1][2][-1][1][name] = value.split()[0]

    def rule(self, fields):
        if "CFA Offset" not in fields:
            return "outermost"
        base = fields["Base Register"].lower()
        text = f"cfa={base}{int(fields['CFA Offset'], 0):+}"
        for name, key in (("ra", "RA Offset"), ("fp", "FP Offset")):
            value = fields.get(key)
            text += (f" {name}=[cfa{int(value, 0):+}]" if value is not None
                     else f" {name}=same")
        return text

    def lookup(self, pc):
        for start, size, rows, repeat in self.functions:
            if start <= pc < start + size:
                found = None
                for at, fields in rows:
                    # Starts in a repeated block are printed as offsets.
                    if at <= ((pc - start) % repeat if repeat else pc):
                        found = fields
                return "none" if found is None else self.rule(found)
        return "none"


KINDS = {"readelf": Readelf, "llvm-readobj": LlvmReadobj,
         "cfi2sframe": Cfi2sframe}


def answer(kind, command, line):
    path, address, pcs = request.parse(line)
    with open(path, "rb") as file:
        data = file.read()
    abi = data[4] if len(data) > 4 and data[4] in REGISTERS else 3
    dump = kind(output(command, data, abi, address), abi)
    if dump.refused:
        return "refused nothing is printed"
    return ";".join(["accepted"] + [dump.lookup(pc) for pc in pcs])


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in KINDS:
        sys.exit("dump.py: one of these is wanted: " + ", ".join(KINDS))
    kind = KINDS[sys.argv[1]]
    command = (sys.argv[2:] or kind.default) + kind.options
    print(f"adapter {sys.argv[1]} versions={kind.versions} abis={kind.abis}"
          f" tells={kind.tells}", flush=True)
    for line in sys.stdin:
        try:
            print(answer(kind, command, line), flush=True)
        except Died:
            os._exit(1)


if __name__ == "__main__":
    main()
