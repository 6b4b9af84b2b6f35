#!/usr/bin/env bats
# How files are written: what stays with them, what cannot be written to.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

as_root ()
{
  [ "$(id -u)" -eq 0 ] || skip "needs root"
}

# Both ways to change a file.
each_way ()
{
  local way
  for way in "" --in-place-write; do
    cp -p --preserve=all in f 2>/dev/null || cp -p in f
    "$@" $way
    rm -f f
  done
}

@test "set-id bits and owner are kept" {
  as_root
  small_program in
  check ()
  {
    chown 12:34 f
    chmod 6751 f
    convert "$@" f
    has_sframe f
    [ "$(stat -c '%u:%g %a' f)" = "12:34 6751" ]
    convert --undo "$@" f
    [ "$(stat -c '%u:%g %a' f)" = "12:34 6751" ]
  }
  each_way check
}

@test "file capabilities are kept" {
  as_root
  needs setcap getcap
  small_program in
  check ()
  {
    setcap cap_net_raw+ep f 2>/dev/null || skip "no file capabilities here"
    convert "$@" f
    has_sframe f
    [[ $(getcap f) == *cap_net_raw*ep* ]]
  }
  each_way check
}

@test "user attributes and the ACL are kept" {
  needs python3
  small_program in
  check ()
  {
    python3 - f <<'END' || skip "no attributes here"
import os, struct, sys
os.setxattr (sys.argv[1], "user.note", b"a\0b")
entry = lambda tag, perm, id=0xffffffff: struct.pack ("<HHI", tag, perm, id)
os.setxattr (sys.argv[1], "system.posix_acl_access",
             struct.pack ("<I", 2) + entry (1, 7) + entry (2, 5, 1234)
             + entry (4, 5) + entry (16, 5) + entry (32, 0))
END
    local before
    before=$(python3 -c 'import os; print (sorted ((n, os.getxattr ("f", n)) for n in os.listxattr ("f")))')
    convert "$@" f
    has_sframe f
    [ "$(python3 -c 'import os; print (sorted ((n, os.getxattr ("f", n)) for n in os.listxattr ("f")))')" = "$before" ]
  }
  each_way check
}

@test "time stamps change without -p, not with it" {
  small_program in
  touch -d 2001-02-03 in
  check ()
  {
    convert -p "$@" f
    [ "$(stat -c %y f)" = "$(stat -c %y in)" ]
    convert --undo "$@" f
    [ "$(stat -c %Y f)" -gt "$(stat -c %Y in)" ]
  }
  each_way check
}

@test "holes stay holes" {
  small_program small
  # A big hole as in a program with a large table of zeros.
  cat >big.c <<'END'
__attribute__ ((section (".data"), aligned (4096))) char table[64 << 20] = { 0 };
int main (int c, char **v) { (void)v; return table[c * 1000]; }
END
  "${CC:-cc}" -O1 -o dense big.c
  cp --sparse=always dense in
  [ "$(stat -c %b in)" -lt 10000 ] || skip "the file system has no holes"
  cp --sparse=always in f
  convert f
  ./f
  [ "$(stat -c %b f)" -lt $(($(stat -c %b in) + 200)) ]
  convert --undo f
  cmp in f
  [ "$(stat -c %b f)" -lt $(($(stat -c %b in) + 200)) ]
}

# Start a copy of sleep called f, as process $pid.
start_program ()
{
  copy "$(program_file sleep)" f
  ./f 60 3>&- &
  pid=$!
  # The shell's child is the program only after its exec.
  while [[ $(readlink /proc/$pid/exe) != */f ]]; do
    kill -0 $pid
    sleep 0.01
  done
}

@test "a running program converts and goes on running" {
  start_program
  convert f
  has_sframe f
  kill -0 $pid
  kill $pid
  ./f 0
}

@test "a running program is not written in place" {
  start_program
  refused f --in-place-write
  kill $pid
  [[ $stderr == *"being executed"* ]]
}

@test "--in-place-write keeps inode and all names" {
  small_program f
  cp f in
  ln f g
  local inode
  inode=$(stat -c %i f)
  convert --in-place-write f
  [ "$(stat -c %i f)" = "$inode" ]
  has_sframe g
  convert --in-place-write --undo g
  [ "$(stat -c %i f)" = "$inode" ]
  cmp f in
}

@test "--in-place-write makes what conversion makes, but for the undo record" {
  small_program in
  cp in f
  cp in g
  convert f
  convert --in-place-write g
  strip -o f.stripped f
  strip -o g.stripped g
  cmp f.stripped g.stripped
}

@test "--in-place-write refuses where the whole file would move" {
  needs ld.lld
  small_program in -fuse-ld=lld -static -no-pie 2>/dev/null \
    || skip "cannot link statically"
  tool -v -n in
  [[ "$output $stderr" == *grow-down* ]] || skip "nothing moves here"
  cp in f
  refused f --in-place-write
}

@test "-o to a pipe and to a device" {
  small_program in
  convert -o f in
  "$CFI2SFRAME" -o /dev/stdout in | cmp - f
  mkfifo pipe
  cat pipe >out 3>&- &
  convert -o pipe in
  wait $!
  cmp out f
  convert -o /dev/null in
  [ -c /dev/null ]
  [ -p pipe ]
}

@test "-o onto a directory or a dangling link" {
  small_program in
  mkdir d
  ln -s nowhere l
  tool -o d in
  [ "$status" -eq 1 ] || report
  tool -o l in
  [ "$status" -eq 1 ] || report
  [ ! -e nowhere ]
  [ -z "$(find . -name '.cfi2sframe*')" ]
}

@test "-o of a set-id program is an ordinary one" {
  small_program in
  chmod 4755 in
  umask 022
  convert -o f in
  [ "$(stat -c %a f)" = 755 ]
  cp in same
  chmod 4755 same
  convert -o same same
  [ "$(stat -c %a same)" = 4755 ]
}

@test "a limit on the file size is a failure like others" {
  copy "$(program_file bash)" f
  cp f in
  (
    ulimit -f 100
    run --separate-stderr "$CFI2SFRAME" f
    [ "$status" -eq 1 ]
    [[ $stderr == "cfi2sframe: f: "*"too large"* ]]
  )
  cmp f in
  only_files f in
}

@test "a full disk, in place" {
  as_root
  mkdir disk
  mount -t tmpfs -o size=64k none disk 2>/dev/null \
    || skip "cannot mount a small file system"
  small_program in
  cp in disk/f
  dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null || true
  tool --in-place-write disk/f
  local result=$status message=$stderr
  cmp in disk/f && rm disk/fill
  local same=$?
  umount disk
  [ "$result" -eq 1 ]
  [ "$same" -eq 0 ]
  [[ $message == *"No space left"* ]]
}

@test "an IMA signature is not taken over, and that is said" {
  needs setfattr getfattr
  small_program
  setfattr -n security.ima -v 0x0302040102030405 small 2>/dev/null \
    || skip "cannot set security.ima here"
  tool small
  [ "$status" -eq 0 ] || report
  [[ $stderr == "cfi2sframe: small: warning: its IMA signature"* ]] || report
  ! getfattr -n security.ima small 2>/dev/null
}
