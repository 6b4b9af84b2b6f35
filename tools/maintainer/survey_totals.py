"""The bookkeeping of survey.sh, and the list of files of hidden-cfi.sh.

  list [--x86-64] PATH...
                    every linked 64-bit ELF file (of x86-64 only) in or below PATH,
                    each inode once, NUL-terminated
  work SCRATCH SECONDS PROVE CFI2SFRAME [OPTION]... -- FILE...
                    convert and check some files, by programs that may take so long;
                    the results, one JSON line each, go to a new file *.results in
                    the folder SCRATCH
  totals FORMAT     add up the lines on standard input

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import collections
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import common
from sframe_retrofit import elf, percent


def is_linked_elf(path, machines):
    try:
        with open(path, "rb") as file:
            start = file.read(elf.START + 2)
    except OSError:
        return False
    return start[4:5] == elf.CLASS_64 \
        and elf.elf_type(start) in (elf.ET_EXEC, elf.ET_DYN) \
        and (not machines or elf.machine(start) in machines)


def walk(path):
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files):
            yield os.path.join(folder, name)


def linked_files(paths, machines=()):
    """The linked ELF files in or below PATHS, of MACHINES or of all."""
    seen = set()
    for root in paths:
        for path in walk(root):
            try:
                # A symbolic link is skipped, because its target is found under
                # its own name, unless the link itself was named.
                status = os.stat(path) if path == root else os.lstat(path)
            except OSError:
                continue
            key = (status.st_dev, status.st_ino)
            if not stat.S_ISREG(status.st_mode) or key in seen:
                continue
            seen.add(key)
            if is_linked_elf(path, machines):
                yield path


def list_files(arguments):
    x86_64 = arguments[:1] == ["--x86-64"]
    for path in linked_files(arguments[x86_64:],
                             (elf.EM_X86_64,) if x86_64 else ()):
        sys.stdout.buffer.write(os.fsencode(path) + b"\0")


def parse(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def run(seconds, *command):
    """Exit status (124 for a time-out, 128 + signal), output and errors."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return 124, "", "timed out"
    status = done.returncode
    return status if status >= 0 else 128 - status, done.stdout, done.stderr


def convert_and_check(seconds, prove, converter, path, output):
    if os.path.exists(output):
        os.unlink(output)
    status, stats, messages = run(
        seconds, *converter, "--stats=json", "-o", output, "--", path)
    proof_status, line, wrong = None, "", ""
    stats = parse(stats)
    if stats and stats.get("status") == "converted":
        proof_status, line, wrong = run(seconds, prove, output, path)
    numbers = re.findall(r" ([a-z-]+) (\d+)(?= |$)",
                         line[line.rfind(" equal "):].rstrip())
    return {"file": path, "status": status, "proof_status": proof_status,
            "stats": stats,
            "proof": {name: int(number) for name, number in numbers},
            "messages": messages[:400], "wrong": wrong[:2000]}


def work(scratch, seconds, prove, *words):
    end = words.index("--")
    converter, paths = words[:end], words[end + 1:]
    scratch = tempfile.mkdtemp(dir=scratch)
    with open(scratch + ".results", "w") as results:
        for path in paths:
            entry = convert_and_check(float(seconds), prove, converter, path,
                                      os.path.join(scratch, "output"))
            print(json.dumps(entry), file=results)
    shutil.rmtree(scratch)


class Totals:
    def __init__(self, version):
        self.format = version
        self.outcomes = collections.Counter()
        self.reasons = collections.Counter()
        self.left_out = collections.Counter()
        self.stats = collections.Counter()
        self.proof = collections.Counter()
        self.strategies = collections.Counter()
        self.problems = []

    def outcome(self, entry):
        stats = entry["stats"] or {}
        if entry["status"] == 124:
            return "timed out"
        if entry["status"] > 124:
            return "crashed"
        if entry["status"] == 0:
            # With -o, a file that needs nothing is copied as it is.
            return stats.get("status") or "skipped"
        return "failed" if not stats.get("reason") else "refused"

    def add(self, entry):
        outcome = self.outcome(entry)
        stats = entry["stats"] or {}
        self.outcomes[outcome] += 1
        if outcome in ("timed out", "crashed"):
            self.problems.append((outcome, entry))
        if outcome == "converted" and entry["proof_status"] is None:
            self.problems.append(("no output", entry))
            return
        if outcome != "converted":
            reason = stats.get("reason") or entry["messages"].strip()
            self.reasons[f"{outcome}: {reason or '(no reason given)'}"] += 1
            return
        self.strategies[stats.get("strategy") or "?"] += 1
        for key, value in stats.items():
            if isinstance(value, (int, float)):
                self.stats[key] += value
        for reason, count in (stats.get("left_out") or {}).items():
            self.left_out[reason] += count
        self.proof.update(entry["proof"])
        if entry["proof_status"] != 0:
            self.problems.append(("wrong" if entry["proof"].get("wrong")
                                  else "not proved", entry))

    def print(self):
        proof, stats = self.proof, self.stats
        print(f"SFrame format {self.format}")
        print(f"files                {sum(self.outcomes.values()):>12}")
        for outcome, count in self.outcomes.most_common():
            print(f"  {outcome:<18} {count:>12}")
        for reason, count in self.reasons.most_common(15):
            print(f"    {count:>6}  {reason[:100]}")
        for strategy, count in self.strategies.most_common():
            print(f"  by {strategy:<15} {count:>12}")
        functions = stats["cfi_functions"]
        print(f"functions with CFI   {functions:>12}")
        for name, key in (("of .debug_frame", "debug_frame_functions"),
                          ("of debug files", "debug_file_functions"),
                          ("set aside", "set_aside"),
                          ("contradictions", "contradictions")):
            if stats[key]:
                print(f"  {name:<18} {stats[key]:>12}")
        covered = stats["functions_covered"]
        print(f"  {'with rows':<18} {covered:>12}"
              f"  {percent(covered, functions, 4) or '-'} %")
        for reason, count in self.left_out.most_common():
            print(f"    {count:>10}  left out: {reason}")
        said = sum(proof.values()) - proof["without-cfi"]
        print(f"bytes with CFI       {said:>12}")
        for name in "equal", "left-out", "not-expressible":
            print(f"  {name:<18} {proof[name]:>12}"
                  f"  {percent(proof[name], said, 4) or '-'} %")
        print(f"rows without CFI     {proof['without-cfi']:>12} bytes")
        unwind = (stats["eh_frame_bytes"] + stats["eh_frame_hdr_bytes"]
                  + stats["debug_frame_bytes"])
        if unwind:
            print(f".sframe bytes        {stats['sframe_bytes']:>12}"
                  f"  {stats['sframe_bytes'] / unwind:.4f} of .eh_frame"
                  " + .eh_frame_hdr"
                  + (" + .debug_frame" if stats["debug_frame_bytes"] else ""))
        print(f"seconds              {stats['seconds']:>12.1f}")
        print(f"bytes WRONG          {proof['wrong']:>12}")
        for what, entry in self.problems[:40]:
            print(f"{what}: {entry['file']}")
            for line in (entry["wrong"] or entry["messages"]).splitlines()[:4]:
                print(f"  {line}")


def add_up(version):
    totals = Totals(version)
    for line in sys.stdin:
        totals.add(json.loads(line))
    totals.print()
    if totals.problems:
        return 1
    return 0 if totals.outcomes["converted"] else 2


def main():
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == "list":
        list_files(arguments)
    elif command == "work":
        work(*arguments)
    elif command == "totals":
        return add_up(*arguments)
    return 0


if __name__ == "__main__":
    common.run(main)
