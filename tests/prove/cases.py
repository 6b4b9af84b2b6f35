#!/usr/bin/env python3
"""What sframe-prove says of sections and CFI that are made for it.

    cases.py PROVE

Prints TAP: a test is a function whose name says what has to hold.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "..", "conformance"))
import vectors  # noqa: E402
from sframe_build import FP, Fde, Fre, Sframe, build  # noqa: E402
from vectors import EH_FRAME, MACHINES, PLAIN, block, elf, sleb, uleb  # noqa: E402

CODE, SECTION = 0x20000, 0x10000
AMD64, AARCH64, AARCH64_BE, S390X = 3, 2, 1, 4
LAZY_PLT = b"\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"  # psABI, .plt


class Prover:
    """Runs the program on files that are made here."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def run(self, *paths):
        return subprocess.run([self.program, *paths], check=False, text=True,
                              capture_output=True)

    def section(self, data, answers, abi=AMD64, size=1, code=(0, 64)):
        """Of a file with the section DATA and CFI with ANSWERS by offset."""
        cfi = vectors.eh_frame({CODE + at: answer
                                for at, answer in answers.items()},
                               MACHINES[abi], size)
        code = CODE + code[0], CODE + code[1]
        return self.run(self.write("elf", elf(abi, data, SECTION, code, cfi)))


def sframe(*fdes, abi=AMD64, version=3, **more):
    return build(Sframe(version, abi, list(fdes), address=SECTION, **more))[0]


def function(*rows, at=0, size=16, **more):
    return Fde(CODE + at, size, list(rows), **more)


def timed(run):
    """What RUN returns, and the seconds of processor time that it takes."""
    before = os.times()
    result = run()
    after = os.times()
    return result, (after.children_user - before.children_user
                    + after.children_system - before.children_system)


PLAIN_ROW = Fre(0, (8,))
TWO_ROWS = Fre(0, (8,)), Fre(4, (16,))
DEEPER = "cfa=sp+16 ra=[cfa-8] fp=same"


def proved(result, equal):
    assert result.returncode == 0, result
    assert f" equal {equal} " in result.stdout, result
    assert result.stderr == "", result


def broken(result, text):
    assert result.returncode == 1, result
    assert f": {text}\n" in result.stderr, result


def wrong(result, count, text=""):
    assert result.returncode == 1, result
    assert f" wrong {count}\n" in result.stdout, result
    assert text in result.stderr, result


# ---- The section.

def functions_side_by_side_are_proved(prover):
    data = sframe(function(PLAIN_ROW), function(PLAIN_ROW, at=16))
    proved(prover.section(data, {0: PLAIN, 16: PLAIN}, size=16), 32)


def functions_may_not_overlap(prover):
    data = sframe(function(PLAIN_ROW), function(PLAIN_ROW, at=15))
    broken(prover.section(data, {0: PLAIN}),
           "functions overlap, or are not sorted")


def functions_may_not_descend(prover):
    data = sframe(function(PLAIN_ROW, at=16), function(PLAIN_ROW))
    broken(prover.section(data, {0: PLAIN}),
           "functions overlap, or are not sorted")


def functions_end_with_the_code(prover):
    data = sframe(function(PLAIN_ROW))
    proved(prover.section(data, {0: PLAIN}, size=16, code=(0, 16)), 16)
    broken(prover.section(data, {0: PLAIN}, code=(0, 15)),
           "a function outside of the code")
    broken(prover.section(data, {1: PLAIN}, code=(1, 64)),
           "a function outside of the code")


def rows_ascend(prover):
    for start in (0, 3, 4):
        data = sframe(function(*TWO_ROWS, Fre(start, (24,))))
        broken(prover.section(data, {0: PLAIN}), "rows do not ascend")


def rows_end_with_their_function(prover):
    data = sframe(function(*TWO_ROWS, Fre(16, (24,))), function(at=16))
    proved(prover.section(data, {0: PLAIN, 4: DEEPER, 15: DEEPER,
                                 16: "outermost"}), 4)
    for size, blocks in ((15, {}), (36, {"pcmask": True, "repeat": 15})):
        data = sframe(function(*TWO_ROWS, Fre(16, (24,)), size=size, **blocks))
        broken(prover.section(data, {0: PLAIN}),
               "a row behind the end of its function")


def return_addresses_are_signed_on_aarch64_alone(prover):
    for abi, row, good in ((AMD64, Fre(0, (8,), mangled=True), False),
                           (S390X, Fre(0, (0,), mangled=True), False),
                           (AMD64, Fre(0, (), mangled=True), True),
                           (AARCH64, Fre(0, (8,), mangled=True), True)):
        answer = ("cfa=sp+160 ra=same fp=same" if abi == S390X
                  else "cfa=sp+8 ra=same fp=same signed-a" if abi == AARCH64
                  else PLAIN if row.words else "outermost")
        result = prover.section(sframe(function(row), abi=abi), {0: answer},
                                abi=abi)
        if good:
            proved(result, 1)
        else:
            broken(result, "a signed return address")


