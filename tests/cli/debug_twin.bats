#!/usr/bin/env bats
# Programs whose debugging information is in a file of its own.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# A program split into `small' and `small.debug', and small's function `leaf' in
# $leaf, an address.
split_program ()
{
  needs objcopy nm
  small_program small -g "$@"
  leaf=0x$(nm small | awk '$3 == "leaf" { print $1 }')
  objcopy --only-keep-debug small small.debug
  objcopy --strip-all --add-gnu-debuglink=small.debug small
}

# libdwfl takes the difference of the first segments' ends for the distance
# between a file and its debug file.
@test "elfutils finds the same function in the old debug file" {
  needs eu-addr2line
  split_program
  eu-addr2line -f -e small "$leaf" >before
  grep -qx leaf before
  convert small
  eu-addr2line -f -e small "$leaf" | diff before -
}
