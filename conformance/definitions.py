# SPDX-License-Identifier: 0BSD
"""The vectors: sections, and the answers that a reader has to give.

Each function below yields the vectors of one group.  The expected answers are
written down here from the specification; no reader computes them.  The
exceptions are the groups "lies" and "truncated", which are made by changing
sections mechanically: sframe_spec.py decides whether a changed section has a
meaning.
"""

import itertools
from dataclasses import dataclass

import sframe_spec
from sframe_build import (FP, SORTED, PCREL, SP, Fde, Fre, Sframe, build,
                          patched)

TEXT = 0x20000
AMD64, AARCH64, AARCH64_BE, S390X = 3, 2, 1, 4
ABI_NAMES = {1: "aarch64be", 2: "aarch64", 3: "amd64", 4: "s390x"}
ABIS_OF_VERSION = {1: (1, 2, 3), 2: (1, 2, 3, 4), 3: (1, 2, 3, 4)}

ACCEPT, REFUSE, EITHER = "accept", "refuse", "either"
NO_RULE = ("none", "error")


@dataclass
class Vector:
    """DATA is loaded at ADDRESS.  Each of LOOKUPS has a PC and the allowed answers,
    and the value of the FP if a reader may use it.  CODE has the executable
    segments of the file, for readers that use them."""
    name: str
    group: str
    data: bytes
    address: int
    version: int
    abi: int
    demands: tuple
    lookups: list
    opens: str = ACCEPT
    comment: str = ""
    code: tuple = ()


def vector(name, section, demands, lookups, opens=ACCEPT, comment="",
           change=None, code=()):
    """The vector NAME ("group/rest") of SECTION, its fields changed by
    CHANGE, a dictionary.  An answer may stand for a tuple of one."""
    data, fields = build(section)
    for key, value in (change or {}).items():
        data = patched(data, fields, key, value, section.order)
    return Vector(name, name.split("/")[0], data, section.address,
                  section.version, section.abi, tuple(demands),
                  [(pc, (answer,) if isinstance(answer, str) else answer,
                    *fp) for pc, answer, *fp in lookups],
                  opens, comment, code)


# Rules as text.

def ra_of(abi):
    return "[cfa-8]" if abi == AMD64 else "same"


def rule(abi, cfa, ra=None, fp="same", more=""):
    text = f"cfa={cfa} ra={ra_of(abi) if ra is None else ra} fp={fp}"
    return text + (f" {more}" if more else "")


def cfa_word(abi, offset):
    """The word that is stored for OFFSET of the CFA (section 3.1.3)."""
    return (offset - 160) // 8 if abi == S390X else offset


def plain(abi, start=0, offset=None, base=SP, **more):
    """A row that only has a CFA, and the text of its rule."""
    offset = {AMD64: 8, S390X: 160}.get(abi, 0) if offset is None else offset
    row = Fre(start, (cfa_word(abi, offset),), base, **more)
    return row, rule(abi, f"{'sp' if base else 'fp'}{offset:+}")


def two_rows(abi, version=3, **more):
    """A section of one function with two rows, and the rules of both."""
    first, first_rule = plain(abi)
    second, second_rule = plain(abi, 4, 320 if abi == S390X else 16)
    fde = Fde(TEXT, 0x40, [first, second], **more)
    return Sframe(version, abi, [fde]), first_rule, second_rule


def every(versions=(1, 2, 3)):
    for version in versions:
        for abi in ABIS_OF_VERSION[version]:
            yield version, abi, f"v{version}-{ABI_NAMES[abi]}"


# Rows: every width of starts and words, both bases, every count of words.

LIMITS = {1: (-128, 127), 2: (-0x8000, 0x7FFF), 4: (-0x80000000, 0x7FFFFFFF)}


def _words(abi, count, size):
    """Words of a default row that need SIZE bytes, and the rule's parts."""
    far = {1: 72, 2: 4096, 4: 1 << 20}[size]
    slots = (-far, -far + 8)
    words = [cfa_word(abi, 160 + far if abi == S390X else far)]
    words += slots[:count - 1]
    places = [f"[cfa{slot:+}]" for slot in slots]
    cfa = f"{words[0] * 8 + 160:+}" if abi == S390X else f"{words[0]:+}"
    if abi == AMD64:
        return words, cfa, None, places[0] if count > 1 else "same"
    return (words, cfa, places[0] if count > 1 else "same",
            places[1] if count > 2 else "same")


def default_rows():
    demand = {AMD64: "amd64-default", AARCH64: "aarch64-default",
              AARCH64_BE: "aarch64-default", S390X: "s390x-default"}
    for version, abi, name in every():
        for fre_type, size, base in itertools.product((0, 1, 2), (1, 2, 4),
                                                      (SP, FP)):
            for count in sframe_spec.MACHINES[abi].counts:
                words, cfa, ra, fp = _words(abi, count, size)
                start = {0: 4, 1: 0x104, 2: 0x10004}[fre_type]
                first, first_rule = plain(abi)
                fde = Fde(TEXT, start + 16,
                          [first, Fre(start, tuple(words), base, size)],
                          fre_type)
                base_name = "sp" if base else "fp"
                want = rule(abi, base_name + cfa, ra, fp)
                yield vector(
                    f"rows/{name}-addr{1 << fre_type}-word{size}-{base_name}"
                    f"-{count}", Sframe(version, abi, [fde]),
                    (demand[abi], "fre-type", "dataword-size",
                     "dataword-count", "base-register", "fre-start",
                     "packed", "fde-layout"),
                    [(TEXT, first_rule), (TEXT + start - 1, first_rule),
                     (TEXT + start, want), (TEXT + start + 15, want),
                     (TEXT + start + 16, "none")])


