#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""Hold readers against the vectors.

    run.py [-v] [--json FILE] [--vectors DIR] NAME=COMMAND...

Each COMMAND is an adapter (README.md, "How to write an adapter").  Prints a
table, readers by groups of vectors: how many were answered as they have to be,
of those that the reader claims to read.  With -v each difference has a line.
The exit status is 1 when a reader crashed, hung or gave a wrong answer.
"""

import argparse
import collections
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# What a vector's result can be, the worst first.
CRASH, WRONG, ACCEPTED, REFUSED, LOST, OK = (
    "crash", "wrong rule", "accepted", "refused", "no rule", "ok")
RESULTS = (CRASH, WRONG, ACCEPTED, REFUSED, LOST, OK)
# Attributes of a rule that not every reader tells.
ATTRIBUTES = {"signed-a": "signed", "signed-b": "signed", "signal": "signal"}


class Adapter:
    """A reader behind a pipe; started again when it dies."""

    def __init__(self, command):
        self.command, self.process = shlex.split(command), None
        self.start()
        if not self.hello:
            sys.exit(f"{command}: no adapter")
        fields = dict(word.split("=", 1) for word in self.hello.split()[2:])
        self.versions = {int(n) for n in fields["versions"].split(",")}
        self.abis = {int(n) for n in fields["abis"].split(",")}
        self.tells = set(fields.get("tells", "").split(","))

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.hello = self.process.stdout.readline()

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()

    def ask(self, line):
        """The answer to LINE, or None when the adapter died of it."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer.endswith("\n"):
            return answer.rstrip("\n")
        try:
            self.stop()
        except BrokenPipeError:
            self.process.wait()
        self.start()
        return None


def told(rule, tells):
    """RULE without the attributes that a reader does not tell."""
    words = rule.split()
    if "key" not in tells:
        words = ["signed-a" if word == "signed-b" else word for word in words]
    return " ".join(word for word in words
                    if word not in ATTRIBUTES or ATTRIBUTES[word] in tells)


def judge_lookup(answer, allowed, tells):
    """The result of one lookup."""
    if answer == "unsupported":  # this reader cannot be asked
        return OK
    wanted = {told(rule, tells) for rule in allowed}
    if told(answer, tells) in wanted:
        return OK
    if answer in ("none", "error"):
        # "none" and "error" differ in why there is no rule; walks end at both.
        return OK if wanted & {"none", "error"} else LOST
    return WRONG


def judge(vector, answer, tells):
    """The result of a vector, and the first thing that is wrong."""
    if answer is None:
        return CRASH, "the reader died"
    if answer.startswith("refused"):
        return ((REFUSED, answer) if vector["open"] == "accept"
                else (OK, ""))
    worst, text = OK, ""
    if vector["open"] == "refuse":
        worst, text = ACCEPTED, "accepted"
    for lookup, found in zip(vector["lookups"], answer.split(";")[1:]):
        result = judge_lookup(found, lookup["answers"], tells)
        if RESULTS.index(result) < RESULTS.index(worst):
            worst = result
            text = (f"{lookup['pc']:#x}: {found}, not "
                    + " | ".join(lookup["answers"]))
    return worst, text


def question(directory, vector):
    return " ".join([os.path.join(directory, vector["file"]),
                     f"{vector['address']:x}"]
                    + [f"{lookup['pc']:x}" for lookup in vector["lookups"]])


def run_reader(name, command, directory, vectors, verbose):
    """For each group a Counter of results; and all results by vector."""
    adapter = Adapter(command)
    groups = collections.defaultdict(collections.Counter)
    results = {}
    for vector in vectors:
        if (vector["version"] not in adapter.versions
                or vector["abi"] not in adapter.abis):
            continue
        result, text = judge(vector, adapter.ask(question(directory, vector)),
                             adapter.tells)
        groups[vector["name"].split("/")[0]][result] += 1
        results[vector["name"]] = result
        if verbose and result != OK:
            print(f"{name}: {vector['name']}: {result}: {text}")
    adapter.stop()
    return groups, results


def cell(counter):
    if not counter:
        return "–"
    total = sum(counter.values())
    if counter[OK] == total:
        return f"{total}"
    rest = ", ".join(f"{counter[result]} {result}" for result in RESULTS[:-1]
                     if counter[result])
    return f"{counter[OK]} of {total}: {rest}"


def table(groups_of_readers, groups):
    names = list(groups_of_readers)
    lines = ["| | " + " | ".join(names) + " |",
             "|---" * (len(names) + 1) + "|"]
    for group in groups:
        cells = [cell(groups_of_readers[name][group]) for name in names]
        lines.append(f"| {group} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--json", metavar="FILE",
                        help="write the result of each vector")
    parser.add_argument("--vectors", metavar="DIR",
                        default=os.path.join(HERE, "vectors"))
    parser.add_argument("reader", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args()
    with open(os.path.join(options.vectors, "index.json"),
              encoding="ascii") as file:
        vectors = json.load(file)["vectors"]
    groups_of_readers, results = {}, {}
    for reader in options.reader:
        name, command = reader.split("=", 1)
        groups_of_readers[name], results[name] = run_reader(
            name, command, options.vectors, vectors, options.verbose)
    groups = dict.fromkeys(vector["name"].split("/")[0]
                           for vector in vectors)
    print(table(groups_of_readers, groups))
    if options.json:
        with open(options.json, "w", encoding="ascii") as file:
            json.dump(results, file, indent=1)
    bad = {CRASH, WRONG, ACCEPTED, REFUSED, LOST}
    return any(bad & set(result.values()) for result in results.values())


if __name__ == "__main__":
    sys.exit(main())
