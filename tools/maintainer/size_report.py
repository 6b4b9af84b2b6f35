"""How large .sframe is, by what cfi2sframe --stats=json prints.

size_report.py [-o PAGE] [CFI2SFRAME-OPTION]... DIR: an HTML page about the
  sections of a tree: how large they are in proportion to .eh_frame, and how much
  of the code they cover, by package.  Packages are those of dpkg where it knows
  the files, else the folders in DIR.  The page needs no other file and no script.
size_report.py --sums [CFI2SFRAME-OPTION]... DIR...: the sums over the files below,
  as GNU as and ld write their sections, by default, and with --compact: the
  figures of doc/formats/smaller.md.  Those of GNU are those of cfi2sframe --gnu,
  which tests/cli/gnu.bats holds against GNU as and ld byte for byte.
size_report.py --chart STATS: an SVG bar chart of the formats, from the lines
  of --compare-formats:
    cfi2sframe --compare-formats --stats=json FILE... >stats
    python3 tools/maintainer/size_report.py --chart stats >formats.svg

All files stay as they are (--dry-run).  $CFI2SFRAME names the program (default:
the one built in ./build, or the one in $PATH).

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import html
import json
import math
import os
import subprocess
import sys
import unicodedata
from collections import Counter

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --faint: #59636e;
  --line: #d1d9e0; --bar: #2f6db5; --bar2: #9db9d9; --bad: #b5472f;
  --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ea;
  --faint: #9aa4af; --line: #3a424b; --bar: #6ea8e6; --bar2: #35567c;
  --bad: #e6866e; --paper: #14181c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--paper); max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .3rem; }
p { margin: .3rem 0 .8rem; } .faint, figcaption { color: var(--faint); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem,
  1fr)); gap: .8rem; margin: 1.2rem 0; }
dt { color: var(--faint); font-size: .85rem; }
dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
figure { margin: 0; } svg { width: 100%; height: auto; display: block; }
svg text { font-size: 11px; fill: var(--faint); }
.grid { stroke: var(--line); } .bar { fill: var(--bar); }
.bar2 { fill: var(--bar2); } .bad { fill: var(--bad); }
.dot { fill: var(--bar); fill-opacity: .65; }
.dot.bad { fill: var(--bad); fill-opacity: .85; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; }
@media (max-width: 45rem) { .two { grid-template-columns: 1fr; } }
table { border-collapse: collapse; width: 100%;
  font-variant-numeric: tabular-nums; font-size: .9rem; }
th { text-align: right; font-weight: 600; position: sticky; top: 0;
  background: var(--paper); border-bottom: 1px solid var(--line);
  padding: .3rem .5rem; }
td { text-align: right; padding: .15rem .5rem; white-space: nowrap; }
tr + tr td { border-top: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; white-space: normal;
  overflow-wrap: anywhere; }
td svg { width: 7rem; display: inline-block; vertical-align: middle; }
"""

SUMS = ("eh_frame_bytes", "eh_frame_hdr_bytes", "sframe_bytes",
        "cfi_functions", "functions_covered", "bytes_covered",
        "bytes_left_out", "executable_bytes", "input_bytes",
        "output_bytes")


class Group:
    """The sums over some files."""

    def __init__(self, name=""):
        self.name = name
        self.files = 0
        self.sums = Counter()

    def add(self, entry):
        self.files += 1
        for key in SUMS:
            self.sums[key] += entry[key]

    @property
    def cfi(self):
        return self.sums["eh_frame_bytes"] + self.sums["eh_frame_hdr_bytes"]

    @property
    def ratio(self):
        return self.sums["sframe_bytes"] / self.cfi if self.cfi else 0.0

    @property
    def coverage(self):
        code = self.sums["bytes_covered"] + self.sums["bytes_left_out"]
        return self.sums["bytes_covered"] / code if code else 1.0


def entries_of(text):
    """The objects about files in the lines that cfi2sframe has printed."""
    entries = [json.loads(line)
               for line in text.decode("utf-8", "surrogateescape").split("\n")
               if line.strip()]
    return [entry for entry in entries if "total" not in entry]