def extreme_words():
    for version, abi, name in every():
        for size, (low, high) in LIMITS.items():
            for value, end in ((low, "low"), (high, "high")):
                offset = value * 8 + 160 if abi == S390X else value
                row = Fre(0, (value,), SP, size)
                yield vector(
                    f"words/{name}-cfa{8 * size}-{end}",
                    Sframe(version, abi, [Fde(TEXT, 16, [row])]),
                    ("offsets-signed", "dataword-size")
                    + (("s390x-cfa-scale",) if abi == S390X else ()),
                    [(TEXT, rule(abi, f"sp{offset:+}"))])
            for value in {1: (), 2: (128, -129, 255),
                          4: (0x8000, -0x8001, 0xFFFF)}[size]:
                offset = value * 8 + 160 if abi == S390X else value
                yield vector(
                    f"words/{name}-cfa{8 * size}-{value}",
                    Sframe(version, abi,
                           [Fde(TEXT, 16, [Fre(0, (value,), SP, size)])]),
                    ("offsets-signed", "dataword-size"),
                    [(TEXT, rule(abi, f"sp{offset:+}"))],
                    comment="One more than a smaller word can say.")
            slot = low
            cfa_of_one = "sp+168" if abi == S390X else "sp+1"
            words = (1, slot) if abi == AMD64 else (1, slot, slot + 8)
            cfa = "sp+168" if abi == S390X else "sp+1"
            want = (rule(abi, cfa, None, f"[cfa{slot:+}]") if abi == AMD64
                    else rule(abi, cfa, f"[cfa{slot:+}]",
                              f"[cfa{slot + 8:+}]"))
            last = {1: -8, 2: -1000, 4: -0x12348}[size]
            late = (1, last) if abi == AMD64 else (1, -8, last)
            near = None if abi == AMD64 else "[cfa-8]"
            yield vector(f"words/{name}-last{8 * size}",
                         Sframe(version, abi,
                                [Fde(TEXT, 16, [Fre(0, late, SP, size)])]),
                         ("offsets-signed", "dataword-size"),
                         [(TEXT, rule(abi, cfa_of_one, near,
                                      f"[cfa{last:+}]"))],
                         comment="The last word alone needs this size.")
            yield vector(f"words/{name}-slots{8 * size}-low",
                         Sframe(version, abi,
                                [Fde(TEXT, 16, [Fre(0, words, SP, size)])]),
                         ("offsets-signed",), [(TEXT, want)])


# Outermost frames.

def outermost():
    for version, abi, name in every((2, 3)):
        first, first_rule = plain(abi)
        yield vector(f"outermost/{name}-row-without-words",
                     Sframe(version, abi,
                            [Fde(TEXT, 16, [first, Fre(8, ())])]),
                     ("ra-undefined", "dataword-count"),
                     [(TEXT, first_rule), (TEXT + 8, "outermost"),
                      (TEXT + 15, "outermost")])
        for base in (SP, FP):
            yield vector(
                f"outermost/{name}-first-{'sp' if base else 'fp'}",
                Sframe(version, abi, [Fde(TEXT, 16, [Fre(0, (), base)])]),
                ("ra-undefined",), [(TEXT, "outermost")],
                comment="The base register has no meaning in such a row.")
    for _, abi, name in every((3,)):
        section, first, _ = two_rows(abi)
        section.fdes.insert(0, Fde(TEXT - 16, 16, []))
        yield vector(f"outermost/{name}-fde-without-rows", section,
                     ("fde-no-fres",),
                     [(TEXT - 16, "outermost"), (TEXT - 1, "outermost"),
                      (TEXT, first)])
        yield vector(f"outermost/{name}-flexible-without-rows",
                     Sframe(3, abi, [Fde(TEXT, 16, [], flexible=True),
                                     Fde(TEXT + 16, 16, [plain(abi)[0]])]),
                     ("fde-no-fres",), [(TEXT, NO_RULE)],
                     comment="Only the default type is given this meaning.")
        yield vector(f"outermost/{name}-signal-without-rows",
                     Sframe(3, abi, [Fde(TEXT, 16, [], signal=True),
                                     Fde(TEXT + 16, 16, [plain(abi)[0]])]),
                     ("fde-no-fres", "signal"),
                     [(TEXT, NO_RULE + ("outermost",))],
                     comment="GNU as writes it for trampolines that it cannot"
                             " express; the text says nothing of signals.")


def no_row():
    """Without a row the reader knows nothing, whatever is in the
    FP."""
    for version, abi, name in every():
        section, first, _ = two_rows(abi, version)
        yield vector(f"outermost/{name}-no-row-fp-0", section,
                     ("func-size",),
                     [(TEXT, first, 0), (TEXT - 1, "none", 0),
                      (TEXT + 0x40, "none", 0)],
                     comment="Programs may keep any number in the FP.")


# Preamble and header.

def _header_fields(version, name, section, first):
    """Fields with a value that the specification does not have."""
    for value in (0, 0xDEE3, 0xE2DE, 0xFFFF):
        yield vector(f"header/{name}-magic-{value:04x}", section,
                     ("magic",) + (("endianness",) if value == 0xE2DE
                                   else ()),
                     [], REFUSE, change={"magic": value})
    for value in (0, 4, 255):
        yield vector(f"header/{name}-version-{value}", section,
                     ("version",), [], REFUSE, change={"version": value})
    for value in (0, 5, 255):
        yield vector(f"header/{name}-abi-{value}", section, ("abi",),
                     [(TEXT, NO_RULE)], EITHER, change={"abi_arch": value})
    undefined = {1: (0x4, 0x80), 2: (0x8, 0x80), 3: (0x2, 0x8, 0x80)}
    for bit in undefined[version]:
        yield vector(f"header/{name}-flag-{bit:02x}", section,
                     ("flags-undefined",), [(TEXT, (first,) + NO_RULE)]
                     if bit != 0x4 else [], EITHER,
                     change={"flags": SORTED | (PCREL if version > 1
                                                else 0) | bit})


