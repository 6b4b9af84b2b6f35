#!/usr/bin/env bats
# Every option and exit status of the command line.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers

# version and flags of the section in FILE, as two bytes in hexadecimal
version_and_flags ()
{
  section_bytes "$1" .sframe | od -An -j 2 -N 2 -t x1 | tr -d ' \n'
}

@test "--version and -V name program and version" {
  exits 0 --version
  [[ $output == "cfi2sframe "*[0-9].[0-9]* ]] || report
  [ -z "$stderr" ]
  local long=$output
  exits 0 -V
  [ "$output" = "$long" ]
}

@test "--help and -h fit a screen of 24 lines, and are a part of --help=all" {
  exits 0 --help
  [ -z "$stderr" ]
  [ "${#lines[@]}" -le 24 ]
  [ "$(printf '%s\n' "$output" | wc -l)" -le 24 ] || report
  [ "$(printf '%s\n' "$output" | wc -L)" -lt 80 ] || report
  printf '%s\n' "$output" | sed -nE 's/^ {2,6}((-., )?--[^ ]+).*/\1/p' | LC_ALL=C sort >usual
  [ "$(wc -l <usual)" -ge 10 ]
  local short=$output
  exits 0 -h
  [ "$output" = "$short" ]
  exits 0 --help=all
  [ -z "$stderr" ] || report
  printf '%s\n' "$output" | sed -nE 's/^ {2,6}((-., )?--[^ ]+).*/\1/p' | LC_ALL=C sort >all
  [ "$(wc -l <all)" -ge 30 ]
  [ -z "$(LC_ALL=C comm -23 usual all)" ] || { LC_ALL=C comm -23 usual all; return 1; }
  exits 2 --help=everything
}

@test "wrong usage: exit status 2, a message, and nothing is written" {
  small_program
  copy small other
  local arguments format
  for arguments in "" "-o out small other" \
                   "--stats=xml small"; do
    wrong_usage $arguments
    [ -n "$stderr" ] || report
  done
  wrong_usage --no-such-option small
  [[ $stderr == *no-such-option* ]] || report
  for format in 0 4 2.1 "" x 3x; do
    wrong_usage --format="$format" small
  done
  only_files small other small.c
  cmp small other
}

@test "by default the file is converted in place, silently" {
  small_program
  cp small before
  convert small
  has_sframe small
  [ "$(./small)" = "$(./before)" ]
  only_files small small.c before
}

@test "mode is kept" {
  small_program
  for mode in 755 4751 700 555; do
    copy small copy-$mode
    chmod $mode copy-$mode
    convert copy-$mode
    has_sframe copy-$mode
    [ "$(stat -c %a copy-$mode)" = $mode ]
  done
}

@test "a symbolic link stays one and its target is converted" {
  small_program
  ln -s small link
  convert link
  [ -L link ]
  has_sframe small
}

@test "-o leaves the input alone" {
  small_program
  local before
  before=$(checksum small)
  convert -o out small
  [ "$(checksum small)" = "$before" ]
  has_sframe out
  [ "$(stat -c %a out)" = "$(stat -c %a small)" ]
  [ "$(./out)" = "$(./small)" ]
  convert --output=out2 small
  cmp out out2
}

@test "-o gives a copy when there is nothing to convert" {
  echo text >text
  chmod 640 text
  convert -o out text
  cmp out text
  small_program
  convert small
  convert -o out2 small
  cmp out2 small
}

@test "-o replaces an existing file and gives what in place gives" {
  small_program
  echo old >out
  convert -o out small
  convert small
  cmp out small
}

@test "-n and --dry-run write nothing" {
  small_program
  local before
  before=$(checksum small)
  convert -n small
  convert --dry-run small
  convert -n -o out small
  [ "$(checksum small)" = "$before" ]
  only_files small small.c
}