def program():
    built = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "../../build/src/cfi2sframe")
    return os.environ.get("CFI2SFRAME") \
        or (built if os.access(built, os.X_OK) else "cfi2sframe")


def conversion(paths, further):
    """What would become of the files below PATHS.  Those that fail are there."""
    done = subprocess.run(
        [program(), "--dry-run", "--replace", "--recursive", "--stats=json"]
        + further + ["--"] + paths, capture_output=True, check=False)
    if not done.stdout:
        sys.exit(os.fsdecode(done.stderr).rstrip() or "nothing to report")
    return entries_of(done.stdout)


def converted_among(entries):
    return [entry for entry in entries if entry["status"] == "converted"]


def dpkg_owners(paths):
    """Which package owns which of the paths, where dpkg knows."""
    owners = {}
    for start in range(0, len(paths), 500):
        try:
            found = subprocess.run(
                ["dpkg", "-S"] + paths[start:start + 500],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        except OSError:
            return owners
        for line in os.fsdecode(found.stdout).splitlines():
            packages, separator, path = line.partition(": ")
            if separator and not packages.startswith("diversion "):
                owners[path] = packages.split(",")[0].split(":")[0]
    return owners


def packages_of(entries, directory):
    """A function from a file to its package."""
    paths = [os.path.abspath(entry["file"]) for entry in entries]
    owners = dpkg_owners(paths)
    # A merged /usr: dpkg may know the file by its old name.
    rest = [path[4:] for path in paths
            if path not in owners and path.startswith("/usr/")]
    old_names = dpkg_owners(rest)
    root = os.path.abspath(directory)

    def package(entry):
        path = os.path.abspath(entry["file"])
        if path in owners:
            return owners[path]
        if path[4:] in old_names:
            return old_names[path[4:]]
        inside = os.path.relpath(path, root).split(os.sep)
        return inside[0] if len(inside) > 1 else "(files in the folder)"

    return package


def text_of(name):
    """A name as text for HTML and XML, which have no control characters."""
    return html.escape("".join(
        "".join(f"\\x{byte:02x}" for byte in
                letter.encode("utf-8", "surrogateescape"))
        if unicodedata.category(letter) in ("Cc", "Cs")
        or letter in "\ufffe\uffff" else letter for letter in name))


def number(value):
    return f"{value:,}".replace(",", "\u202f")


def size(value):
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            digits = 0 if unit == "bytes" or value >= 100 else 1
            return f"{value:.{digits}f}\u00a0{unit}"
        value /= 1000
    return ""


def share(value, digits=2):
    """A percentage that says 100 only when nothing is missing."""
    shown = f"{100 * value:.{digits}f}"
    if value < 1 and float(shown) == 100:
        return f"&gt;\u2009{100 - 10 ** -digits:.{digits}f}\u00a0%"
    return f"{shown}\u00a0%"


def histogram(values, low, high, step, label, unit, note=lambda x: f"{x:.2f}"):
    """Bars of (value, weight) pairs; what is outside goes into the ends."""
    bins = [0] * round((high - low) / step)
    for value, weight in values:
        index = math.floor((value - low) / step + 1e-9)
        bins[min(max(index, 0), len(bins) - 1)] += weight
    width, height, left, top, bottom = 480, 210, 56, 10, 34
    largest = max(max(bins), 1)
    if unit != "bytes":
        largest += largest % 2  # so that half of it is a number, too
    scale = (height - top - bottom) / largest
    bar = (width - left - 6) / len(bins)
    total = sum(bins) or 1
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" '
             f'aria-label="{text_of(label)}">']
    for part in (0, 0.5, 1):
        y = height - bottom - part * largest * scale
        shown = (size(largest * part).replace("\u00a0bytes", "")
                 if unit == "bytes" else number(round(largest * part)))
        parts.append(f'<line class="grid" x1="{left}" x2="{width}" '
                     f'y1="{y:.1f}" y2="{y:.1f}"/><text x="{left - 5}" '
                     f'y="{y + 4:.1f}" text-anchor="end">{shown}</text>')
    for index, value in enumerate(bins):
        x = left + index * bar
        ends = (f"{note(low + index * step)} to "
                f"{note(low + (index + 1) * step)}")
        if index == len(bins) - 1:
            ends = f"{note(low + index * step)} and more"
        parts.append(
            f'<rect class="bar" x="{x + .7:.1f}" width="{bar - 1.4:.1f}" '
            f'y="{height - bottom - value * scale:.1f}" '
            f'height="{value * scale:.1f}"><title>{ends}: '
            f'{size(value) if unit == "bytes" else number(value)} '
            f'({100 * value / total:.1f} %)</title></rect>')
        if index % 4 == 0:
            parts.append(f'<text x="{x:.1f}" y="{height - bottom + 15}" '
                         f'text-anchor="middle">{note(low + index * step)}'
                         '</text>')
    parts.append(f'<text x="{(left + width) / 2}" y="{height - 3}" '
                 f'text-anchor="middle">{text_of(label)}</text></svg>')
    return "".join(parts)


