#!/usr/bin/env python3
"""Does the conformance suite notice mistakes in the decoder and the encoder?

    mutants.py BUILD [NUMBER...]

Each mutant below is one mistake that a person could make in src/sframe/decode.c
or encode.c.  The adapters of this folder are linked with the changed file, with
sanitizers, and held against the vectors; a mutant that no vector notices is
printed, and makes the exit status 1.  BUILD is a build tree after `make check'.
Not part of the tests, because it compiles; tools/maintainer/mutants.sh asks all tests
about random mistakes instead.

Changes that nobody can see are not in the list: "functions outside the section"
is implied by the two checks behind it, a CFA's control word is never 0, and no
PC is looked up in a row that starts behind the block that repeats.
SPDX-License-Identifier: LGPL-2.1-or-later
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
SUITE = os.path.join(TOP, "conformance")

# What is there, and what stands there instead.  The text occurs once.
DECODE = [
    ("decoder->size < SFRAME_HEADER_SIZE", "decoder->size < 4"),
    ("load_u16 (bytes, true) == SFRAME_MAGIC", "load_u16 (bytes, true)"),
    ("version < 1 || version > 3", "version > 3"),
    ("version < 1 || version > 3", "version < 1 || version > 4"),
    ("arch->big_endian != decoder->big_endian", "arch->fixed_ra_offset > 0"),
    ("decoder->fixed_ra_offset != decoder->arch->fixed_ra_offset", "false"),
    ("decoder->aux_size = bytes[SFRAME_HEADER_AUX_SIZE]",
     "decoder->aux_size = 0"),
    ("= base + load_u32 (bytes + SFRAME_HEADER_FDE_OFFSET, big_endian)",
     "= base"),
    ("= base + load_u32 (bytes + SFRAME_HEADER_FRE_OFFSET, big_endian)",
     "= SFRAME_HEADER_SIZE"
     " + load_u32 (bytes + SFRAME_HEADER_FRE_OFFSET, big_endian)"),
    ("if (fde_end > decoder->fre_offset)", "if (false)"),
    ("decoder->fre_size > decoder->size - decoder->fre_offset", "false"),
    ("version >= 3 ? base + load_u64 (at, big_endian)",
     "version >= 3 ? base + (uint64_t)(int32_t)load_u32 (at, big_endian)"),
    ("(uint64_t)(int32_t)load_u32 (at, big_endian)",
     "(uint64_t)load_u32 (at, big_endian)"),
    ("  if (decoder->variant.pcrel)\n    base += offset;",
     "  base += offset;"),
    ("function->pcmask && version == 1", "function->pcmask && version == 9"),
    ("function->pcmask && function->repeat == 0", "false"),
    ("function->fre_type > SFRAME_FRE_ADDR4", "function->fre_type > 3"),
    ("info & SFRAME_FDE_B_KEY", "info & SFRAME_FDE_SIGNAL"),
    ("version >= 3 && info & SFRAME_FDE_SIGNAL", "info & SFRAME_FDE_SIGNAL"),
    ("fre_size - fre_offset < SFRAME_V3_ATTRIBUTE_SIZE",
     "fre_size - fre_offset < 1"),
    ("function->n_rows = load_u16 (at, decoder->big_endian)",
     "function->n_rows = at[0]"),
    ("if (type > SFRAME_FDE_TYPE_FLEX)", "if (false)"),
    ("function->repeat = at[4]", "function->repeat = 16"),
    ("function->repeat = at[17]", "function->repeat = at[18]"),
    ("cursor->left > (size_t)(cursor->end - cursor->at) / 2", "false"),
    ("i += i == 0 || row->words[i] != 0 ? 2 : 1", "i += 2"),
    ("if (i != row->n_words)\n    row->control = 0;", ""),
    ("if (!(row->control >> i & 1))", "if (true)"),
    ("width == 1\n                        ? load_u16", "width == 2\n ? load_u16"),
    ("controls > 3", "controls > 4"),
    ("if (left < head)", "if (false)"),
    ("row->base_sp = info & SFRAME_FRE_BASE_SP",
     "row->base_sp = !(info & SFRAME_FRE_BASE_SP)"),
    ("row->ra_signed = info & SFRAME_FRE_RA_SIGNED", "row->ra_signed = false"),
    ("if (width > 2)", "if (width > 3)"),
    ("row->n_words > SFRAME_WORDS_MAX", "row->n_words > 15"),
    ("if (left - head < words)", "if (false)"),
    ("          > pc);", "          >= pc);"),
    ("      base += decoder->fde_offset;\n      step = size;",
     "      base += decoder->fde_offset;"),
    ("pc - start_of (decoder, i) < sframe_decoder_size (decoder, i)",
     "pc - start_of (decoder, i) <= sframe_decoder_size (decoder, i)"),
    ("!(decoder->flags & SFRAME_FLAG_SORTED)", "false"),
    ("return pc - start_of (decoder, *index)\n         < sframe",
     "return pc - start_of (decoder, *index)\n         <= sframe"),
    ("if (start < last)\n        return -1;", ""),
    ("if (start > offset)\n        break;",
     "if (start >= offset && found)\n        break;"),
    ("&& !function->flexible && !function->signal", "&& !function->signal"),
    ("decoder->variant.version >= 3 && function->n_rows == 0\n         &&",
     "decoder->variant.version >= 4 && function->n_rows == 0\n         &&"),
    ("if (function->pcmask)\n    offset %= function->repeat;", ""),
]
ENCODE = [
    ("return value <= INT16_MAX && value >= INT16_MIN + limit ? 1 : 2;",
     "return value <= UINT16_MAX && value >= INT16_MIN + limit ? 1 : 2;"),
    ("if (value <= INT8_MAX && value >= INT8_MIN + limit)",
     "if (value <= UINT8_MAX && value >= INT8_MIN + limit)"),
    ("if (value <= INT8_MAX && value >= INT8_MIN + limit)",
     "if (value <= INT8_MAX && value >= INT8_MIN - 1)"),
    ("return value <= UINT8_MAX ? 0 : value <= UINT16_MAX ? 1 : 2;",
     "return value <= UINT8_MAX ? 0 : 1;"),
    ("return value <= UINT8_MAX ? 0 : value <= UINT16_MAX ? 1 : 2;",
     "return value <= UINT8_MAX + 1 ? 0 : value <= UINT16_MAX ? 1 : 2;"),
    ("row->control == 0 && row->n_words <= 2", "row->control == 0"),
    ("(row->n_words < 2 || signed_width (row->words[1], limit) == 0)", "true"),
    ("? unsigned_width ((uint32_t)row->words[i])",
     "? 0 * unsigned_width ((uint32_t)row->words[i])"),
    ("if (needed > width)\n        width = needed;", "width = needed;"),
    ("store_u16 (at, (uint16_t)value, big_endian)",
     "store_u16 (at, (uint16_t)value, false)"),
    ("store_u32 (at, value, big_endian);\n  return at",
     "store_u32 (at, value, false);\n  return at"),
    ("(row->base_sp ? SFRAME_FRE_BASE_SP : 0)", "SFRAME_FRE_BASE_SP"),
    ("| width << SFRAME_FRE_WORD_SHIFT", ""),
    ("| (row->ra_signed ? SFRAME_FRE_RA_SIGNED : 0)", ""),
    ("uint32_t end = function->pcmask ? function->repeat : function->size;",
     "uint32_t end = function->size;"),
    ("if (function->n_rows > 0 && function->rows[function->n_rows - 1].start"
     " >= end", "if (function->n_rows > 1000000"),
    ("if (i > 0 && row->start <= row[-1].start", "if (i > 0 && false"),
    ("return address > last->address && address - last->address >= last->size;",
     "return true;"),
    ("return function->n_rows <= SFRAME_V3_FRES_MAX;",
     "return function->n_rows < SFRAME_V3_FRES_MAX;"),
    ("return function->n_rows <= SFRAME_V3_FRES_MAX;", "return true;"),
    ("&& !(function->pcmask && encoder->options.variant.version < 2);", ";"),
    ("&& !function->flexible\n         && !function->signal", ""),
    ("last = function->rows[function->n_rows - 1].start;",
     "last = function->rows[0].start;"),
    ("(fre_type | (function->pcmask ? SFRAME_FDE_PCMASK : 0)", "(fre_type"),
    ("| (function->b_key ? SFRAME_FDE_B_KEY : 0)", ""),
    ("| (function->signal ? SFRAME_FDE_SIGNAL : 0)", ""),
    ("store_u16 (at, (uint16_t)function->n_rows, encoder->rows.big_endian)",
     "store_u16 (at, (uint16_t)function->n_rows, false)"),
    ("at[3] = function->flexible ? SFRAME_FDE_TYPE_FLEX",
     "at[3] = false ? SFRAME_FDE_TYPE_FLEX"),
    ("at[4] = function->repeat;", "at[4] = 0;"),
    (".fre_offset = (uint32_t)start,", ".fre_offset = 0,"),
    (".n_rows = (uint32_t)function->n_rows,", ".n_rows = 1,"),
    (".repeat = function->repeat,", ""),
    ("encoder->n_rows += record->n_rows;", "encoder->n_rows++;"),
    ("(uint8_t)((options->sorted ? SFRAME_FLAG_SORTED : 0)", "(uint8_t)(0"),
    ("| (options->variant.pcrel ? SFRAME_FLAG_PCREL : 0)", ""),
    ("at[SFRAME_HEADER_FIXED_RA] = (uint8_t)arch->fixed_ra_offset;", ""),
    ("(uint32_t)encoder->rows.size,\n             big_endian);",
     "(uint32_t)encoder->rows.size + 1,\n             big_endian);"),
    ("(uint32_t)encoder->n_rows, big_endian);",
     "(uint32_t)encoder->n_records, big_endian);"),
    ("store_u64 (at, distance, big_endian);",
     "store_u64 (at, (uint32_t)distance, big_endian);"),
    ("return distance + 0x80000000u <= UINT32_MAX;", "return true;"),
    ("    base += SFRAME_HEADER_SIZE;\n  for", "    base += 0;\n  for"),
    ("      if (encoder->options.variant.pcrel)\n        base += record_size;",
     ""),
    ("at[17] = record->repeat;", "at[17] = 0;"),
    ("record.address = address;\n  record.size = size;",
     "record.address = address;"),
]


def source_text(name):
    with open(os.path.join(TOP, "src", "sframe", name),
              encoding="utf-8") as file:
        return file.read()


def changed(name, old, new):
    text = source_text(name)
    if text.count(old) != 1:
        sys.exit(f"{name}: {text.count(old)} times: {old}")
    return text.replace(old, new)


def run(*command):
    """The exit status; 1 too if it takes two minutes."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False,
                              timeout=120).returncode
    except subprocess.TimeoutExpired:
        return 1


