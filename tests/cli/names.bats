#!/usr/bin/env bats
# Names and texts that are not what names usually are: bytes that are not
# UTF-8, control characters.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# Escape sequence, newline, DEL, a C1 character in UTF-8 and as a byte, bytes
# that are not UTF-8: overlong, a surrogate, cut off.
hostile=$'a\e[31m\n\x7f\xc2\x9b31m\x9b\xff\xc0\xaf\xed\xa0\x80\xe2\x82'

# Each line of the file is JSON, whoever reads it, and shows nothing raw.
strict_json ()
{
  python3 - "$1" <<'END'
import json, sys, unicodedata
def refuse (value):
    raise ValueError (value)
data = open (sys.argv[1], "rb").read ()
text = data.decode ("utf-8", "strict")
assert text.endswith ("\n")
for line in text[:-1].split ("\n"):
    assert not any (unicodedata.category (c) in ("Cc", "Cs") for c in line), line
    entry = json.loads (line, parse_constant=refuse)
    json.dumps (entry, ensure_ascii=False).encode ("utf-8", "strict")
END
}

# No line of the file has a control character or anything but UTF-8.
plain_text ()
{
  python3 - "$1" <<'END'
import sys, unicodedata
text = open (sys.argv[1], "rb").read ().decode ("utf-8", "strict")
for c in text:
    assert c == "\n" or unicodedata.category (c) != "Cc", repr (text)
END
}

# A program with a section of a hostile name, which lies outside the file.
hostile_section ()
{
  small_program "$1"
  python3 - "$1" <<'END'
import struct, sys
data = bytearray (open (sys.argv[1], "rb").read ())
shoff, = struct.unpack_from ("<Q", data, 40)
entry, count, names = struct.unpack_from ("<HHH", data, 58)
names_at, = struct.unpack_from ("<Q", data, shoff + names * entry + 24)
for i in range (1, count):
    name, = struct.unpack_from ("<I", data, shoff + i * entry)
    at = names_at + name
    if data[at:at + 9] == b".comment\0":
        data[at:at + 8] = b"\x1b]0;\n\xff\xc2\x9b"
        struct.pack_into ("<Q", data, shoff + i * entry + 24, 1 << 40)
open (sys.argv[1], "wb").write (data)
END
}

@test "JSON is valid whatever files and sections are called" {
  needs python3
  mkdir d
  small_program "d/$hostile" || skip "the file system wants UTF-8"
  hostile_section "d/section"
  echo text >"d/$hostile.txt"
  cp "d/$hostile" "d/ok"
  "$CFI2SFRAME" -r -n --stats=json d >log 2>errors || [ $? -eq 1 ]
  [ "$(wc -l <log)" -eq 4 ]
  strict_json log
  plain_text errors
  grep -q 'lies outside the file' errors
  grep -qF 'a\u001b[31m\n\u007f\u009b31m\\x9b\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xe2\\x82' log
  "$CFI2SFRAME" --compare-formats --stats=json "d/$hostile" d/section >log 2>errors || [ $? -eq 1 ]
  strict_json log
  plain_text errors
  "$CFI2SFRAME" --section-only=/dev/null --format=compact-unwind --stats=json \
    "d/$hostile" >log
  strict_json log
  "$CFI2SFRAME" "d/$hostile" d/ok
  "$CFI2SFRAME" --compare --stats=json "d/$hostile" d/ok >log
  strict_json log
  "$CFI2SFRAME" --compare --stats=json "d/$hostile" d/section >log 2>errors || [ $? -eq 1 ]
  strict_json log
  plain_text errors
}

@test "names are shown escaped, a line for each" {
  needs python3
  mkdir d
  small_program "d/$hostile" || skip "the file system wants UTF-8"
  ln "d/$hostile" "d/$hostile-2"
  ln "d/$hostile" other
  shopt -s nullglob
  local shown='a\x1b[31m\x0a\x7f\xc2\x9b31m\x9b\xff\xc0\xaf\xed\xa0\x80\xe2\x82'
  look ()
  {
    "$CFI2SFRAME" "$@" >log 2>&1 || [ $? -eq 1 ]
    [ "$(grep -cF "$shown" log)" -ge 1 ] || { cat log; return 1; }
    plain_text log
  }
  look -n --stats "d/$hostile"
  look -n -v "d/$hostile" other
  look -rv d
  look -rvv d
  look --check "d/$hostile"
  look --compare-formats "d/$hostile"
  cp "d/$hostile" other
  look --compare "d/$hostile" other
  look -v --remove "d/$hostile"
  look "$hostile"
  look --files0-from="$hostile"
  look -o "$hostile/x" "d/$hostile"
  look --section-only=out --format=compact-unwind -v "d/$hostile"
  hostile_section bad
  "$CFI2SFRAME" bad >log 2>&1 && return 1
  plain_text log
  [ "$(wc -l <log)" -eq 1 ]
  # What is a name in any language stays as it is.
  small_program "grüße 日本語"
  "$CFI2SFRAME" -v "grüße 日本語" | grep -q '^grüße 日本語: SFrame'
}

# They were printed as they are.
@test "names in findings and in notes are shown escaped, a line for each" {
  needs python3
  wrong_library
  mkdir d e
  python3 - wrong.so <<'END'
import sys
data = open (sys.argv[1], "rb").read ()
open (sys.argv[1], "wb").write (data.replace (b"\0wrong\0", b"\0\x1b]0;\n\0"))
END
  cp wrong.so "d/$hostile" || skip "the file system wants UTF-8"
  local shown='a\x1b[31m\x0a\x7f\xc2\x9b31m\x9b\xff\xc0\xaf\xed\xa0\x80\xe2\x82'
  # Text alone, of so many lines, with the name.
  look ()
  {
    local lines=$1
    shift
    "$CFI2SFRAME" "$@" >log 2>&1 || [[ $? == [13] ]]
    plain_text log
    [ "$(wc -l <log)" -eq "$lines" ] || { cat log; return 1; }
    grep -qF "$shown" log || { cat log; return 1; }
  }
  look 9 --lint -v "d/$hostile"
  grep -qF ': \x1b]0;\x0a (0x' log
  look 1 --lint "$hostile"
  # 32-bit, thus left alone with a note; alone, and as the first of two.
  printf '\177ELF\1\1\1%0100d' 0 >"e/$hostile"
  look 1 --skip-unconvertible "e/$hostile"
  cp "e/$hostile" e/z
  look 1 --skip-unconvertible "e/$hostile" e/z
}

@test "objects with sections of hostile names are compared as valid JSON" {
  needs python3 objcopy
  small_program small
  "${CC:-cc}" -O2 -ffunction-sections -c -o a.o small.c
  convert --relocatable a.o
  cp a.o b.o
  # The same rows under other names, and other rows.
  objcopy --rename-section .text.leaf=$'.text.\e\xff' a.o 2>/dev/null \
    || skip "objcopy does not rename that way"
  objcopy --rename-section .text.leaf=$'.text.\e\xff' b.o
  objcopy --remove-section .sframe --remove-section .rela.sframe b.o
  convert --relocatable --format=2 b.o
  "$CFI2SFRAME" --compare -v --stats=json a.o b.o >log 2>errors || [ $? -eq 1 ]
  strict_json log
  plain_text errors
}
