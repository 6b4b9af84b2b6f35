#!/usr/bin/env bats
# tools/maintainer/size_report.py: a page about a tree, sums, charts.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

size_report ()
{
  python3 "$srcdir/tools/maintainer/size_report.py" "$@"
}

@test "a page with the packages of a tree, which stays as it is" {
  needs python3
  mkdir -p tree/one tree/two
  small_program tree/one/a
  small_program tree/two/b -g
  small_program "tree/two/<i>&amp;"
  printf '\177ELF%060d' 0 >tree/two/broken
  cp -a tree before
  CFI2SFRAME=$CFI2SFRAME run -0 --separate-stderr \
    size_report -o page.html tree
  [ "$output" = page.html ] || report
  diff -r tree before
  python3 - page.html <<'END'
import html.parser, sys
class Page(html.parser.HTMLParser):
    void = {"meta"}
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.texts = [], [], []
    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        assert not any(n in ("src", "href") for n, _ in attrs), attrs
        if tag not in self.void:
            self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.texts.append(data.strip())
page = Page()
page.feed(open(sys.argv[1]).read())
assert not page.open, page.open
assert "script" not in page.seen and "i" not in page.seen
assert page.seen.count("svg") > 3
for text in "one", "two", "tree/two/broken", "Files converted", "3", "0, 1":
    assert text in page.texts, text
END
}

@test "wrong usage and an empty tree" {
  needs python3
  run -2 size_report
  run -2 size_report one two
  run -1 size_report -o page.html --nonsense .
  [[ $output == *"unrecognized option '--nonsense'"* ]] || report
  mkdir empty
  run -0 size_report -o page.html empty
  grep -q '<dd>0</dd>' page.html
}

@test "--sums: a line for each way, of the files that it names" {
  needs python3 jq
  mkdir tree more
  small_program tree/one
  cp tree/one tree/two
  cp tree/one more/three
  echo text >tree/text
  size_report --sums --format=3 tree more >found
  sed 's/ .*//' found | diff - <(printf '%s\n' --gnu default --compact)
  local bytes
  bytes=$("$CFI2SFRAME" -n --gnu --format=3 --stats=json tree/one | jq .sframe_bytes)
  grep -q "^--gnu  *3 files .* $((3 * bytes)) of .sframe  [01]\.[0-9]*$" found || report
}

# Lines as --compare-formats prints them, of files that do not exist.
measured_lines ()
{
  cat <<'END'
{"file":"b","status":"compared","eh_frame_bytes":900,"eh_frame_hdr_bytes":100,"formats":{"v2":{"bytes":500},"v3":{"bytes":1000}}}
{"file":"skipped","status":"skipped","eh_frame_bytes":0,"eh_frame_hdr_bytes":0,"formats":{}}
{"file":"a<b>&.so","status":"compared","eh_frame_bytes":1500,"eh_frame_hdr_bytes":500,"formats":{"v1":{"bytes":1000},"v3":{"bytes":800},"compact-unwind":{"bytes":200,"eh_frame_bytes":100}}}
{"total":{"compared":2}}
END
}

# The texts of an SVG file, one per line, and the number of its rectangles.
chart_contents ()
{
  python3 - "$1" <<'END'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
rectangles = list(root.iter(space + "rect"))
for part in rectangles[1:]:
    assert float(part.get("x")) + float(part.get("width")) \
        <= float(root.get("width")), part.attrib
    assert float(part.get("y")) < float(root.get("height")), part.attrib
print("\n".join(part.text for part in root.iter(space + "text")))
print(len(rectangles), "rectangles")
END
}

@test "--chart: groups by name, each format relative to the files that have it" {
  needs python3
  measured_lines >lines
  size_report --chart lines >chart.svg
  chart_contents chart.svg | sed 1,2d >found
  diff - found <<'END'
Sum (3000 bytes of .eh_frame and .eh_frame_hdr)
SFrame V1
0.500
SFrame V2
0.500
SFrame V3
0.600
compact unwind
0.150
a<b>&.so (2000 bytes of .eh_frame and .eh_frame_hdr)
SFrame V1
0.500
SFrame V3
0.400
compact unwind
0.150
b (1000 bytes of .eh_frame and .eh_frame_hdr)
SFrame V2
0.500
SFrame V3
1.000
12 rectangles
END
  grep -q 'y="79" width="240.0" height="14" fill="#b8b8b8"' chart.svg
}

@test "the axes of a page with few files have three different numbers" {
  needs python3
  mkdir -p tree/one
  small_program tree/one/a
  size_report -o page.html tree
  python3 - page.html <<'END'
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
axes = 0
for svg in re.findall("<svg.*?</svg>", page, re.S):
    ticks = re.findall('text-anchor="end">([^<]*)<', svg)
    if ticks:
        axes += 1
        assert len(ticks) >= 3 and len(set(ticks)) == len(ticks), ticks
assert axes >= 3, axes
END
}

@test "names of any kind: the page and the picture stay well-formed" {
  needs python3
  mkdir -p tree
  small_program $'tree/a\e[1m\x7f\xc2\x9b\xff<&"\'' || skip "not a name here"
  size_report -o page.html tree
  "$CFI2SFRAME" -r --compare-formats --stats=json tree >lines
  size_report --chart lines >chart.svg
  python3 - page.html chart.svg <<'END'
import sys, unicodedata
import xml.etree.ElementTree as tree
for name in sys.argv[1:]:
    text = open(name, "rb").read().decode("utf-8", "strict")
    assert not any(unicodedata.category(c) == "Cc" and c != "\n" for c in text)
shown = "a\\x1b[1m\\x7f\\xc2\\x9b\\xff<&\"'"
texts = [part.text for part in tree.parse(sys.argv[2]).getroot().iter()
         if part.text]
assert any(shown in part for part in texts), texts
END
}

@test "--chart: one file has no sum, very many have nothing else" {
  needs python3
  local i
  measured_lines | sed -n 1p >lines
  size_report --chart lines >one.svg
  chart_contents one.svg >found
  ! grep -q '^Sum' found || report
  grep -q '^b (1000 bytes' found
  for i in {1..41}; do measured_lines | sed -n 1p; done >lines
  size_report --chart lines >many.svg
  chart_contents many.svg >found
  grep -q '^Sum (41000 bytes' found
  ! grep -q '^b ' found || report
}

@test "--chart takes what --compare-formats --stats=json prints" {
  needs python3
  small_program
  cp small 'a<b>&.so'
  "$CFI2SFRAME" --compare-formats --stats=json small 'a<b>&.so' >lines
  size_report --chart lines >chart.svg
  chart_contents chart.svg >found
  # Six formats three times, what .eh_frame keeps three times, the ground.
  grep -qx '22 rectangles' found
  grep -q '^a<b>&.so (' found
  size_report --chart <(tac lines) | cmp - chart.svg
}