def _header_room(name, section, first, good):
    """An auxiliary header; bytes between the parts and behind them."""
    for aux in (1, 8, 255):
        section.aux = bytes(range(aux))
        yield vector(f"header/{name}-aux-{aux}", section,
                     ("aux-header", "header-offsets"), good,
                     comment="The contents of an auxiliary header are not"
                             " defined yet.")
    section.aux = b""
    section.gap = b"\xaa" * 8
    yield vector(f"header/{name}-gap-before-entries", section,
                 ("header-offsets", "tiling"), [(TEXT, (first,) + NO_RULE)],
                 EITHER)
    section.gap, section.hole = b"", b"\xaa" * 8
    yield vector(f"header/{name}-gap-before-rows", section,
                 ("header-offsets", "tiling"), [(TEXT, (first,) + NO_RULE)],
                 EITHER)
    section.hole, section.tail = b"", b"\xaa" * 8
    yield vector(f"header/{name}-bytes-behind", section, ("fre-len",),
                 [(TEXT, (first,) + NO_RULE)], EITHER)
    section.tail = b""


def _header_numbers(abi, name, section, first):
    """Fields that contradict the rest of the section."""
    for wrong in (0, 1, 3, 0xFFFFFFFF):
        yield vector(f"header/{name}-num-fres-{wrong}", section,
                     ("num-fres",), [(TEXT, (first,) + NO_RULE)], EITHER,
                     change={"num_fres": wrong})
    if abi == AMD64:
        yield vector(f"header/{name}-fixed-ra-0", section,
                     ("fixed-offsets",),
                     [(TEXT, NO_RULE + ("cfa=sp+8 ra=[cfa+0] fp=same",
                                        "cfa=sp+8 ra=same fp=same"))],
                     EITHER, change={"cfa_fixed_ra_offset": 0})


def header():
    for version, abi, name in every():
        section, first, _ = two_rows(abi, version)
        yield from _header_fields(version, name, section, first)
        yield from _header_room(name, section, first, [(TEXT, first)])
        yield from _header_numbers(abi, name, section, first)
        yield vector(f"header/{name}-empty", Sframe(version, abi, []),
                     ("num-fdes", "header-size"), [(TEXT, "none")], EITHER,
                     comment="A section without entries describes nothing;"
                             " the text does not forbid it.")
    for version in (1, 2):
        section, first, _ = two_rows(AMD64, version)
        section.flags = SORTED | 2 | (PCREL if version == 2 else 0)
        yield vector(f"header/v{version}-amd64-frame-pointer", section,
                     ("flag-frame-pointer",), [(TEXT, first),
                                               (TEXT + 0x40, "none")])
    # The ABI's byte order against that of the section.
    for version, abi, other in ((3, AMD64, S390X), (2, AARCH64, AARCH64_BE),
                                (3, AARCH64, AARCH64_BE),
                                (3, S390X, AMD64), (2, AARCH64_BE, AARCH64)):
        section, _, _ = two_rows(abi, version)
        yield vector(f"header/v{version}-{ABI_NAMES[abi]}-as-"
                     f"{ABI_NAMES[other]}", section, ("endianness", "abi"),
                     [(TEXT, NO_RULE)], EITHER, change={"abi_arch": other})
    section, _, _ = two_rows(S390X, 2)
    yield vector("header/v1-s390x", section, ("abi",), [(TEXT, NO_RULE)],
                 EITHER, change={"version": 1},
                 comment="Version 1 has no such ABI.")


# Entries: starts, sizes, order.

def _placed_entries(version, abi, name):
    """Five functions behind and before the section, by each kind of start."""
    flag_sets = {1: (0, SORTED), 2: (0, SORTED, PCREL, SORTED | PCREL),
                 3: (0, SORTED, PCREL, SORTED | PCREL)}[version]
    for flags in flag_sets:
        for place in ("behind", "before"):
            text = TEXT if place == "behind" else 0x1000
            rows = [plain(abi, offset=8 * n + 160)[0] for n in range(5)]
            fdes = [Fde(text + 0x40 * n, 0x20, [row])
                    for n, row in enumerate(rows)]
            section = Sframe(version, abi, fdes, flags=flags)
            lookups = [(text - 1, "none"), (text + 0x140, "none")]
            for n in range(5):
                want = (rule(abi, f"sp{8 * n + 160:+}"),)
                want += () if flags & SORTED else NO_RULE
                lookups += [(text + 0x40 * n, want),
                            (text + 0x40 * n + 0x1F, want),
                            (text + 0x40 * n + 0x20, "none")]
            for row in rows:
                row.size = 2
            yield vector(
                f"entries/{name}-flags{flags}-{place}", section,
                ("pcrel" if flags & PCREL else "section-relative",
                 "func-size", "num-fdes", "fre-offset", "start-signed",
                 "sorted"), lookups,
                ACCEPT if flags & SORTED else EITHER,
                "" if flags & SORTED else
                "A reader may ask for sorted entries.")


def _unsorted_entries(version, abi, name):
    """Entries that are not sorted, without and with the flag that says they are."""
    rows = [plain(abi, offset=8 * n + 160, size=2)[0] for n in range(4)]
    order = (2, 0, 3, 1)
    section = Sframe(version, abi,
                     [Fde(TEXT + 0x40 * n, 0x40, [rows[n]])
                      for n in order],
                     flags=PCREL if version > 1 else 0)
    yield vector(f"entries/{name}-unsorted", section, ("sorted",),
                 [(TEXT + 0x40 * n,
                   (rule(abi, f"sp{8 * n + 160:+}"),) + NO_RULE)
                  for n in range(4)], EITHER)
    section.flags = SORTED | (PCREL if version > 1 else 0)
    yield vector(f"entries/{name}-unsorted-said-sorted", section,
                 ("sorted",),
                 [(TEXT + 0x40 * n,
                   (rule(abi, f"sp{8 * n + 160:+}"),) + NO_RULE)
                  for n in range(4)], EITHER)


