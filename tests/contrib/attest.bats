#!/usr/bin/env bats
# sframe-attest: statements that supply chains take, of what was tried.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load programs

setup ()
{
  own_folder
  needs python3 sha256sum
  export CFI2SFRAME
  # Whatever is installed here.
  export SFRAME_PROVE=none
  small_program old
  cp old new
  convert new
}

# attest STATUS ARGUMENT...: what it prints is in statement.json.
attest ()
{
  local wanted=$1
  shift
  capture program "$srcdir/contrib/attest/sframe-attest" "$@"
  [ "$status" -eq "$wanted" ] || report
  if [ "$wanted" -eq 0 ]; then
    printf '%s\n' "$output" >statement.json
  else
    [ -z "$output" ] || report
  fi
}

# fields EXPRESSION...: each holds of the statement S and its predicate P.
fields ()
{
  python3 - "$@" <<'END'
import json, sys
S = json.load(open("statement.json"))
P = S.get("predicate", S)
for expression in sys.argv[1:]:
    if not eval(expression):
        sys.exit("%s\n%s" % (expression, json.dumps(S, indent=1)))
END
}

# change FILE OFFSET: let the byte there be another one.
change ()
{
  poke "$1" "$2" "$(printf %02x $(($(peek "$1" "$2" 1) ^ 1)))"
}

sha256 ()
{
  sha256sum "$1" | cut -d ' ' -f 1
}

@test "a statement has the fields of in-toto, and the digests of the files" {
  attest 0 old new
  section_bytes new .sframe >section
  fields 'S["_type"] == "https://in-toto.io/Statement/v1"' \
    'list(S) == ["_type", "subject", "predicateType", "predicate"]' \
    'S["predicateType"].startswith("https://")' \
    'len(S["subject"]) == 1' \
    "S['subject'][0] == {'name': 'new', 'digest': {'sha256': '$(sha256 new)'}}" \
    "P['input'] == {'name': 'old', 'digest': {'sha256': '$(sha256 old)'}}" \
    "P['section'] == {'name': '.sframe', 'digest': {'sha256': '$(sha256 section)'}}" \
    "P['converter'] == {'name': 'cfi2sframe', 'version': '$("$CFI2SFRAME" --version | cut -d ' ' -f 2)'}" \
    'P["options"] == []' 'P["reproduced"] is True' \
    'P["conversion"]["status"] == "converted" and P["check"]["bytes_wrong"] == 0'
  json_is statement whole <statement.json
  attest 0 --predicate new
  json_is predicate whole <statement.json
}

@test "the same statement each time, wherever the files are; it has no times" {
  attest 0 old new
  mkdir elsewhere
  cp --no-preserve=timestamps old new elsewhere
  mv statement.json first
  attest 0 elsewhere/old "$PWD/elsewhere/new"
  cmp first statement.json
  fields '"seconds" not in P["conversion"] and "seconds" not in P["check"]'
  # The original is in the record, too.
  attest 0 new
  fields "P['input']['digest']['sha256'] == '$(sha256 old)'"
}

@test "options are stated, and used" {
  cp old second
  convert --format=2 second
  attest 0 old second -- --format=2
  fields 'P["options"] == ["--format=2"]' 'P["conversion"]["format"] == "2"' \
    'P["reproduced"] is True'
  attest 1 old second
  [[ $stderr == "sframe-attest: second is not what cfi2sframe makes of old" ]] \
    || report
  attest 0 --name=bin/second old second -- --format=2
  fields 'S["subject"][0]["name"] == "bin/second"'
  attest 0 --predicate old second -- --format=2
  fields '"_type" not in S and S["options"] == ["--format=2"]'
}

@test "sframe-prove's line is in the statement, also of a file that was stripped" {
  local prove
  prove=$(dirname "$CFI2SFRAME")/../prove/sframe-prove
  [ -x "$prove" ] || skip "no sframe-prove in this build"
  cp new stripped
  strip stripped
  SFRAME_PROVE=$prove
  attest 0 old new
  fields 'P["proof"].startswith("file xxh128:") and P["proof"].endswith(" wrong 0")' \
    'P["reproduced"] is True'
  attest 0 old stripped
  fields 'P["reproduced"] is False and "conversion" not in P' \
    "S['subject'][0]['digest']['sha256'] == '$(sha256 stripped)'"
  # A byte of code that is another one.
  cp new other
  read -r offset size < <(section other .text)
  change other $((offset + size / 2))
  attest 1 old other
  [[ $stderr == "sframe-attest: other is not what cfi2sframe makes of old" ]] || report
}

@test "what runs is what was made: another byte of data, entry or library is no conversion" {
  local prove at
  prove=$(dirname "$CFI2SFRAME")/../prove/sframe-prove
  [ ! -x "$prove" ] || SFRAME_PROVE=$prove
  for what in data entry library flags; do
    cp new "$what"
  done
  read -r at _ < <(section data .rodata)
  change data $((at + 4))
  change entry 24
  at=$(grep -abo 'libc\.so\.6' library | head -n 1)
  change library "${at%%:*}"
  # Of PT_GNU_STACK: an executable stack.
  change flags $(($(peek flags 32 8) + 56 * $(readelf -lW new \
    | awk '$2 ~ /^0x/ { if ($1 == "GNU_STACK") print n + 0; n++ }') + 4))
  for what in data entry library flags; do
    run -1 cmp -s new "$what"
    attest 1 old "$what"
    [[ $stderr == *"$what"* ]] || report
    attest 1 "$what"
  done
  # What is behind the last segment is read by nobody who runs it.
  cp new longer
  echo >>longer
  attest 0 old longer
  fields 'P["reproduced"] is False'
}

@test "nothing is stated of a wrong row, or of files that are not to be had" {
  local at
  cp new wrong
  read -r offset size < <(section wrong .sframe)
  at=$((offset + size - 1))
  poke wrong $at "$(printf %02x $(($(peek wrong $at 1) ^ 8)))"
  attest 1 old wrong
  attest 1 missing new
  [[ $stderr == "sframe-attest: missing: cannot open: No such file or directory" ]] || report
  attest 1 old missing
  [[ $stderr == "sframe-attest: missing: No such file or directory" ]] || report
  attest 1 new old
  [[ $stderr == "sframe-attest: new: has an .sframe already" ]] || report
  attest 1 old
  attest 1 old old
  echo text >text
  attest 1 text
  [[ $stderr == "sframe-attest: text: it has no record of its original" ]] || report
  attest 1 old new -- -n
  [[ $stderr == "sframe-attest: with these options cfi2sframe writes no file" ]] || report
  attest 1 old new -- --check
  [[ $stderr == "sframe-attest: cfi2sframe: --output has no effect with --check; "* ]] || report
  run -1 --separate-stderr sh -c '"$1" old new >/dev/full' - \
    "$srcdir/contrib/attest/sframe-attest"
  [ "$stderr" = "sframe-attest: standard output: No space left on device" ] || report
  attest 2
  attest 2 old new further
  [ -z "$(find . -name '.sframe-attest*')" ]
}

@test "nothing is stated of a file that changes, or of another program's line" {
  cat >changing <<'EOF'
#!/bin/sh
printf x >>new
echo "new: file xxh128:0 equal 1"
EOF
  cat >other <<'EOF'
#!/bin/sh
echo "all is well"
EOF
  chmod +x changing other
  attest 1 --sframe-prove=./other old new
  [[ $stderr == *"./other does not print a line of sframe-prove"* ]] || report
  attest 1 --sframe-prove=./changing old new
  [[ $stderr == *"new: it changed meanwhile"* ]] || report
}
