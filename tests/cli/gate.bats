#!/usr/bin/env bats
# A gate for a release: --check -r --require, and the forms that other programs
# show people (--stats=junit, sarif, github).
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# A folder with a converted program, one that is not, and a script.
stage ()
{
  mkdir stage
  cp "$(program_file ls)" stage/converted
  cp "$(program_file cat)" "stage/not, yet"
  printf '#!/bin/sh\n' >stage/script
  "$CFI2SFRAME" stage/converted
}

@test "--require: a tree that is half converted fails" {
  stage
  exits 0 --check -r stage
  exits 1 --check -r --require stage
  [[ $stderr == "cfi2sframe: stage/not, yet: no .sframe, which it could have for "*" percent of its code" ]] || report
  [[ $output == *"1 file checked, 0 skipped, 1 failed; 1 file is not ELF"* ]] || report
  [[ $output == *"skipped or failed: missing-sframe 1"* ]] || report
  "$CFI2SFRAME" "stage/not, yet"
  exits 0 --check -r --require stage
}

@test "--require: a folder without programs passes with a note" {
  mkdir stage
  printf '#!/bin/sh\n' >stage/script
  exits 0 --check -r --require stage
  [[ $stderr == "cfi2sframe: stage: note: there is no ELF file to check" ]] || report
  exits 0 --check -r --require -q stage
  [[ -z $stderr ]] || report
  exits 0 --check -r stage
  [[ -z $stderr ]] || report
}

