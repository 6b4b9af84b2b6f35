#!/usr/bin/env bats
# Programs that link, patch or read themselves in unusual ways run after
# conversion, strip and undo as before.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# Many small functions: an .sframe that fits into no padding.
many_functions ()
{
  echo "int f0 (int a); int f0 (int a) { return a + 1; }"
  local i
  for i in $(seq "${1:-700}"); do
    echo "int f$i (int a); int f$i (int a) { return f0 (a * $i) - $i; }"
  done
}

# Convert, strip and undo FILE; "./FILE ARGUMENT..." says the same all along.
lives_on ()
{
  local file=$1 before
  shift
  before=$("./$file" "$@")
  cp "$file" "$file.old"
  convert "$file"
  has_sframe "$file"
  [ "$("./$file" "$@")" = "$before" ]
  tool --check "$file"
  [ "$status" -eq 0 ] || report
  cp "$file" "$file.stripped"
  strip "$file.stripped"
  has_sframe "$file.stripped"
  [ "$("./$file.stripped" "$@")" = "$before" ]
  tool --undo "$file"
  [ "$status" -eq 0 ] || report
  cmp "$file" "$file.old"
}

# A linker script that names .note.gnu.build-id, for ld -pie.
build_id_script ()
{
  ld --verbose -pie | sed '1,/^=====/d; /^=====/,$d' \
    | sed 's/^\( *\)\.note\.gnu\.build-id *:.*/\1.note.gnu.build-id : { id_start = .; *(.note.gnu.build-id) id_end = .; }/'
}

# In a stripped file no symbol tells that the program reads these bytes.
@test "a stripped program that reads its build-id through its linker script" {
  needs ld
  build_id_script >script
  grep -q id_start script || skip "another linker script"
  cat >id.c <<'END'
#include <stdio.h>
#pragma GCC visibility push(hidden)
extern const unsigned char id_start[], id_end[];
#pragma GCC visibility pop
int
main (void)
{
  for (const unsigned char *p = id_start; p < id_end; p++)
    printf ("%02x", *p);
  puts ("");
  return 0;
}
END
  many_functions >many.c
  ${CC:-cc} -O2 -fno-ipa-icf -pie -fPIE -fuse-ld=bfd -Wl,-T,script \
    -Wl,--build-id -o id id.c many.c
  strip id
  [[ $(./id) == *474e5500* ]] || report
  lives_on id
}