def _shared_entries(version, abi, name):
    """One row for two functions; two entries with one start."""
    section, first, second = two_rows(abi, version)
    section.fdes.append(Fde(TEXT + 0x40, 0x20, [], shares=0))
    yield vector(f"entries/{name}-shared-rows", section, ("fre-offset",),
                 [(TEXT, first), (TEXT + 4, second),
                  (TEXT + 0x40, first), (TEXT + 0x44, second),
                  (TEXT + 0x60, "none")],
                 comment="Nothing says that rows are those of one"
                         " function.")
    section, first, _ = two_rows(abi, version)
    section.fdes.insert(0, Fde(TEXT, 0, [plain(abi)[0]]))
    yield vector(f"entries/{name}-size-0", section, ("func-size",),
                 [(TEXT, (first,) + NO_RULE)], EITHER,
                 comment="A function of size 0 covers nothing; two"
                         " entries have one start.")


def _far_entries(abi):
    """Starts and sizes that need all bits."""
    name = f"v3-{ABI_NAMES[abi]}"
    for far in (1 << 31, 1 << 32, 1 << 40, (1 << 47) - 0x1000):
        row, want = plain(abi)
        yield vector(f"entries/{name}-far-{far.bit_length() - 1}",
                     Sframe(3, abi, [Fde(far, 0x20, [row])]),
                     ("start-64",), [(far, want), (far + 0x1F, want),
                                     (far - 1, "none")])
        yield vector(f"entries/{name}-far-below-{far.bit_length() - 1}",
                     Sframe(3, abi, [Fde(0x1000, 0x20, [row])],
                            address=far + 0x10000),
                     ("start-64", "start-signed"),
                     [(0x1000, want), (0x1020, "none")])
    row, want = plain(abi)
    last, last_rule = plain(abi, 0xFFFFFFFE, 168, size=2)
    yield vector(f"entries/{name}-size-max",
                 Sframe(3, abi, [Fde(TEXT, 0xFFFFFFFF, [row, last], 2)]),
                 ("func-size", "fre-type"),
                 [(TEXT + 0xFFFFFFFD, want),
                  (TEXT + 0xFFFFFFFE, last_rule),
                  (TEXT + 0xFFFFFFFF, "none")])


def _many_rows():
    """Numbers of rows at their limit."""
    for version, abi, count in ((3, AMD64, 65535), (3, S390X, 65535),
                                (2, AMD64, 65536)):
        near = 160 if abi == S390X else 8  # fits one byte
        rows = [plain(abi, n, near + 8 * (n & 1))[0] for n in range(count)]
        yield vector(f"entries/v{version}-{ABI_NAMES[abi]}-rows-{count}",
                     Sframe(version, abi,
                            [Fde(TEXT, 0x20000, rows, 2 if count > 65535
                                 else 1)]),
                     ("num-fres-function", "num-fres"),
                     [(TEXT + at, rule(abi, f"sp{near + 8 * (row & 1):+}"))
                      for at, row in ((0, 0), (1, 1), (0x8000, 0),
                                      (count - 1, count - 1),
                                      (0x1FFFF, count - 1))])


def entries():
    for version, abi, name in every():
        yield from _placed_entries(version, abi, name)
        yield from _unsorted_entries(version, abi, name)
        yield from _shared_entries(version, abi, name)
    for abi in (AMD64, AARCH64, S390X):
        yield from _far_entries(abi)
    yield from _many_rows()


def segments():
    """Files with several executable segments have one section."""
    for version, abi, name in every():
        row, want = plain(abi)
        for count in (1, 2, 3):
            starts = [TEXT + 0x10000 * n for n in range(count)]
            code = tuple((start, start + 0x1000) for start in starts)
            yield vector(f"segments/{name}-{count}",
                         Sframe(version, abi,
                                [Fde(start, 0x40, [row]) for start in starts]),
                         ("start-signed", "num-fdes"),
                         [(start + 8, want) for start in starts]
                         + [(TEXT + 0x800, "none")], code=code)


# Which row is in force.

def row_search():
    for version, abi, name in every():
        rows, lookups = [], []
        for n, start in enumerate((0, 1, 2, 7, 0xFE)):
            row, want = plain(abi, start, 160 + 8 * n, size=2)
            rows.append(row)
            lookups.append((TEXT + start, want))
        lookups += [(TEXT + 6, lookups[2][1]), (TEXT + 0xFD, lookups[3][1]),
                    (TEXT + 0x1FF, lookups[4][1]), (TEXT + 0x200, "none")]
        yield vector(f"search/{name}-inc",
                     Sframe(version, abi, [Fde(TEXT, 0x200, rows)]),
                     ("pctype-inc", "fre-start", "fre-ascending"), lookups)
        for fre_type, start in ((0, 0xFF), (1, 0x100), (1, 0xFFFF),
                                (2, 0x10000)):
            first, first_rule = plain(abi)
            far, want = plain(abi, start, 320, size=2)
            yield vector(f"search/{name}-start-{start:x}",
                         Sframe(version, abi, [Fde(TEXT, start + 16,
                                                   [first, far], fre_type)]),
                         ("pctype-inc", "fre-start", "fre-type"),
                         [(TEXT, first_rule), (TEXT + start - 1, first_rule),
                          (TEXT + start, want)],
                         comment="The last of its width, or the first that"
                                 " needs it.")
        late, want = plain(abi, 8)
        yield vector(f"search/{name}-first-row-late",
                     Sframe(version, abi, [Fde(TEXT, 16, [late])]),
                     ("pctype-inc", "fre-start"),
                     [(TEXT, NO_RULE), (TEXT + 7, NO_RULE), (TEXT + 8, want)])
        first, first_rule = plain(abi)
        at_end, _ = plain(abi, 16, 320, size=2)
        yield vector(f"search/{name}-row-at-end",
                     Sframe(version, abi, [Fde(TEXT, 16, [first, at_end])]),
                     ("fre-range",), [(TEXT, (first_rule,) + NO_RULE),
                                      (TEXT + 15, (first_rule,) + NO_RULE),
                                      (TEXT + 16, NO_RULE)], EITHER)
        high, high_rule = plain(abi, 8, 320, size=2)
        low, low_rule = plain(abi, 4, 160, size=2)
        yield vector(f"search/{name}-rows-descend",
                     Sframe(version, abi, [Fde(TEXT, 16, [first, high, low])]),
                     ("fre-ascending",),
                     [(TEXT, (first_rule,) + NO_RULE),
                      (TEXT + 8, (high_rule, low_rule) + NO_RULE)], EITHER)
        if version > 1:
            yield from _masks(version, abi, name)
        else:
            yield from _bit_masks(abi, name)