@test "a dry run reports what the conversion reports, the size among it" {
  small_program
  local before dry
  before=$(stat -c %s small)
  exits 0 -n --stats=json small
  dry=${output%,\"seconds*}
  exits 0 --stats=json small
  [ "${output%,\"seconds*}" = "$dry" ] || { echo "$dry"; report; }
  [[ $output == *"\"input_bytes\":$before,\"output_bytes\":$(stat -c %s small),"* ]] \
    || report
}

@test "--format chooses version and flags" {
  small_program
  for pair in 1:0101 2.0:0201 2:0205 3:0305; do
    convert --format="${pair%:*}" -o "out-${pair%:*}" small
    [ "$(version_and_flags "out-${pair%:*}")" = "${pair#*:}" ] \
      || { version_and_flags "out-${pair%:*}"; return 1; }
    [ "$(./"out-${pair%:*}")" = "$(./small)" ]
    exits 0 --check "out-${pair%:*}"
    [ -z "$stderr" ] || report
  done
  convert -o out small
  cmp out out-3
}

@test "--section-only writes the raw section and leaves the input alone" {
  small_program
  local before
  before=$(checksum small)
  convert --section-only=raw small
  [ "$(checksum small)" = "$before" ]
  [ "$(od -An -N 4 -t x1 raw | tr -d ' ')" = e2de0305 ]
  convert --format=2 --section-only=raw small
  [ "$(od -An -N 4 -t x1 raw | tr -d ' ')" = e2de0205 ]
}

@test "--check finds every changed data word of a function" {
  small_program
  convert small
  # The rows of V3 follow the index: change the last bytes of the section,
  # which belong to some row, one after the other.
  local offset size at found=0
  read -r offset size < <(section small .sframe)
  for at in 1 2 3 4 5 6 7 8; do
    cp small changed
    local old
    old=$(peek small $((offset + size - at)) 1)
    poke changed $((offset + size - at)) "$(printf '%02x' $((old ^ 8)))"
    tool --check changed
    if [ "$status" -eq 1 ]; then
      found=$((found + 1))
      [[ $stderr == "cfi2sframe: changed: "* ]] || report
    fi
  done
  # Padding at the end may be among them, but not only.
  [ "$found" -ge 4 ] || { echo "found $found of 8"; return 1; }
}

@test "--dump prints a section of every version" {
  small_program
  for format in 1 2.0 2 3; do
    convert --format=$format -o out small
    exits 0 --dump out
    [ -z "$stderr" ] || report
    [[ $output == *"Num FDEs"* ]] || report
    [[ $output == *STARTPC* ]] || report
  done
}

@test "--dump of a file without .sframe says so" {
  small_program
  tool --dump small
  [ -z "$output" ] || report
  [ -n "$stderr" ] || report
  [ "$status" -eq 1 ] || report
}

# A program with a function whose FP is CFA + n, which no version can say.
program_with_unexpressible_function ()
{
  cat >odd.s <<'END'
	.globl odd
	.type odd, @function
odd:
	.cfi_startproc
	nop
	.cfi_val_offset rbp, -16
	nop
	ret
	.cfi_endproc
	.size odd, .-odd
	.section .note.GNU-stack,"",@progbits
END
  small_program "$1" odd.s
}

@test "a function that cannot be expressed is left out; with --strict a failure" {
  program_with_unexpressible_function odd
  refused odd --strict
  [[ $stderr == *"1 of "*" functions cannot be described"* ]] || report
  convert odd
  has_sframe odd
  small_program
  convert --strict small
  has_sframe small
}

@test "--stats=json prints one object per file with the agreed members" {
  needs python3
  program_with_unexpressible_function odd
  small_program
  echo text >text
  exits 0 --stats=json odd small text
  printf '%s\n' "$output" | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert len(rows) == 3, rows
need = """file status reason machine format strategy eh_frame_bytes
  eh_frame_hdr_bytes sframe_bytes cfi_functions sframe_fdes sframe_fres
  bytes_covered bytes_left_out left_out return_addresses seconds""".split()
for row in rows:
    missing = [name for name in need if name not in row]
    assert not missing, (row["file"], missing)
odd, small, text = rows
assert odd["file"].endswith("odd") and small["file"].endswith("small")
assert odd["sframe_fdes"] > 0 and odd["cfi_functions"] > 0
assert odd["left_out"].get("fp-value") == 1, odd
assert odd["bytes_left_out"] > 0
assert small["left_out"] == {}, small
assert small["sframe_bytes"] > 0 and small["bytes_covered"] > 0
assert text["sframe_bytes"] == 0, text
assert text["status"] != small["status"]
'
}

@test "what usage errors point to exists" {
  tool --usage
  [ "$status" -eq 0 ] && [ -z "$stderr" ] || report
  [[ $output == "Usage: cfi2sframe ["* ]] || report
  tool
  local option advice=$stderr
  [[ $advice == *--usage* ]] || report
  for option in $(grep -oE -- '--[a-z]+' <<<"$advice" | sort -u); do
    run -0 "$CFI2SFRAME" "$option"
  done
}

@test "a mistyped option is named, and so are the values that an option takes" {
  tool --chekc x
  [ "$status" -eq 2 ] && [ -z "$output" ] || report
  [[ $stderr == *"unrecognized option '--chekc'"* ]] || report
  tool --stats=jsno x
  [ "$status" -eq 2 ] && [ -z "$output" ] || report
  [[ $stderr == "cfi2sframe: unknown value 'jsno' of --stats; it takes: json"* ]] || report
  tool --format=33 x
  [[ $stderr == *"it takes: 3, 2, 2.0, 1, compact-unwind,"* ]] || report
  # What is not an option is left alone.
  small_program ./--chekc
  convert -- --chekc
  convert --undo -o --unod -- --chekc
  [ -f --unod ]
  # The beginning of an option is one.
  exits 0 --stat=json -n -- --chekc
}

@test "two modes exclude each other, and the message names them" {
  exits 2 --undo --check x
  [[ $stderr == "cfi2sframe: --undo and --check exclude each other"$'\n'* ]] || report
  tool --section-only=x --lint x
  [[ $stderr == "cfi2sframe: --section-only and --lint exclude each other"$'\n'* ]] || report
  exits 2 --lint -o x y
  [[ $stderr == "cfi2sframe: --output has no effect with --lint"$'\n'* ]] || report
}

@test "an empty value is wrong usage, but for what scripts may have empty" {
  small_program f
  local option
  for option in output detached debug-file debug-twin files0-from; do
    exits 2 --$option= f
    [[ $stderr == "cfi2sframe: --$option with an empty value"$'\n'* ]] || report
  done
  exits 0 --config --root= --package= -r --exclude= f
}

@test "--stats=json of --check, --undo and --remove says what they did" {
  needs jq
  local mode offset size
  mkdir tree
  small_program tree/f
  cp tree/f tree/plain
  convert tree/f
  exits 0 -r --check --stats=json tree
  [ "$(jq -c '[.file, .status, .reason]' <<<"$output" | head -n 2)" \
    = '["tree/f","checked",null]
["tree/plain","skipped","no .sframe"]' ] || report
  [ "$(jq -s '.[0].bytes_equal > 20 and .[0].functions > 1
    and .[2].total.bytes_equal == .[0].bytes_equal and .[2].total.checked == 1
    and .[2].total.skipped == 1 and length == 3' <<<"$output")" = true ] || report
  # A wrong row is a failure that the numbers tell of, and nothing else is
  # printed on standard output.
  cp tree/f wrong
  read -r offset size < <(section wrong .sframe)
  poke wrong $((offset + size - 1)) 78 # the last row's last word
  exits 1 --check --stats=json wrong
  [ "$(jq -c '[.status, .bytes_wrong > 0]' <<<"$output")" = '["failed",true]' ] || report
  for mode in undo:restored remove:removed; do
    cp tree/f f
    tool --${mode%:*} --stats=json f
    [ "$(jq -r .status <<<"$output")" = ${mode#*:} ] || report
    tool -r -n --${mode%:*} --stats=json tree
    [ "$(jq -s '.[2].total | has ("converted") or .'${mode#*:}' != 1' <<<"$output")" \
      = false ] || report
  done
}

@test "--verify converts nothing: it is not an abbreviation of --verify-code" {
  small_program f
  local before word
  before=$(checksum f)
  for word in verif verify; do
    exits 2 --$word f
    [[ $stderr == *"'--verify-code'"* ]] || report
  done
  [[ $stderr == *"'--check'"* ]] || report
  [ "$(checksum f)" = "$before" ]
  # Nobody is sent there.
  exits 2 --verfiy f
  [[ $stderr != *"'--verify'?"* ]] || report
}

@test "an option that changes nothing is refused" {
  small_program f
  local before options
  before=$(checksum f)
  while read -r options; do
    tool $options f
    [ "$status" -eq 2 ] && [ -z "$output" ] || { echo "$options"; report; }
    [[ $stderr =~ "has no effect with --"[cdlrsu] ]] || { echo "$options"; report; }
  done <<'END'
--undo --require
--dump -n
--compare-formats --replace
--undo --compact
--remove --no-share
--check -p
--undo --gnu
--undo --format=2
--lint --strict
--lint -n
--undo --min-coverage=99
--check --no-split
--check --analyze
--undo --verify-code
--dump --verify-code
--dump --stats=json
--dump --relocatable
--lint --relocatable
--compare -r
--compare --files0-from=f
END
  for options in -x --exclude=x; do
    exits 2 $options f
    [[ $stderr == *"has no effect without -r"* ]] || report
  done
  for options in --analyze --verify-code --debug-file=f; do
    exits 2 --relocatable $options f
    [[ $stderr == *": ${options/=[!a]*/} is for linked files, not with --relocatable"* ]] || report
  done
  # Linked files in the same run can have it.
  for options in --no-share --no-split --compact --return-addresses=no \
    --debug-info=auto --debug-info=none; do
    exits 0 -n --relocatable $options f
  done
  [ "$(checksum f)" = "$before" ]
}

@test "--stats tells of skipped files" {
  small_program f
  convert f
  echo text >text
  exits 0 --stats f text
  [ "$output" = "f: skipped: has an .sframe already
text: skipped: not an ELF file" ] || report
  tool --stats -q f
  silent
}

@test "--stats tells what --undo and --remove did, and of a file that was written" {
  small_program f
  exits 0 --stats --section-only=raw f
  [[ $output != *"file "*" -> "* ]] || report
  exits 0 --stats f
  [[ $output == "f: SFrame V3"*", file "*" -> $(stat -c %s f) bytes"* ]] || report
  [ -z "$stderr" ] || report
  has_sframe f
  exits 0 --stats --undo f
  [ "$output" = "f: restored" ] || report
  convert f
  exits 0 --stats --remove f
  [ "$output" = "f: removed" ] || report
}

@test "-v prints one summary line per converted file" {
  small_program
  copy small other
  exits 0 -v small other
  local all=$output$'\n'$stderr
  [ "$(grep -c small <<<"$all")" -eq 1 ] || report
  [ "$(grep -c other <<<"$all")" -eq 1 ] || report
}

@test "-q says nothing, not even about a failure it reports by exit status" {
  small_program
  head -c 100 small >cut
  exits 1 -q cut
  [ -z "$output" ] || report
}

@test "one bad file among many: the others are converted, exit status 1" {
  small_program
  head -c 100 small >bad
  copy small a
  copy small z
  exits 1 a bad z
  [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || report
  [[ $stderr == "cfi2sframe: bad: "* ]] || report
  has_sframe a
  has_sframe z
}

@test "what is printed and lost is a failure" {
  local option
  for option in --help --help=all --usage --version; do
    "$CFI2SFRAME" $option >/dev/full 2>log && return 1
    [ "$(cat log)" = "cfi2sframe: standard output: No space left on device" ]
  done
}

@test "a second conversion changes nothing" {
  small_program
  convert small
  skipped small
  local before
  before=$(stat -c %i:%Y small)
  convert small
  [ "$(stat -c %i:%Y small)" = "$before" ]
}

@test "two conversions of one input are identical" {
  small_program
  convert -o one small
  mkdir other
  cp small other/renamed
  (cd other && "$CFI2SFRAME" -o ../two renamed)
  cmp one two
}

@test "functions covered are not all of the code: -v, --stats and totals say how much" {
  needs cc jq
  # One function with CFI, and a thousand bytes without.
  cat >half.c <<'END'
int main (void) { return 0; }
__asm__ (".text\n.skip 1000, 0x90\n");
END
  cc -O1 -o half half.c
  tool -v -n half
  [[ $output == *" functions, "*" % of the code, "* ]] || report
  tool --stats=json -n half
  [ "$(jq '.functions_covered == .cfi_functions' <<<"$output")" = true ] || report
  [ "$(jq '.executable_bytes > .bytes_covered + 999' <<<"$output")" = true ] || report
  mkdir tree
  cp half tree
  tool -r --stats=json -n tree
  [ "$(jq -s '.[-1].total.executable_bytes > 1000' <<<"$output")" = true ] || report
  tool -r -n tree
  [[ $output == *"all code: "* ]] || report
}

@test "--min-coverage makes too little code with rows a failure" {
  needs cc
  cat >half.c <<'END'
int main (void) { return 0; }
__asm__ (".text\n.skip 1000, 0x90\n");
END
  cc -O1 -o half half.c
  refused half --min-coverage=60
  [[ $stderr =~ ": only "[1-9][0-9]?\.[0-9][0-9]" percent of the code has rows"$ ]] || report
  exits 0 --min-coverage=1 -n half
  # None of the code is less than any part of it.
  cc -O1 -fno-asynchronous-unwind-tables -nostdlib -nostartfiles -shared \
    -o none half.c
  skipped none
  refused none --min-coverage=0.1
  [ "$stderr" = "cfi2sframe: none: only 0.00 percent of the code has rows" ] || report
  # Objects and archives have code, too.
  cc -O1 -c half.c
  ar cr half.a half.o
  for file in half.o half.a; do
    refused $file --relocatable --min-coverage=60
    exits 0 --relocatable --min-coverage=0.1 -n $file
  done
  for value in 101 -1 x 5x 1e1 0x10 +5 .5 nan 1.2.3 ''; do
    exits 2 --min-coverage=$value -n half
  done
}