def the_header_has_the_number_of_rows(prover):
    for more in (1, 3):
        data = sframe(function(*TWO_ROWS), fields={"num_fres": more})
        broken(prover.section(data, {0: PLAIN}),
               "the header has another number of rows")


def what_is_broken_behind_the_cfi_is_found(prover):
    data = sframe(function(PLAIN_ROW), function(PLAIN_ROW, at=32),
                  function(PLAIN_ROW, at=40))
    broken(prover.section(data, {0: PLAIN}),
           "functions overlap, or are not sorted")


def sections_are_sorted_and_for_the_machine(prover):
    for fields, text in (({"flags": 4}, "not sorted"),
                         ({"flags": 5 | 2}, "flags that are not defined"),
                         ({"flags": 5 | 0x80}, "flags that are not defined"),
                         ({"abi_arch": 0}, "for another machine"),
                         ({"abi_arch": 2}, "for another machine"),
                         ({"version": 4}, "unknown version"),
                         ({"version": 0}, "unknown version"),
                         ({"cfa_fixed_fp_offset": 1},
                          "fixed offsets are not those of the ABI"),
                         ({"cfa_fixed_ra_offset": -16},
                          "fixed offsets are not those of the ABI")):
        data = sframe(function(PLAIN_ROW), fields=fields)
        broken(prover.section(data, {0: PLAIN}), text)


def flags_belong_to_a_version(prover):
    for version, flags, good in ((1, 3, True), (1, 5, False), (2, 7, True),
                                 (2, 15, False), (3, 5, True)):
        data = sframe(function(PLAIN_ROW), version=version,
                      fields={"flags": flags})
        result = prover.section(data, {0: PLAIN})
        assert (": flags that are not defined\n" in result.stderr) != good


def the_byte_order_is_the_file_s(prover):
    """A reader of the file's byte order finds no magic number."""
    for own, other, version in ((AARCH64, AARCH64_BE, 3),
                                (AARCH64_BE, AARCH64, 3),
                                (AARCH64, AARCH64_BE, 2)):
        for abi in own, other:
            data = sframe(function(PLAIN_ROW), abi=abi, version=version)
            result = prover.section(data, {0: "cfa=sp+8 ra=same fp=same"},
                                    abi=own)
            if abi == own:
                proved(result, 1)
            else:
                broken(result, "not in the file's byte order")
    for abi in AMD64, S390X:  # machines of one byte order: 0 is not an ABI
        data = bytearray(sframe(function(PLAIN_ROW), abi=S390X + AMD64 - abi))
        data[4] = 0
        broken(prover.section(bytes(data), {0: PLAIN}, abi=abi),
               "for another machine")


def bits_that_are_not_defined_are_refused(prover):
    text = "bits of a function that are not defined"
    for version, bits in ((1, (0x40, 0x80)), (2, (0x40, 0x80)), (3, (0x40,))):
        for bit in bits:
            data = sframe(function(PLAIN_ROW, info=bit), version=version)
            broken(prover.section(data, {0: PLAIN}), text)
    for bit in 0x20, 0x40, 0x80:
        data = sframe(function(PLAIN_ROW, info2=bit))
        broken(prover.section(data, {0: PLAIN}), text)


def tables_fit(prover):
    good = sframe(function(PLAIN_ROW))
    for fields in ({"num_fdes": 2}, {"fre_len": 0x100}, {"fdeoff": 1}):
        broken(prover.section(sframe(function(PLAIN_ROW), fields=fields),
                              {0: PLAIN}), "tables that do not fit")
    broken(prover.section(good[:27], {0: PLAIN}), "smaller than its header")
    broken(prover.section(sframe(function(PLAIN_ROW), fields={"fre_len": 4}),
                          {0: PLAIN}), "rows outside of the section")
    broken(prover.section(sframe(function(PLAIN_ROW), fields={"fre_len": 6}),
                          {0: PLAIN}), "a row outside of the rows")
    broken(prover.section(sframe(function(PLAIN_ROW), fields={"fre_len": 7}),
                          {0: PLAIN}), "data words outside of the rows")


def types_that_are_not_defined_are_refused(prover):
    for more in ({"fre_type": 0, "info": 3}, {"info2": 2}):
        data = sframe(function(PLAIN_ROW, **more))
        broken(prover.section(data, {0: PLAIN}),
               "a type that is not defined")
    data = sframe(function(PLAIN_ROW, pcmask=True, repeat=0))
    broken(prover.section(data, {0: PLAIN}), "a repeated block of no bytes")


def words_have_four_bytes_at_most(prover):
    raw = bytes([0, 1 | 1 << 1 | 3 << 5]) + (8).to_bytes(8, "little")
    broken(prover.section(sframe(function(raw=raw)), {0: PLAIN}),
           "data words outside of the rows")


def default_rows_have_two_words_at_most(prover):
    data = sframe(function(Fre(0, (8, -16, -24))))
    broken(prover.section(data, {0: PLAIN}), "too many data words")