def _bit_masks(abi, name):
    """In version 1 the start of a row is a mask: the row is in force where
    PC & start >= start.  Some readers take it for an offset in a block of 16
    bytes, which is the size of PLT entries.  At PCs where these readings differ
    both are allowed."""
    first, first_rule = plain(abi)
    second, second_rule = plain(abi, 11, 320, size=2)
    yield vector(f"search/{name}-mask-one-row",
                 Sframe(1, abi, [Fde(TEXT, 48, [first], pcmask=True)]),
                 ("pctype-mask",),
                 [(TEXT + at, first_rule) for at in (0, 11, 15, 16, 47)]
                 + [(TEXT + 48, "none")])
    yield vector(f"search/{name}-mask-two-rows",
                 Sframe(1, abi, [Fde(TEXT, 48, [first, second], pcmask=True)]),
                 ("pctype-mask",),
                 [(TEXT + block + at, want) for block in (0, 16, 32)
                  for at, want in ((0, first_rule), (7, first_rule),
                                   (10, first_rule), (11, second_rule),
                                   (15, second_rule),
                                   (13, (first_rule, second_rule)))])


def _masks(version, abi, name):
    for repeat in (1, 16, 32, 255):
        rows, wants = [], []
        for n, start in enumerate((0, 11)[:1 if repeat == 1 else 2]):
            row, want = plain(abi, start, 160 + 8 * n, size=2)
            rows.append(row)
            wants.append(want)
        # The function starts at a multiple of the block, so that both
        # readings of "PC % REP_BLOCK_SIZE" agree.
        text = (TEXT + repeat - 1) // repeat * repeat
        lookups = []
        for block in (0, 1, 6):
            at = text + block * repeat
            lookups.append((at, wants[0]))
            if repeat > 1:
                lookups += [(at + 10, wants[0]), (at + 11, wants[1]),
                            (at + repeat - 1, wants[1])]
        lookups.append((text + 7 * repeat, "none"))
        yield vector(f"search/{name}-mask-{repeat}",
                     Sframe(version, abi,
                            [Fde(text, 7 * repeat, rows, pcmask=True,
                                 repeat=repeat)]),
                     ("pctype-mask", "repeat-size"), lookups)
    first, first_rule = plain(abi)
    second, second_rule = plain(abi, 8, 320, size=2)
    lookups = []
    for offset in (0, 7, 8, 15, 20, 24):
        by_function = offset % 16 >= 8
        by_address = (TEXT + 4 + offset) % 16 >= 8
        answers = {second_rule if by else first_rule
                   for by in (by_function, by_address)}
        lookups.append((TEXT + 4 + offset, tuple(sorted(answers))))
    yield vector(f"search/{name}-mask-unaligned",
                 Sframe(version, abi, [Fde(TEXT + 4, 32, [first, second],
                                           pcmask=True, repeat=16)]),
                 ("pctype-mask",), lookups,
                 comment="Whether the remainder is that of the PC or of its"
                         " distance from the function's start is not said.")
    yield vector(f"search/{name}-mask-0",
                 Sframe(version, abi, [Fde(TEXT, 32, [first], pcmask=True)]),
                 ("repeat-size",), [(TEXT, NO_RULE), (TEXT + 5, NO_RULE)],
                 EITHER)


# Bits of info bytes.

def _unused_info(version, name, section, first):
    unused = {1: (0xA0, 0x40), 2: (0x80, 0x40), 3: (0x40,)}[version]
    for bit in unused:
        section.fdes[0].info = bit
        yield vector(f"info/{name}-unused-{bit:02x}", section,
                     ("info-unused",),
                     [(TEXT, (first,) + NO_RULE)], EITHER)
    section.fdes[0].info = 0
    for fre_type in (3, 7, 15):
        section.fdes[0].info = fre_type
        yield vector(f"info/{name}-fre-type-{fre_type}", section,
                     ("fre-type",), [(TEXT, NO_RULE)], EITHER)
    section.fdes[0].info = 0


def _wide_info(version, abi, name):
    """Rows as they would be if the undefined numbers meant eight bytes."""
    wide = bytes(8) + bytes((SP | 1 << 1, 1)) + bytes(8)
    yield vector(f"info/{name}-fre-type-3-wide",
                 Sframe(version, abi, [Fde(TEXT, 16, [], 3, raw=wide)]),
                 ("fre-type",), [(TEXT, NO_RULE)], EITHER,
                 comment="As if the type meant starts of eight bytes.")
    wide = bytes((0, SP | 1 << 1 | 3 << 5)) + b"\x08" * 8
    yield vector(f"info/{name}-dataword-size-3-wide",
                 Sframe(version, abi, [Fde(TEXT, 16, [], raw=wide)]),
                 ("dataword-size",), [(TEXT, NO_RULE)], EITHER,
                 comment="As if the size meant words of eight bytes.")