def scatter(groups):
    """A dot per package: size of its CFI against the ratio."""
    width, height, left, top, bottom = 960, 300, 44, 10, 36
    largest = max(max((g.cfi for g in groups), default=10), 1000)
    decades = math.ceil(math.log10(largest))
    first = 2
    high = max(1.2, math.ceil(max((g.ratio for g in groups), default=1) * 5)
               / 5)

    def x_of(value):
        part = (math.log10(max(value, 10 ** first)) - first)
        return left + part / max(decades - first, 1) * (width - left - 24)

    def y_of(value):
        return height - bottom - value / high * (height - top - bottom)

    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="'
             'Packages by size of their CFI and size ratio">']
    for tick in range(0, round(high * 5) + 1, 2 if high <= 2 else 10):
        y = y_of(tick / 5)
        parts.append(f'<line class="grid" x1="{left}" x2="{width}" '
                     f'y1="{y:.1f}" y2="{y:.1f}"/><text x="{left - 5}" '
                     f'y="{y + 4:.1f}" text-anchor="end">{tick / 5:.1f}'
                     '</text>')
    for decade in range(first, decades + 1):
        parts.append(f'<text x="{x_of(10 ** decade):.1f}" '
                     f'y="{height - bottom + 16}" text-anchor="middle">'
                     f'{size(10 ** decade)}</text>')
    for group in sorted(groups, key=lambda g: -g.cfi):
        kind = "dot" if group.coverage == 1 else "dot bad"
        parts.append(
            f'<circle class="{kind}" cx="{x_of(group.cfi):.1f}" '
            f'cy="{y_of(group.ratio):.1f}" r="4"><title>'
            f'{text_of(group.name)}: {group.ratio:.2f} of '
            f'{size(group.cfi)}, {share(group.coverage)} covered</title>'
            '</circle>')
    parts.append(f'<text x="{(left + width) / 2}" y="{height - 3}" '
                 'text-anchor="middle">.eh_frame + .eh_frame_hdr of the '
                 'package</text></svg>')
    return "".join(parts)


def small_bar(value, limit, kind):
    width = min(value / limit, 1) * 100
    return ('<svg viewBox="0 0 100 8" aria-hidden="true"><rect class="bar2" '
            'width="100" height="8" fill-opacity=".35"/><rect '
            f'class="{kind}" width="{width:.1f}" height="8"/></svg>')


def table(head, rows):
    cells = "".join(f"<th>{cell}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row)
                    + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}" \
           "</tbody></table>"


def package_rows(groups):
    for group in sorted(groups, key=lambda g: (-g.cfi, g.name)):
        kind = "bar" if group.coverage == 1 else "bad"
        yield (text_of(group.name), number(group.files),
               number(group.sums["cfi_functions"]),
               f"{share(group.coverage, 3)} "
               + small_bar(group.coverage, 1, kind),
               size(group.cfi), size(group.sums["sframe_bytes"]),
               f"{group.ratio:.2f} " + small_bar(group.ratio, 1.2, "bar"))


