# SPDX-License-Identifier: 0BSD
"""An executable specification of SFrame, versions 1 to 3.

This module is written to be read along with the specification (SFrame
specification, draft of version 3, binutils 2.47; section numbers below are
those of that text).  It favours plainness over speed, and it shares nothing
with any reader or producer.

A section is judged in two ways.  `violations` lists each demand of the
specification that the section breaks.  `Section.lookup` answers what a stack
tracer has to do at a PC.  Each demand has a name, which sentences.json
explains.
"""

import struct

MAGIC = 0xDEE2
HEADER_SIZE = 28

# Section 2.1.3: flags, and in which versions they are defined.
SORTED, FRAME_POINTER, PCREL = 0x1, 0x2, 0x4
FLAGS_OF_VERSION = {1: SORTED | FRAME_POINTER,
                    2: SORTED | FRAME_POINTER | PCREL,
                    3: SORTED | PCREL}


class Machine:
    """What the specification says of one ABI (sections 2.2.1 and 3.1)."""

    def __init__(self, name, order, sp, fp, tracks_ra, fixed_ra, counts):
        self.name = name
        self.order = order          # of bytes, as struct spells it
        self.sp, self.fp = sp, fp   # DWARF numbers of the registers
        self.tracks_ra = tracks_ra  # each row says where the RA is
        self.fixed_ra = fixed_ra    # bytes from the CFA, if it does not
        self.counts = counts        # of data words in a default row


MACHINES = {
    1: Machine("aarch64-be", ">", 31, 29, True, 0, (1, 3)),
    2: Machine("aarch64", "<", 31, 29, True, 0, (1, 3)),
    3: Machine("amd64", "<", 7, 6, False, -8, (1, 2)),
    4: Machine("s390x", ">", 15, 11, True, 0, (1, 2, 3)),
}

# s390x (section 3.1.3): CFA offsets are stored as (offset - 160) / 8; the
# released readers and producers agree on this reading of the text.
S390X_CFA_ADJUSTMENT, S390X_CFA_FACTOR = 160, 8

FDE_SIZE = {1: 17, 2: 20, 3: 16}
ATTRIBUTE_SIZE = 5  # version 3 only
WORD_SIZES = {0: 1, 1: 2, 2: 4}
START_SIZES = {0: 1, 1: 2, 2: 4}
# Version 1 stores no size of a repeated block; its PLT entries have 16 bytes.
V1_REPEAT = 16


class Violation(Exception):
    """A broken demand.

    `demand` is its name in sentences.json and `offset` a place in the section.
    A section with a fatal violation cannot be understood: a reader that gives
    a rule for it makes the rule up.  Another violation is the producer's
    fault, and a reader may overlook it.
    """

    def __init__(self, demand, offset, text, fatal=True):
        super().__init__(text)
        self.demand, self.offset, self.fatal = demand, offset, fatal

    def __str__(self):
        return f"{self.demand} at {self.offset:#x}: {self.args[0]}"


class Row:
    """A frame row entry (section 2.4): `start`, info bits and data words."""

    def __init__(self, offset, start, info, words, signed_words, size):
        self.offset, self.start, self.size = offset, start, size
        self.base_is_sp = bool(info & 1)
        self.ra_signed = bool(info & 0x80)
        self.words = words                # unsigned: control words
        self.signed_words = signed_words  # signed: offsets


class Function:
    """A function descriptor entry (section 2.3), of any version."""

    def __init__(self):
        self.address = self.size = self.n_rows = self.info = self.info2 = 0
        self.repeat = self.rows_offset = self.rows_at = 0
        self.entry_offset = self.info_offset = 0

    fre_type = property(lambda self: self.info & 0xF)
    pcmask = property(lambda self: bool(self.info & 0x10))
    key_b = property(lambda self: bool(self.info & 0x20))
    signal = property(lambda self: bool(self.info & 0x80))
    fde_type = property(lambda self: self.info2 & 0x1F)


