#!/usr/bin/env python3
"""Does the project's encoder write what the specification demands?

    encoder.py [--first] ENCODER VECTORS

Each vector whose rows can be read is read by the executable specification, its
functions and rows are given to the encoder, and what the encoder writes is
read again: it must break no demand, and give the same rule at each row's first
and last PC, and behind and before each function.  Functions that break a demand
the encoder has to refuse; and those that another version has no words for, when
it is asked for that version.  With --first the first that is wrong ends it.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import functools
import itertools
import json
import os
import subprocess
import sys

CONFORMANCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                           "..", "conformance")
sys.dont_write_bytecode = True
sys.path.insert(0, CONFORMANCE)
import sframe_spec  # noqa: E402

# Demands that it is the encoder's part to keep; others, such as the number of
# words, are kept by who makes the rows.
KEPT = {"fre-ascending", "fre-range", "sorted"}


class Section(sframe_spec.Section):
    """A section that keeps the rows it has read: each lookup reads them from the
    first one on, and some functions have 65,536."""

    def __init__(self, data, address):
        super().__init__(data, address)
        self.kept = {}

    def rows(self, function, until=1 << 64):
        kept = self.kept.get(function.entry_offset)
        if kept is None:
            kept = list(super().rows(function))
            self.kept[function.entry_offset] = kept
        return itertools.takewhile(lambda row: row.start <= until, kept)


# Its violations are looked for in the same rows.
sframe_spec.Section = functools.lru_cache(maxsize=2)(Section)


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


def is_pcrel(section, version):
    if version == section.version:
        return section.flags & sframe_spec.PCREL != 0
    return version > 1


@functools.lru_cache(maxsize=1)  # a section is written several times
def descriptions(section):
    """Of each function: where it is, of which kind, its rows as lines, and whether
    all of them begin inside it."""
    described = []
    for function in functions(section):
        rows = list(section.rows(function))
        kind = (f" {function.fde_type:x} {function.pcmask:x}"
                f" {function.repeat if function.pcmask else 0:x}"
                f" {section.version == 3 and function.signal:x}"
                f" {section.version > 1 and function.key_b:x}"
                f" {len(rows):x}")
        body = []
        for row in rows:
            # The base of a row without a rule, and of a flexible one, has no
            # meaning and is not kept.
            numbers = " ".join(str(word) for word in words(function, row))
            body.append(f"row {row.start:x} {row.base_is_sp:x}"
                        f" {row.ra_signed:x} {len(row.words):x} {numbers}")
        described.append((f"{function.address:x} {function.size:x}", kind, body,
                          rows and rows[-1].start < function.size))
    return described


def request(section, share, version):
    lines = [f"section {version:x}"
             f" {is_pcrel(section, version):x}"
             f" {section.abi:x} {section.address:x} {share:x}"]
    seen = {}
    for index, (place, kind, body, inside) in enumerate(descriptions(section)):
        first = seen.setdefault((kind, *body), index)
        # What writes shared rows knows itself which functions have the same.
        if share and first != index and inside:
            lines.append(f"repeat {first:x} {place}")
        else:
            lines += [f"function {place}{kind}"] + body
    return "\n".join(lines + ["end", ""])


def pcs(section):
    """PCs at which a wrong row would show."""
    for function in functions(section):
        yield (function.address - 1) % (1 << 64)
        yield (function.address + function.size) % (1 << 64)
        starts = {row.start for row in section.rows(function)}
        if len(starts) > 1000:  # all of them would take minutes
            starts = {0, max(starts)}
        for start in starts:
            for near in (start - 1, start, start + 1):
                if 0 <= near < function.size:
                    yield function.address + near


@functools.lru_cache(maxsize=1)
def answers(section):
    return {pc: section.lookup(pc) for pc in set(pcs(section))}


def has_masks_of_v1(section):
    """Version 1 takes starts of rows in repeated blocks for bit masks, which
    is not what the encoder's caller means: it has to refuse them."""
    return section.version == 1 and any(
        function.pcmask for function in functions(section))


def differences(encoder, section, share, version, may_refuse):
    encoder.stdin.write(request(section, share, version))
    encoder.stdin.flush()
    line = encoder.stdout.readline().strip()
    if not line:
        return ["the encoder died"]
    if line.startswith("refused"):
        return [] if may_refuse else [line]
    if has_masks_of_v1(section):
        return ["a repeated block of version 1 was written"]
    data = bytes.fromhex(line)
    found = [str(violation)
             for violation in sframe_spec.violations(data, section.address)]
    if found:
        return found
    written = sframe_spec.Section(data, section.address)
    if (written.version, written.abi) != (version, section.abi):
        return ["another version or machine"]
    if not written.flags & sframe_spec.SORTED:
        return ["not marked as sorted"]
    found = ((pc, written.lookup(pc), answer)
             for pc, answer in answers(section).items())
    return [f"{pc:#x}: {rule}, not {answer}" for pc, rule, answer in found
            if rule != answer]


def read(vector, directory):
    """The section of VECTOR, and whether it keeps to the specification; None
    if its functions and rows cannot be read, or break what is none of the
    encoder's business."""
    with open(os.path.join(directory, vector["file"]), "rb") as file:
        data = file.read()
    try:
        section = sframe_spec.Section(data, vector["address"])
        for function in functions(section):
            section.rows(function)
    except sframe_spec.Violation:
        return None, False
    broken = {violation.demand for violation in
              sframe_spec.violations(data, vector["address"])}
    return (section, not broken) if broken <= KEPT else (None, False)


def overlaps(section):
    """Nothing forbids it, but the encoder does not write it."""
    ends = [function.address + function.size
            for function in functions(section)]
    starts = [function.address for function in functions(section)]
    return any(end > start for end, start in zip(ends, starts[1:]))


def trials(vector, directory):
    """Sections to be written: section, version, sharing, and whether the
    encoder may refuse."""
    section, sound = read(vector, directory)
    # Sorted functions with rows are what the encoder is for.
    if section is None or not section.flags & sframe_spec.SORTED or any(
            not function.n_rows for function in functions(section)):
        return
    # What is only wrong in the header does not get to the encoder.
    masks_of_v1 = has_masks_of_v1(section)
    sound = sound and not overlaps(section)
    for share in (False, True):
        if share and section.order == ">":
            continue  # such sections cannot be shared by all readers
        yield section, section.version, share, not sound or masks_of_v1
    for version in (1, 2, 3):
        # In version 2 of s390x odd offsets are registers; version 1 has no
        # rows without words, keys and sizes of blocks.
        if (version != section.version and section.abi != 4
                and (version > 1 or "-addr1-" in vector["name"])
                and ("-addr" not in vector["name"]
                     or "-addr1-" in vector["name"])
                and sound and not masks_of_v1):
            yield section, version, False, True


def main(program, directory, first=False):
    with open(os.path.join(directory, "index.json"),
              encoding="ascii") as file:
        vectors = json.load(file)["vectors"]
    encoder = subprocess.Popen([program], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    tried = wrong = 0
    for vector in vectors:
        for trial in trials(vector, directory):
            section, version, share, may_refuse = trial
            tried += 1
            for text in differences(encoder, section, share, version,
                                    may_refuse)[:1]:
                wrong += 1
                print(f"{vector['name']}, version {version}: {text}")
            if wrong and first:
                return True
            if encoder.poll() is not None:
                sys.exit("the encoder died")
    encoder.stdin.close()
    print(f"{tried} sections written, {wrong} wrong")
    return bool(wrong or encoder.wait() or tried < 2500)


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--first"]
    sys.exit(main(*arguments, first="--first" in sys.argv))
