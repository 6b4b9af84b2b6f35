#!/usr/bin/env python3
"""Hold compact unwind against CFI at every call of a program.

Usage: call_sites.py CFI2SFRAME FILE

Three programs that know nothing of each other: objdump finds the calls,
readelf -wF tells the CFI's rules there, `cfi2sframe --dump` tells what
compact unwind says.  Where the two differ at a call, a line is printed.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import bisect
import re
import subprocess
import sys

# readelf's names of registers, and those of the dump.
NAMES = {"rip": "ra", "x30": "ra"}


def lines_of(*command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True,
                               env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    yield from process.stdout
    process.wait()


def machine_of(path):
    with open(path, "rb") as file:
        head = file.read(20)
    return {62: "amd64", 183: "aarch64"}[head[18]]


def image_base(path):
    return min(int(line.split()[2], 16)
               for line in lines_of("readelf", "-lW", path)
               if line.split()[:1] == ["LOAD"])


def call_addresses(path, machine):
    """Addresses of all call instructions."""
    calls = {"amd64": ("call", "lcall", "notrack call", "bnd call"),
             "aarch64": ("bl", "blr", "blraa", "blraaz", "blrab", "blrabz")}
    prefix = "" if machine == "amd64" else "aarch64-linux-gnu-"
    pattern = re.compile(r"^\s*([0-9a-f]+):\t(.*)$")
    for line in lines_of(prefix + "objdump", "-d", "--no-show-raw-insn", path):
        match = pattern.match(line)
        if not match:
            continue
        words = [word for word in match.group(2).split()
                 if word not in ("bnd", "notrack", "data16", "rex.W",
                                 "rex.WB", "addr32")]
        if words and words[0] in calls[machine]:
            yield int(match.group(1), 16)


def cfi_rows(path):
    """(start, end, {column: rule}) of every row, by readelf.  Where an FDE
    changes nothing it prints the CIE's row only."""
    rows, cies, columns, cie, fde = [], {}, None, None, None
    entry = re.compile(r"^([0-9a-f]+) .* (CIE |FDE cie=([0-9a-f]+) "
                       r"pc=([0-9a-f]+)\.\.([0-9a-f]+))")

    def close():
        if fde and rows[-1][1] is None:
            rows[-1][1] = fde[1]

    for line in lines_of("readelf", "-wF", path):
        match = entry.match(line)
        if match:
            close()
            columns = fde = None
            if match.group(2) == "CIE ":
                cie = match.group(1)
            else:
                fde = int(match.group(4), 16), int(match.group(5), 16)
                rows.append([fde[0], None, cies.get(match.group(3), {})])
        elif line.lstrip().startswith("LOC"):
            columns = line.split()[1:]
        elif columns and re.match(r"[0-9a-f]{16} ", line):
            words = line.split()
            rules = dict(zip(columns, words[1:]))
            if not fde:
                cies[cie] = rules
                continue
            rows[-1][1] = int(words[0], 16)
            rows.append([int(words[0], 16), None, rules])
    close()
    return sorted((row for row in rows if row[0] < row[1]),
                  key=lambda row: row[0])


def compact_entries(tool, path):
    """(offset, meaning) of every entry."""
    pattern = re.compile(r"^      \[\d+\]: function offset=0x(\w+), .* ; (.*)")
    for line in lines_of(tool, "--dump", "--format=compact-unwind", path):
        match = pattern.match(line)
        if match:
            yield int(match.group(1), 16), match.group(2)


def words_at(path):
    """A function that reads 32 bits at an address of the program."""
    loads = []
    for line in lines_of("readelf", "-lW", path):
        words = line.split()
        if words[:1] == ["LOAD"]:
            loads.append([int(word, 16) for word in words[1:6]])
    with open(path, "rb") as file:
        data = file.read()

    def read(address):
        for offset, start, _, size, _ in loads:
            if start <= address < start + size:
                at = offset + address - start
                return int.from_bytes(data[at:at + 4], "little")
        raise ValueError(hex(address))
    return read


def expected_rules(meaning, function, read, machine):
    """The rules that MEANING states, as readelf would print them; None for
    an escape."""
    stack, frame = (("rsp", "rbp") if machine == "amd64" else ("sp", "x29"))
    rules = {}
    for register, offset in re.findall(r"(\w+)=c(-\d+)", meaning):
        rules[register] = "c" + offset
    if meaning.startswith("frameless"):
        size = int(re.match(r"frameless, (\d+)", meaning).group(1))
        indirect = re.search(r"function\+(\d+)", meaning)
        if indirect:
            size += read(function + int(indirect.group(1)))
        rules["CFA"] = f"{stack}+{size}"
        if machine == "amd64":
            rules["ra"] = "c-8"
    elif meaning.startswith("frame"):
        rules["CFA"] = f"{frame}+16"
        rules["ra"], rules[frame] = "c-8", "c-16"
    else:
        return None
    return rules


def actual_rules(columns, machine):
    preserved = {"amd64": "rbx rbp r12 r13 r14 r15 ra".split(),
                 "aarch64": [f"x{i}" for i in range(19, 30)]
                 + [f"v{i}" for i in range(8, 16)] + ["ra"]}[machine]
    rules = {"CFA": columns["CFA"]}
    for name, rule in columns.items():
        name = NAMES.get(name, name)
        if name in preserved and rule not in ("u", "s"):
            rules[name.replace("v", "d") if name[0] == "v" else name] = rule
    return rules


def main(tool, path):
    machine = machine_of(path)
    base = image_base(path)
    read = words_at(path)
    rows = cfi_rows(path)
    starts = [row[0] for row in rows]
    entries = [(base + offset, meaning)
               for offset, meaning in compact_entries(tool, path)]
    entry_starts = [entry[0] for entry in entries]
    checked = escaped = unknown = wrong = 0
    for call in call_addresses(path, machine):
        i = bisect.bisect_right(starts, call) - 1
        j = bisect.bisect_right(entry_starts, call) - 1
        meaning = entries[j][1] if j >= 0 else "nothing known"
        if i < 0 or call >= rows[i][1]:
            unknown += 1
            if not meaning.startswith("nothing"):
                print(f"{call:#x}: no CFI, but {meaning}")
                wrong += 1
            continue
        expected = expected_rules(meaning, entries[j][0], read, machine)
        if expected is None:
            escaped += 1
            if meaning.startswith("nothing"):
                print(f"{call:#x}: CFI, but nothing known")
                wrong += 1
            continue
        checked += 1
        actual = actual_rules(rows[i][2], machine)
        if expected != actual:
            print(f"{call:#x}: {meaning}: CFI says {actual}")
            wrong += 1
    print(f"{path}: {checked} calls checked, {escaped} left to DWARF, "
          f"{unknown} without CFI, {wrong} wrong")
    return wrong > 0 or checked == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
