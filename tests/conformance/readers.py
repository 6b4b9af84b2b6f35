#!/usr/bin/env python3
"""Do the rules of src/sframe/readers.c say what readers were recorded to do?

    readers.py READERS CONFORMANCE

READERS is the program readers.c.  Each rule names a vector, and the record
(results.json in the folder CONFORMANCE) must have its effect there.  The other
way around, for each vector that keeps to the specification, but for those that
were changed mechanically (group "lies"): where the record has something else
than the right answer, a rule must say so; and where a reader takes a section, no
rule may say that it refuses it.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True

# What a rule's effect is called in a record.  A reader may do both where the
# specification lets it.
LETTERS = {"N": "Nn", "R": "Rr", "W": "WC"}


class Profiles:
    """The readers and rules that the program knows."""

    def __init__(self, program):
        self.records, self.abis, self.rules = {}, {}, []
        output = subprocess.run([program, "--rules"], check=True, text=True,
                                capture_output=True).stdout
        for line in output.splitlines():
            kind, reader, *rest = line.split(" ", 4)
            if kind == "reader":
                self.records[reader] = rest[0]
                self.abis[reader] = {int(abi) for abi in
                                     rest[1].strip(",").split(",")}
            else:
                self.rules.append((reader, *rest))


def wrong_rules(profiles, results, names):
    """Lines for rules that are not what was recorded."""
    for reader, effect, vector, trait in profiles.rules:
        letters = results.get(vector)
        if letters is None:
            yield f"{reader}: {trait}: there is no vector {vector}"
            continue
        letter = letters[names.index(profiles.records[reader])]
        if letter not in LETTERS[effect]:
            yield f"{reader}: {trait}: {vector} has {letter}, not {effect}"


def effects_of(program, suite, vectors):
    """What the rules say of each vector: pairs of reader and effect."""
    lines = "".join(
        f"{os.path.join(suite, 'vectors', vector['file'])}"
        f" {vector['address']:x} {len(vector.get('code', ()))}"
        f" {int(any('fp' in lookup for lookup in vector['lookups']))}\n"
        for vector in vectors)
    output = subprocess.run([program], input=lines, check=True, text=True,
                            capture_output=True).stdout.splitlines()
    return [[tuple(word.split(":")) for word in line.split()
             if line != "broken"] for line in output]


def unlike(vector, letter, found):
    """Whether LETTER is something that FOUND, effects, do not say."""
    if letter == ".":
        # A vector may not ask for what a rule is about.
        return "R" in found
    return not any(letter in LETTERS[effect] for effect in found)


def wrong_vectors(profiles, effects, vectors, record, spec_violations):
    claims = {reader["name"]: reader for reader in record["readers"]}
    names = list(claims)
    for vector, found in zip(vectors, effects):
        if vector["name"].startswith("lies/") or spec_violations(vector):
            continue
        letters = record["results"].get(vector["name"])
        for reader, name in profiles.records.items():
            if (vector["version"] not in claims[name]["versions"]
                    or vector["abi"] not in claims[name]["abis"]):
                continue
            letter = letters[names.index(name)] if letters else "?"
            mine = {effect for who, effect in found if who == reader}
            if unlike(vector, letter, mine):
                yield (f"{reader}: {vector['name']} has {letter}, the rules"
                       f" say {''.join(sorted(mine)) or 'nothing'}")


def main(program, suite):
    sys.path.insert(0, suite)
    import sframe_spec

    def spec_violations(vector):
        with open(os.path.join(suite, "vectors", vector["file"]),
                  "rb") as file:
            return sframe_spec.violations(file.read(), vector["address"])

    with open(os.path.join(suite, "vectors", "index.json"),
              encoding="ascii") as file:
        vectors = json.load(file)["vectors"]
    with open(os.path.join(suite, "results.json"), encoding="ascii") as file:
        record = json.load(file)
    profiles = Profiles(program)
    claims = {reader["name"]: reader for reader in record["readers"]}
    wrong = [f"{reader}: made for other machines than recorded"
             for reader, name in profiles.records.items()
             if profiles.abis[reader] != set(claims[name]["abis"])]
    wrong += wrong_rules(profiles, record["results"], list(claims))
    effects = effects_of(program, suite, vectors)
    if len(effects) != len(vectors):
        wrong.append("not all vectors were answered")
    wrong += wrong_vectors(profiles, effects, vectors, record,
                           spec_violations)
    print("\n".join(wrong + [f"{len(profiles.rules)} rules, {len(vectors)}"
                             f" vectors, {len(wrong)} wrong"]))
    return bool(wrong or len(profiles.rules) < 30)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