def summary(total, groups, others):
    code = total.sums["bytes_covered"] + total.sums["bytes_left_out"]
    facts = [
        ("Files converted", number(total.files)),
        ("Packages", number(len(groups))),
        ("Functions covered", f'{share(total.sums["functions_covered"] / max(total.sums["cfi_functions"], 1), 3)}'
                              f' of {number(total.sums["cfi_functions"])}'),
        ("Code with CFI covered",
         f"{share(total.coverage, 3)} of {size(code)}"),
        ("All code covered",
         f'{share(total.sums["bytes_covered"] / max(total.sums["executable_bytes"], 1), 1)}'
         f' of {size(total.sums["executable_bytes"])}'),
        (".sframe / (.eh_frame + .eh_frame_hdr)", f"{total.ratio:.3f}"),
        (".sframe", size(total.sums["sframe_bytes"])),
        ("Files grow by", share((total.sums["output_bytes"]
                                 - total.sums["input_bytes"])
                                / max(total.sums["input_bytes"], 1))),
        ("Skipped, failed", f'{number(others["skipped"])}, '
                            f'{number(others["failed"])}'),
    ]
    return "<dl>" + "".join(f"<div><dt>{html.escape(name)}</dt><dd>{value}"
                            "</dd></div>" for name, value in facts) + "</dl>"


def left_out_section(converted):
    reasons = Counter()
    for entry in converted:
        reasons.update(entry["left_out"])
    if not reasons:
        return "<p>No function was left out.</p>"
    return table(("Reason", "Functions"),
                 [(html.escape(name), number(count))
                  for name, count in reasons.most_common()])


def failed_section(entries):
    failed = [(text_of(entry["file"]), text_of(entry["reason"] or ""))
              for entry in entries if entry["status"] == "failed"]
    if not failed:
        return ""
    return "<h2>Files that cannot be converted</h2>" \
           + table(("File", "Why"), failed)


def page(directory, version, entries):
    converted = converted_among(entries)
    package = packages_of(converted, directory)
    total, groups, files = Group(), {}, []
    for entry in converted:
        name = package(entry)
        groups.setdefault(name, Group(name)).add(entry)
        total.add(entry)
        own = Group()
        own.add(entry)
        files.append(own)
    groups = list(groups.values())
    others = Counter(entry["status"] for entry in entries)
    formats = ", ".join(sorted({entry["format"] for entry in converted}))
    by_files = histogram([(g.ratio, 1) for g in files], 0, 1.4, .05,
                         "size ratio, number of files", "files")
    by_bytes = histogram([(g.ratio, g.cfi) for g in files], 0, 1.4, .05,
                         "size ratio, by bytes of .eh_frame + .eh_frame_hdr",
                         "bytes")
    worst = histogram([(g.coverage * 100, 1) for g in groups
                       if g.coverage < 1], 90, 100, .5,
                      "% of the code covered, packages below 100 %", "files",
                      lambda x: f"{x:g}")
    whole = sum(1 for g in groups if g.coverage == 1)
    title = f"SFrame in {text_of(directory)}"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{STYLE}</style></head><body>
<h1>{title}</h1>
<p class="faint">{text_of(version)}, SFrame version {formats or "-"},
files as they would be converted</p>
{summary(total, groups, others)}
<h2>Size in proportion to the CFI it condenses</h2>
<div class="two"><figure>{by_files}</figure><figure>{by_bytes}</figure></div>
<h2>Packages</h2>
<figure>{scatter(groups)}<figcaption>Each dot is a package; its name shows
when pointed at. The other colour marks packages with code that is not
covered.</figcaption></figure>
<h2>Coverage</h2>
<p>{number(whole)} of {number(len(groups))} packages are covered
completely.</p>
{f'<div class="two"><figure>{worst}</figure></div>'
 if whole < len(groups) else ''}
<h2>Functions left out, in part or as a whole</h2>
{left_out_section(converted)}
{failed_section(entries)}
<h2>All packages</h2>
{table(("Package", "Files", "Functions", "Code covered",
        "CFI", ".sframe", "Ratio"), package_rows(groups))}