@test "--require: what could have no section is not a failure" {
  needs gcc
  mkdir stage
  echo 'int x;' | gcc -xc - -c -o stage/object.o
  echo 'int f (void) { return 1; }' \
    | gcc -xc - -shared -nostdlib -fno-asynchronous-unwind-tables -o stage/bare.so
  # As a self-extracting program has it.
  { cat "$(program_file cat)"; echo 'appended data'; } >stage/appended
  chmod +x stage/appended
  sha256sum stage/* >before
  exits 0 --check -r --require -v stage
  [[ $output == *"stage/appended: skipped: "*" appended"* ]] || report
  [[ $output == *"skipped or failed: appended-data 1, no-cfi 1, object 1"* ]] || report
  sha256sum --quiet -c before
}

# A conversion that is strict would fail, but that is not what is missing.
@test "--require --strict: a file that could have part of its rows has no section" {
  needs gcc
  gcc -xc - -shared -nostdlib -o partly.so <<'END'
int f (void) { return 1; }
#ifdef __x86_64__
asm (".globl odd\nodd: .cfi_startproc\n.cfi_escape 0xf, 2, 0x76, 0x78\n"
     ".cfi_escape 0xf, 3, 0x76, 0x78, 0x20\nnop\n.cfi_endproc");
#else
asm (".globl odd\nodd: .cfi_startproc\n.cfi_escape 0xf, 1, 0x30\nnop\n"
     ".cfi_endproc");
#endif
END
  exits 1 --strict -n partly.so
  exits 1 --check --require --strict partly.so
  [[ $stderr == *"no .sframe, which it could have for "* ]] || report
}

@test "--check: --min-coverage and --strict" {
  stage
  exits 0 --check --min-coverage=50 stage/converted
  exits 1 --check --min-coverage=100 stage/converted
  [[ $stderr == *": only "*" percent of the code has rows" ]] || report
  # The figure is that of the conversion.
  "$CFI2SFRAME" -n --stats=json "$(program_file ls)" >made
  "$CFI2SFRAME" --check --stats=json stage/converted >checked
  [ "$(jq .executable_bytes made)" -eq "$(jq .executable_bytes checked)" ]
  [ "$(jq '.bytes_covered' made)" -eq "$(jq '.bytes_equal + .bytes_extra' checked)" ]
  exits 0 --check --strict stage/converted
  # Version 2 has no rows for _start.
  "$CFI2SFRAME" --replace --format=2 stage/converted
  exits 1 --check --strict stage/converted
  [[ $stderr == *" bytes of code with call-frame information have no rows" ]] || report
}

@test "a demand on a file that was skipped is not silent" {
  stage
  exits 0 --min-coverage=50 stage/script
  [[ $stderr == "cfi2sframe: stage/script: note: skipped: not an ELF file" ]] || report
  exits 0 stage/script
  [ -z "$output$stderr" ] || report
}

@test "--stats=junit: test cases, counted, with names and reasons escaped" {
  needs python3
  stage
  mv "stage/not, yet" 'stage/<a> & "b"'
  exits 1 --check -r --require --stats=junit stage
  printf '%s\n' "$output" >report.xml
  python3 - <<'END'
import xml.etree.ElementTree as tree
suite = tree.parse("report.xml").getroot().find("testsuite")
cases = suite.findall("testcase")
assert suite.get("tests") == "2" and len(cases) == 2, suite.attrib
assert suite.get("failures") == "1" and suite.get("skipped") == "0"
assert cases[0].get("name") == 'stage/<a> & "b"', cases[0].attrib
assert cases[0].find("failure").get("type") == "missing-sframe"
assert cases[1].find("failure") is None
END
  exits 0 -n --stats=junit stage/script stage/converted
  [[ $output == *'tests="2" failures="0" errors="0" skipped="2"'* ]] || report
  [[ $output == *'<skipped message="not an ELF file"/>'* ]] || report
  # What no XML may have is escaped: control characters, bytes that are not UTF-8,
  # U+FFFF.
  cp stage/converted $'stage/\e\xff\xef\xbf\xbf'
  exits 0 -n -r --stats=junit --replace=no $'stage/\e\xff\xef\xbf\xbf'
  printf '%s\n' "$output" >report.xml
  python3 -c 'import xml.etree.ElementTree as t; t.parse ("report.xml")'
  [[ $output == *'name="stage/\x1b\xff\xef\xbf\xbf"'* ]] || report
  # Without any file there is a failure, too.
  exits 1 -n --stats=junit --files0-from=nowhere
  [[ $output == *'failures="1"'*'name="nowhere"'*'message="No such file or directory"'* ]] \
    || report
}

@test "--stats=sarif: one document, a result for each failure" {
  needs jq
  stage
  exits 1 --check -r --require --stats=sarif stage
  printf '%s\n' "$output" >report.sarif
  [ "$(jq -r .version report.sarif)" = 2.1.0 ]
  [ "$(jq -r '.runs[0].results | length' report.sarif)" = 1 ]
  [ "$(jq -r '.runs[0].results[0].ruleId' report.sarif)" = missing-sframe ]
  [ "$(jq -r '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri' \
       report.sarif)" = stage/not%2C%20yet ]
  exits 0 --check --stats=sarif stage/converted
  [ "$(jq -r '.runs[0].results | length' <<<"$output")" = 0 ]
}

@test "--stats=github: a command for each failure, escaped" {
  stage
  exits 1 --check -r --require --stats=github stage
  [[ $output == "::error file=stage/not%2C yet,title=cfi2sframe%3A missing-sframe::stage/not, yet: no .sframe, which it could have for "* ]] \
    || report
  exits 2 --compare --stats=github stage/converted stage/converted
}

@test "--lint has these forms, too" {
  needs jq
  [ "$(uname -m)" = x86_64 ] || skip "not x86-64"
  cat >wrong.s <<'END'
  .globl f
  .type f, @function
f:
  .cfi_startproc
  push %rbx
  nop
  pop %rbx
  .cfi_def_cfa_offset 16
  ret
  .cfi_endproc
END
  gcc -shared -nostdlib -o wrong.so wrong.s
  "$CFI2SFRAME" --lint wrong.so >/dev/null 2>&1 || [ $? -eq 3 ] \
    || skip "no Zydis"
  exits 3 --lint --stats=sarif wrong.so
  [ "$(jq -r '.runs[0].results[0].ruleId' <<<"$output")" = lint-cfa ] || report
  [ "$(jq -r '.runs[0].results[0].locations[0].physicalLocation.address.absoluteAddress' \
       <<<"$output")" -gt 0 ] || report
  exits 3 --lint --stats=junit wrong.so
  [[ $output == *'<failure type="lint-cfa" message="CFA at 0x'*' in f: CFI says '* ]] || report
}

@test "the manual has all words for reasons, and no others" {
  { sed -n 's/^ *WORD (.*, "\([a-z-]*\)").*/\1/p; s/.*] = { [A-Z_]*, "\([a-z-]*\)" },$/\1/p' \
      "$srcdir"/src/base/error.[ch]
    sed -n 's/.*"lint-cfa", "lint-ra", "lint-fp".*/lint-cfa\nlint-ra\nlint-fp/p' \
      "$srcdir/src/cli/findings.c"
  } | sort -u >source
  sed -n '/^@node Codes/,/^@end table/p' "$srcdir/doc/use/cfi2sframe.texi" \
    | sed -n 's/^@itemx\{0,1\} \([a-z-]*\)$/\1/p' | sort -u >manual
  [ "$(wc -l <source)" -ge 40 ]
  diff source manual
}