class Section:
    """An SFrame section: `data`, loaded at `address`.

    The constructor raises the first fatal Violation of preamble and header;
    those that are not fatal are kept in `complaints`.
    """

    def __init__(self, data, address):
        self.data, self.address = data, address
        self.complaints = []
        self._read_preamble()
        self._read_header()

    def _complain(self, demand, offset, text):
        self.complaints.append(Violation(demand, offset, text, fatal=False))

    def _read_preamble(self):
        """Section 2.1: the part that no version changes."""
        if len(self.data) < 4:
            raise Violation("preamble-size", 0, "smaller than a preamble")
        for order in "<>":
            magic, version, flags = struct.unpack_from(order + "HBB",
                                                       self.data)
            if magic == MAGIC:
                break
        else:
            raise Violation("magic", 0, "neither byte order has the magic")
        self.order, self.version, self.flags = order, version, flags
        if version not in FDE_SIZE:
            raise Violation("version", 2, f"version {version}")
        if flags & ~FLAGS_OF_VERSION[version]:
            self._complain("flags-undefined", 3,
                           f"flags {flags:#x} in version {version}")

    def _read_header(self):
        """Section 2.2: where the two tables are, and for which machine."""
        if len(self.data) < HEADER_SIZE:
            raise Violation("header-size", 4, "smaller than a header")
        (abi, self.fixed_fp, self.fixed_ra, aux, self.n_fdes, self.n_fres,
         self.fre_size, fde_offset, fre_offset) = struct.unpack_from(
             self.order + "BbbBIIIII", self.data, 4)
        if abi not in MACHINES:
            raise Violation("abi", 4, f"ABI {abi}")
        self.abi, self.machine = abi, MACHINES[abi]
        if self.machine.order != self.order:
            raise Violation("endianness", 4,
                            f"byte order is not that of {self.machine.name}")
        if self.version == 1 and abi == 4:
            raise Violation("abi", 4, "version 1 knows no s390x")
        self._check_fixed()
        end = HEADER_SIZE + aux  # section 2.2: both offsets begin here
        self.fde_at, self.fre_at = end + fde_offset, end + fre_offset
        self._check_tables()

    def _check_fixed(self):
        if self.fixed_ra != self.machine.fixed_ra or self.fixed_fp != 0:
            self._complain("fixed-offsets", 5,
                           f"{self.fixed_fp} and {self.fixed_ra} are not the"
                           f" offsets of {self.machine.name}")

    def _check_tables(self):
        fde_end = self.fde_at + self.n_fdes * FDE_SIZE[self.version]
        if fde_end > len(self.data):
            raise Violation("num-fdes", 8, "entries outside of the section")
        if self.fre_at + self.fre_size > len(self.data):
            raise Violation("fre-len", 16, "rows outside of the section")
        if self.fre_at < fde_end:
            raise Violation("tiling", 24, "rows overlap the entries")
        if fde_end != self.fre_at:
            self._complain("tiling", 24, "a gap between entries and rows")

    # Functions (section 2.3).

    def _start(self, field, offset):
        """The address that a start OFFSET stored at FIELD stands for."""
        base = self.address + (field if self.flags & PCREL else 0)
        return (base + offset) % (1 << 64)

    def function(self, index):
        """The function of entry INDEX; raises Violation."""
        at = self.fde_at + index * FDE_SIZE[self.version]
        function = Function()
        function.entry_offset = at
        if self.version == 3:
            self._read_index(function, at)
        else:
            self._read_entry(function, at)
        self._check_function(function)
        return function

    def _read_index(self, function, at):
        """Version 3, sections 2.3.1 and 2.3.2: index and attribute."""
        start, function.size, function.rows_offset = struct.unpack_from(
            self.order + "qII", self.data, at)
        function.address = self._start(at, start)
        if function.rows_offset + ATTRIBUTE_SIZE > self.fre_size:
            raise Violation("fre-offset", at + 12,
                            "attribute outside of the rows")
        attribute = self.fre_at + function.rows_offset
        function.info_offset = attribute + 2
        (function.n_rows, function.info, function.info2,
         function.repeat) = struct.unpack_from(self.order + "HBBB", self.data,
                                               attribute)
        function.rows_at = attribute + ATTRIBUTE_SIZE

    def _read_entry(self, function, at):
        """Versions 1 and 2: everything is in one entry."""
        (start, function.size, function.rows_offset, function.n_rows,
         function.info) = struct.unpack_from(self.order + "iIIIB", self.data,
                                             at)
        function.address = self._start(at, start)
        function.info_offset = at + 16
        if self.version == 1:
            function.repeat = V1_REPEAT
        else:
            function.repeat = self.data[at + 17]
        if function.rows_offset > self.fre_size:
            raise Violation("fre-offset", at + 8, "rows outside of the rows")
        function.rows_at = self.fre_at + function.rows_offset

    def _check_function(self, function):
        if function.fre_type not in START_SIZES:
            raise Violation("fre-type", function.info_offset,
                            f"FRE type {function.fre_type}")
        if function.fde_type > 1:
            raise Violation("fde-type", function.info_offset + 1,
                            f"FDE type {function.fde_type}")
        if function.pcmask and function.repeat == 0:
            raise Violation("repeat-size", function.info_offset,
                            "a repeated block of no bytes")

    # Rows (section 2.4).

    def rows(self, function, until=1 << 64):
        """The rows of FUNCTION in their order, up to the first one that starts
        behind offset UNTIL; raises Violation."""
        at, end = function.rows_at, self.fre_at + self.fre_size
        for _ in range(function.n_rows):
            start = self._read_start(function, at, end)
            if start > until:
                return
            row = self._read_row(function, at, end, start)
            at += row.size
            yield row

    def _read_start(self, function, at, end):
        size = START_SIZES[function.fre_type]
        if at + size + 1 > end:
            raise Violation("num-fres-function", at, "row outside of the rows")
        return int.from_bytes(self.data[at:at + size],
                              "little" if self.order == "<" else "big")

    def _read_row(self, function, at, end, start):
        start_size = START_SIZES[function.fre_type]
        head = start_size + 1
        info = self.data[at + start_size]
        count, size_code = info >> 1 & 0xF, info >> 5 & 3
        if size_code not in WORD_SIZES:
            raise Violation("dataword-size", at + start_size,
                            "data words of an undefined size")
        size = WORD_SIZES[size_code]
        if at + head + count * size > end:
            raise Violation("num-fres-function", at,
                            "data words outside of the rows")
        letter = {1: "B", 2: "H", 4: "I"}[size]
        words = struct.unpack_from(f"{self.order}{count}{letter}", self.data,
                                   at + head)
        signed = struct.unpack_from(f"{self.order}{count}{letter.lower()}",
                                    self.data, at + head)
        return Row(at, start, info, words, signed, head + count * size)

    # Lookup (section 2.3.3.1 and appendix A).

    def functions_at(self, pc):
        """The functions with PC in their ranges.

        The specification does not say which one counts if there are several.
        """
        for index in range(self.n_fdes):
            at = self.fde_at + index * FDE_SIZE[self.version]
            start, size = struct.unpack_from(
                self.order + ("qI" if self.version == 3 else "iI"), self.data,
                at)
            if (pc - self._start(at, start)) % (1 << 64) < size:
                yield index

    def find_row(self, function, pc):
        """The last row that starts at or before PC, or None."""
        offset = (pc - function.address) % (1 << 64)
        if function.pcmask:
            offset %= function.repeat
        found = None
        for row in self.rows(function, offset):
            found = row
        return found

    def lookup(self, pc):
        """What a stack tracer does at PC: a rule as text, or "none"."""
        indexes = list(self.functions_at(pc))
        return self.lookup_in(indexes[-1], pc) if indexes else "none"

    def lookup_in(self, index, pc):
        """The same, for the function of entry INDEX."""
        function = self.function(index)
        if function.n_rows == 0 and self.version == 3 and (
                function.fde_type == 0 and not function.signal):
            return "outermost"  # section 1.2
        row = self.find_row(function, pc)
        return "none" if row is None else self.rule(function, row)

    # Rules (section 3).

    def rule(self, function, row):
        """ROW as text, like "cfa=sp+16 ra=[cfa-8] fp=same"."""
        if len(row.words) == 0:
            return "outermost"  # section 2.4.1
        if function.fde_type == 1:
            cfa, ra, fp = self._flexible(row)
        else:
            cfa, ra, fp = self._default(row)
        text = f"cfa={cfa} ra={ra} fp={fp}"
        if row.ra_signed and self.abi in (1, 2):
            text += " signed-b" if function.key_b else " signed-a"
        return text + (" signal" if self.version == 3 and function.signal
                       else "")

    def _register(self, number):
        names = {self.machine.sp: "sp", self.machine.fp: "fp"}
        return names.get(number, f"r{number}")

    def _default(self, row):
        """Section 3.1: CFA, RA where it is tracked, FP."""
        words = row.signed_words
        machine = self.machine
        if len(words) not in machine.counts:
            raise Violation("default-count", row.offset,
                            f"{len(words)} data words on {machine.name}")
        cfa_offset = words[0]
        if self.abi == 4:
            cfa_offset = cfa_offset * S390X_CFA_FACTOR + S390X_CFA_ADJUSTMENT
        cfa = f"{'sp' if row.base_is_sp else 'fp'}{cfa_offset:+}"
        if not machine.tracks_ra:
            fp = f"[cfa{words[1]:+}]" if len(words) > 1 else self._fixed_fp()
            return cfa, f"[cfa{self.fixed_ra:+}]", fp
        ra = self._slot(words[1]) if len(words) > 1 else "same"
        fp = self._slot(words[2]) if len(words) > 2 else self._fixed_fp()
        if self.abi == 4 and len(words) > 1 and words[1] == 0:
            ra = "same"  # SFRAME_FRE_RA_OFFSET_INVALID
        return cfa, ra, fp

    def _fixed_fp(self):
        """Where FP is if no row says so (section 2.2)."""
        return f"[cfa{self.fixed_fp:+}]" if self.fixed_fp else "same"

    def _slot(self, word):
        """A slot on the stack; on s390x in version 2 a register may stand
        there (erratum 1), told by an odd number."""
        if self.abi == 4 and self.version == 2 and word & 1:
            return f"{self._register(word >> 1)}+0"
        return f"[cfa{word:+}]"

    def _flexible(self, row):
        """Section 3.2: pairs of control and offset, in the order CFA, RA,
        FP; a control word of 0 stands alone and says that the entity has no
        rule of its own."""
        rules, at = [], 0
        while at < len(row.words):
            control = row.words[at]
            if control == 0 and rules:
                rules.append(None)
                at += 1
                continue
            if at + 1 == len(row.words):
                raise Violation("flex-pairs", row.offset,
                                "a control word without an offset")
            rules.append((control, row.signed_words[at + 1]))
            at += 2
        if len(rules) > 3:
            raise Violation("flex-order", row.offset,
                            "more than three entities")
        rules += [None] * (3 - len(rules))
        if not rules[0][0] & 1:
            raise Violation("flex-cfa-register", row.offset,
                            "the CFA has no base register")
        fixed = (f"[cfa{self.fixed_ra:+}]" if not self.machine.tracks_ra
                 else "same")
        # The text does not say that s390x scales this offset, too; what writes
        # and reads these rows does it.
        control, offset = rules[0]
        if self.abi == 4:
            offset = offset * S390X_CFA_FACTOR + S390X_CFA_ADJUSTMENT
        return (self._value((control, offset)),
                fixed if rules[1] is None else self._value(rules[1]),
                self._fixed_fp() if rules[2] is None else self._value(rules[2]))

    def _value(self, rule):
        control, offset = rule
        base = self._register(control >> 3) if control & 1 else "cfa"
        text = f"{base}{offset:+}"
        return f"[{text}]" if control & 2 else text


