#!/usr/bin/env python3
"""Does the project's encoder write what the specification demands?

    encoder.py ENCODER VECTORS

Each vector without a violation is read by the executable specification, its
functions and rows are given to the encoder, and what the encoder writes is
read again: it must break no demand, and give the same rule at each row's first
and last PC, and behind and before each function.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import json
import os
import subprocess
import sys

CONFORMANCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                           "..", "conformance")
sys.dont_write_bytecode = True
sys.path.insert(0, CONFORMANCE)
import sframe_spec  # noqa: E402


def functions(section):
    return [section.function(index) for index in range(section.n_fdes)]


def words(function, row):
    """ROW's words as numbers; control words are unsigned."""
    out, at, first = [], 0, True
    while at < len(row.words):
        if function.fde_type == 1:
            out.append(row.words[at])
            at += 1
            if out[-1] == 0 and not first:
                continue
        first = False
        out += row.signed_words[at:at + 1]
        at += 1
    return out


def request(section, share):
    lines = [f"section {section.version:x}"
             f" {1 if section.flags & sframe_spec.PCREL else 0}"
             f" {section.abi:x} {section.address:x} {share:x}"]
    for function in functions(section):
        rows = list(section.rows(function))
        lines.append(f"function {function.address:x} {function.size:x}"
                     f" {function.fde_type:x} {function.pcmask:x}"
                     f" {function.repeat if function.pcmask else 0:x}"
                     f" {section.version == 3 and function.signal:x}"
                     f" {section.version > 1 and function.key_b:x}"
                     f" {len(rows):x}")
        for row in rows:
            # The base of a row without a rule, and of a flexible one, has no
            # meaning and is not kept.
            numbers = " ".join(str(word) for word in words(function, row))
            lines.append(f"row {row.start:x} {row.base_is_sp:x}"
                         f" {row.ra_signed:x} {len(row.words):x} {numbers}")
    return "\n".join(lines + ["end", ""])


def pcs(section):
    """PCs at which a wrong row would show."""
    for function in functions(section):
        yield (function.address - 1) % (1 << 64)
        yield (function.address + function.size) % (1 << 64)
        starts = {row.start for row in section.rows(function)}
        if len(starts) > 1000:  # all of them would take minutes
            starts = set(sorted(starts)[::len(starts) // 10])
        for start in starts:
            for near in (start - 1, start, start + 1):
                if 0 <= near < function.size:
                    yield function.address + near


def answers(section):
    return {pc: section.lookup(pc) for pc in pcs(section)}


def differences(encoder, section, share):
    encoder.stdin.write(request(section, share))
    encoder.stdin.flush()
    line = encoder.stdout.readline().strip()
    if not line or line.startswith("refused"):
        return [line or "the encoder died"]
    data = bytes.fromhex(line)
    found = [str(violation)
             for violation in sframe_spec.violations(data, section.address)]
    if found:
        return found
    written = sframe_spec.Section(data, section.address)
    if (written.version, written.abi) != (section.version, section.abi):
        return ["another version or machine"]
    return [f"{pc:#x}: {written.lookup(pc)}, not {answer}"
            for pc, answer in answers(section).items()
            if written.lookup(pc) != answer]


def main(program, directory):
    with open(os.path.join(directory, "index.json"),
              encoding="ascii") as file:
        vectors = json.load(file)["vectors"]
    encoder = subprocess.Popen([program], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    tried = wrong = 0
    for vector in vectors:
        with open(os.path.join(directory, vector["file"]), "rb") as file:
            data = file.read()
        if (vector["open"] != "accept"
                or sframe_spec.violations(data, vector["address"])):
            continue
        section = sframe_spec.Section(data, vector["address"])
        # Sorted functions with rows are what the encoder is for.
        if not section.flags & sframe_spec.SORTED or any(
                not function.n_rows for function in functions(section)):
            continue
        for share in (False, True):
            if share and section.order == ">":
                continue  # such sections cannot be shared by all readers
            tried += 1
            for text in differences(encoder, section, share)[:1]:
                wrong += 1
                print(f"{vector['name']}: {text}")
    encoder.stdin.close()
    print(f"{tried} sections written, {wrong} wrong")
    return bool(wrong or encoder.wait() or tried < 500)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
