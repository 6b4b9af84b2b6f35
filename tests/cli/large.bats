#!/usr/bin/env bats
# Files of some megabytes: copy and digest are made by other threads while the
# section is made.  The result is the same, also when they fail.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers

# A program with 8 MB of another section; large enough for the threads.
large_program ()
{
  needs objcopy
  small_program "$1"
  head -c 8000000 /dev/zero >zeros
  objcopy --add-section .zdebug_large=zeros "$1"
  rm zeros
}

# The same with holes, which the threads leave alone.
with_holes ()
{
  cp --sparse=always "$1" "$2"
  [ $(($(stat -c %b "$2") * 512)) -lt "$(stat -c %s "$2")" ] \
    || skip "no holes on this file system"
}

@test "the result does not depend on how the bytes were copied" {
  large_program large
  with_holes large sparse
  for options in "" --format=2 --format=1; do
    convert $options -o one large
    convert $options -o other sparse
    has_sframe one
    cmp one other
    # A tmpfs fills holes when they are read through a mapping.
    [ "$(stat -f -c %T .)" = tmpfs ] || [ $(($(stat -c %b other) * 512)) -lt 4000000 ]
  done
  [ "$(./one)" = "$(./large)" ]
  copy large in-place
  convert in-place
  convert --format=3 -o one large
  cmp in-place one
}

@test "every strategy, with and without holes" {
  needs objcopy
  head -c 8000000 /dev/zero >zeros
  for program in bash ls objcopy; do
    copy "$(program_file $program)" "$program"
    strip "$program"
    objcopy --add-section .zdebug_large=zeros "$program"
    with_holes "$program" sparse
    convert -o one "$program"
    convert -o other sparse
    cmp one other
    ./one --version >/dev/null
    convert --undo one
    cmp one "$program"
  done
}

@test "undo gives the original of a large file back" {
  large_program large
  cp large before
  convert large
  has_sframe large
  convert --undo large
  cmp large before
}

@test "a large file without CFI is left alone" {
  large_program large
  strip -R .eh_frame -R .eh_frame_hdr large
  skipped large
  only_files large small.c
}

@test "a large file that is not converted after all leaves no copy of it" {
  large_program large
  refused large --min-coverage=100
  [[ $stderr == *" of the code"* ]] || report
}

# Convert with system calls failing as strace's expression $1 says.
with_fault ()
{
  needs_strace
  capture strace -f -o calls -e trace="${1%%:*}" \
    -e inject="$1" "$CFI2SFRAME" "${@:2}"
}

@test "without threads, or when reading fails, the result is the same" {
  large_program large
  convert -o good large
  for fault in clone3,clone:error=EAGAIN madvise:error=EINVAL \
               madvise:error=EFAULT:when=2+; do
    with_fault $fault -o out large
    [ "$status" -eq 0 ] || report
    grep -q INJECTED calls
    cmp out good
    rm out
  done
}

@test "a full disk leaves the large file as it was" {
  large_program large
  cp large before
  for call in 1 2 3; do
    with_fault pwrite64:error=ENOSPC:when=$call large
    [ "$status" -eq 1 ] || report
    grep -q INJECTED calls
    cmp large before
    only_files large before small.c calls
  done
}

# FILE, SIZE: move the section headers behind a hole that ends at SIZE.
with_headers_at ()
{
  local file=$1 size=$2 old bytes
  old=$(peek "$file" 40 8) # e_shoff
  bytes=$(($(stat -c %s "$file") - old))
  tail -c "$bytes" "$file" >headers
  truncate -s "$old" "$file"
  truncate -s "$size" "$file"
  cat headers >>"$file"
  # shellcheck disable=SC2046
  poke "$file" 40 $(printf '%016x\n' "$size" | fold -w 2 | tac)
}

# libelf's words for it are "cannot read data from file" (5 GiB), "out of
# memory" (3 GiB).  A number cut off to 32 bits, signed or not, is another one from
# 4 GiB on, and the file is read as a whole, also its hole: 4 GiB are enough for
# programs that take such a file.
@test "files of 3 and 5 GiB are refused by a 32-bit program, those of 4 converted by others" {
  needs readelf
  [ "$(uname -m)" = x86_64 ] || skip "little-endian programs"
  local size
  small_program large
  if readelf -h "$CFI2SFRAME" | grep -q ELF64; then
    with_headers_at large $(((4 << 30) + 4096))
    exits 0 -n --stats large
    [ -n "$output" ]
    return
  fi
  for size in 3 5; do
    small_program large
    with_headers_at large $((size << 30))
    exits 1 large # (refused takes a checksum)
    [[ $stderr == "cfi2sframe: large: too large for a 32-bit program" ]] \
      || report
  done
}