def flexible_rows_make_sense(prover):
    for words, text in (((1 << 3 | 1, 8, 0, 0, 2, 4, 2), "without sense"),
                        ((2, 8), "without sense"),
                        ((7 << 3 | 5, 8), "without sense"),
                        ((7 << 3 | 1, 8, 2), "without offset")):
        data = sframe(function(Fre(0, words), flexible=True))
        result = prover.section(data, {0: PLAIN})
        assert result.returncode == 1 and text in result.stderr, result


def blocks_repeat_up_to_the_end(prover):
    data = sframe(function(*TWO_ROWS, size=36, pcmask=True, repeat=16))
    answers = {at: PLAIN if at % 16 < 4 else DEEPER for at in range(36)}
    proved(prover.section(data, answers), 36)
    for at in (3, 4, 15, 16, 20, 31, 32, 35):
        other = dict(answers)
        other[at] = DEEPER if at % 16 < 4 else PLAIN
        wrong(prover.section(data, other), 1, f"{CODE + at:#x}: CFI")


def rows_behind_a_block_take_no_longer(prover):
    """15,000 rows behind the end of a block of one byte: they were read again in
    each of 100,000 blocks."""
    rows = [Fre(at, (8,)) for at in range(15000)]
    data = sframe(function(*rows, size=100000, pcmask=True, repeat=1,
                           fre_type=1))
    result, seconds = timed(lambda: prover.section(
        data, {0: PLAIN}, code=(0, 100000)))
    broken(result, "a row behind the end of its function")
    assert seconds < 5, seconds


def one_header_leads_to_the_section(prover):
    data = sframe(function(PLAIN_ROW))
    cfi = vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64])
    file = bytearray(elf(AMD64, data, SECTION, (CODE, CODE + 64), cfi))
    headers = [bytes(file[at:at + 56]) for at in range(64, 64 + 4 * 56, 56)]
    own = [header for header in headers
           if header[:4] == struct.pack("<I", 0x6474e554)]
    assert len(own) == 1, headers
    struct.pack_into("<Q", file, 32, len(file))
    struct.pack_into("<H", file, 56, 5)
    path = prover.write("file", bytes(file) + b"".join(headers + own))
    broken(prover.run(path), "there are several PT_GNU_SFRAME")


# ---- CFI.

def sp(*rule):
    return b"\x0c\x07\x08" + b"".join(rule)


def where_cfi_has_sp_elsewhere_rows_are_wrong(prover):
    data = sframe(function(PLAIN_ROW))
    ra = b"\x11" + uleb(16) + sleb(-8)
    reg = uleb(7)
    for rule in (b"\x15" + reg + sleb(0),      # val_offset
                 b"\x08" + reg,                # same_value says nothing
                 b"\x16" + reg + block(b"\x77\x08")):  # sp + 8
        proved(prover.section(data, {0: sp(ra, rule)}), 1)
    for rule in (b"\x15" + reg + sleb(8), b"\x11" + reg + sleb(-8),
                 b"\x16" + reg + block(b"\x77\x10"),
                 b"\x16" + reg + block(b"\x76\x08"),
                 b"\x09" + reg + uleb(6), b"\x10" + reg + block(b"\x77\x08")):
        wrong(prover.section(data, {0: sp(ra, rule)}), 1, "CFI cfa=?")


def s390x_says_in_other_ways_where_sp_is(prover):
    data = sframe(function(Fre(0, (0,))), abi=S390X, version=2)
    cfa = b"\x0c\x0f" + uleb(160)
    for rule in (b"\x15\x0f" + sleb(-160), b"\x09\x0f\x10",
                 b"\x11\x0f" + sleb(-40)):
        proved(prover.section(data, {0: cfa + rule}, abi=S390X), 1)
    wrong(prover.section(data, {0: cfa + b"\x15\x0f" + sleb(0)}, abi=S390X),
          1, "cfa=?")
    wrong(prover.section(data, {0: cfa + b"\x16\x0f" + block(b"\x9c")},
                         abi=S390X), 1, "cfa=?")


def lost_registers_are_not_the_same(prover):
    data = sframe(function(PLAIN_ROW))
    cfi = sp(b"\x11\x10\x78")
    proved(prover.section(data, {0: cfi}), 1)
    wrong(prover.section(data, {0: cfi + b"\x07\x06"}), 1, "fp=?")


def what_a_register_leads_to_is_not_what_the_cfa_leads_to(prover):
    by_register = sframe(function(Fre(0, (7 << 3 | 1, 8, 0, 7 << 3 | 3, -16)),
                                  flexible=True))
    by_cfa = sframe(function(Fre(0, (8, -16))))
    from_register = sp(b"\x11\x10\x78", b"\x10\x06" + block(b"\x77\x70"))
    from_cfa = sp(b"\x11\x10\x78", b"\x11\x06" + sleb(-16))
    proved(prover.section(by_register, {0: from_register}), 1)
    proved(prover.section(by_cfa, {0: from_cfa}), 1)
    wrong(prover.section(by_register, {0: from_cfa}), 1, "fp=[r7-16]")
    wrong(prover.section(by_cfa, {0: from_register}), 1, "CFI cfa=r7+8")