def _row_violations(section, function):
    """Demands on the rows of one function; stops at a fatal one."""
    limit = function.repeat if function.pcmask else function.size
    last = None
    for row in section.rows(function):
        if last is not None and row.start <= last:
            yield Violation("fre-ascending", row.offset,
                            "starts at or before the row before it", False)
        if row.start >= limit:
            yield Violation("fre-range", row.offset,
                            "starts at or behind the end of its function",
                            False)
        last = row.start
        section.rule(function, row)


def violations(data, address):
    """All violations of a section, as far as it can be read.

    A function with an entry or rows that cannot be read is passed over, with
    its first fatal violation.
    """
    try:
        section = Section(data, address)
    except Violation as violation:
        return [violation]
    found, last, n_rows = list(section.complaints), None, 0
    for index in range(section.n_fdes):
        try:
            function = section.function(index)
            n_rows += function.n_rows
            if section.flags & SORTED and last is not None and (
                    function.address < last):
                found.append(Violation("sorted", function.entry_offset,
                                       "starts before the entry before it",
                                       False))
            last = function.address
            if section.version == 3:
                unused = function.info & 0x40 or function.info2 & 0xE0
            else:
                unused = function.info & 0xC0
            if unused:
                found.append(Violation("info-unused", function.info_offset,
                                       "unused bits are set", False))
            found.extend(_row_violations(section, function))
        except Violation as violation:
            found.append(violation)
    if n_rows != section.n_fres:
        found.append(Violation("num-fres", 12,
                               f"{n_rows} rows, but {section.n_fres} in the"
                               " header", False))
    return found
