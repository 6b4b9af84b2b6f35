#!/usr/bin/env bats
# The reproducers of doc/use/differences.texi, run as the document says.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# The assembler of a machine.
assembler ()
{
  case $1 in
  amd64) echo as ;;
  *) echo "$1-linux-gnu-as" ;;
  esac
}

# Run the reproducers of machine $1; set $ran to their number.
reproduce ()
{
  local machine=$1 version=3 expected line state=text
  ran=0
  while IFS= read -r line; do
    case $state:$line in
    text:'@c reproducer '"$machine "*)
      line=${line#@c reproducer "$machine" }
      version=${line%% *}
      expected=${line#*\"}
      expected=${expected%\"}
      state=wanted
      ;;
    wanted:@example)
      printf 'f:\t.cfi_startproc\n\tnop\n' >f.s
      state=inside
      ;;
    inside:'@end example')
      state=text
      printf '\tnop\n\t.cfi_endproc\n' >>f.s
      "$(assembler "$machine")" f.s -o f.o
      show_difference "$version" "$expected"
      ran=$((ran + 1))
      ;;
    inside:*)
      printf '%s\n' "$line" >>f.s
      ;;
    esac
  done <"$srcdir/doc/use/differences.texi"
}

show_difference ()
{
  rm -f gnu.o ours.o
  "$CFI2SFRAME" --relocatable --format="$1" --gnu=bugs -o gnu.o f.o
  "$CFI2SFRAME" --relocatable --format="$1" -o ours.o f.o
  tool --compare gnu.o ours.o
  [ "$status" -eq 1 ] && [[ $output == *"$2"* ]] \
    || { cat f.s; echo "expected: $2"; report; }
}

@test "x86-64" {
  needs as
  as --version | grep -q x86_64 || skip "as is not for x86-64"
  reproduce amd64
  [ "$ran" -ge 15 ]
}

@test "aarch64" {
  needs aarch64-linux-gnu-as
  reproduce aarch64
  [ "$ran" -ge 1 ]
}

@test "s390x" {
  needs s390x-linux-gnu-as
  reproduce s390x
  [ "$ran" -ge 1 ]
}
