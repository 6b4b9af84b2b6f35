#!/usr/bin/env python3
"""How large .sframe is, by what cfi2sframe --stats=json prints.

  size_report.py --sums [-b BUILD] [CFI2SFRAME-OPTION]... DIR...
prints the sums over the files below, as GNU as and ld write their sections, by
default, and with --compact: the figures of doc/formats/smaller.md.  Those of GNU are
those of cfi2sframe --gnu, which tests/cli/gnu.bats holds against GNU as and ld byte for
byte.  The files stay as they are (--dry-run); 2 s for each 10 MB.  BUILD is the build
tree (default: build).

  size_report.py --chart [--formats=NAME,...] STATS
prints an SVG bar chart of the lines that cfi2sframe --compare-formats prints; --formats
chooses among the formats.  doc/use/size.svg is made so, in a folder with the files:
    cfi2sframe --compare-formats --stats=json * >/tmp/stats
    size_report.py --chart --formats=v3-no-share,v3,v3-compact /tmp/stats
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import argparse
import html
import json
import os
import subprocess
import sys
import unicodedata
from collections import Counter

sys.dont_write_bytecode = True
import common


def entries_of(text):
    """The objects about files in the lines that cfi2sframe has printed."""
    entries = [json.loads(line)
               for line in text.decode("utf-8", "surrogateescape").split("\n")
               if line.strip()]
    return [entry for entry in entries if "total" not in entry]


def conversion(program, paths, further):
    """What would become of the files below PATHS.  Those that fail are there, and
    cfi2sframe says why."""
    done = subprocess.run(
        [program, "--dry-run", "-q", "--replace", "--recursive", "--stats=json"]
        + further + ["--"] + paths, stdout=subprocess.PIPE, check=False)
    return entries_of(done.stdout)


def converted_among(entries):
    return [entry for entry in entries if entry["status"] == "converted"]


def text_of(name):
    """A name as text for HTML and XML, which have no control characters."""
    return html.escape("".join(
        "".join(f"\\x{byte:02x}" for byte in
                letter.encode("utf-8", "surrogateescape"))
        if unicodedata.category(letter) in ("Cc", "Cs")
        or letter in "\ufffe\uffff" else letter for letter in name))


def sums(program, paths, further):
    """A line for each way of writing sections."""
    for way in ["--gnu"], [], ["--compact"]:
        converted = converted_among(conversion(program, paths, way + further))
        if not converted:
            sys.exit("size_report.py: no file can be converted")
        cfi = sum(entry["eh_frame_bytes"] + entry["eh_frame_hdr_bytes"]
                  for entry in converted)
        sframe = sum(entry["sframe_bytes"] for entry in converted)
        yield (f"{''.join(way) or 'default':10} {len(converted):5} files  "
               f"{cfi:11} bytes of CFI  {sframe:11} of .sframe  "
               f"{sframe / cfi if cfi else 0:.3f}\n")


# The chart of --compare-formats: a group of horizontal bars for the sum and for each
# file.  A bar's length is the format's size relative to .eh_frame and .eh_frame_hdr;
# behind that of compact unwind is the part of .eh_frame that it needs.  No scripts, no
# fonts to load.

FORMATS = {"v1": ("SFrame V1", "#b8b8b8"),
           "v2": ("SFrame V2", "#8fa8c8"),
           "v3-no-share": ("SFrame V3 --no-share", "#6f93c4"),
           "v3": ("SFrame V3", "#3f6fb0"),
           "v3-compact": ("SFrame V3 --compact", "#1f4f8f"),
           "compact-unwind": ("compact unwind", "#d08030")}
KEPT_COLOUR = "#ecc9a0"
GROUPS_MAX = 40  # a chart of more cannot be read; then it has the sum alone
MARGIN, LABELS, HEAD = 16, 160, 64  # LABELS: width of what is left of the bars
BAR, STEP, GAP = 14, 17, 30  # a bar, bar to bar, between groups with the name
UNIT = 480  # width of a bar of ratio 1
WIDTH = MARGIN + LABELS + UNIT + UNIT // 2 + MARGIN


class Comparison:
    """The sizes of one file by format, or sums over files."""

    def __init__(self, name):
        self.name = name
        self.cfi = self.kept = 0
        self.bytes = Counter()
        self.cfi_of = Counter()  # of the files of machines that have the format

    def add(self, entry):
        cfi = entry["eh_frame_bytes"] + entry["eh_frame_hdr_bytes"]
        self.cfi += cfi
        for name, form in entry["formats"].items():
            self.bytes[name] += form["bytes"]
            self.cfi_of[name] += cfi
            self.kept += form.get("eh_frame_bytes", 0)

    def formats(self, wanted):
        return [name for name in FORMATS if name in wanted and self.bytes[name]]

    def ratio(self, name, value):
        return value / self.cfi_of[name] if self.cfi_of[name] else 0.0


def rectangle(x, y, width, colour):
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" ' \
           f'fill="{colour}"/>\n'


def bar_of_format(row, name, y):
    label, colour = FORMATS[name]
    begin = MARGIN + LABELS
    width = UNIT * row.ratio(name, row.bytes[name])
    together = row.bytes[name]
    parts = [f'<text x="{begin - 6}" y="{y + BAR - 3}" text-anchor="end">'
             f"{label}</text>\n", rectangle(begin, y, width, colour)]
    if name == "compact-unwind":
        kept = UNIT * row.ratio(name, row.kept)
        parts.append(rectangle(begin + width, y, kept, KEPT_COLOUR))
        width += kept
        together += row.kept
    parts.append(f'<text x="{begin + width + 5:.1f}" y="{y + BAR - 3}">'
                 f"{row.ratio(name, together):.3f}</text>\n")
    return "".join(parts)


def chart(entries, wanted):
    total, rows = Comparison("Sum"), []
    for entry in sorted((entry for entry in entries
                         if entry["status"] == "compared"),
                        key=lambda entry: os.fsencode(entry["file"])):
        rows.append(Comparison(entry["file"]))
        rows[-1].add(entry)
        total.add(entry)
    if len(rows) > GROUPS_MAX:
        rows = [total]
    elif len(rows) != 1:
        rows.insert(0, total)
    parts, y = [], HEAD - GAP // 2
    for row in rows:
        y += GAP
        parts.append(f'<text x="{MARGIN}" y="{y - 8}" font-weight="bold">'
                     f"{text_of(row.name)} ({row.cfi} bytes of .eh_frame "
                     "and .eh_frame_hdr)</text>\n")
        for name in row.formats(wanted):
            parts.append(bar_of_format(row, name, y))
            y += STEP
    height = y + GAP // 2 + MARGIN
    one = MARGIN + LABELS + UNIT
    note = ("" if "compact-unwind" not in wanted else
            f'<text x="{MARGIN}" y="44">SFrame is right at every instruction, '
            "compact unwind at calls; light: what .eh_frame must keep for it"
            "</text>\n")
    return f'''<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" \
height="{height}" font-family="sans-serif" font-size="11">
<rect width="{WIDTH}" height="{height}" fill="white"/>
<text x="{MARGIN}" y="24" font-size="15">Unwind data relative to \
.eh_frame and .eh_frame_hdr</text>
{note}<line x1="{one}" y1="{HEAD - 8}" x2="{one}" y2="{height - MARGIN}" \
stroke="#888" stroke-dasharray="3 3"/>
{"".join(parts)}</svg>
'''


def main():
    parser = common.parser_of(__doc__, usage=argparse.SUPPRESS)
    common.add_build(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sums", action="store_true")
    what.add_argument("--chart", action="store_true")
    parser.add_argument("--formats", help="for --chart: these alone")
    parser.add_argument("paths", nargs="+", metavar="DIR|STATS")
    options, further = parser.parse_known_args()
    if options.sums:
        sys.stdout.writelines(sums(common.converter(options), options.paths,
                                 further))
        return
    if len(options.paths) != 1 or further:
        parser.error("--chart takes one file of lines, and --formats")
    wanted = options.formats.split(",") if options.formats else list(FORMATS)
    if not set(wanted) <= set(FORMATS):
        parser.error("--formats: known are " + ", ".join(FORMATS))
    with open(options.paths[0], "rb") as file:
        text = chart(entries_of(file.read()), wanted)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


if __name__ == "__main__":
    common.run(main)