def _word_counts(version, abi, name):
    """Words of an undefined size, and counts of words that have no meaning."""
    row, want = plain(abi)
    bad = Fre(4, (1,), info=SP | 1 << 1 | 3 << 5)
    yield vector(f"info/{name}-dataword-size-3",
                 Sframe(version, abi, [Fde(TEXT, 16, [row, bad])]),
                 ("dataword-size",),
                 [(TEXT, (want,) + NO_RULE), (TEXT + 4, NO_RULE)], EITHER)
    counts = sframe_spec.MACHINES[abi].counts
    for count in (2, 3, 4, 15):
        if count in counts:
            continue
        many = Fre(4, (1,) + (-16,) * (count - 1))
        yield vector(f"info/{name}-{count}-words",
                     Sframe(version, abi, [Fde(TEXT, 16, [row, many])]),
                     ("default-count", "dataword-count"),
                     [(TEXT, (want,) + NO_RULE)], EITHER,
                     comment="What the row of that many words says is not"
                             " defined; the row before it is.")


def _signed_ra(version, abi, name):
    row, want = plain(abi)
    for key_b in (False, True)[:1 if version == 1 else 2]:
        signed = Fre(4, (16, -16, -8), SP, 1, True)
        more = f"signed-{'b' if key_b else 'a'}"
        yield vector(
            f"info/{name}-signed-{'b' if key_b else 'a'}",
            Sframe(version, abi, [Fde(TEXT, 16, [row, signed],
                                      key_b=key_b)]),
            ("mangled-ra",) + (("pauth-key",) if version > 1 else ()),
            [(TEXT, want),
             (TEXT + 4, rule(abi, "sp+16", "[cfa-16]", "[cfa-8]",
                             more))])


def _second_info(name, section, first):
    """The second byte of version 3."""
    for bit in (0x20, 0x40, 0x80):
        section.fdes[0].info2 = bit
        yield vector(f"info/{name}-info2-{bit:02x}", section,
                     ("info-unused",),
                     [(TEXT, (first,) + NO_RULE)], EITHER)
    for fde_type in (2, 3, 16, 31):
        section.fdes[0].info2 = fde_type
        yield vector(f"info/{name}-fde-type-{fde_type}", section,
                     ("fde-type",), [(TEXT, NO_RULE)], EITHER)
    section.fdes[0].info2 = 0
    section.fdes[0].signal = True
    yield vector(f"info/{name}-signal", section, ("signal",),
                 [(TEXT, first + " signal")])


def info_bits():
    for version, abi, name in every():
        section, first, _ = two_rows(abi, version)
        yield from _unused_info(version, name, section, first)
        yield from _wide_info(version, abi, name)
        yield from _word_counts(version, abi, name)
        if abi in (AARCH64, AARCH64_BE):
            yield from _signed_ra(version, abi, name)
        if version == 2:
            yield vector(f"info/{name}-padding2", section,
                         ("padding-unused",),
                         [(TEXT, (first,) + NO_RULE)], EITHER,
                         change={"fde0.padding2": 0xFFFF})
        if version == 3:
            yield from _second_info(name, section, first)


def s390x_special():
    for version in (2, 3):
        for count, words, ra, fp in ((2, (0, 0), "same", "same"),
                                     (3, (0, 0, -72), "same", "[cfa-72]"),
                                     (3, (0, -48, -72), "[cfa-48]",
                                      "[cfa-72]"),
                                     (2, (0, -48), "[cfa-48]", "same")):
            yield vector(f"s390x/v{version}-{count}-ra{words[1]}",
                         Sframe(version, S390X,
                                [Fde(TEXT, 16, [Fre(0, words)])]),
                         ("s390x-ra-invalid", "s390x-default"),
                         [(TEXT, rule(S390X, "sp+160", ra, fp))])
    for ra, fp in ((16, 17), (31, None), (0, 15), (18, 19)):
        words = [0, ra << 1 | 1] + ([] if fp is None else [fp << 1 | 1])
        names = {15: "sp", 11: "fp"}
        want = rule(S390X, "sp+160", f"{names.get(ra, f'r{ra}')}+0",
                    "same" if fp is None else f"{names.get(fp, f'r{fp}')}+0")
        yield vector(f"s390x/v2-registers-{ra}-{fp}",
                     Sframe(2, S390X, [Fde(TEXT, 16, [Fre(0, tuple(words))])]),
                     ("s390x-regnum",), [(TEXT, want)])
    words = (0, -48, 17 << 1 | 1)
    yield vector("s390x/v2-slot-and-register",
                 Sframe(2, S390X, [Fde(TEXT, 16, [Fre(0, words)])]),
                 ("s390x-regnum",),
                 [(TEXT, rule(S390X, "sp+160", "[cfa-48]", "r17+0"))])


# Flexible rows.

def control(register=None, deref=False):
    if register is None:
        return 2 if deref else 0
    return register << 3 | (2 if deref else 0) | 1


def flexible_answers(abi, words, cfa, ra, fp):
    """The rule with the text CFA for its CFA, and on s390x the one with the offset
    WORDS[1] scaled as in default rows: section 3.2 does not say that it is,
    GNU as and libsframe do it."""
    answers = (rule(abi, cfa, ra, fp),)
    if abi != S390X:
        return answers
    offset = words[1]
    scaled = cfa.replace(f"{offset:+}", f"{offset * 8 + 160:+}")
    return answers + (rule(abi, scaled, ra, fp),)


