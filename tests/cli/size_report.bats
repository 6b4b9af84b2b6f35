#!/usr/bin/env bats
# tools/maintainer/size_report.py: sums and charts.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

size_report ()
{
  python3 "$srcdir/tools/maintainer/size_report.py" -b "${CFI2SFRAME%/src/cfi2sframe}" "$@"
}

@test "wrong usage" {
  needs python3
  echo >lines
  run -2 size_report
  run -2 size_report .
  run -2 size_report --chart one two
  run -2 size_report --chart --formats=v9 lines
  [[ $output == *"known are v1, "* ]] || report
  run -1 size_report --sums --nonsense .
  [[ $output == *"unrecognized option '--nonsense'"* ]] || report
  run -1 size_report --sums nowhere
  [[ $output == "cfi2sframe: nowhere: "*": No such file or directory"*"no file can be converted" ]] || report
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
  size_report --chart --formats=v3 lines >chart.svg
  chart_contents chart.svg >found
  [ "$(grep -c '^SFrame' found)" -eq 3 ]
  [ "$(grep -c '^SFrame V3$' found)" -eq 3 ]
  grep -qx '4 rectangles' found
}

@test "names of any kind: the picture stays well-formed" {
  needs python3
  mkdir -p tree
  small_program $'tree/a\e[1m\x7f\xc2\x9b\xff<&"\'' || skip "not a name here"
  "$CFI2SFRAME" -r --compare-formats --stats=json tree >lines
  size_report --chart lines >chart.svg
  python3 - chart.svg <<'END'
import sys, unicodedata
import xml.etree.ElementTree as tree
text = open(sys.argv[1], "rb").read().decode("utf-8", "strict")
assert not any(unicodedata.category(c) == "Cc" and c != "\n" for c in text)
shown = "a\\x1b[1m\\x7f\\xc2\\x9b\\xff<&\"'"
texts = [part.text for part in tree.parse(sys.argv[1]).getroot().iter()
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