def an_undefined_ra_ends_the_stack(prover):
    cfi = sp(b"\x07\x10")
    proved(prover.section(sframe(function(Fre(0, ()))), {0: cfi}), 1)
    proved(prover.section(sframe(function()), {0: cfi}), 1)
    wrong(prover.section(sframe(function(PLAIN_ROW)), {0: cfi}), 1,
          "CFI outermost ; SFrame cfa=r7+8 ra=[cfa-8] fp=same")


def signal_frames_are_told_apart(prover):
    plain = sframe(function(PLAIN_ROW))
    signal = sframe(function(PLAIN_ROW, signal=True))
    flexible = sframe(function(PLAIN_ROW), function(at=16, flexible=True))
    proved(prover.section(flexible, {0: PLAIN, 16: PLAIN}, size=16), 16)
    rowless = sframe(function(signal=True))
    proved(prover.section(signal, {0: PLAIN + " signal"}), 1)
    proved(prover.section(rowless, {0: PLAIN + " signal"}), 1)
    wrong(prover.section(signal, {0: PLAIN}), 1, "fp=same signal")
    wrong(prover.section(plain, {0: PLAIN + " signal"}), 1)
    wrong(prover.section(rowless, {0: PLAIN}), 1)


def expressions_that_use_the_pc_hold_for_one_pc(prover):
    cfi = b"\x0f" + block(LAZY_PLT) + b"\x11\x10\x78"
    rows = Fre(0, (8,)), Fre(11, (16,))
    for more in ({}, {"size": 48, "pcmask": True, "repeat": 16}):
        data = sframe(function(*rows, **more))
        size = more.get("size", 16)
        proved(prover.section(data, {0: cfi}, size=size), size)
    for start in (10, 12):
        data = sframe(function(Fre(0, (8,)), Fre(start, (16,))))
        wrong(prover.section(data, {0: cfi}, size=16), 1)


def a_row_is_asked_for_once(prover):
    """libdw goes over 28,000 instructions to a row of 100,000 bytes, in which
    the rule differs from byte to byte."""
    cfi = bytes(28000) + b"\x0f" + block(LAZY_PLT) + b"\x11\x10\x78"
    data = sframe(function(PLAIN_ROW))
    result, seconds = timed(lambda: prover.section(
        data, {0: cfi}, size=100000, code=(0, 100000)))
    wrong(result, 5, "CFI cfa=r7+16")
    assert seconds < 1, seconds


def expressions_are_computed(prover):
    """Each leads to SP + 24."""
    data = sframe(function(Fre(0, (24,))))
    for ops in (b"\x77\x18", b"\x92\x07\x18", b"\x77\x08\x40\x22",
                b"\x40\x77\x08\x22", b"\x77\x28\x40\x1c", b"\x77\x00\x23\x18",
                b"\x77\x00\x34\x36\x1e\x22",        # + 4 * 6
                b"\x77\x00\x4f\x48\x1a\x40\x21\x22",  # + (31 & 24 | 16)
                b"\x77\x10\x31\x33\x24\x22",        # + (1 << 3)
                b"\x77\x10\x32\x31\x2b\x33\x24\x22",  # + ((2 > 1) << 3)
                b"\x77\x10\x31\x32\x2d\x33\x24\x22",  # < by any other name
                b"\x77\x10\x31\x31\x2c\x33\x24\x22",  # <=
                b"\x77\x10\x31\x31\x2a\x33\x24\x22",  # >=
                b"\x77\x10\x31\x31\x29\x33\x24\x22",  # ==
                b"\x77\x10\x31\x32\x2e\x33\x24\x22",  # !=
                b"\x77\x18\x31\x32\x29\x22",        # + (1 == 2)
                b"\x77\x18\x31\x32\x2b\x22", b"\x77\x18\x32\x31\x2d\x22",
                b"\x77\x18\x32\x31\x2c\x22", b"\x77\x18\x31\x32\x2a\x22",
                b"\x77\x18\x31\x31\x2e\x22", b"\x96\x77\x18",
                b"\x77\x00\x08\x18\x22", b"\x77\x20\x09\xf8\x22"):
        cfi = b"\x0f" + block(ops) + b"\x11\x10\x78"
        proved(prover.section(data, {0: cfi}), 1)


def expressions_without_a_form_are_unknown(prover):
    data = sframe(function(Fre(0, (24,))))
    for ops in (b"\x48", b"\x77\x18\x06\x23\x00", b"\x77\x0c\x77\x0c\x22",
                b"\x77\x18\x77\x00\x1c", b"\x48\x77\x00\x1c", b"\x77\x18\x12",
                b"\x77\x18\x06\x06", b"\x48\x06", b"\x22", b"",
                b"\x77\x18" + 256 * b"\x96"):
        cfi = b"\x0f" + block(ops) + b"\x11\x10\x78"
        wrong(prover.section(data, {0: cfi}), 1, "CFI cfa=?")


def where_cfi_has_no_form_nothing_need_be_said(prover):
    data = sframe(function(PLAIN_ROW))
    cfi = b"\x0f" + block(b"\x48") + b"\x11\x10\x78"
    result = prover.section(data, {0: PLAIN, 20: cfi, 24: PLAIN}, size=2)
    proved(result, 2)
    assert " not-expressible 2 left-out 2 without-cfi 14 " in result.stdout


