#!/usr/bin/env python3
"""Does the analysis of code say what the tests of other projects say of frames?

A FOLDER has sources with CFI:
gas/testsuite/gas/scfi/x86_64 of binutils, whose .s files have the directives that GNU
as has to find by itself (--scfi); or llvm/test/CodeGen/X86 of LLVM, whose .ll files are
compiled by llc with the options of their first RUN line.  Debian's source packages have
both; nothing is downloaded here.  Each source is assembled and linked, its CFI is
hidden from the analysis, and both are compared.  The build tree needs its tests (make
check).

Prints a line for each program that is not all equal, and a sum; minutes.  Many of the
programs break the ABI on purpose: then there are no rows, and --lint is asked whether it
compares all functions, without FP ("by --lint").

  python3 tools/maintainer/foreign-cfi.py binutils/gas/testsuite/gas/scfi/x86_64

Exit status: 1 if a row differs from the CFI (one of them is wrong), or if nothing is
equal; else 0.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import common

SECONDS = 60  # that a program may take
MADE_WRONG = re.compile("-diag-|-unsupported-")  # GNU as has to refuse these


def run(command):
    """Whether the command succeeded, and what it printed."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS,
                              universal_newlines=True, errors="replace")
    except subprocess.TimeoutExpired:
        return False, "takes too long"
    return done.returncode == 0, done.stdout


def llc_options(path, machine):
    """The options of the first RUN line that concern the code; None if the source is
    for another system."""
    with open(path, encoding="utf-8", errors="replace") as file:
        line = next((line for line in file if re.search(r"RUN:.*\bllc\b", line)),
                    "")
    words = line.split("|")[0].split()
    kept = [word for word in words
            if re.match(r"-(mattr|mcpu|O\d|relocation-model|code-model|"
                        r"frame-pointer|stack-alignment|mtriple|march)", word)]
    triple = [word for word in kept if word.startswith("-mtriple")]
    if any(re.search("darwin|apple|win|i[3-6]86|x32|arm64|ilp32|_be", word)
           or word in ("-march=x86", "-mtriple=i686") for word in kept):
        return None
    return [word for word in kept if word not in triple] \
        + ["-mtriple=%s-linux-gnu" % machine]


def objects(arguments, prefix, path, to):
    """Make an object of the source.  None, or why not."""
    if path.endswith(".s"):
        done, said = run([prefix + "as", "-o", to, path])
    else:
        options = llc_options(path, arguments.machine)
        if options is None:
            return "another system"
        done, said = run(shlex.split(arguments.llc)
                         + ["-filetype=obj", "-o", to] + options + [path])
    return None if done else "not translated: " + (said.splitlines() or [""])[-1]


def link_with_stubs(prefix, made, linked):
    """Link a program that is not position-independent, with functions that only
    return in place of those that it lacks."""
    names = run([prefix + "nm", "-u", "-j", made])[1].split()
    stubs = made + ".stubs"
    with open(stubs, "w") as file:
        for name in names:
            file.write(".globl %s\n.type %s, %%function\n%s: ret\n"
                       % (name, name, name))
    run([prefix + "as", "-o", stubs + ".o", stubs])
    return run([prefix + "ld", "-e", "0", "-o", linked, made, stubs + ".o"])


def is_linted(arguments, path):
    """Whether --lint compares all functions and finds nothing."""
    said = run([common.converter(arguments), "--lint", "--stats=json", path])[1]
    try:
        result = json.loads(said)
    except ValueError:
        return False
    return result["status"] == "clean" \
        and result["functions_trusted"] == result["functions"]


def judge(arguments, prefix, path, folder):
    """A word for the result of the program, and details."""
    made, linked = (os.path.join(folder, name) for name in ("made.o", "linked"))
    problem = objects(arguments, prefix, path, made)
    if problem:
        return "left out", problem
    done, said = run([prefix + "ld", "-shared", "-z", "notext",
                      "--unresolved-symbols=ignore-all", "-o", linked, made])
    if not done:
        done, said = link_with_stubs(prefix, made, linked)
    if not done:
        return "left out", "not linked: " + (said.splitlines() or [""])[-1]
    said = run([os.path.join(arguments.build, "tests/analysis/hidden_cfi"),
                linked])[1]
    counts = re.search(r" (\d+) equal \S+ cfa-differs (\d+) ra-differs (\d+) "
                       r"fp-differs (\d+) unknown (\d+) incomparable (\d+) "
                       r"silent (\d+) (.*)", said)
    if not counts or counts.group(1) == "0":
        return "left out", "no CFI"
    total, cfa, ra, fp, unknown, other, silent = map(int, counts.groups()[:7])
    words = re.sub(r" +functions \d+ \S+s", "", counts.group(8))
    if cfa or ra or fp:
        return "differs", "%d of %d bytes" % (cfa + ra + fp, total)
    if (silent or unknown) and is_linted(arguments, linked):
        return "by --lint", words
    if silent or unknown:
        return ("no rows" if silent + other >= total else "some rows",
                "%d of %d bytes: %s" % (silent + unknown, total, words))
    return "equal", ""


def main():
    parser = common.parser_of(__doc__)
    common.add_build(parser)
    parser.add_argument("--machine", default="x86_64",
                        choices=("x86_64", "aarch64"))
    parser.add_argument("--llc", default="llc",
                        help="compiler of LLVM's assembly language (default: llc)")
    parser.add_argument("-v", dest="verbose", action="store_true",
                        help="name all programs")
    parser.add_argument("folders", nargs="+", metavar="folder")
    arguments = parser.parse_args()
    prefix = "" if os.uname().machine == arguments.machine \
        else arguments.machine + "-linux-gnu-"
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        for folder in arguments.folders:
            for name in sorted(os.listdir(folder)):
                if not name.endswith((".s", ".ll")) or MADE_WRONG.search(name):
                    continue
                path = os.path.join(folder, name)
                word, details = judge(arguments, prefix, path, work)
                counts[word] += 1
                if arguments.verbose or word not in ("equal", "by --lint",
                                                     "left out"):
                    print("%s: %s %s" % (name, word, details), flush=True)
    if not counts:
        sys.exit("foreign-cfi.py: no source (.s, .ll) in " + ", ".join(arguments.folders))
    print(", ".join("%d %s" % (number, word)
                    for word, number in counts.most_common()))
    return counts["differs"] > 0 or not counts["equal"]


common.run(main)
