#!/usr/bin/env python3
"""How many errors of CFI does --lint find?

One line of CFI is taken out of each function of a SOURCE (assembly, or C, which is
compiled with -O2 -fPIC), and --lint is asked.  The truth is the CFI of the unchanged
source, as readelf shows it: the code is the same, so every byte for which the rules of
CFA, return address or frame pointer differ has a wrong row, and no other.  A function
counts as found if a finding has one of these bytes; parts without a name, like GCC's
cold ones, count like functions.  A finding is false if it has none of them.

Not counted, because the row is not wrong: a rule of FP that differs where nothing has
changed FP, or where the word that it was saved in still has it.  Counted apart: CFAs by
different registers (rbp+16 for rsp+16), which readelf alone cannot tell to be wrong.

Prints the share that is found for each kind of rule; seconds a file.

  python3 tools/maintainer/deleted-directives.py src/cfi/plt.c \\
    --cc='gcc -Isrc -Iinclude -Ibuild'

Exit status: 1 if a finding is false, less than --bar is found, or no wrong CFA was
made; else 0.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import bisect
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import common

# Without one of these the source has no CFI, or the assembler refuses the rest.
FIXED = re.compile(r"\s*\.cfi_(startproc|endproc|sections|personality|lsda|"
                   r"remember_state|signal_frame)\b")
DIRECTIVE = re.compile(r"\s*\.cfi_\w+")
FRAME_POINTERS = ("rbp", "x29")
KINDS = ("cfa", "ra", "fp")


def run(command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          universal_newlines=True, **options).stdout


class Source:
    """Assembly, as lines, and which of them can be taken out of each block of
    CFI."""

    def __init__(self, lines, seed):
        self.lines = lines
        self.blocks = []
        choice = random.Random(seed)
        for number, line in enumerate(lines):
            if re.match(r"\s*\.cfi_startproc\b", line):
                self.blocks.append([])
            elif self.blocks and DIRECTIVE.match(line) \
                    and not FIXED.match(line):
                self.blocks[-1].append(number)
        for block in self.blocks:
            choice.shuffle(block)

    def without(self, turn):
        """The source without one line of each block, and these lines."""
        gone = {block[turn] for block in self.blocks if turn < len(block)}
        return [line for number, line in enumerate(self.lines)
                if number not in gone], gone

    def rounds(self):
        return max(map(len, self.blocks), default=0)


class Library:
    """The library that is made of LINES, and the rows of its CFI."""

    def __init__(self, options, lines, path):
        with open(path + ".s", "w") as file:
            file.writelines(lines)
        if options.binutils is None:
            run(shlex.split(options.cc)
                + ["-shared", "-nostdlib", "-o", path, path + ".s"])
        else:
            run([options.binutils + "as", "-o", path + ".o", path + ".s"])
            run([options.binutils + "ld", "-shared", "--eh-frame-hdr", "-o",
                 path, path + ".o"])
        self.path = path
        self.functions = self.read_rows()

    def read_rows(self):
        """{(start, end): [(pc, {column: rule}), ...]}"""
        functions, rows, columns = {}, None, []
        text = run(["readelf", "--debug-dump=frames-interp", "--wide",
                    self.path], stderr=subprocess.DEVNULL,
                   env=dict(os.environ, LC_ALL="C"))
        for line in text.splitlines():
            fde = re.search(r" FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
            words = line.split()
            if fde:
                rows = functions.setdefault(
                    (int(fde.group(1), 16), int(fde.group(2), 16)), [])
            elif " CIE " in line:
                rows = None
            elif words[:2] == ["LOC", "CFA"]:
                columns = [word.lower() for word in words[1:]]
            elif rows is not None and len(words) == len(columns) + 1 \
                    and re.fullmatch("[0-9a-f]{16}", words[0]):
                rows.append((int(words[0], 16), dict(zip(columns, words[1:]))))
        return functions

    def code(self):
        """The bounds of the functions, which have to stay the same."""
        return sorted(self.functions)


def rule(row, kind):
    if kind == "fp":
        return next((row[name] for name in FRAME_POINTERS if name in row), "u")
    return row.get(kind, "u")


def row_at(rows, pc):
    index = bisect.bisect_right([start for start, _ in rows], pc)
    return rows[index - 1][1] if index > 0 else {}


def differences(bounds, true, wrong):
    """[(start, end, kind, same register)]: where rows are wrong."""
    edges = sorted({pc for pc, _ in true + wrong} | set(bounds))
    found = []
    for start, end in zip(edges, edges[1:]):
        a, b = row_at(true, start), row_at(wrong, start)
        kind = next((k for k in KINDS if rule(a, k) != rule(b, k)), None)
        if kind and bounds[0] <= start < bounds[1]:
            registers = [re.split("[-+]", rule(row, kind))[0]
                         for row in (a, b)]
            found.append((start, end, kind, registers[0] == registers[1]))
    return found


class Saved:
    """What FP or RA (KIND) and the word that it was saved in may contain in front of
    each instruction of a function, by all paths: the caller's value, or something
    else.  For assembly that saves registers as compilers do."""

    SAVE = {"fp": r"push\s+%rbp|stp\s+x29, x30,",
            "ra": r"stp\s+x29, x30,|str\s+x30,"}
    RESTORE = {"fp": r"pop\s+%rbp|leave|ldp\s+x29, x30,",
               "ra": r"ldp\s+x29, x30,|ldr\s+x30,"}
    WRITE = {"fp": r"(?!cmp|test|str|stp|stur|push)\S+\s+"
                   r"(.*,)?(%[er]bp$|[wx]29\b)|ldp\s+\w+, x29",
             "ra": r"blr?\s|mov\s+x30,"}
    JUMP = re.compile(r"(j\w+|b|b\.\w+|cbn?z|tbn?z)\s+(?:.*, )?"
                      r"([0-9a-f]+) <")
    END = re.compile(r"(jmp|ret|br|ud2|b)(\s|$)")

    def __init__(self, disassembly, kind):
        self.save, self.restore, self.write = (
            re.compile(words[kind])
            for words in (self.SAVE, self.RESTORE, self.WRITE))
        self.code = {}
        self.next = {}
        last = None
        for line in disassembly:
            match = re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line)
            if match:
                address = int(match.group(1), 16)
                self.code[address] = match.group(2).strip()
                self.next[last] = last = address

    def after(self, text, fact):
        register, saved = fact
        if self.save.match(text):
            return register, register
        if self.restore.match(text):
            return "caller", saved
        return ("other" if self.write.match(text) else register), saved

    def walk(self, start, end):
        """{address: {(what is in the register, what is in the word)}}"""
        seen = {}
        todo = [(start, ("caller", "other"))]
        while todo:
            at, fact = todo.pop()
            if not start <= at < end or fact in seen.setdefault(at, set()) \
                    or at not in self.code:
                continue
            seen[at].add(fact)
            text = self.code[at]
            after = self.after(text, fact)
            jump = self.JUMP.match(text)
            if jump:
                todo.append((int(jump.group(2), 16), after))
            if not self.END.match(text) and at in self.next:
                todo.append((self.next[at], after))
        return seen

    def is_wrong(self, bounds, start, end, rule):
        """Whether RULE is wrong for an instruction there.  It counts as wrong, too,
        if no path was seen to lead there, and if it is another kind of rule."""
        facts = self.walk(*bounds)
        index = {"u": 0, "s": 0}.get(rule, 1)
        inside = [fact for at in range(start, end) for fact in facts.get(at, ())]
        return not inside or any(fact[index] == "other" for fact in inside)


class Count:
    def __init__(self, verbose):
        self.verbose = verbose
        self.found = dict.fromkeys(KINDS + ("other register",), 0)
        self.wrong = dict(self.found)
        self.false = 0
        self.own = []

    def note_own(self, path, true):
        """The findings in the unchanged source: they are the compiler's errors."""
        self.own = findings_of(path, true.path)
        if self.own:
            print("%d findings in the source as it is" % len(self.own))

    def judge(self, path, true, mutant, saved):
        findings = [finding for finding in findings_of(path, mutant.path)
                    if not any(start < finding[1] and finding[0] < end
                               for start, end in self.own)]
        wrong_bytes = []
        for bounds, rows in true.functions.items():
            wrong = differences(bounds, rows, mutant.functions[bounds])
            wrong_bytes += wrong
            if wrong:
                self.add(bounds, wrong, findings, mutant.functions[bounds], saved)
        for start, end in findings:
            if not any(a < end and start < b for a, b, _, _ in wrong_bytes):
                self.false += 1
                print("false: 0x%x-0x%x" % (start, end))

    def add(self, bounds, wrong, findings, rows, saved):
        kinds = {kind for _, _, kind, _ in wrong}
        kind = next(k for k in KINDS if k in kinds)
        found = any(a < end and start < b
                    for a, b, _, _ in wrong for start, end in findings)
        if kind in saved and not found and not any(
                saved[kind].is_wrong(bounds, a, b,
                                     rule(row_at(rows, a), kind))
                for a, b, _, _ in wrong):
            return
        if kind == "cfa" and not found \
                and not any(same for _, _, k, same in wrong if k == "cfa"):
            kind = "other register"
        self.wrong[kind] += 1
        self.found[kind] += found
        if self.verbose and not found:
            print("not found: %s in 0x%x-0x%x, at %s" % (
                kind, *bounds,
                " ".join("0x%x-0x%x" % w[:2] for w in wrong)))

    def report(self, bar):
        for kind, wrong in self.wrong.items():
            if wrong:
                print("%s: %d of %d found, %.1f %%" % (
                    kind, self.found[kind], wrong,
                    100 * self.found[kind] / wrong))
        print("%d false" % self.false)
        return self.false == 0 and self.wrong["cfa"] > 0 and all(
            100 * self.found[k] >= bar * self.wrong[k] for k in KINDS)