def aarch64_may_find_the_ra_in_the_pc_of_cfi(prover):
    """Its RA is a register like any other: no PC in expressions."""
    data = sframe(function(Fre(0, (30 << 3 | 1, 16), size=2), flexible=True),
                  abi=AARCH64)
    cfi = b"\x0f" + block(b"\x8e\x10")
    proved(prover.section(data, {0: cfi}, abi=AARCH64, size=2), 2)


def a_register_may_be_said_to_be_itself(prover):
    """As an aarch64 row does that has no more to say of FP."""
    data = sframe(function(PLAIN_ROW))
    itself = b"\x0c\x07\x08\x09" + uleb(6) + uleb(6) + b"\x11\x10\x78"
    proved(prover.section(data, {0: itself}), 1)
    other = b"\x0c\x07\x08\x09" + uleb(6) + uleb(3) + b"\x11\x10\x78"
    wrong(prover.section(data, {0: other}), 1)


def an_fde_that_advances_past_its_end_hides_no_other(prover):
    """The first one has a row that would go on up to 12."""
    data = sframe(function(PLAIN_ROW, size=4),
                  function(Fre(0, (16,)), Fre(2, (24,)), at=4, size=8))
    past = b"\x0c\x07\x08\x11\x10\x78\x4c\x0e\x40"
    more = b"\x0c\x07\x10\x11\x10\x78\x42\x0e\x18"
    cfi = vectors.eh_frame({CODE: past}, MACHINES[AMD64], 4)
    both = cfi[:-4] + vectors.eh_frame({CODE + 4: more}, MACHINES[AMD64], 8)
    result = prover.run(prover.write(
        "elf", elf(AMD64, data, SECTION, (CODE, CODE + 64), both)))
    proved(result, 12)


# ---- Signed return addresses.

def signed_rows(*states, key_b=False):
    """A function with a row for each four bytes, signed or not."""
    return function(*(Fre(4 * i, (16,), mangled=state)
                      for i, state in enumerate(states)), key_b=key_b)


def signatures_are(prover, code, states, abi=AARCH64):
    """CODE, behind a CFA of SP + 16, gives the four STATES; nothing else."""
    cfi = b"\x0c\x1f\x10" + code
    for changed in range(-1, 4):
        rows = signed_rows(*(state != (i == changed)
                             for i, state in enumerate(states)))
        result = prover.section(sframe(rows, abi=abi), {0: cfi}, abi=abi,
                                size=16)
        if changed < 0:
            proved(result, 16)
        else:
            wrong(result, 4)


def signatures_change_where_the_cfi_says_so(prover):
    signatures_are(prover, b"", (0, 0, 0, 0))
    signatures_are(prover, b"\x2d\x44", (1, 1, 1, 1))
    signatures_are(prover, b"\x44\x2d\x48\x2d", (0, 1, 1, 0))
    signatures_are(prover, b"\x44\x2d\x44\x2d\x44\x2d", (0, 1, 0, 1))
    for advance in (b"\x02\x04", b"\x03\x04\0", b"\x04\x04\0\0\0"):
        signatures_are(prover, advance + b"\x2d", (0, 1, 1, 1))
    for advance in (b"\x02\x04", b"\x03\0\x04", b"\x04\0\0\0\x04"):
        signatures_are(prover, advance + b"\x2d", (0, 1, 1, 1), AARCH64_BE)


def signatures_are_remembered_and_restored(prover):
    signatures_are(prover, b"\x0a\x44\x2d\x0a\x44\x2d\x0b\x44\x0b",
                   (0, 1, 1, 0))
    for restore in (b"\xe2", b"\x06\x22"):
        signatures_are(prover, b"\x44\x2d\x44" + restore, (0, 1, 0, 0))
    for other in (b"\xe1", b"\x06\x21"):
        signatures_are(prover, b"\x44\x2d\x44" + other, (0, 1, 1, 1))


def operands_are_no_instructions(prover):
    """Each could be read as the change of a signature."""
    for opcode in b"\x07\x08\x2e\x93":
        signatures_are(prover, bytes([opcode, 0x2d]), (0, 0, 0, 0))
    for opcode in b"\x05\x09\x11\x14\x15\x2f":
        signatures_are(prover, bytes([opcode, 0x2d, 0x2d]), (0, 0, 0, 0))
    for opcode in b"\x10\x16":
        signatures_are(prover, bytes([opcode, 0x2d]) + block(b"\x2d\x2d"),
                       (0, 0, 0, 0))
    for cfa in (b"\x0d\x2d", b"\x0c\x2d\x2d", b"\x12\x2d\x2d", b"\x0e\x2d",
                b"\x13\x2d", b"\x0f" + block(b"\x2d")):
        signatures_are(prover, cfa + b"\x0c\x1f\x10", (0, 0, 0, 0))


