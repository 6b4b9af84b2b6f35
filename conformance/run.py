#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""Run readers on the vectors.

    run.py [-v] [--record FILE] NAME=COMMAND...
    run.py [-v] --compare FILE NAME=COMMAND...
    run.py --table FILE

Each COMMAND is an adapter (README.md, "How to write an adapter").  Prints a
table of readers and groups of vectors: how many answers are right, of those
vectors that the reader claims to read.  With -v each wrong answer has a line.
Exit status: 1 if a reader crashed, hung or gave a wrong answer.

--record also asks for the vectors that a reader does not claim to read, and
writes all results to FILE; readers that FILE has and that are not asked stay
as they are.  --table prints the table of FILE.  --compare prints the answers
that differ from those in FILE; the exit status is then 1 if there are any.
"""

import argparse
import collections
import json
import os
import shlex
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# What a vector's result can be, the worst first.
CRASH, WRONG, ACCEPTED, REFUSED, LOST, OK = (
    "crash", "wrong rule", "accepted", "refused", "no rule", "ok")
RESULTS = (CRASH, WRONG, ACCEPTED, REFUSED, LOST, OK)
# The result of a reader for a vector, in a file of --record.  The vector does not
# allow what has a capital letter.  "r" (refused) and "n" (no rule) are allowed for
# sections that a reader may reject; "." is any other allowed result, "?" a vector
# that was added later.
LETTERS = {"C": CRASH, "W": WRONG, "A": ACCEPTED, "R": REFUSED, "N": LOST,
           "r": OK, "n": OK, ".": OK}
# Attributes of a rule, and what a reader says in "tells" if it gives them.
ATTRIBUTES = {"signed-a": "signed", "signed-b": "signed", "signal": "signal"}


def read_json(path):
    """The contents of a file of the suite; the program ends if it cannot be read."""
    try:
        with open(path, encoding="ascii") as file:
            return json.load(file)
    except (OSError, ValueError) as problem:
        sys.exit(f"{path}: {getattr(problem, 'strerror', None) or problem}")


def read_vectors(directory):
    return read_json(os.path.join(directory, "index.json"))["vectors"]


class Adapter:
    """A reader behind a pipe; started again when it dies, or when it does not
    answer in time."""

    # An adapter may end hung readers itself: the one in C waits ten seconds.
    seconds = 30

    def __init__(self, command):
        self.command, self.process = shlex.split(command), None
        self.start()
        try:
            self.read_hello()
        except (KeyError, ValueError):
            sys.exit(f"{command}: no adapter")

    def read_hello(self):
        """Take the first line apart: adapter NAME versions=2,3 abis=2,3 tells=..."""
        fields = dict(word.split("=", 1) for word in self.hello.split()[2:])
        self.versions = {int(n) for n in fields["versions"].split(",")}
        self.abis = {int(n) for n in fields["abis"].split(",")}
        self.tells = set(fields.get("tells", "").split(","))

    def start(self):
        try:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True)
        except OSError as problem:
            sys.exit(f"{self.command[0]}: {problem.strerror}")
        self.hello = self.process.stdout.readline()

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()

    def ask(self, line):
        """The answer to LINE, or None when the adapter died of it, or hung."""
        # A thread that waits would cost more than most answers.
        signal.signal(signal.SIGALRM, lambda *_: self.process.kill())
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
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
    """The letter for one lookup."""
    if answer == "unsupported":  # this reader cannot be asked
        return "."
    wanted = {told(rule, tells) for rule in allowed}
    nothing = wanted & {"none", "error"}
    if answer in ("none", "error"):
        # "none" and "error" differ in why a rule is missing; walks end at both.
        return "N" if not nothing else "n" if wanted - nothing else "."
    return "." if told(answer, tells) in wanted else "W"


def judge(vector, answer, tells):
    """The letter for a vector, and the first thing that is wrong."""
    if answer is None:
        return "C", "the reader died"
    if answer.startswith("refused"):
        return ("R", answer) if vector["open"] == "accept" else ("r", "")
    accepted, *answers = answer.split(";")
    if accepted != "accepted" or len(answers) != len(vector["lookups"]):
        return "W", f"not an answer to each question: {answer}"
    worst, text = ".", ""
    if vector["open"] == "refuse":
        worst, text = "A", "accepted"
    order = list(LETTERS)
    for lookup, found in zip(vector["lookups"], answers):
        letter = judge_lookup(found, lookup["answers"], tells)
        if order.index(letter) < order.index(worst):
            worst = letter
            text = (f"{lookup['pc']:#x}: {found}, not "
                    + " | ".join(lookup["answers"]))
    return worst, text


def question(directory, vector):
    """The line that asks for VECTOR."""
    words = [os.path.join(directory, vector["file"]),
             f"{vector['address']:x}"]
    if "code" in vector:
        words.append("code=" + ",".join(f"{start:x}-{end:x}"
                                        for start, end in vector["code"]))
    words += [f"{lookup['pc']:x}"
              + (f"/fp={lookup['fp']:x}" if "fp" in lookup else "")
              for lookup in vector["lookups"]]
    return " ".join(words)


def claims(reader, vector):
    """Whether READER, of a record, claims to read VECTOR."""
    return (vector["version"] in reader["versions"]
            and vector["abi"] in reader["abis"])


class Record:
    """What readers did: a letter for each vector."""

    def __init__(self, path=None):
        self.readers, self.letters = {}, {}
        if path is None:
            return
        data = read_json(path)
        for number, reader in enumerate(data["readers"]):
            self.readers[reader["name"]] = reader
            self.letters[reader["name"]] = {
                name: letters[number]
                for name, letters in data["results"].items()}

    def write(self, path, vectors):
        """A line for each vector, so that changes can be read."""
        readers = ",\n".join(json.dumps(reader)
                             for reader in self.readers.values())
        rows = ",\n".join(
            f'"{vector["name"]}": "' + "".join(
                self.letters[name].get(vector["name"], "?")
                for name in self.readers) + '"' for vector in vectors)
        with open(path, "w", encoding="ascii") as file:
            file.write('{"format": 1,\n"readers": [\n' + readers
                       + '\n],\n"results": {\n' + rows + "\n}}\n")

    def take(self, reader, letters):
        """Replace what the reader did, by names of vectors."""
        self.readers[reader["name"]] = reader
        self.letters[reader["name"]] = letters

    def groups(self, name, vectors):
        """For each group a Counter of results of the reader NAME."""
        groups = collections.defaultdict(collections.Counter)
        for vector in vectors:
            letter = self.letters[name].get(vector["name"], "?")
            if claims(self.readers[name], vector) and letter != "?":
                groups[vector["name"].split("/")[0]][LETTERS[letter]] += 1
        return groups

    def is_bad(self, name, vectors):
        return any(set(counter) - {OK}
                   for counter in self.groups(name, vectors).values())


def ask_reader(name, command, vectors, options):
    """Have the adapter COMMAND answer VECTORS: those that it claims to read, and, for
    a record, the others.  Return the reader, as a record has it, and a letter for
    each of these vectors."""
    adapter = Adapter(command)
    reader = {"name": name, "versions": sorted(adapter.versions),
              "abis": sorted(adapter.abis)}
    letters = {}
    for vector in vectors:
        if not (options.record or options.compare or claims(reader, vector)):
            continue
        letter, text = judge(
            vector, adapter.ask(question(options.vectors, vector)),
            adapter.tells)
        letters[vector["name"]] = letter
        if (options.verbose and LETTERS[letter] != OK
                and claims(reader, vector)):
            print(f"{name}: {vector['name']}: {LETTERS[letter]}: {text}")
    adapter.stop()
    return reader, letters


def cell(counter):
    if not counter:
        return "–"
    total = sum(counter.values())
    if counter[OK] == total:
        return f"{total}"
    rest = ", ".join(f"{counter[result]} {result}" for result in RESULTS[:-1]
                     if counter[result])
    return f"{counter[OK]} of {total}: {rest}"


def group_names(vectors):
    return list(dict.fromkeys(vector["name"].split("/")[0]
                              for vector in vectors))


def table(record, names, vectors):
    lines = ["| | " + " | ".join(names) + " |",
             "|---" * (len(names) + 1) + "|"]
    columns = [record.groups(name, vectors) for name in names]
    for group in group_names(vectors):
        lines.append(f"| {group} | "
                     + " | ".join(cell(column[group]) for column in columns)
                     + " |")
    return "\n".join(lines)


def differences(record, past, names):
    """Lines for the results of the readers NAMES that differ from those in PAST."""
    for name in names:
        for vector, letter in record.letters[name].items():
            was = past.letters.get(name, {}).get(vector, "?")
            if letter != was:
                yield f"{name}: {vector}: {letter}, was {was}"


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--record", metavar="FILE",
                        help="write the results of each reader to FILE")
    parser.add_argument("--compare", metavar="FILE",
                        help="print what differs from the results in FILE")
    parser.add_argument("--table", metavar="FILE",
                        help="print the table of a record")
    parser.add_argument("--vectors", metavar="DIR",
                        default=os.path.join(HERE, "vectors"))
    parser.add_argument("reader", nargs="*", metavar="NAME=COMMAND")
    options = parser.parse_args()
    if not options.reader and not options.table:
        parser.error("no reader")
    if not all("=" in reader for reader in options.reader):
        parser.error("NAME=COMMAND is wanted")
    return options


def main():
    options = parse_arguments()
    vectors = read_vectors(options.vectors)
    new = not options.table and options.record \
        and not os.path.exists(options.record)
    record = Record(None if new else options.table or options.record)
    names = [reader.split("=", 1)[0] for reader in options.reader]
    for reader in options.reader:
        name, command = reader.split("=", 1)
        record.take(*ask_reader(name, command, vectors, options))
    if options.record:
        record.write(options.record, vectors)
    if options.compare:
        found = list(differences(record, Record(options.compare), names))
        print("\n".join(found + [f"{len(found)} differences"]))
        return bool(found)
    print(table(record, names or list(record.readers), vectors))
    return any(record.is_bad(name, vectors) for name in names)


if __name__ == "__main__":
    sys.exit(main())
