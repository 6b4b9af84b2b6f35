#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the rows of an .sframe true while the code runs?  Asks an emulator.

    emulate.py [-v] [--functions N] [--paths N] [--steps N] [--seed N]
               [--cfi OTHER] FILE...

Each function of FILE (a linked program or library with an .sframe of version
3, for x86-64 or aarch64) is entered with known values in SP, FP and at the
return address, and followed along random paths.  At each instruction that has
a row, CFA, RA and FP by the row are compared with what the function was
entered with.  No call-frame information is read, so rows that come from code
alone are judged like all others.  A line per file; -v adds a line for each
address with a wrong row.  The exit status is 1 if there is one, and 2 if a file
could not be judged.

Instructions that do not branch are run by the emulator (unicorn); where
branches lead is decided here (instructions are read by capstone): a
conditional one goes either way, unless the stack pointer was compared, or it
may guard a table of jumps.  A function that is called is entered until a path of it was seen to return.
Afterwards its calls are passed over, and the registers that it may change get
other values.  A path ends where nothing is known: behind calls that are not
known to return, and at jumps to another function's middle.

A path may go on behind a call through a pointer that never returns, and find
the code behind it in another state.  With --cfi, OTHER is the same program
converted from its call-frame information: an address where both have the same
row is counted apart, and is not a failure.

