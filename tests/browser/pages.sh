#!/bin/sh
# Pages that our programs make, in a real browser: the report of
# sframe-retrofit-repo and a flame graph of sframe-profile.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/log
here=$srcdir/tests/browser
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

chromium=$(command -v chromium || command -v chromium-browser) \
  || skip_all "chromium not found (Debian: apt-get install chromium)"
command -v python3 >/dev/null || skip_all "python3 not found"

# tells PAGE STEPS WIDTH LINE...: all of the lines, and no error.
tells ()
{
  python3 "$here/in_browser.py" "$chromium" "$1" "$here/$2" "$3" >"$log" 2>&1 \
    || return 1
  shift 3
  for line in "$@" "end: reached"; do
    grep -qxF -- "$line" "$log" || { echo "no line: $line" >>"$log"; return 1; }
  done
  ! grep -q "^error" "$log"
}

make_report ()
{
  python3 - "$srcdir/contrib/retrofit" >"$tree/report.html" 2>"$log" <<'END'
import argparse, runpy, sys
sys.path.insert(0, sys.argv[1])
repo = runpy.run_path(sys.argv[1] + "/sframe-retrofit-repo")
def package(name, size, **more):
    return dict({"package": name, "new_version": "1.0-1A~sframe1",
                 "architecture": "amd64", "status": "converted", "elf_files": 3,
                 "converted": 2, "bytes_covered": 999, "bytes_left_out": 1,
                 "sframe_bytes": 100, "input_bytes": 5, "output_bytes": size,
                 "left_alone": {}}, **more)
packages = [package("b", 2000), package("a", 1000000, left_alone={
    "usr/lib/x86_64-linux-gnu/" + "long" * 30: "something"}),
    package("<c>", 30)]
sums = dict(package("", 1), packages=3, status={"converted": 3})
print(repo["html_report"](argparse.Namespace(suite="a <suite>"), packages, sums))
END
}

make_flames ()
{
  cat >"$tree/busy.c" <<'END'
#include <time.h>
volatile unsigned long n;
__attribute__ ((noipa)) void leaf (void) { for (int i = 0; i < 100000; i++) n++; }
__attribute__ ((noipa)) void middle (void) { leaf (); n++; }
__attribute__ ((noipa)) void side (void) { leaf (); n++; }
int main (void)
{
  while (clock () < CLOCKS_PER_SEC / 2) { middle (); side (); }
  return 0;
}
END
  ${CC:-cc} -O1 -o "$tree/busy" "$tree/busy.c" >"$log" 2>&1 \
    && stacks/sframe-profile -q -F 199 -o "$tree/flames.html" -- "$tree/busy" \
      >"$log" 2>&1
}

check "a report is made" make_report
check "it is sorted by clicks" tells "$tree/report.html" report.js 1430 \
  "headings without text: 0" "at first: b a <c>" "up: <c> b a" "down: a b <c>" \
  "by name: <c> a b" "sorted by: package" "size: 30 B" "alignment: right" \
  "display: table-cell" "too wide: false"
check "it is readable on 400 pixels" tells "$tree/report.html" report.js 400 \
  "display: block" "too wide: false" "alignment: left" 'label: "size after: "' "size: 30 B"
echo 'throw "wrong"' >"$tree/wrong.js"
here=$tree
cp "$srcdir/tests/browser/in_browser.py" "$tree"
check "a mistake would be seen" eval '! tells "$tree/report.html" wrong.js 400'
here=$srcdir/tests/browser
if [ ! -e stacks/sframe-profile ]; then
  skip "$without_libdw"
elif ! make_flames; then
  skip "sframe-profile cannot sample here: $(head -n 1 "$log")"
else
  check "a flame graph: search, enlarge, come back" tells "$tree/flames.html" \
    flames.js 1000 "boxes: true" "hits: true" "found: true" "hits then: 0" \
    "enlarged: true" "back: true"
fi
echo "1..$n"
