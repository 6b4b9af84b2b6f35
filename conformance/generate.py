#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""Write the vectors: index.json and a file for each section.

With --check nothing is written.  Then each file has to be what would be written, the
executable specification has to agree with each vector, and each demand needs a vector.
Exit status: 0, or 1 if something is wrong.
"""

import argparse
import collections
import json
import os
import sys

import sframe_spec
import definitions

HERE = os.path.dirname(os.path.abspath(__file__))


def index_entry(vector):
    return {
        "name": vector.name,
        "file": vector.name + ".sframe",
        "address": vector.address,
        "version": vector.version,
        "abi": vector.abi,
        "demands": list(vector.demands),
        "open": vector.opens,
        **({"code": [list(part) for part in vector.code]} if vector.code
           else {}),
        "lookups": [{"pc": pc, **({"fp": fp[0]} if fp else {}),
                     "answers": list(answers)}
                    for pc, answers, *fp in vector.lookups],
        **({"comment": vector.comment} if vector.comment else {}),
    }


def index_text(entries):
    """A line for each vector, so that changes can be read."""
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    return '{"format": 1, "vectors": [\n' + lines + "\n]}\n"


def write(directory):
    entries = []
    for vector in definitions.all_vectors():
        path = os.path.join(directory, vector.name + ".sframe")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(vector.data)
        entries.append(index_entry(vector))
    with open(os.path.join(directory, "index.json"), "w",
              encoding="ascii") as file:
        file.write(index_text(entries))
    return len(entries)


def disagreements(vector):
    """Lines about answers of the executable specification that VECTOR does not
    allow."""
    try:
        section = sframe_spec.Section(vector.data, vector.address)
    except sframe_spec.Violation as violation:
        return ([f"{vector.name}: refused: {violation}"]
                if vector.opens == definitions.ACCEPT else [])
    if vector.opens == definitions.REFUSE:
        return [f"{vector.name}: accepted"]
    found = []
    for pc, answers, *_ in vector.lookups:
        try:
            answer = section.lookup(pc)
        except sframe_spec.Violation:
            answer = "error"
        if answer not in answers:
            found.append(f"{vector.name}: {pc:#x}: {answer}, not "
                         + " | ".join(answers))
    return found


def demands():
    with open(os.path.join(HERE, "sentences.json"), encoding="utf-8") as file:
        return {demand["id"] for demand in json.load(file)["demands"]}


def contents(path):
    """What is in the file, or None."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def check(directory):
    """All that is wrong with the files below DIRECTORY, as lines."""
    wrong, entries, used = [], [], set()
    names = collections.Counter()
    for vector in definitions.all_vectors():
        names[vector.name] += 1
        used.update(vector.demands)
        entries.append(index_entry(vector))
        wrong += disagreements(vector)
        path = os.path.join(directory, vector.name + ".sframe")
        if contents(path) != vector.data:
            wrong.append(f"{path}: not what generate.py writes")
    wrong += [f"{name}: used twice" for name, n in names.items() if n > 1]
    path = os.path.join(directory, "index.json")
    if contents(path) != index_text(entries).encode("ascii"):
        wrong.append(f"{path}: not what generate.py writes")
    wrong += [f"no vector for {demand}" for demand in demands() - used]
    wrong += [f"{demand} is not in sentences.json" for demand in
              used - demands()]
    return wrong, len(entries)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("directory", nargs="?",
                        default=os.path.join(HERE, "vectors"),
                        help="where the vectors are (default: vectors/ here)")
    options = parser.parse_args()
    if options.check:
        wrong, count = check(options.directory)
        print("\n".join(wrong + [f"{count} vectors, {len(wrong)} wrong"]))
        return bool(wrong)
    print(f"{write(options.directory)} vectors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
