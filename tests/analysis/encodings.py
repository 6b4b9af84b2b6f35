#!/usr/bin/env python3
# The decoder of A64 held against GNU objdump:
#   encodings.py DECODED OBJDUMP [WORDS]
# Of words that are made by chance (the same ones each time), half of them in
# groups that have instructions, the decoder has to refuse those that objdump
# calls undefined.  Where both know an instruction, they have to
# agree on where it leads, and the decoder has to know of the register that
# stands first, where it is written.  Instructions of vectors, which the decoder
# knows by groups, may be undefined.
# SPDX-License-Identifier: LGPL-2.1-or-later

import os
import random
import re
import struct
import subprocess
import sys
import tempfile

EXACT = range(4, 16)  # by bits 25 to 28
BY_GROUPS = 2, 7, 15
FLOWS = (("b|b[.]al|b[.]nv|bc[.]al|bc[.]nv", 2), ("bc?[.].*|cbn?z|tbn?z", 1),
         ("bra?a?b?z?", 3), ("bl", 4), ("blra?a?b?z?", 5), ("reta?a?b?", 6),
         ("ereta?a?b?|drps", 7), ("udf|brk|hlt|dcps[123]", 8), (".*", 0))
# What writes no register that stands first.
READERS = re.compile(r"st(?!l?x)|cbn?z|tbn?z|br|bl|ret|msr|sys$|ccm|prf|rmif|setf"
                     r"|wf[ei]t|cpy|set[pmeg]|fcmp|fccmp|b$|whil|cterm|tcancel")
SECOND = re.compile(r"ld(add|clr|eor|set|[su]max|[su]min)|swp")


def words(number):
    numbers = random.Random(64)
    for i in range(number):
        word = numbers.getrandbits(32)
        if i % 2:
            word = word & ~(15 << 25) | numbers.choice(EXACT) << 25
        if i % 5 == 0:
            word |= 0x7C00  # "should be one"
        yield word


def is_unpredictable(word):
    """objdump calls these undefined for their registers."""
    d, n, m, a = (word >> low & 31 for low in (0, 5, 16, 10))
    copies = word & 0xFB200C00 == 0x19000400
    return (copies and (len({d, n, m}) < 3 or 31 in (d, n, m))) \
        or (word & 0xFE400000 == 0x68400000 and (d == a or n in (d, a)))


def written(mnemonic, operands):
    """The mask of the register that is written, or 0."""
    if READERS.match(mnemonic):
        return 0
    at = 1 if SECOND.match(mnemonic) else 0
    match = re.match(r"\{?([wx])(\d+|sp|zr)$|(sp)$|(wsp)$",
                     operands[at] if at < len(operands) else "")
    if not match or match.group(2) == "zr":
        return 0
    number = match.group(2)
    return 1 << (int(number) if number and number != "sp" else 31)


def check(word, line, text):
    """What is wrong, or None."""
    mnemonic, *rest = text.split(None, 1)
    operands = [part.strip() for part in rest[0].split(",")] if rest else []
    if mnemonic.startswith(".inst"):
        known = line == "-" or word >> 25 & 15 in BY_GROUPS
        return None if known or is_unpredictable(word) else "is undefined"
    if line == "-":
        return None
    flow, mask = line.split()
    expected = next(number for pattern, number in FLOWS
                    if re.fullmatch(pattern, mnemonic))
    if int(flow) != expected:
        return "leads elsewhere: %s, not %d" % (flow, expected)
    if written(mnemonic, operands) & ~int(mask, 16):
        return "writes more than %s" % mask
    return None


def main():
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 100000
    tested = list(words(number))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words")
        with open(path, "wb") as file:
            file.write(struct.pack("<%dI" % number, *tested))
        ours = subprocess.check_output([sys.argv[1], path], text=True)
        theirs = subprocess.check_output(
            [sys.argv[2], "-D", "-z", "-b", "binary", "-m", "aarch64", "-M",
             "no-aliases", path], text=True)
    texts = [line.split("\t", 2)[2].split("//")[0]
             for line in theirs.splitlines() if re.match(r" *[0-9a-f]+:\t", line)]
    lines = ours.splitlines()
    if not len(texts) == len(lines) == number:
        sys.exit("%d words: %d lines, %d of objdump"
                 % (number, len(lines), len(texts)))
    wrong = known = 0
    for word, line, text in zip(tested, lines, texts):
        known += line != "-"
        problem = check(word, line, text)
        if problem:
            wrong += 1
            print("%08x %s: %s" % (word, text.replace("\t", " "), problem))
    print("%d of %d words are instructions, %d wrong" % (known, number, wrong))
    sys.exit(wrong > 0 or known < number / 4)


main()