def signatures_have_a_key(prover):
    rule = "cfa=sp+16 ra=same fp=same"
    for own, other in ("ab", "ba"):
        data = sframe(signed_rows(1, key_b=own == "b"), abi=AARCH64)
        proved(prover.section(data, {0: f"{rule} signed-{own}"}, abi=AARCH64),
               1)
        result = prover.section(data, {0: f"{rule} signed-{other}"},
                                abi=AARCH64)
        wrong(result, 1, f"fp=same signed-{other} ; SFrame cfa=r31+16 ra=same"
              f" fp=same signed-{own}\n")
    data = sframe(signed_rows(0, key_b=True), abi=AARCH64)
    proved(prover.section(data, {0: rule}, abi=AARCH64), 1)


def an_fde_in_another_leaves_the_signature_to_what_both_say(prover):
    """One of 16 bytes, signed from the fifth on, and one of 4 in it."""
    outer = b"\x0c\x1f\x10\x44\x2d\x44\x44"
    for inner, told in ((b"\x0c\x1f\x10\x2d", True), (b"\x0c\x1f\x10", False)):
        machine = MACHINES[AARCH64]
        cfi = (vectors.eh_frame({CODE: outer}, machine, 16)[:-4]
               + vectors.eh_frame({CODE + 8: inner}, machine, 4))
        for states, count in (((0, 1, 1, 1), 0), ((0, 1, 0, 1), 4 * told),
                              ((0, 1, 1, 0), 4), ((0, 0, 1, 1), 4)):
            data = sframe(signed_rows(*states), abi=AARCH64)
            result = prover.run(prover.write("elf", elf(
                AARCH64, data, SECTION, (CODE, CODE + 64), cfi)))
            assert f" wrong {count}\n" in result.stdout, (inner, states, result)


def what_is_not_known_of_signatures_is_not_compared(prover):
    """More states than there is room for; a row behind a state that was not
    remembered, an unknown opcode (signed with the PC), a number without an
    end."""
    for more, known in ((64 * b"\x0a", True), (65 * b"\x0a", False),
                        (b"\x0a\x0b\x0b", False), (b"\x2c", False),
                        (b"\x05\x80", False), (b"\x2e\x80\x01", True),
                        (b"\x16\x2d\x7f", False)):
        for state in 0, 1:
            data = sframe(function(Fre(0, (16,), mangled=state), size=4),
                          abi=AARCH64)
            result = prover.section(data, {0: b"\x0c\x1f\x10\x2d" + more},
                                    abi=AARCH64, size=4)
            assert " wrong 0\n" in result.stdout or (known and not state), (
                more, state, result)


def signed_from_4(prover, letters, data, encoding, form, initial=b"",
                  rows=None, table=False):
    """Asks for the FDE of a CIE with LETTERS, their DATA and INITIAL
    instructions.  Its pointers are written as FORM; with a TABLE it is behind
    a zero word."""
    cie = vectors.entry("<", struct.pack("<IB", 0, 1) + letters + b"\0\x01\x01"
                        + uleb(30) + block(data) + b"\x0c\x1f\x10" + initial)
    cie = (bytes(4) if table else b"") + cie
    at = len(cie) + 8 + EH_FRAME + (20 if table else 0)
    start = CODE - (at if encoding & 0x10 else 0)
    cfi = cie + vectors.entry(
        "<", struct.pack("<I", len(cie) + 4 - (4 if table else 0))
        + struct.pack("<" + form, start, 16) + b"\0\x44\x2d") + bytes(4)
    more = {"table": [(CODE, at - 8)], "sections": False} if table else {}
    data = sframe(rows or signed_rows(initial != b"", initial == b""),
                  abi=AARCH64)
    return prover.run(prover.write("elf", elf(
        AARCH64, data, SECTION, (CODE, CODE + 64), cfi, **more)))


def entries_are_read_as_libdw_reads_them(prover):
    wrong_rows = signed_rows(1, 1)
    for more in ((b"zR", b"\0", 0, "QQ"), (b"zR", b"\x04", 4, "QQ"),
                 (b"zR", b"\x03", 3, "II"), (b"zR", b"\x0b", 11, "ii"),
                 (b"zR", b"\x1b", 0x1b, "ii"), (b"zR", b"\x1c", 0x1c, "qq"),
                 (b"zLR", b"\x1b\x1b", 0x1b, "ii"),
                 (b"zPR", b"\x1b\0\0\0\0\x1b", 0x1b, "ii"),
                 (b"zPR", bytes(9) + b"\x1b", 0x1b, "ii"),
                 (b"zGR", b"\x1b", 0x1b, "ii")):
        for initial in b"", b"\x2d":
            proved(signed_from_4(prover, *more, initial), 16)
            result = signed_from_4(prover, *more, initial, wrong_rows)
            wrong(result, 12 if initial else 4)


def an_fde_behind_a_zero_word_is_compared(prover):
    """libdw finds it by the table for binary search."""
    more = b"zR", b"\x1b", 0x1b, "ii"
    proved(signed_from_4(prover, *more, table=True), 16)
    wrong(signed_from_4(prover, *more, rows=signed_rows(1, 1), table=True), 4)


# ---- Output.