def plain_answers(abi):
    return flexible_answers(abi, (0, 8), "sp+8", ra_of(abi), "same")


def _flexible_cases(machine, ra, reg):
    """Words of a row, and the rules of CFA, RA and FP that they mean."""
    return {
        "cfa-register": ((control(reg), 16), f"r{reg}+16", ra, "same"),
        "cfa-register-0": ((control(0), 0), "r0+0", ra, "same"),
        "cfa-sp": ((control(machine.sp), 32), "sp+32", ra, "same"),
        "cfa-fp": ((control(machine.fp), 32), "fp+32", ra, "same"),
        "cfa-deref": ((control(machine.fp, True), -8), "[fp-8]", ra,
                      "same"),
        "cfa-deref-register": ((control(reg, True), 0), f"[r{reg}+0]", ra,
                               "same"),
        "ra-cfa-deref": ((control(reg), 16, control(deref=True), -24),
                         f"r{reg}+16", "[cfa-24]", "same"),
        "ra-register": ((control(reg), 16, control(5), 0),
                        f"r{reg}+16", "r5+0", "same"),
        "ra-register-deref": ((control(reg), 16, control(5, True), 8),
                              f"r{reg}+16", "[r5+8]", "same"),
        "ra-padding": ((control(reg), 16, 0), f"r{reg}+16", ra, "same"),
        "fp-behind-padding": ((control(reg), 16, 0, control(deref=True),
                               -16), f"r{reg}+16", ra, "[cfa-16]"),
        "both-padding": ((control(reg), 16, 0, 0), f"r{reg}+16", ra,
                         "same"),
        "fp-register": ((control(reg), 16, 0, control(3), 0),
                        f"r{reg}+16", ra, "r3+0"),
        "fp-deref-fp": ((control(reg), 16, 0, control(machine.fp, True),
                         0), f"r{reg}+16", ra, "[fp+0]"),
        "all": ((control(reg), 16, control(deref=True), -8,
                 control(deref=True), -16), f"r{reg}+16", "[cfa-8]",
                "[cfa-16]"),
        "all-registers": ((control(reg), 16, control(4), 0, control(5),
                           0), f"r{reg}+16", "r4+0", "r5+0"),
        "offset-low": ((control(reg), -128), f"r{reg}-128", ra, "same"),
        "register-31-unsigned": ((control(30), 8), "r30+8", ra, "same"),
    }


def _flexible_rules(abi, machine, name, ra, reg):
    at_end = ("ra-padding", "both-padding")
    for case, (words, cfa, ra_rule, fp) in _flexible_cases(
            machine, ra, reg).items():
        for size in (1, 2, 4):
            fde = Fde(TEXT, 16, [Fre(0, words, SP, size)], flexible=True)
            yield vector(
                f"flexible/{name}-{case}-word{size}",
                Sframe(3, abi, [fde]),
                ("flex-pairs", "flex-order", "flex-control-unsigned",
                 "flex-offset-signed", "flex-deref", "fde-type",
                 "flex-padding" if 0 in words[2:3] or 0 in words[3:4]
                 else "flex-cfa-base"),
                [(TEXT, flexible_answers(abi, words, cfa, ra_rule, fp)
                  + (NO_RULE if case in at_end else ()))],
                EITHER if case in at_end else ACCEPT,
                "Padding is described in front of further words only."
                if case in at_end else "")


def _broken_flexible(abi, machine, name, reg):
    """Rows whose words have no meaning, each behind a good row."""
    broken = {
        "one-word": ((control(reg),), ("flex-pairs",)),
        "ra-without-offset": ((control(reg), 8, control(5)),
                              ("flex-pairs",)),
        "fp-without-offset": ((control(reg), 8, 0, control(5)),
                              ("flex-pairs",)),
        "four-entities": ((control(reg), 8, 0, 0, control(5), 8),
                          ("flex-order",)),
        "eight-words": ((control(reg), 8) * 4, ("flex-order",)),
        "cfa-by-cfa": ((control(deref=True), 8), ("flex-cfa-register",
                                                  "flex-cfa-base")),
        "cfa-padding": ((0, 8), ("flex-cfa-register", "flex-padding")),
    }
    for case, (words, demands) in broken.items():
        fde = Fde(TEXT, 16, [plain_flexible(machine), Fre(4, words)],
                  flexible=True)
        yield vector(f"flexible/{name}-broken-{case}",
                     Sframe(3, abi, [fde]), demands,
                     [(TEXT, plain_answers(abi) + NO_RULE),
                      (TEXT + 4, NO_RULE)], EITHER)


def flexible():
    for abi in (AMD64, AARCH64, AARCH64_BE, S390X):
        machine = sframe_spec.MACHINES[abi]
        name = ABI_NAMES[abi]
        ra = ra_of(abi)
        reg = 10
        yield from _flexible_rules(abi, machine, name, ra, reg)
        base_fp = Fde(TEXT, 16, [Fre(0, (control(reg), 16), FP)],
                      flexible=True)
        yield vector(f"flexible/{name}-base-bit", Sframe(3, abi, [base_fp]),
                     ("flex-pairs",),
                     [(TEXT, flexible_answers(abi, (0, 16), f"r{reg}+16", ra,
                                              "same"))],
                     comment="The base bit of the row has no meaning.")
        yield from _broken_flexible(abi, machine, name, reg)
        undefined = Fde(TEXT, 16, [plain_flexible(machine), Fre(4, ())],
                        flexible=True)
        yield vector(f"flexible/{name}-outermost", Sframe(3, abi, [undefined]),
                     ("ra-undefined",),
                     [(TEXT, plain_answers(abi)), (TEXT + 4, "outermost")])
    large = Fde(TEXT, 16, [Fre(0, (0x1FFF << 3 | 1, -8), SP, 2)],
                flexible=True)
    yield vector("flexible/amd64-register-8191", Sframe(3, AMD64, [large]),
                 ("flex-control-unsigned",),
                 [(TEXT, (rule(AMD64, "r8191-8"),) + NO_RULE)], EITHER,
                 comment="No AMD64 register has this number; the control word"
                         " is above 32,767.")