</body></html>
"""


# The chart of --compare-formats: a group of horizontal bars for the sum and for
# each file.  A bar's length is the format's size relative to .eh_frame and
# .eh_frame_hdr; compact unwind has what it needs of .eh_frame behind it.  No
# scripts, no fonts to load.

FORMATS = (("v1", "SFrame V1", "#b8b8b8"),
           ("v2", "SFrame V2", "#8fa8c8"),
           ("v3-no-share", "SFrame V3 --no-share", "#6f93c4"),
           ("v3", "SFrame V3", "#3f6fb0"),
           ("v3-compact", "SFrame V3 --compact", "#1f4f8f"),
           ("compact-unwind", "compact unwind", "#d08030"))
KEPT_COLOUR = "#ecc9a0"
GROUPS_MAX = 40  # more would not be read; then the sum stands alone
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

    @property
    def formats(self):
        return [form for form in FORMATS if self.bytes[form[0]]]

    def ratio(self, name, value):
        return value / self.cfi_of[name] if self.cfi_of[name] else 0.0


def rectangle(x, y, width, colour):
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" ' \
           f'fill="{colour}"/>\n'


def bar_of_format(row, form, y):
    name, label, colour = form
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


def bars_of_group(row, y):
    parts = [f'<text x="{MARGIN}" y="{y - 8}" font-weight="bold">'
             f"{text_of(row.name)} ({row.cfi} bytes of .eh_frame "
             "and .eh_frame_hdr)</text>\n"]
    for number_of_bar, form in enumerate(row.formats):
        parts.append(bar_of_format(row, form, y + number_of_bar * STEP))
    return "".join(parts)


def chart(entries):
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
    height = HEAD + MARGIN + sum(GAP + STEP * len(row.formats)
                                 for row in rows)
    one = MARGIN + LABELS + UNIT
    parts = [f'''<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" \
height="{height}" font-family="sans-serif" font-size="11">
<rect width="{WIDTH}" height="{height}" fill="white"/>
<text x="{MARGIN}" y="24" font-size="15">Unwind data relative to \
.eh_frame and .eh_frame_hdr</text>
<text x="{MARGIN}" y="44">SFrame is right at every instruction, \
compact unwind at calls; light: what .eh_frame must keep for it</text>
<line x1="{one}" y1="{HEAD - 8}" x2="{one}" y2="{height - MARGIN}" \
stroke="#888" stroke-dasharray="3 3"/>
''']
    y = HEAD - GAP // 2
    for row in rows:
        parts.append(bars_of_group(row, y + GAP))
        y += GAP + STEP * len(row.formats)
    return "".join(parts) + "</svg>\n"


def sums(paths, further):
    """A line for each way of writing sections."""
    for way in ["--gnu"], [], ["--compact"]:
        total = Group()
        for entry in converted_among(conversion(paths, way + further)):
            total.add(entry)
        yield (f"{''.join(way) or 'default':10} {total.files:5} files  "
               f"{total.cfi:11} bytes of CFI  "
               f"{total.sums['sframe_bytes']:11} of .sframe  "
               f"{total.ratio:.3f}\n")


def write_page(path, directory, further):
    version = subprocess.run([program(), "--version"], check=True,
                             stdout=subprocess.PIPE).stdout
    text = page(directory, os.fsdecode(version).rstrip(),
                conversion([directory], further))
    with open(path + ".new", "wb") as file:
        file.write(text.encode("utf-8", "replace"))
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, usage=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="page", default="size-report.html")
    parser.add_argument("--sums", action="store_true")
    parser.add_argument("--chart", action="store_true")
    parser.add_argument("paths", nargs="+")
    options, further = parser.parse_known_args()
    if options.sums:
        sys.stdout.writelines(sums(options.paths, further))
    elif len(options.paths) != 1:
        parser.error("one DIR or STATS is wanted")
    elif options.chart:
        with open(options.paths[0], "rb") as file:
            text = chart(entries_of(file.read()))
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    else:
        write_page(options.page, options.paths[0], further)
        print(options.page)


if __name__ == "__main__":
    main()