def a_path_is_a_part_of_one_line(prover):
    data = sframe(function(PLAIN_ROW))
    file = elf(AMD64, data, SECTION, (CODE, CODE + 64),
               vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64]))
    name = "a\nb\\\x7f\u00e4"
    path = prover.write(name, file)
    shown = path[:-len(name)] + "a\\x0ab\\x5c\\x7f\u00e4"
    result = prover.run(path)
    assert result.stdout.startswith(shown + ": file "), result
    assert result.stdout.count("\n") == 1, result
    for paths in ((path + "\n",), (path, prover.write("x\ny", b""))):
        result = prover.run(*paths)
        assert result.returncode == 2, result
        assert result.stderr.count("\n") == 1, result

def differences_are_shown_in_words(prover):
    data = sframe(function(Fre(0, (16, -16), base=FP)))
    cfi = (b"\x0c\x0a\x10" + b"\x10\x10" + block(b"\x77\x08")
           + b"\x09\x06" + uleb(3))
    result = prover.section(data, {0: cfi})
    wrong(result, 1)
    assert result.stderr == (
        f"{CODE:#x}: CFI cfa=r10+16 ra=[r7+8] fp=r3+0 ;"
        " SFrame cfa=r6+16 ra=[cfa-8] fp=[cfa-16]\n"), result


def five_differences_are_shown_and_all_counted(prover):
    data = sframe(function(PLAIN_ROW))
    result = prover.section(data, {at: DEEPER for at in range(8)})
    wrong(result, 8)
    assert result.stderr.count("\n") == 5, result


def digests_are_those_of_the_contents(prover):
    data = sframe(function(PLAIN_ROW))
    cfi = vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64])
    file = elf(AMD64, data, SECTION, (CODE, CODE + 64), cfi)
    lines = [prover.run(prover.write("a", file)).stdout,
             prover.run(prover.write("b", file), prover.write("c", file)).stdout,
             prover.run(prover.write("d", file + b"\0"),
                        prover.write("e", file)).stdout]
    digests = [re.findall(r"(\w+) xxh128:([0-9a-f]{32}) ", line)
               for line in lines]
    assert [[name for name, _ in found] for found in digests] == [
        ["file"], ["file", "original"], ["file", "original"]], lines
    (alone,), (same, twin), (longer, last) = digests
    assert alone[1] == same[1] == twin[1] == last[1] != longer[1], lines


def a_file_without_section_has_no_place_of_a_fault(prover):
    result = prover.section(b"", {0: PLAIN})
    assert result.returncode == 1 and result.stderr.endswith(
        "elf: there is no loaded .sframe\n"), result


# ---- Another file's CFI.

def original_pair(prover, change):
    """What is said of a file and an original that has another byte at CHANGE,
    an offset from the end of the code."""
    data = sframe(function(PLAIN_ROW))
    cfi = vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64])
    file = elf(AMD64, data, SECTION, (CODE, CODE + 64), cfi)
    original = bytearray(file)
    original[file.index(b"\0.eh_frame\0.shstrtab\0") + change] ^= 1
    return prover.run(prover.write("file", file),
                      prover.write("original", original))


def the_code_is_that_of_the_original(prover):
    for change in (-64, -1):
        result = original_pair(prover, change)
        assert result.returncode == 1, result
        assert "its code is not that of" in result.stderr, result
    result = original_pair(prover, -65)
    assert result.returncode == 0, result


def the_cfi_is_that_of_the_original(prover):
    data = sframe(function(PLAIN_ROW))
    paths = []
    for name, answer in (("file", DEEPER), ("original", PLAIN)):
        cfi = vectors.eh_frame({CODE: answer}, MACHINES[AMD64])
        paths.append(prover.write(
            name, elf(AMD64, data, SECTION, (CODE, CODE + 64), cfi)))
    proved(prover.run(*paths), 1)
    wrong(prover.run(paths[0]), 1)


def code_that_the_file_lacks_is_not_that_of_the_original(prover):
    cfi = vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64])
    data = sframe(function(PLAIN_ROW))
    short, long = (prover.write(name, elf(AMD64, data, SECTION,
                                          (CODE, CODE + size), cfi))
                   for name, size in (("short", 32), ("long", 64)))
    proved(prover.run(long, short), 1)
    result = prover.run(short, long)
    assert result.returncode == 1, result
    assert "its code is not that of" in result.stderr, result


def a_file_without_cfi_is_not_proved(prover):
    result = prover.run(prover.write("elf", elf(
        AMD64, sframe(function(PLAIN_ROW)), SECTION, (CODE, CODE + 64), b"")))
    assert result.returncode == 1, result
    assert "no call-frame information" in result.stderr, result


# ---- Hostile files.

def cfi_with(letters, data, fields):
    """A CIE with LETTERS and augmentation DATA, and an FDE with FIELDS."""
    cie = vectors.entry("<", struct.pack("<IB", 0, 1) + letters + b"\0\x01\x01"
                        + uleb(16) + block(data)
                        + b"\x0c\x07\x08\x11\x10\x78")
    return cie + vectors.entry("<", struct.pack("<I", len(cie) + 4) + fields
                               + b"\0") + bytes(4)


def pair(prover, cfi, **more):
    data = sframe(function(PLAIN_ROW))
    return prover.run(prover.write("file", elf(
        AMD64, data, SECTION, (CODE, CODE + 64), cfi, **more)))