def findings_of(program, path):
    lint = subprocess.run([program, "--lint", "--stats=json", path],
                          stdout=subprocess.PIPE, universal_newlines=True)
    if lint.returncode not in (0, 3):
        sys.exit("deleted-directives.py: --lint failed")
    return [(f["address"], f["address"] + f["size"])
            for f in json.loads(lint.stdout)["findings"]]


def judge_source(options, path, count, scratch):
    if path.endswith(".c"):
        assembly = os.path.join(scratch, "source.s")
        run(shlex.split(options.cc) + ["-O2", "-fPIC", "-S", "-o", assembly, path])
        path = assembly
    with open(path) as file:
        source = Source(file.readlines(), options.seed)
    true = Library(options, source.lines, os.path.join(scratch, "true"))
    disassembly = run([(options.binutils or "") + "objdump", "-d", "--no-show-raw-insn",
                       true.path]).splitlines()
    saved = {kind: Saved(disassembly, kind) for kind in ("fp", "ra")}
    count.note_own(options.program, true)
    rounds = options.rounds or source.rounds()
    for turn in range(min(rounds, source.rounds())):
        lines, _ = source.without(turn)
        mutant = Library(options, lines, os.path.join(scratch, "mutant"))
        if mutant.code() != true.code():
            sys.exit("deleted-directives.py: the code has changed")
        count.judge(options.program, true, mutant, saved)


def main():
    parser = common.parser_of(__doc__)
    common.add_build(parser)
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"),
                        help="compiler (default: $CC, or cc), perhaps with options")
    parser.add_argument("--binutils", metavar="PREFIX",
                        help="PREFIXas and PREFIXld assemble and link in place of the "
                        "compiler, and PREFIXobjdump shows the code")
    parser.add_argument("--seed", type=int, default=1,
                        help="chooses the lines (default: 1)")
    parser.add_argument("--rounds", type=int, default=1,
                        help="so many lines of each function, one at a time; "
                        "0: all of them (default: 1)")
    parser.add_argument("--bar", type=float, default=0, metavar="PERCENT",
                        help="fail if fewer are found, of wrong CFAs, RAs or FPs")
    parser.add_argument("-v", dest="verbose", action="store_true",
                        help="name those that are not found")
    parser.add_argument("sources", nargs="+", metavar="source")
    options = parser.parse_args()
    options.program = common.converter(options)
    count = Count(options.verbose)
    with tempfile.TemporaryDirectory() as scratch:
        for path in options.sources:
            judge_source(options, path, count, scratch)
    return 0 if count.report(options.bar) else 1


if __name__ == "__main__":
    common.run(main)