The emulated machine has no devices, and memory appears where it is touched.
So a path need not be one that the program can take.  What rows say must hold
on such a path as well, because rows know nothing of conditions.
"""

import argparse
import bisect
import collections
import os
import random
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../conformance"))
import capstone                     # noqa: E402
import unicorn                      # noqa: E402
from unicorn import arm64_const as arm, x86_const as x86  # noqa: E402
import sframe_spec                  # noqa: E402
from check import Elf               # noqa: E402

PAGE = 0x1000
STACK, STACK_SIZE = 0x7F0000000000, 0x100000
POOL, POOL_SIZE = 0x600000000000, 0x100000   # where random pointers point
OUTSIDE = 0x5A5A5A5A1000                     # the return address of paths
NOWHERE = (1 << 64) - 1                      # an end that no path reaches
DEPTH = 12                                   # of calls in a path
MAPPINGS_MAX = 3000                          # the emulator stops at 4096
MARGIN = 0x20000                             # of stack above the first frame

NEVER_RETURN = re.compile(
    r"abort|_?exit|_Exit|quick_exit|__stack_chk_fail|__assert.*fail|__assert2|"
    r"ggml_abort|"
    r"__fortify_fail|__chk_fail|_Unwind_Resume|__cxa_(re)?throw.*|"
    r"_?_?(sig)?longjmp(_chk)?|pthread_exit|thrd_exit|err|errx|verrx?|"
    r"__libc_fatal|__libc_start_main|execve?|_Z\w*__throw_.*|"
    r"_ZSt9terminatev|__cxa_(bad|pure|call).*|raise|g_assertion_message.*|"
    r"rust_panic.*|.*panic.*|__libc_start_call_main|rpl_obstack_alloc_failed|"
    r"luaL?_error|BZ2_bz__AssertH__fail|png_error|Perl_croak.*|"
    r"__longjmp_chk|svcerr_.*|_dl_signal_.*|__gnat_raise.*")


class X86:
    """What the referee has to know of x86-64."""
    arch, mode = unicorn.UC_ARCH_X86, unicorn.UC_MODE_64
    sp, fp, pc = x86.UC_X86_REG_RSP, x86.UC_X86_REG_RBP, x86.UC_X86_REG_RIP
    link = None
    #: by DWARF number
    registers = [x86.UC_X86_REG_RAX, x86.UC_X86_REG_RDX, x86.UC_X86_REG_RCX,
                 x86.UC_X86_REG_RBX, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDI,
                 x86.UC_X86_REG_RBP, x86.UC_X86_REG_RSP] + [
                     getattr(x86, f"UC_X86_REG_R{n}") for n in range(8, 16)]
    saved = {3, 6, 7, 12, 13, 14, 15}
    entry_bias = 8                   # of the CFA from SP at the entry
    number, sigreturn = x86.UC_X86_REG_RAX, 15
    changed_by_kernel = {0, 2, 11}   # rax, rcx, r11

    def __init__(self):
        self.decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)

    @staticmethod
    def calls(file):
        """How often each address is called, by bytes that look like a call:
        a function is where two calls lead, and where functions begin."""
        found = collections.Counter()
        for start, code in file.code():
            at = code.find(b"\xe8")
            while at >= 0 and at + 5 <= len(code):
                target = start + at + 5 + struct.unpack_from("<i", code,
                                                             at + 1)[0]
                if target % 16 == 0 and file.executable(target):
                    found[target] += 1
                at = code.find(b"\xe8", at + 1)
        return {target: n for target, n in found.items() if n > 1}

    @staticmethod
    def kind(instruction):
        """(what it does with the control flow, target or None)."""
        name = instruction.mnemonic.split()[-1]
        operand = instruction.op_str
        target = (int(operand, 16)
                  if re.fullmatch("0x[0-9a-f]+", operand) else None)
        if name.startswith("ret"):
            return "return", None
        if name == "call":
            return "call", target
        if name == "jmp":
            return "jump", target
        if name in ("hlt", "ud2", "ud0", "ud1", "int3", "iretq", "sysret"):
            return "end", None
        if name in ("syscall", "sysenter", "int"):
            return "system", None
        if name in ("ja", "jbe", "jna", "jnbe"):
            return "bound", target
        if name[0] == "j" or name.startswith("loop"):
            return "branch", target
        return None, None

    keeps_flags = re.compile(r"(v?mov|lea|push|pop|nop|xchg)").match

    @staticmethod
    def compares_stack(text):
        return re.search(r"^(cmp|test|sub) .*rsp", text) is not None

    @staticmethod
    def names_stack(text):
        # A bit's number may lead far behind the place that is named.
        if re.match(r"(lock )?bt[rsc] .*\], [a-z]", text):
            return False
        return re.search(r"^push|^call|^enter|\[r[sb]p( [+-] \w+)?\]",
                         text) is not None


class Aarch64:
    arch, mode = unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM
    sp, fp, pc = arm.UC_ARM64_REG_SP, arm.UC_ARM64_REG_X29, arm.UC_ARM64_REG_PC
    link = arm.UC_ARM64_REG_X30
    registers = [getattr(arm, f"UC_ARM64_REG_X{n}") for n in range(31)] + [
        arm.UC_ARM64_REG_SP]
    saved = set(range(18, 30)) | {31}
    entry_bias = 0
    number, sigreturn = arm.UC_ARM64_REG_X8, 139
    changed_by_kernel = {0}

    def __init__(self):
        self.decoder = capstone.Cs(capstone.CS_ARCH_ARM64,
                                   capstone.CS_MODE_ARM)

    @staticmethod
    def calls(file):
        found = collections.Counter()
        for start, code in file.code():
            words = struct.unpack_from(f"<{len(code) // 4}I", code)
            for number, word in enumerate(words):
                if word >> 26 == 0x25:
                    offset = (word & 0x3FFFFFF) - ((word & 1 << 25) << 1)
                    found[start + 4 * (number + offset)] += 1
        return {target: n for target, n in found.items()
                if file.executable(target)}

    @staticmethod
    def kind(instruction):
        name = instruction.mnemonic
        found = re.search(r"#(0x[0-9a-f]+)$", instruction.op_str)
        target = int(found.group(1), 16) if found else None
        if name in ("ret", "retaa", "retab"):
            return "return", None
        if name in ("bl", "blr", "blraa", "blrab", "blraaz", "blrabz"):
            return "call", target if name == "bl" else None
        if name in ("b", "br", "braa", "brab", "braaz", "brabz"):
            return "jump", target if name == "b" else None
        if name in ("b.hi", "b.ls"):
            return "bound", target
        if name.startswith("b.") or name in ("cbz", "cbnz", "tbz", "tbnz"):
            return "branch", target
        if name in ("brk", "hlt", "udf", "eret"):
            return "end", None
        return ("system" if name == "svc" else None), None

    keeps_flags = re.compile(r"(ld|st|mov|fmov|add |sub |adrp?|nop)").match

    @staticmethod
    def compares_stack(text):
        return re.search(r"^(cmp|subs|cmn) .*\bsp\b", text) is not None

    @staticmethod
    def names_stack(text):
        return re.search(r"\[(sp|x29)(, #-?\w+)?\]", text) is not None


# Section 3.1.2 says that rows of aarch64 have "either 1 or 3" words "given the
# nature of things".  Code that saves the RA alone exists; all producers write
# two words for it, and all readers take the second one for the RA.
sframe_spec.MACHINES[2].counts = 1, 2, 3

MACHINES = {62: X86, 183: Aarch64}


class File:
    """The program: its segments, functions, external names and rows."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.elf = Elf(self.data)
        machine = struct.unpack_from("<H", self.data, 18)[0]
        if machine not in MACHINES or self.elf.order != "<":
            raise ValueError("neither x86-64 nor aarch64")
        self.machine = MACHINES[machine]()
        self.entry = struct.unpack_from("<Q", self.data, 24)[0]
        found = self.elf.find()
        if found is None:
            raise ValueError("no .sframe")
        self.rows = Rows(sframe_spec.Section(found[3], found[2]))
        self.loads = [s for s in self.elf.segments if s[0] == 1]
        self.functions, self.slots = {}, {}
        for name, header in self.elf.sections:
            if header[1] in (2, 11):
                self._read_symbols(header)
            elif header[1] == 4:
                self._read_relocations(header)
        self.names = {address: name for name, address in
                      sorted(self.functions.items(), reverse=True)}
        self.called = self.machine.calls(self)
        self.starts = sorted(set(self.names) | set(self.called))

    def code(self):
        """(address, bytes) of what can be run."""
        for _, flags, offset, start, _, size, _, _ in self.loads:
            if flags & 1:
                yield start, self.data[offset:offset + size]

    def executable(self, address):
        return any(s[1] & 1 and s[3] <= address < s[3] + s[5]
                   for s in self.loads)

    def _strings(self, header):
        return self.elf.sections[header[6]][1][4]

    def _read_symbols(self, header):
        for at in range(header[4], header[4] + header[5] - 23, 24):
            name, info, _, index, value, _ = struct.unpack_from(
                "<IBBHQQ", self.data, at)
            if info & 15 in (2, 10) and index and self.executable(value):
                text = self._text(self._strings(header) + name)
                if ".cold" not in text and not text.startswith("__restore"):
                    self.functions[text] = value

    def _text(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode("latin-1")

    def _read_relocations(self, header):
        symbols = self.elf.sections[header[6]][1]
        if symbols[1] != 11:
            return
        for at in range(header[4], header[4] + header[5] - 23, 24):
            place, info, _ = struct.unpack_from("<QQq", self.data, at)
            if info >> 32:
                name = struct.unpack_from(
                    "<I", self.data, symbols[4] + 24 * (info >> 32))[0]
                self.slots[place] = self._text(self._strings(symbols) + name)

    def limits(self, address):
        """Start of the function at ADDRESS, and of the next one."""
        at = bisect.bisect_right(self.starts, address)
        return (self.starts[at - 1] if at else 0,
                self.starts[at] if at < len(self.starts) else 1 << 63)


class Rows:
    """The rows of a section, by address."""
    VALUE = re.compile(r"(\[?)(sp|fp|cfa|r\d+)([+-]\d+)\]?$")

    def __init__(self, section):
        self.section, self.known = section, {}
        self.starts, self.rows = [], []
        found = []
        for index in range(section.n_fdes):
            function = section.function(index)
            own = list(section.rows(function))
            if function.pcmask or function.signal or not own:
                continue
            ends = [function.address + row.start for row in own[1:]]
            ends.append(function.address + function.size)
            found += [(function.address + row.start, end,
                       self._parse(section.rule(function, row)))
                      for row, end in zip(own, ends)]
        for start, end, rule in sorted(found, key=lambda row: row[:2]):
            self.starts.append(start)
            self.rows.append((end, rule))

    def _parse(self, text):
        """(CFA, RA, FP), each None or (dereference, base, offset)."""
        if text not in self.known:
            values = None
            if text != "outermost":
                parts = dict(part.split("=", 1) for part in text.split()
                             if "=" in part)
                values = tuple(self._value(parts[name])
                               for name in ("cfa", "ra", "fp"))
            self.known[text] = values
        return self.known[text]

    def _value(self, text):
        if text == "same":
            return None
        deref, base, offset = self.VALUE.match(text).groups()
        machine = self.section.machine
        base = {"sp": machine.sp, "fp": machine.fp, "cfa": None}.get(
            base, int(base[1:]) if base[0] == "r" else None)
        return bool(deref), base, int(offset)

    def at(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0 or address >= self.rows[at][0]:
            return None
        return self.rows[at][1]


class Frame:
    """What a function was entered with."""

    def __init__(self, function, cfa, ra, fp):
        self.function, self.cfa, self.ra, self.fp = function, cfa, ra, fp
        self.seen = []  # addresses whose rows were compared
        self.calls = 0  # calls that were passed over or came back


class Referee:
    """Runs paths of a file's functions, and keeps the account."""

    def __init__(self, file, options):
        self.file, self.machine = file, file.machine
        self.most_steps = options.steps
        self.random = random.Random(options.seed)
        self.returning, self.tries = set(), {}
        self.checked, self.wrong = set(), {}
        self.decoded, self.queue = {}, []
        self.system_calls = {}
        self.pages, self.damaged = set(), set()
        self.stepped, self.stop_at, self.reached = None, None, None
        self._load()

    # Memory.

    def _map(self, address, size):
        """Map the pages of SIZE bytes at ADDRESS that are not mapped yet, as
        few stretches."""
        start = address & -PAGE
        end = (address + size + PAGE - 1) & -PAGE
        while start < end:
            stop = start
            while stop < end and stop not in self.pages:
                self.pages.add(stop)
                stop += PAGE
            if stop > start:
                self.emulator.mem_map(start, stop - start)
                self.mappings += 1
            start = stop + PAGE

    def _load(self):
        self.pages.clear()
        self.mappings = 0
        self.emulator = uc = unicorn.Uc(self.machine.arch, self.machine.mode)
        for _, _, offset, start, _, size, memory, _ in self.file.loads:
            if memory:
                self._map(start, memory)
            if size:
                uc.mem_write(start, self.file.data[offset:offset + size])
        for start, size in ((STACK, STACK_SIZE), (POOL, POOL_SIZE)):
            uc.mem_map(start, size)
            self.pages.update(range(start, start + size, PAGE))
        uc.hook_add(unicorn.UC_HOOK_MEM_READ_UNMAPPED
                    | unicorn.UC_HOOK_MEM_WRITE_UNMAPPED, self._unmapped)
        uc.hook_add(unicorn.UC_HOOK_CODE, self._instruction)
        uc.hook_add(unicorn.UC_HOOK_MEM_WRITE, self._write, None, STACK,
                    STACK + STACK_SIZE)
        for _, flags, _, start, _, _, memory, _ in self.file.loads:
            if memory and not flags & 2:
                uc.hook_add(unicorn.UC_HOOK_MEM_WRITE, self._write_in_code,
                            None, start, start + memory)
        if self.machine.arch == unicorn.UC_ARCH_ARM64:
            uc.reg_write(arm.UC_ARM64_REG_CPACR_EL1, 3 << 20)

    def _unmapped(self, _uc, _access, address, size, _value, _data):
        if address >= 1 << 47 or self.mappings > MAPPINGS_MAX + 500:
            return False
        self._map(address, size)
        return True

    def _write(self, uc, _access, address, size, _value, _data):
        """End a path on which a pointer or an index that cannot be writes
        over what a row refers to.  An instruction that names a place of the
        stack directly is no accident."""
        frame = self.frames[-1]
        slots = {frame.cfa - 8} if self.machine.link is None else set()
        at = uc.reg_read(self.machine.pc)
        rule = self.file.rows.at(at)
        for one in (rule or ())[1:]:
            if one and one[0] and one[1] is None:
                slots.add(frame.cfa + one[2])
        if any(slot - size < address < slot + 8 for slot in slots):
            instruction = next(self.machine.decoder.disasm(
                self._code(at), at, 1), None)
            if instruction is not None and not self.machine.names_stack(
                    f"{instruction.mnemonic} {instruction.op_str}"):
                self.steps = self.most_steps + 1

    def _write_in_code(self, uc, _access, address, _size, _value, _data):
        """End a path on which a stray write changes code or constants."""
        self.damaged.add(address & -16)
        self.steps = self.most_steps + 1
        uc.emu_stop()

    def _repair(self):
        for address in self.damaged:
            for _, _, offset, start, _, size, _, _ in self.file.loads:
                first, last = max(address, start), min(address + 32,
                                                       start + size)
                if first < last:
                    self.emulator.mem_write(
                        first, self.file.data[offset + first - start:
                                              offset + last - start])
        self.damaged.clear()

    def _word(self, address):
        try:
            return struct.unpack(
                "<Q", bytes(self.emulator.mem_read(address, 8)))[0]
        except unicorn.UcError:
            return None

    # Rows against the truth.

    def _instruction(self, uc, address, _size, _data):
        """In front of each instruction.  Where a run ends is said here, not
        by the emulator's end or count: code that unicorn 2.0 has translated
        for one end runs over another one, and behind a start with a count
        each start takes 14 ms."""
        if self.stepped is not None:
            if self.stepped:
                self.reached = address
                uc.emu_stop()
            self.stepped = True
            return
        if address == self.stop_at:
            uc.emu_stop()
            return
        self.check(address)
        self.steps += 1
        if self.steps > self.most_steps:
            self.emulator.emu_stop()

    def value(self, rule, cfa):
        deref, base, offset = rule
        start = cfa if base is None else self.emulator.reg_read(
            self.machine.registers[base])
        result = (start + offset) & ((1 << 64) - 1)
        return self._word(result) if deref else result

    def check(self, address):
        """Hold the row at ADDRESS against the frame that runs."""
        rule = self.file.rows.at(address)
        frame = self.frames[-1]
        if rule is None or address in self.wrong:
            return
        cfa = self.value(rule[0], None)
        ra = (self.value(rule[1], cfa) if rule[1] else
              self.emulator.reg_read(self.machine.link)
              if self.machine.link else None)
        fp = (self.value(rule[2], cfa) if rule[2] else
              self.emulator.reg_read(self.machine.fp))
        self.checked.add(address)
        frame.seen.append(address)
        for what, is_, should in (("CFA", cfa, frame.cfa),
                                  ("RA", ra, frame.ra), ("FP", fp, frame.fp)):
            if is_ != should:
                self.wrong[address] = (
                    f"{what} {is_:#x} instead of {should:#x}"
                    if is_ is not None else f"{what} unreadable",
                    frame.function, frame.calls)
                return

    # One path.

    def decode(self, address):
        """The stretch from ADDRESS to the next instruction that leads
        elsewhere: (address of that one, what it does, target, behind it,
        whether SP was compared in front of it)."""
        if address in self.decoded:
            return self.decoded[address]
        at, compared, result = address, False, None
        while result is None:
            code = self._code(at)
            instruction = next(self.machine.decoder.disasm(code, at, 1), None)
            if instruction is None:
                result = at, "end", None, at, False
                break
            kind, target = self.machine.kind(instruction)
            text = f"{instruction.mnemonic} {instruction.op_str}"
            if kind is not None:
                result = (at, kind, target, at + instruction.size, compared)
            compared = self.machine.compares_stack(text) or (
                compared and self.machine.keeps_flags(text) is not None)
            at += instruction.size
        self.decoded[address] = result
        return result

    def _code(self, at):
        for size in (16, 4, 1):
            try:
                return bytes(self.emulator.mem_read(at, size))
            except unicorn.UcError:
                continue
        return b""

    def scramble(self, keep):
        """Other values in all registers but those in KEEP."""
        for number, register in enumerate(self.machine.registers):
            if number not in keep:
                self.emulator.reg_write(
                    register, self.random.choice((
                        self.random.randrange(64),
                        POOL + self.random.randrange(POOL_SIZE // 8) * 8)))

    def run(self, function):
        """A path from the entry of FUNCTION on."""
        machine = self.machine
        if self.mappings > MAPPINGS_MAX:
            self._load()
        top = STACK + STACK_SIZE - MARGIN
        self.emulator.mem_write(top - 0x8000, bytes(0x8000 + 0x1000))
        self.scramble(set())
        fp = 0x123456700 + self.random.randrange(1 << 20) * 16
        sp = top - machine.entry_bias
        self.emulator.reg_write(machine.fp, fp)
        self.emulator.reg_write(machine.sp, sp)
        if machine.link:
            self.emulator.reg_write(machine.link, OUTSIDE)
        else:
            self.emulator.mem_write(sp, struct.pack("<Q", OUTSIDE))
        self.frames, self.steps = [Frame(function, top, OUTSIDE, fp)], 0
        address = function
        while address is not None and self.steps <= self.most_steps:
            address = self._advance(address)
        self._repair()

    def _advance(self, address):
        """Run from ADDRESS to the next branch and over it; where to?"""
        last, kind, target, behind, compared = self.decode(address)
        if not self._straight(address, last) or self.steps > self.most_steps:
            return None
        self.check(last)
        self.steps += 1
        if kind == "system":
            self._note_call(last)
            self.scramble(set(range(32)) - self.machine.changed_by_kernel)
            return behind
        if kind in ("branch", "bound"):
            if kind == "bound" or compared or target is None:
                return self._single(last, behind, target)
            return self.random.choice((target, behind))
        return getattr(self, f"_{kind}")(last, target, behind)

    def _note_call(self, last):
        """Remember what the system is asked for at LAST, and where the
        function that asks has rows."""
        number = self.emulator.reg_read(self.machine.number) & 0xFFFFFFFF
        asked, seen = self.system_calls.setdefault(
            last, (collections.Counter(), set()))
        asked[number] += 1
        seen.update(self.frames[-1].seen)

    def _signal_restorers(self):
        """No caller is above the frame that a signal's restorer runs in: all
        of its rows are wrong unless they say that it is one."""
        for last, (asked, seen) in self.system_calls.items():
            if set(asked) == {self.machine.sigreturn} and (
                    asked[self.machine.sigreturn] > 1):
                for address in seen:
                    self.wrong[address] = "a signal's restorer", last, 0

    def _straight(self, address, last):
        """Run the instructions in front of LAST."""
        self.stop_at = last
        while address != last:
            try:
                self.emulator.emu_start(address, NOWHERE)
                return True
            except unicorn.UcError:
                at = self.emulator.reg_read(self.machine.pc)
                if not address <= at < last:
                    return False
                address = self._behind(at)
                if address is None:
                    return False
        return True

    def _behind(self, at):
        """Behind an instruction that the emulator cannot do, if it leaves
        the stack alone."""
        instruction = next(self.machine.decoder.disasm(self._code(at), at, 1),
                           None)
        if instruction is None or re.search(
                r"\b[re]?[sb]p\b|push|pop|leave|enter|x29|x30",
                f"{instruction.mnemonic} {instruction.op_str}"):
            return None
        return at + instruction.size

    def _step(self, last):
        """Run the instruction at LAST; where does it lead?"""
        self.stepped, self.reached = False, None
        try:
            self.emulator.emu_start(last, NOWHERE)
        except unicorn.UcError:
            self.reached = self.emulator.reg_read(self.machine.pc)
        self.stepped = None
        return self.reached

    def _single(self, last, behind, target):
        """What the processor does with the branch at LAST."""
        at = self._step(last)
        return at if at in (behind, target) else None

    def _end(self, _last, _target, _behind):
        return None

    def _return(self, last, _target, _behind):
        frame = self.frames.pop()
        sp = self.emulator.reg_read(self.machine.sp)
        at = (self._word(sp) if self.machine.link is None
              else self.emulator.reg_read(self.machine.link))
        if at != frame.ra or sp + self.machine.entry_bias != frame.cfa:
            return None
        self.returning.add(frame.function)
        if not self.frames:
            return None
        self.frames[-1].calls += 1
        self.emulator.reg_write(self.machine.sp, frame.cfa)
        if self.emulator.reg_read(self.machine.fp) != frame.fp:
            return None
        return at

    def _jump_target(self, last, target):
        """Where the jump at LAST leads."""
        if target is not None:
            return target
        at = self._step(last)
        return at if at is not None and at != last and self.file.executable(at) else None

    def _jump(self, last, target, _behind):
        to = self._jump_target(last, target)
        if to is None:
            return None
        frame = self.frames[-1]
        if self.file.limits(to) == self.file.limits(last) or (
                target is not None and to not in self.file.names):
            return to
        # Another function: a tail call, if it has the frame of this one.
        sp = self.emulator.reg_read(self.machine.sp)
        if to in self.file.names and (
                sp + self.machine.entry_bias == frame.cfa):
            frame.function = to
            return to
        return None

    def _call(self, last, target, behind):
        """Enter a function that was not seen to return, pass over others."""
        if target == behind:      # call of the next instruction: a way to PC
            return None
        if target is None or not self.file.executable(target):
            return self._pass_over(behind)
        name = self._external(target)
        if name is not None:
            return (None if NEVER_RETURN.fullmatch(name)
                    else self._pass_over(behind))
        if target not in self.tries:
            self.tries[target] = 0
            self.queue.append(target)
        if target in self.returning:
            return self._pass_over(behind)
        self.tries[target] += 1
        if self.tries[target] > 30 or len(self.frames) >= DEPTH:
            return None
        sp = self.emulator.reg_read(self.machine.sp)
        if not STACK < sp < STACK + STACK_SIZE:
            return None
        if self.machine.link is None:
            sp -= 8
            self.emulator.reg_write(self.machine.sp, sp)
            self.emulator.mem_write(sp, struct.pack("<Q", behind))
        else:
            self.emulator.reg_write(self.machine.link, behind)
        self.frames.append(Frame(target, sp + self.machine.entry_bias, behind,
                                 self.emulator.reg_read(self.machine.fp)))
        return target

    def _pass_over(self, behind):
        self.scramble(self.machine.saved)
        self.frames[-1].calls += 1
        return behind

    def _external(self, target):
        """The name of what a stub of the PLT at TARGET jumps to."""
        for at in (target, target + 4):
            code = self._code(at)
            if self.machine.link is None:
                code = code[1:] if code[:1] == b"\xf2" else code
                if code[:2] == b"\xff\x25":
                    slot = at + 6 + struct.unpack_from("<i", code, 2)[0]
                    slot += 1 if self._code(at)[:1] == b"\xf2" else 0
                    return self.file.slots.get(slot, "")
            elif len(code) >= 8:
                first, second = struct.unpack_from("<II", code)
                if first & 0x9F00001F == 0x90000010 and (
                        second & 0xFFC003FF == 0xF9400211):
                    page = (first >> 5 & 0x7FFFF) << 2 | first >> 29 & 3
                    page -= (page & 1 << 20) << 1
                    slot = (at & -PAGE) + page * PAGE + (
                        (second >> 10 & 0xFFF) << 3)
                    return self.file.slots.get(slot, "")
        return None

    def all_functions(self, paths, most):
        """PATHS paths of each function, or of MOST that are drawn, and what
        these call; returns how many functions."""
        starts = set(self.file.starts) | {self.file.entry}
        self.queue = [start for start in sorted(starts)
                      if self.file.rows.at(start) is not None]
        if most is not None and most < len(self.queue):
            self.queue = sorted(self.random.sample(self.queue, most))
        done, number = set(), 0
        while number < len(self.queue):
            function = self.queue[number]
            number += 1
            if function in done or self.file.rows.at(function) is None:
                continue
            done.add(function)
            self.tries.setdefault(function, 0)
            for _ in range(paths):
                self.run(function)
        self._signal_restorers()
        return len(done)


def says_the_same(text, one, other):
    """Whether two rows agree on the rule that TEXT is about."""
    rules = ("CFA", "RA", "FP")
    about = text.split()[0]
    if one is None or other is None or about not in rules:
        return False
    return one[rules.index(about)] == other[rules.index(about)]


def judge(path, options):
    """The number of wrong rows of the file PATH."""
    file = File(path)
    referee = Referee(file, options)
    functions = referee.all_functions(options.paths, options.functions)
    beside = ""
    if options.cfi:
        other = File(options.cfi).rows
        same = [address for address, found in referee.wrong.items()
                if says_the_same(found[0], other.at(address),
                                 file.rows.at(address))]
        for address in same:
            del referee.wrong[address]
        beside = f", {len(same)} as the CFI says"
    print(f"{path}: {functions} functions, {len(referee.checked)} rows of"
          f" instructions checked, {len(referee.wrong)} wrong{beside}",
          flush=True)
    if options.verbose:
        for address, (text, function, calls) in sorted(referee.wrong.items()):
            print(f"  {address:#x} (function {function:#x}"
                  f" {file.names.get(function, '')}, behind {calls} calls):"
                  f" {text}")
    return len(referee.wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--functions", type=int, metavar="N",
                        help="begin with N functions drawn at random")
    parser.add_argument("--paths", type=int, default=8,
                        help="paths of each function (default 8)")
    parser.add_argument("--steps", type=int, default=1000,
                        help="instructions of a path (default 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cfi", metavar="OTHER",
                        help="the (one) FILE, converted from its CFI")
    parser.add_argument("file", nargs="+")
    options = parser.parse_args()
    status = 0
    for path in options.file:
        try:
            status = max(status, 1 if judge(path, options) else 0)
        except (ValueError, OSError, sframe_spec.Violation) as problem:
            print(f"{path}: {problem}", file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main())