def an_aligned_personality_is_misread_by_libdw(prover):
    """libdw takes the second byte of the padding for pc_begin's encoding: the
    FDE is for other code than it seems."""
    fields = struct.pack("<QQ", CODE, 16)
    proved(pair(prover, cfi_with(b"zPR", b"\0" + bytes(8) + b"\0", fields)), 16)
    result = pair(prover, cfi_with(b"zPR", b"\x50" + bytes(14) + b"\0", fields))
    assert result.returncode == 1 and "misreads" in result.stderr, result
    result = pair(prover, cfi_with(b"zRP", b"\0\x50" + bytes(14), fields))
    assert result.returncode == 1 and "misreads" in result.stderr, result


def an_aligned_personality_is_found_without_section_headers(prover):
    fields = struct.pack("<QQ", CODE, 16)
    result = pair(prover, cfi_with(b"zPR", b"\x50" + bytes(14) + b"\0", fields),
                  sections=False)
    assert result.returncode == 1 and "misreads" in result.stderr, result


def numbers_of_registers_are_not_cut(prover):
    """2^32 + 7 is not SP."""
    cfa = b"\x0c" + uleb((1 << 32) + 7) + uleb(8) + b"\x11\x10\x78"
    wrong(prover.section(sframe(function(PLAIN_ROW)), {0: cfa}, size=16), 16)
    expression = b"\x92" + uleb((1 << 32) + 7) + sleb(8)
    cfa = b"\x0f" + block(expression) + b"\x11\x10\x78"
    wrong(prover.section(sframe(function(PLAIN_ROW)), {0: cfa}, size=16), 16)


def segments_do_not_wrap_around_or_overlap(prover):
    for start in ((1 << 64) - 64, SECTION):
        data = sframe(function(PLAIN_ROW))
        cfi = vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64])
        file = bytearray(elf(AMD64, data, SECTION, (CODE, CODE + 64), cfi))
        struct.pack_into("<Q", file, 64 + 2 * 56 + 16, start)
        result = prover.run(prover.write("file", bytes(file)))
        assert result.returncode == 2 and "wrap" in result.stderr, result


def many_headers_take_no_longer(prover):
    """65,534 segments of a byte: each was looked for in all others."""
    data = sframe(function(PLAIN_ROW))
    cfi = vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64])
    file = bytearray(elf(AMD64, data, SECTION, (CODE, CODE + 64), cfi))
    table = bytes(file[64:64 + 4 * 56]) + b"".join(
        struct.pack("<IIQQQQQQ", 1, 5, 64, 0x100000 + 2 * i, 0, 1, 1, 1)
        for i in range(65530))
    struct.pack_into("<Q", file, 32, len(file))
    struct.pack_into("<H", file, 56, 65534)
    path = prover.write("file", bytes(file) + table)
    result, seconds = timed(lambda: prover.run(path))
    proved(result, 1)
    assert seconds < 5, seconds


def segments_do_not_share_their_bytes(prover):
    """The CFI was asked of each byte of each of them."""
    data = sframe(function(PLAIN_ROW))
    cfi = vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64])
    file = bytearray(elf(AMD64, data, SECTION, (CODE, CODE + 64), cfi))
    table = bytes(file[64:64 + 4 * 56]) + b"".join(
        struct.pack("<IIQQQQQQ", 1, 5, 0, i << 32, 0, len(file), len(file), 1)
        for i in range(2, 202))
    struct.pack_into("<Q", file, 32, len(file))
    struct.pack_into("<H", file, 56, 204)
    result = prover.run(prover.write("file", bytes(file) + table))
    assert result.returncode == 2 and "same bytes" in result.stderr, result


def files_that_cannot_be_read_are_an_error(prover):
    good = elf(AMD64, sframe(function(PLAIN_ROW)), SECTION, (CODE, CODE + 64),
               vectors.eh_frame({CODE: PLAIN}, MACHINES[AMD64]))
    other = bytearray(good)
    other[18:20] = b"\xf3\0"  # riscv
    small = bytearray(good)
    small[4] = 1
    for contents, text in ((other, "SFrame does not know this machine"),
                           (small, "no 64-bit ELF file"),
                           (b"", "no 64-bit ELF file")):
        path = prover.write("bad", contents)
        for paths in ((path,), (prover.write("good", good), path)):
            result = prover.run(*paths)
            assert result.returncode == 2 and text in result.stderr, result
    result = prover.run(os.path.join(prover.folder, "missing"))
    assert result.returncode == 2 \
        and result.stderr.endswith("/missing: No such file or directory\n")


def main(program):
    tests = [(name, test) for name, test in globals().items()
             if callable(test) and getattr(test, "__code__", None)
             and test.__code__.co_varnames[:1] == ("prover",)
             and test.__code__.co_argcount == 1]
    failed = 0
    print(f"1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(Prover(os.path.abspath(program), folder))
                print(f"ok {number} - {name}")
            except AssertionError as why:
                failed += 1
                print(f"not ok {number} - {name}\n# {why}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