def libraries(build):
    """What the library of the build tree is linked with."""
    with open(os.path.join(build, "libcore.la"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("dependency_libs="):
                return line.split("'")[1].split()
    sys.exit("libcore.la: no dependencies")


def link(build, scratch, name, text, adapter):
    """ADAPTER with the file NAME of TEXT in place of the library's."""
    source = os.path.join(scratch, name)
    program = os.path.join(scratch, "adapter")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    parts = [os.path.join(HERE, adapter + ".c")]
    if adapter == "decoder":
        parts.append(os.path.join(SUITE, "adapters", "host.c"))
    library = os.path.join(build, ".libs", "libcore.a")
    if run(os.environ.get("CC", "gcc"), "-std=gnu17", "-D_GNU_SOURCE", "-w", "-g",
           "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
           "-I" + os.path.join(TOP, "src"), "-I" + TOP, "-I" + os.path.join(TOP, "include"),
           "-I" + build, *parts, source, library,
           *libraries(build), "-pthread", "-o", program) != 0:
        sys.exit(f"{name}: does not compile")
    return program


def survives(build, scratch, name, text):
    vectors = os.path.join(SUITE, "vectors")
    if name == "decode.c":
        program = link(build, scratch, name, text, "decoder")
        return run("python3", os.path.join(SUITE, "run.py"), "--compare",
                   os.path.join(SUITE, "results.json"),
                   "cfi2sframe=" + program) == 0
    program = link(build, scratch, name, text, "encoder")
    return run("python3", os.path.join(HERE, "encoder.py"), "--first",
               program, vectors) == 0


def main(build, *numbers):
    mutants = ([("decode.c", *pair) for pair in DECODE]
               + [("encode.c", *pair) for pair in ENCODE])
    wanted = [int(n) for n in numbers] or range(len(mutants))
    left = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("decode.c", "encode.c"):
            if not survives(build, scratch, name, source_text(name)):
                sys.exit(f"{name}: fails without a change")
        for number in wanted:
            name, old, new = mutants[number]
            if survives(build, scratch, name, changed(name, old, new)):
                left += 1
                print(f"{number}: {name}: not noticed: {old!r} -> {new!r}",
                      flush=True)
    print(f"{len(wanted)} mutants, {left} not noticed")
    return left > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
