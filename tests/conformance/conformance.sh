#!/bin/sh
# The conformance suite: its own consistency, and this project held against it.
# The folder conformance/ has a README of its own.
# SPDX-License-Identifier: LGPL-2.1-or-later

srcdir=$(cd "${srcdir-.}" && pwd)
. "$srcdir/tests/tap.sh"
suite=$srcdir/conformance
vectors=$suite/vectors
log=$(mktemp) || exit 1
trap 'rm -rf "$log" "$log".*' EXIT
export PYTHONDONTWRITEBYTECODE=1

command -v python3 >/dev/null 2>&1 || skip_all "python3 is not installed"

quietly ()
{
  "$@" >"$log" 2>&1
}

# Some of the vectors, for what a few can show: each kind of question is among
# them.
few=$log.few
mkdir "$few" && ln -s "$vectors"/*/ "$few" || exit 1
{
  head -n 1 "$vectors/index.json"
  grep -E '^\{"name": "(rows|outermost|header|segments)/' "$vectors/index.json" \
    | sed '$s/,$//'
  echo ']}'
} >"$few/index.json"

check "the vectors are those that are defined, and the executable \
specification agrees with each" \
  quietly python3 "$suite/generate.py" --check "$vectors"
check "the adapter in Python answers as the vectors want" \
  quietly python3 "$suite/run.py" -v --vectors "$few" \
    "specification=python3 $suite/adapters/spec.py"

# The project's own readers are asked once.  What they do replaces their columns
# in a copy of the recorded results.
cp "$suite/results.json" "$log.results"
python3 "$suite/run.py" -v --vectors "$vectors" --record "$log.results" \
  "cfi2sframe=tests/conformance/decoder" \
  "libsframewalk=tests/conformance/walk" >"$log.readers" 2>&1
sed '/^libsframewalk: /d' "$log.readers" >"$log"
check "the decoder answers as the vectors want" \
  grep -q '^| rows | 432 |' "$log"
check "... without a difference" test -z "$(grep '^cfi2sframe: ' "$log")"
check "the decoder and libsframewalk do what was recorded" \
  quietly diff "$suite/results.json" "$log.results"
check "a reader that did not change is not said to have" \
  quietly python3 "$suite/run.py" --vectors "$few" \
    --compare "$suite/results.json" "cfi2sframe=tests/conformance/decoder"
python3 "$suite/run.py" --vectors "$vectors" --table "$suite/results.json" \
  >"$log.table"
check "reports/results.md has the table of the recorded results" \
  test -s "$log.table" -a -z "$(grep -vxFf "$suite/reports/results.md" "$log.table")"
python3 -B "$suite/page.py" --vectors "$vectors" "$suite/results.json" \
  >"$log.page"
check "the page of results has its rows" \
  test "$(grep -c '^<tr>' "$log.page")" -eq $(($(wc -l <"$log.table") - 2))
check "the page of results has its readers" \
  test "$(grep -c '^<h2>' "$log.page")" -eq \
    "$(head -n 1 "$log.table" | tr -cd '|' | wc -c | awk '{ print $1 - 2 }')"
check "the page of results names what failed" \
  grep -q 'crash: .*truncated/' "$log.page"
missing=$(grep -oE '`[a-z0-9]+/v?[a-z0-9]+-[A-Za-z0-9._-]+`' \
  "$suite/reports/readers.md" "$suite/reports/results.md" | sed 's/.*:`//; s/`$//' \
  | sort -u | while read -r name; do
    [ -f "$vectors/$name.sframe" ] || echo "$name"
  done)
printf '%s\n' "$missing" >"$log"
check "the vectors that reports name are there" test -z "$missing"
# What --for and --check --for go by.
check "rules for known readers are what these readers were recorded to do" \
  quietly python3 "$srcdir/tests/conformance/readers.py" \
    tests/conformance/readers "$suite"
# Rules beyond 32 bits, and those on s390x whose meaning is not settled, it
# leaves out: no answer there, but never a wrong one.
cp "$log.readers" "$log"
check "the lookup of libsframewalk answers as the vectors want" \
  grep -q '^| rows | 432 | 432 |' "$log"
check "... and never wrongly" \
  test -z "$(grep -E '^\|.*(wrong|crash)' "$log")"
check "what the encoder writes keeps to the specification" \
  quietly python3 "$srcdir/tests/conformance/encoder.py" \
    tests/conformance/encoder "$vectors"

# The program itself.  What it prints of functions without rows is not a rule, and
# ELF files that are made for the vectors cannot have all of them.
python3 "$suite/run.py" -v --vectors "$vectors" \
  "dump=python3 $suite/adapters/dump.py cfi2sframe src/cfi2sframe" >"$log" 2>&1
check "--dump is asked for the vectors" grep -q '^| rows | 324 |$' "$log"
check "... and has all rules that they want" test -z "$(grep '^dump: ' "$log" \
  | grep -vE '(far-below-[0-9]+|fde-without-rows|rows-6553[56]): (refused|no rule)')"

# A section that GNU ld wrote, cut again: smaller, and with the same meaning.
linked=$srcdir/tests/data/gnu-linked/lua-amd64-stripped
quietly python3 "$suite/smaller.py" "$linked"
check "a section of GNU ld is cut to 92 %" \
  grep -qF ': 34772 -> 32045 bytes (0.922)' "$log"
quietly python3 "$suite/smaller.py" --across -o "$log.section" "$linked"
check "... across functions to 66 %" \
  grep -qF ': 34772 -> 23002 bytes (0.662)' "$log"
address=$(readelf -SW "$linked" | awk '$2 == ".sframe" { print $4 }
  $3 == ".sframe" { print $5 }')
check "... and keeps to the specification" \
  quietly python3 "$suite/check.py" --raw "$address" "$log.section"
# Cutting again with a mistake has to be noticed: rows are taken for equal whose
# first bytes are.
mkdir "$log.suite" && cp "$suite"/*.py "$log.suite"
sed -i 's/rows\[number - 1\]\[1\] != row\[1\]/rows[number - 1][1][0] != row[1][0]/' \
  "$log.suite/smaller.py"
quietly python3 "$log.suite/smaller.py" "$linked"
check "a section that says something else is not a result" \
  grep -qF 'the new section says something else: []' "$log"

# A suite that cannot fail shows nothing: a reader that answers every question
# with one rule, and one that dies.
cat >"$log.liar" <<'END'
print("adapter liar versions=3 abis=3 tells=", flush=True)
import sys
for line in sys.stdin:
    print("accepted" + ";cfa=sp+8 ra=[cfa-8] fp=same" * (len(line.split()) - 2),
          flush=True)
END
cat >"$log.mortal" <<'END'
echo "adapter mortal versions=2 abis=3 tells="
END
quietly python3 "$suite/run.py" --vectors "$few" \
  "liar=python3 $log.liar" "mortal=sh $log.mortal"
status=$?
check "a reader that lies and one that dies are found" \
  test "$status" -eq 1
check "lies are counted" grep -q 'rows | 0 of 36: 36 wrong rule' "$log"
check "deaths are counted" grep -q '36 crash' "$log"
# One that hangs is ended, and the next question is answered.
cat >"$log.hangs" <<'END'
import sys, time
print("adapter hangs versions=3 abis=3 tells=", flush=True)
for line in sys.stdin:
    if line.startswith("hang"):
        time.sleep(1000)
    print("accepted", flush=True)
END
cat >"$log.asks" <<'END'
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import run
run.Adapter.seconds = 1
adapter = run.Adapter("python3 " + sys.argv[2])
assert [adapter.ask(line) for line in ("a", "hang", "b")] == ["accepted", None, "accepted"]
END
check "a reader that hangs is ended, and started again" \
  quietly timeout 60 python3 "$log.asks" "$suite" "$log.hangs"
# Less than an answer to each question is none.
for answer in accepted "" garbage; do
  cat >"$log.short" <<END
print("adapter short versions=3 abis=3 tells=", flush=True)
import sys
for line in sys.stdin:
    print("$answer", flush=True)
END
  python3 "$suite/run.py" --vectors "$few" \
    "short=python3 $log.short" >"$log.shorts" 2>&1
  check "the answer '$answer' is none" \
    grep -q 'rows | 0 of 36: 36 wrong rule' "$log.shorts"
done
quietly python3 "$suite/run.py" --vectors "$few" \
  --compare "$suite/results.json" "cfi2sframe=python3 $log.liar"
check "a reader that changed is found" test $? -eq 1
cat >"$log.rules" <<'END'
#!/bin/sh
# All rules, but for one that says something else, and one that is missing.
if [ "$1" = --rules ]; then
  tests/conformance/readers --rules \
    | sed '/^rule linux R entries.v3-amd64-flags1-behind/s/ R / W /'
else
  tests/conformance/readers | sed 's/libsframe:R//'
fi
END
chmod +x "$log.rules"
quietly python3 "$srcdir/tests/conformance/readers.py" "$log.rules" "$suite"
check "a rule that is not what was recorded is found" \
  grep -q '^linux: starts.*flags1-behind has R, not W' "$log"
check "a rule that is missing is found" \
  grep -q '^libsframe: entries/v3-s390x-shared-rows has R' "$log"

# What the program writes, as a stranger would judge it.
program=src/cfi2sframe
for format in 3 2 2.0; do
  for layout in "" --compact --no-split; do
    # shellcheck disable=SC2086
    quietly "$program" --format=$format $layout -q -o "$log.file" \
      "$program" \
      && quietly python3 "$suite/check.py" "$log.file"
    check "--format=$format $layout breaks no demand" test $? -eq 0
  done
done
quietly python3 "$suite/check.py" --raw 10000 \
  "$vectors/search/v3-amd64-rows-descend.sframe"
check "a section that breaks a demand is found" grep -q 'fre-ascending' "$log"
# Wrong usage of the programs is told in a line.
usage ()
{
  # shellcheck disable=SC2086
  quietly python3 "$suite/$1" $2
  check "$1 $2: a line" test $? -ne 0 -a "$(tail -n 1 "$log")" = "$3" \
    -a -z "$(grep Traceback "$log")"
}
usage run.py x=/nowhere/x "/nowhere/x: No such file or directory"
usage run.py x "run.py: error: NAME=COMMAND is wanted"
usage run.py x=pwd "pwd: no adapter"
usage run.py "--vectors /nowhere x=true" "/nowhere/index.json: No such file or directory"
usage run.py "--table /nowhere" "/nowhere: No such file or directory"
usage page.py /nowhere "/nowhere: No such file or directory"
usage adapters/dump.py objdump \
  "dump.py: one of these is wanted: readelf, llvm-readobj, cfi2sframe"
usage smaller.py /nowhere "/nowhere: No such file or directory"
usage smaller.py "$suite/run.py" "$suite/run.py: no 64-bit ELF file"
usage check.py "--raw 1x x" \
  "check.py: error: argument --raw: invalid hexadecimal value: '1x'"
printf '\177ELF\2\3' >"$log.file"
quietly python3 "$suite/check.py" "$log.file" "$log.missing"
check "what is no ELF file is told in a line" \
  test $? -eq 2 -a "$(sed 's/^[^:]*: //' "$log" | tr '\n' ';')" = \
    "damaged ELF file;No such file or directory;"
echo "1..$n"
