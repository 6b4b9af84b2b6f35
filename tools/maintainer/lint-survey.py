#!/usr/bin/env python3
"""What does --lint find in all programs and libraries below some folders?

Prints a table: files, FDEs, the share of them that could be decided, findings, and
processor time (of the whole run of the program, divided by the FDEs).  Each PATH is a
line of the table; those with the same LABEL= are one line.  A file counts once,
whatever its names are, if it is linked, 64-bit, of x86-64 or aarch64, and has CFI.
Files that cannot be read, and those that take too long, are named.  0.2 ms for each
FDE.

  python3 tools/maintainer/lint-survey.py bin=/usr/bin /usr/lib

Exit status: 0, or 1 if no file has CFI.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import argparse
import collections
import json
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
import common
from survey_totals import linked_files
from sframe_retrofit import elf, percent

# Such files are nothing for --lint, and not named.
WITHOUT_CFI = ("no .eh_frame", "no CFI")


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Line:
    """A line of the table."""

    def __init__(self):
        self.files = self.fdes = self.decided = 0
        self.findings = self.bytes = 0
        self.seconds = 0.0

    def add(self, answer, seconds):
        self.files += 1
        self.fdes += answer["functions"]
        self.decided += answer["functions_trusted"]
        self.findings += len(answer["findings"])
        self.bytes += answer["bytes_wrong"]
        self.seconds += seconds

    def add_line(self, other):
        for name in ("files", "fdes", "decided", "findings", "bytes",
                     "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def text(self, label):
        return "| %s | %d | %s | %s | %d | %s | %s |" % (
            label, self.files, format(self.fdes, ","),
            percent(self.decided, self.fdes) + " %" if self.fdes else "-",
            self.findings,
            format(self.bytes, ","),
            "%.0f" % (self.seconds / self.fdes * 1e6) if self.fdes else "-")


def lint(arguments, path):
    """The answer for a file and the seconds it took, or None and a reason."""
    before = processor_seconds()
    try:
        result = subprocess.run(
            [common.converter(arguments), "--lint", "--stats=json", path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=arguments.timeout, universal_newlines=True)
    except subprocess.TimeoutExpired:
        return None, "more than %d s" % arguments.timeout
    seconds = processor_seconds() - before
    try:
        answer = json.loads(result.stdout)
    except ValueError:
        return None, "exit status %d" % result.returncode
    if answer["status"] == "failed":
        return None, answer["reason"]
    return answer, seconds


def main():
    parser = common.parser_of(__doc__)
    common.add_build(parser)
    parser.add_argument("-o", dest="results", type=argparse.FileType("w"),
                        help="keep the answer for each file, one JSON object per line")
    parser.add_argument("--timeout", type=int, default=900,
                        help="seconds that a file may take (default: 900)")
    parser.add_argument("--below", type=float, default=99.5, metavar="PERCENT",
                        help="name files where less is decided (default: 99.5)")
    parser.add_argument("paths", nargs="+", metavar="[LABEL=]PATH")
    arguments = parser.parse_args()
    lines = collections.OrderedDict()
    labels = collections.OrderedDict()
    for path in arguments.paths:
        label, equals, folder = path.partition("=")
        labels.setdefault(label, []).append(folder if equals else path)
    for label, folders in labels.items():
        line = lines[label] = Line()
        for path in linked_files(folders, (elf.EM_X86_64, elf.EM_AARCH64)):
            answer, seconds = lint(arguments, path)
            if answer is None:
                if seconds not in WITHOUT_CFI:
                    print("%s: %s" % (path, seconds), file=sys.stderr)
                continue
            if not answer["functions"]:
                continue
            line.add(answer, seconds)
            if arguments.results:
                answer.update(label=label, seconds=round(seconds, 3))
                print(json.dumps(answer), file=arguments.results, flush=True)
            share = answer["functions_trusted"] * 100 / answer["functions"]
            if share < arguments.below:
                print("%s: %.2f %% of %d" % (path, share, answer["functions"]),
                      file=sys.stderr)
    print("| | files | FDEs | decided | findings | bytes | us per FDE |")
    print("|---|---|---|---|---|---|---|")
    total = Line()
    for label, line in lines.items():
        print(line.text(label))
        total.add_line(line)
    if len(lines) > 1:
        print(total.text("all"))
    return 0 if total.fdes else 1


common.run(main)