def plain_flexible(machine):
    return Fre(0, (control(machine.sp), 8))


# Sections that lie.

FDE_SIZES = {1: 17, 2: 20, 3: 16}


def lie_values(size):
    """Values at both ends of a field of SIZE bytes, and some between."""
    top = 1 << 8 * size - 1
    return {0, 1, 2, top - 1, top, 2 * top - 1}


def _answers(data, address, pc):
    """The answers of all functions that have PC in their range."""
    try:
        section = sframe_spec.Section(data, address)
    except sframe_spec.Violation:
        return ["error"]
    answers = []
    for index in section.functions_at(pc):
        try:
            answers.append(section.lookup_in(index, pc))
        except sframe_spec.Violation:
            answers.append("error")
    return answers or ["none"]


def _after_change(name, old, data, address, pcs):
    """The allowed answers after field NAME of OLD was changed: those of the changed
    bytes, or none; no rule if the bytes have no meaning.

    A reader may take fixed offsets from the ABI instead of the header, and an
    RA at the invalid offset 0 for one that is still in its register.
    """
    lookups = []
    for pc in pcs:
        answers = _answers(data, address, pc)
        if name.startswith("cfa_fixed"):
            answers += _answers(old, address, pc)
            answers.append(answers[0].replace("[cfa+0]", "same"))
        lookups.append((pc, tuple(dict.fromkeys(answers + list(NO_RULE)))))
    return lookups


def lies():
    for version, abi in ((1, AMD64), (2, AMD64), (3, AMD64), (3, S390X)):
        section, _, _ = two_rows(abi, version)
        section.fdes.append(Fde(TEXT + 0x40, 0x20, [plain(abi)[0]],
                                pcmask=True, repeat=16))
        data, fields = build(section)
        for name, (offset, size) in fields.items():
            if size == 0 or name in ("magic", "version"):
                continue
            old = data[offset:offset + size]
            for value in sorted(lie_values(size)):
                changed = patched(data, fields, name, value, section.order)
                if changed[offset:offset + size] == old:
                    continue
                demand = _demand_of_field(name, version)
                yield Vector(
                    f"lies/v{version}-{ABI_NAMES[abi]}-{name}-{value:x}",
                    "lies", changed, section.address, version, abi, (demand,),
                    _after_change(name, data, changed, section.address,
                                  (TEXT, TEXT + 5, TEXT + 0x3F, TEXT + 0x4B)),
                    EITHER)


def _demand_of_field(name, version):
    field_name = name.split(".")[-1]
    if field_name.startswith("word"):
        return "offsets-signed"
    if field_name == "info":
        return "dataword-size" if ".fre" in name else "info-unused"
    return {"flags": "flags-undefined", "abi_arch": "abi",
            "cfa_fixed_fp_offset": "fixed-offsets",
            "cfa_fixed_ra_offset": "fixed-offsets",
            "auxhdr_len": "aux-header", "num_fdes": "num-fdes",
            "num_fres": "num-fres-function" if "fde" in name else "num-fres",
            "fre_len": "fre-len", "fdeoff": "header-offsets",
            "freoff": "header-offsets", "size": "func-size",
            "fre_off": "fre-offset", "info2": "fde-type",
            "rep_size": "repeat-size", "padding2": "padding-unused",
            "start": "fre-start" if ".fre" in name
            else "pcrel" if version > 1 else "section-relative"}[field_name]


def cut_off():
    """Rows that begin near the end of the section, so that a part of them is
    missing.  The last byte of the section is the last of a page, if the section
    begins at the start of one."""
    for version, abi, name in every():
        # An attribute of version 3 has five bytes, a row at least two.
        for missing in range(1, 5 if version == 3 else 2):
            section, first, _ = two_rows(abi, version)
            section.fdes.append(Fde(TEXT + 0x40, 0x20, [plain(abi)[0]]))
            filler = Fde(TEXT + 0x80, 0x20, [])
            section.fdes.append(filler)
            while not filler.fres or len(build(section)[0]) % 8:
                filler.fres.append(plain(abi, len(filler.fres))[0])
            fre_len = len(build(section)[0]) - 28 - 3 * FDE_SIZES[version]
            yield vector(f"truncated/{name}-rows-{missing}-from-the-end",
                         section, ("fre-offset", "fre-len"),
                         [(TEXT, (first,) + NO_RULE), (TEXT + 0x45, NO_RULE)],
                         EITHER, change={"fde1.fre_off": fre_len - missing})


def truncated():
    for version, abi in ((1, AMD64), (2, AMD64), (3, AMD64), (3, S390X)):
        section, _, _ = two_rows(abi, version)
        section.fdes.append(Fde(TEXT + 0x40, 0x20, [plain(abi)[0]]))
        data, _ = build(section)
        for size in range(len(data)):
            demand = ("preamble-size" if size < 4
                      else "header-size" if size < 28
                      else "fre-len")
            yield Vector(f"truncated/v{version}-{ABI_NAMES[abi]}-{size}",
                         "truncated", data[:size], section.address, version,
                         abi, (demand,),
                         [(pc, NO_RULE) for pc in (TEXT, TEXT + 0x45)],
                         REFUSE if size < 28 else EITHER)


GROUPS = (default_rows, extreme_words, outermost, no_row, header, entries,
          segments, row_search, info_bits, s390x_special, flexible, lies,
          cut_off, truncated)


def all_vectors():
    for group in GROUPS:
        yield from group()
