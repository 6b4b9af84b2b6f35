#!/usr/bin/env bats
# How files are written: what stays with them, what cannot be written to.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers

as_root ()
{
  [ "$(id -u)" -eq 0 ] || skip "needs root"
}

# How often each way to flush was called by the program with these arguments:
# fsync, fdatasync and syncfs.
count_flushes ()
{
  strace -f -o calls -e trace=fsync,fdatasync,syncfs "$CFI2SFRAME" "$@"
  local call
  for call in fsync fdatasync syncfs; do
    grep -c " $call(" calls || true
  done | tr '\n' ' '
}

# Each file was flushed twice, wherever it was.
@test "--sync: each file, all of them at the end, or none" {
  needs_strace
  small_program in
  mkdir tree
  local n
  for n in 1 2 3; do
    cp in "tree/$n"
  done
  for options in -r "-r --undo"; do
    for sync in "" --sync=file; do
      [ "$(count_flushes $options $sync -q tree)" = "6 0 0 " ] || { cat calls; return 1; }
      "$CFI2SFRAME" -q -r --remove tree
      [ "$options" = -r ] || "$CFI2SFRAME" -q -r tree
    done
    [ "$(count_flushes $options --sync=end -q tree)" = "0 0 1 " ] || { cat calls; return 1; }
    "$CFI2SFRAME" -q -r --remove tree
    [ "$options" = -r ] || "$CFI2SFRAME" -q -r tree
    [ "$(count_flushes $options --sync=none -q tree)" = "0 0 0 " ] || { cat calls; return 1; }
  done
  # A file that is alone does not wait for what others have written.
  [ "$(count_flushes --sync=end -q -o out in)" = "2 0 0 " ] || { cat calls; return 1; }
  [ "$(count_flushes --sync=end -q --detached=dir in)" = "2 0 0 " ] || { cat calls; return 1; }
  [ "$(count_flushes --sync=none -q -o out in)" = "0 0 0 " ] || { cat calls; return 1; }
}

@test "--sync=end: a file system that cannot be flushed is told, and exit 1" {
  needs strace
  small_program a
  cp a b
  strace -f -o /dev/null -e trace=syncfs -e inject=syncfs:error=EIO true 2>/dev/null \
    || skip "strace does not work here"
  gives 1 capture strace -f -o /dev/null -e trace=syncfs \
    -e inject=syncfs:error=EIO "$CFI2SFRAME" -q --sync=end a b
  [ "$stderr" = "cfi2sframe: written, but flushing the file system failed: Input/output error" ] \
    || report
  has_sframe a
  # A report has it as a failure, too.
  small_program a
  cp a b
  gives 1 capture strace -f -o /dev/null -e trace=syncfs \
    -e inject=syncfs:error=EIO "$CFI2SFRAME" --stats=junit --sync=end a b
  [[ $output == *'failures="1"'*'message="written, but flushing the file system failed: '* ]] \
    || report
}

@test "set-id bits and owner are kept" {
  as_root
  small_program in
  cp in f
  chown 12:34 f
  chmod 6751 f
  convert f
  has_sframe f
  [ "$(stat -c '%u:%g %a' f)" = "12:34 6751" ]
  convert --undo f
  [ "$(stat -c '%u:%g %a' f)" = "12:34 6751" ]
}

@test "file capabilities are kept" {
  as_root
  needs setcap getcap
  small_program in
  cp in f
  setcap cap_net_raw+ep f 2>/dev/null || skip "no file capabilities here"
  convert f
  has_sframe f
  [[ $(getcap f) == *cap_net_raw*ep* ]]
  convert --undo f
  [[ $(getcap f) == *cap_net_raw*ep* ]]
}

@test "user attributes and the ACL are kept" {
  needs python3
  small_program in
  cp in f
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
  convert f
  has_sframe f
  [ "$(python3 -c 'import os; print (sorted ((n, os.getxattr ("f", n)) for n in os.listxattr ("f")))')" = "$before" ]
}

@test "time stamps change without -p, not with it" {
  small_program in
  touch -d 2001-02-03 in
  cp -p in f
  convert -p f
  [ "$(stat -c %y f)" = "$(stat -c %y in)" ]
  convert --undo f
  [ "$(stat -c %Y f)" -gt "$(stat -c %Y in)" ]
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
  # The self-check maps the new file and reads it.
  [ "$(stat -f -c %T .)" != tmpfs ] || skip "tmpfs fills holes that are read"
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
  ./f 600 3>&- &
  pid=$!
  children+=("$pid")
  # The shell's child is the program only after its exec.
  within_a_minute eval '[[ $(readlink /proc/$pid/exe) == */f ]]'
}

@test "a running program converts and goes on running" {
  start_program
  convert f
  has_sframe f
  kill -0 $pid
  kill $pid
  ./f 0
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

@test "-o to a descriptor: what is there before and behind stays" {
  small_program in
  convert -o f in
  local path
  # Each name leads to the open file itself: its position, its O_APPEND.
  ln -s /dev/stdout link
  for path in /dev/stdout /dev/fd/1 /proc/self/fd/1 /proc/thread-self/fd/1 \
              "$PWD/link" link; do
    echo before >out
    "$CFI2SFRAME" -o "$path" in >>out
    cmp out <(echo before; cat f) || { echo "$path, appended"; return 1; }
    { echo before; "$CFI2SFRAME" -o "$path" in; echo behind; } >out
    cmp out <(echo before; cat f; echo behind) || { echo "$path"; return 1; }
    # Opened without being emptied: what follows is not ours.
    { cat f f; echo rest; } >out
    "$CFI2SFRAME" -o "$path" in 1<>out
    cmp out <(cat f f; echo rest) || { echo "$path, in place"; return 1; }
  done
  echo before >out
  "$CFI2SFRAME" -o /dev/fd/9 in 9>>out
  cmp out <(echo before; cat f)
  "$CFI2SFRAME" -o /dev/stderr in 2>out
  cmp out f
  # The same of a text, of which a copy is made, and of a bare section.
  echo text >text
  "$CFI2SFRAME" -o /dev/stdout text >>out
  cmp out <(cat f text)
  "$CFI2SFRAME" --section-only=section in
  "$CFI2SFRAME" --section-only=/dev/stdout in >>out
  cmp out <(cat f text section)
}

@test "-o to a descriptor that is not open, or not for writing" {
  small_program in
  echo text >text
  local before number
  before=$(checksum in)
  # The program opens files itself: their numbers are not the user's.
  for number in 3 4 5 6 7 8 9; do
    tool -o /dev/fd/$number in 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
    [ "$status" -eq 1 ] && [ -z "$output" ] || report
  done
  exits 1 -o /dev/stdin in <text
  [ "$(checksum in)" = "$before" ]
  only_files in small.c text
}

@test "messages do not go where the file goes" {
  small_program in
  convert -o f in
  "$CFI2SFRAME" -vv -o /dev/stdout in 2>log | cmp - f
  grep -q '^in: SFrame V3' log
  "$CFI2SFRAME" --stats=json -o /dev/stdout in 2>log >out
  cmp out f
  grep -q '^{"json_version":1,"file":"in"' log
  "$CFI2SFRAME" -v --section-only=/dev/stdout in 2>log >out
  cmp out <(section_bytes f .sframe)
  "$CFI2SFRAME" -v -o out in >out 2>log
  cmp out f
  grep -q '^in: SFrame V3' log
  "$CFI2SFRAME" -vv -o /dev/stderr in 2>out >log
  cmp out f
  grep -q '^in: SFrame V3' log
  "$CFI2SFRAME" -vv -o /dev/stdout in >out 2>&1
  cmp out f
  # Reports for other programs are messages, too.
  local form
  for form in junit sarif github; do
    "$CFI2SFRAME" --stats=$form -o /dev/stdout in >out 2>log
    cmp out f
    [ "$form" = github ] || grep -q cfi2sframe log
  done
  # Nobody wants to read what goes to /dev/null.
  "$CFI2SFRAME" -v -o /dev/null in >/dev/null 2>log
  [ ! -s log ]
  # A failure is told all the same.
  head -c 100 in >bad
  "$CFI2SFRAME" -o /dev/stdout bad >out 2>&1 && return 1
  grep -q '^cfi2sframe: bad: ' out
  "$CFI2SFRAME" -v -o /dev/stdout in >/dev/full 2>log && return 1
  grep -q '^cfi2sframe: /dev/stdout: .* (for in)$' log
}

@test "an output that is the input itself is refused, whatever the option" {
  small_program in
  echo text >text
  ln -s in soft
  ln in hard
  convert -o converted in
  local option target file before
  refuses ()
  {
    file=${*: -1}
    before=$(checksum "$file")
    tool "$@"
    [ "$status" -eq 1 ] || { echo "$@"; report; }
    [[ $stderr == "cfi2sframe: $file: "*"the input itself"* ]] || { echo "$@"; report; }
    [ "$(checksum "$file")" = "$before" ]
  }
  for target in in ./in "$PWD/in" soft hard; do
    for option in --output= --section-only= "--format=compact-unwind --section-only=" \
                  "-n --output=" "--relocatable --output="; do
      refuses $option$target in
    done
  done
  [ in -ef hard ]
  for option in --undo --remove; do
    refuses $option -o converted converted
  done
  refuses -o text text
  before=$(checksum in)
  "$CFI2SFRAME" -o /dev/stdout in >>in 2>log && return 1
  [ "$(checksum in)" = "$before" ]
  [ -z "$(find . -name '.cfi2sframe*')" ]
}

@test "-o onto a directory or a dangling link" {
  small_program in
  mkdir d
  ln -s nowhere l
  printf 'f: .cfi_startproc\n ret\n .cfi_endproc\n' | as -o object.o
  ar cr archive.a object.o
  local file
  # It is the output that is wrong, not what is to be converted.
  for file in in object.o archive.a; do
    refused $file --relocatable --skip-unconvertible -o d
    [ "$stderr" = "cfi2sframe: d: is a directory (for $file)" ] || report
    refused $file --relocatable --skip-unconvertible -o l
    [ "$stderr" = "cfi2sframe: l: is a dangling symbolic link (for $file)" ] || report
  done
  [ ! -e nowhere ]
  [ -z "$(find . -name '.cfi2sframe*')" ]
}

@test "-o of a set-id program is an ordinary one" {
  small_program in
  chmod 4755 in
  umask 022
  convert -o f in
  [ "$(stat -c %a f)" = 755 ]
}

@test "a limit on the file size is a failure like others" {
  copy "$(program_file bash)" f
  cp f in
  (
    ulimit -f 100
    gives 1 capture "$CFI2SFRAME" f
    [[ $stderr == "cfi2sframe: f: "*"too large"* ]]
  )
  cmp f in
  only_files f in
}

@test "an IMA signature is not taken over, and that is said" {
  needs setfattr getfattr
  small_program
  setfattr -n security.ima -v 0x0302040102030405 small 2>/dev/null \
    || skip "cannot set security.ima here"
  exits 0 small
  [[ $stderr == "cfi2sframe: small: warning: its IMA signature"* ]] || report
  run ! getfattr -n security.ima small
  [[ $output == *"No such attribute"* ]]
  # Nor is it by what takes the section back, or of an object or an archive.
  local ima="setfattr -n security.ima -v 0x0302040102030405"
  $ima small
  exits 0 -n --undo small
  [[ $stderr == "cfi2sframe: small: warning: its IMA signature"* ]] || report
  exits 0 --remove small
  [[ $stderr == "cfi2sframe: small: warning: its IMA signature"* ]] || report
  "${CC:-cc}" -c small.c && ar rc small.a small.o
  $ima small.o && $ima small.a
  exits 0 --relocatable small.o small.a
  [[ $stderr == *": small.o: warning: its IMA"*": small.a: warning: its IMA"* ]] || report
}

# FS_VERITY_FL by a library in between: few kernels can seal files.
@test "that a file was sealed by fs-verity is said" {
  needs cc
  cat >sealed.c <<'END'
#include <linux/fs.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
int
ioctl (int fd, unsigned long request, ...)
{
  va_list rest;
  va_start (rest, request);
  int *argument = va_arg (rest, int *);
  va_end (rest);
  if (request != FS_IOC_GETFLAGS)
    return syscall (SYS_ioctl, fd, request, argument);
  *argument = FS_VERITY_FL;
  return 0;
}
END
  cc -shared -fPIC -o sealed.so sealed.c
  small_program
  LD_PRELOAD=$PWD/sealed.so \
    ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 exits 0 small
  [[ $stderr == "cfi2sframe: small: warning: "*"fs-verity"* ]] || report
  has_sframe small
}

@test "attributes of chattr are kept; what cannot be is said" {
  needs chattr lsattr
  small_program in
  cp in f
  chattr +dAS f 2>/dev/null || skip "no such attributes here"
  lsattr f | cut -d' ' -f1 >before
  convert f
  has_sframe f
  lsattr f | cut -d' ' -f1 | diff before -
  convert --undo f
  lsattr f | cut -d' ' -f1 | diff before -
  # -o is a copy, as cp makes it.
  convert -o g f
}

@test "an attribute of chattr that a new file cannot have is said" {
  needs chattr lsattr
  local attribute
  small_program f
  # Which of them there are depends on the file system.
  for attribute in s j C; do
    chattr +$attribute f 2>/dev/null && break
  done
  lsattr f | cut -d' ' -f1 | grep -q "$attribute" || skip "no such attributes here"
  exits 0 f
  [[ $stderr == "cfi2sframe: f: warning: "*"(chattr)"* ]] || report
  has_sframe f
}

@test "an immutable file is refused in words" {
  as_root
  needs chattr
  small_program in
  local flag
  for flag in i a; do
    cp in f
    chattr +$flag f 2>/dev/null || skip "no such attributes here"
    tool f
    chattr -$flag f
    [ "$status" -eq 1 ] || report
    [[ $stderr == *immutable*chattr* ]] || report
    cmp in f
    [ -z "$(find . -name '.cfi2sframe*')" ]
  done
}

# left_out FILE CHECKSUM [KIND]: FILE is left out, with a line that names both:
# alone, in a tree, and where others skip what cannot be converted.
left_out ()
{
  refused "$1"
  [[ $stderr == "cfi2sframe: $1: $2 has a checksum of it (${3:-FIPS 140}); see --convert-checksummed" ]] || report
  refused "$1" -o out
  for option in -r --skip-unconvertible; do
    tool $option "$1"
    [ "$option" = --skip-unconvertible ] || tool -r "$(dirname "$1")"
    [ "$status" -eq 0 ] || report
    [[ $stderr == *"cfi2sframe: $1: note: skipped: $2 has a checksum of it"* ]] || report
    run ! has_sframe "$1"
  done
  tool -q -r "$(dirname "$1")"
  silent
  run ! has_sframe "$1"
}

# Had been made behind the conversion, by a build.
@test "--undo and --remove ask for checksums, too, as a conversion does" {
  local option
  mkdir d
  small_program in
  "$CFI2SFRAME" -q -o out in
  touch d/.libx.so.hmac
  for option in --undo --remove; do
    cp out d/libx.so
    refused d/libx.so $option
    [[ $stderr == *": .libx.so.hmac has a checksum of it (FIPS 140); see --convert-checksummed" ]] \
      || report
    refused d/libx.so -n $option
    exits 0 -r $option d
    [[ $stderr == *"libx.so: note: skipped: .libx.so.hmac has"* ]] || report
    cmp out d/libx.so
    # For comparisons; and what has nothing to be taken back.
    exits 0 $option -o before d/libx.so
    cmp in before
    skipped before $option
    exits 0 $option --convert-checksummed d/libx.so
    cmp in d/libx.so
    skipped d/libx.so $option
    # By another name.
    cp out other
    ln -f other d/libx.so
    exits 1 $option other d/libx.so
    cmp in other
    cmp out d/libx.so
  done
  # --check does not know the option.
  cp in d/libx.so
  exits 1 --check --require d/libx.so
  [[ $stderr == *": .libx.so.hmac has a checksum of it (FIPS 140)" ]] || report
}

# These were converted with a warning, and refused to start.
@test "a file with a checksum in another file is left out, with a line" {
  local beside
  mkdir -p d/fipscheck d/fipshmac lib64/fipscheck
  small_program in
  for beside in .libx.so.hmac libx.so.hmac fipscheck/libx.so.hmac libx.so.chk \
                libx.chk fipshmac/.libx.so.hmac ../lib64/fipscheck/libx.so.hmac; do
    cp in d/libx.so
    touch "d/$beside"
    left_out d/libx.so "$beside"
    rm "d/$beside"
  done
  # Julia compiled the package anew.
  cp in d/libx.so
  touch d/libx.ji
  left_out d/libx.so libx.ji Julia
  rm d/libx.ji
  # What only reads the file may do so.
  touch d/.libx.so.hmac
  exits 0 --section-only=section d/libx.so
  [ -s section ]
  rm d/.libx.so.hmac
  # One of something else, and none.
  touch d/.liby.so.hmac d/libx.hmac d/.hmac d/.chk d/.ji d/libx.so.1.ji
  convert d/libx.so
  has_sframe d/libx.so
}

@test "checksums by soname, by a link, by a list of several, of OpenSSL" {
  small_program in
  mkdir d ossl-modules
  small_program d/libx.so.20.4.2 -shared -fPIC -Wl,-soname,libx.so.20
  # As Red Hat has it; the link is ldconfig's.
  touch d/.libx.so.20.hmac
  left_out d/libx.so.20.4.2 .libx.so.20.hmac
  rm d/.libx.so.20.hmac
  mkdir e && cp in e/libz.so.1.1
  ln -s libz.so.1.1 e/libz.so.0
  touch e/.libz.so.0.hmac
  left_out e/libz.so.1.1 .libz.so.0.hmac
  # An operand that is a link.
  ln -s e/libz.so.1.1 link
  exits 1 link
  [[ $stderr == *".libz.so.0.hmac has a checksum"* ]] || report
  # GnuTLS's has those of the libraries that it uses.
  printf '[global]\nformat-version = 1\n[libx.so.20]\nhmac = 00\n' \
    >d/.libgnutls.so.30.hmac
  left_out d/libx.so.20.4.2 .libgnutls.so.30.hmac
  rm d/.libgnutls.so.30.hmac
  # What is not a file is not read.
  mkfifo d/.other.so.hmac
  timeout 60 "$CFI2SFRAME" d/libx.so.20.4.2
  rm d/.other.so.hmac
  cp in e/fips.so
  touch e/fipsmodule.cnf
  left_out e/fips.so fipsmodule.cnf
  # Debian's is in /etc.
  cp in ossl-modules/fips.so
  left_out ossl-modules/fips.so fipsmodule.cnf
  cp in ossl-modules/legacy.so
  convert ossl-modules/legacy.so
}

@test "a file with a checksum in a note is left out" {
  needs objcopy
  small_program in
  # libgcrypt, src/gen-note-integrity.sh: FDO, 0xcafe2a8e, 32 bytes.
  cat >note.s <<'END'
  .section .note.fdo.integrity, "a", %note
  .long 4, 32, 0xcafe2a8e
  .asciz "FDO"
  .zero 32
  .section .note.GNU-stack, "", %progbits
END
  mkdir section segment
  small_program section/program note.s
  left_out section/program "a note in it"
  # By its contents, where there is no such name.
  objcopy --rename-section .note.fdo.integrity=.note.x section/program \
    segment/program
  left_out segment/program "a note in it"
  # By its name, where the contents are somebody else's.
  sed -i 's/0xcafe2a8e/1/' note.s
  small_program section/program note.s
  left_out section/program "a note in it"
}

# These were converted: libgcrypt 1.10.2 and Fedora's fips.so, and SymCrypt of
# Azure Linux, which would have ended each program that loads it.
@test "a library that hashes its own file or headers was converted" {
  mkdir d
  cat >hmac.c <<'END'
__attribute__ ((section (".rodata1"))) const unsigned char hmac[32] = { 0 };
END
  small_program d/libgcrypt.so.20.4.2 -shared -fPIC hmac.c
  left_out d/libgcrypt.so.20.4.2 "its section .rodata1"
  small_program d/libsymcrypt.so.103.8.0 -shared -fPIC \
    -Wl,-soname,libsymcrypt.so.103
  left_out d/libsymcrypt.so.103.8.0 "SymCrypt's data"
  # What uses it has no checksum.
  small_program d/symcryptprovider.so -shared -fPIC \
    -Wl,-soname,symcryptprovider.so
  convert d/symcryptprovider.so
}

@test "the libraries beside ICC's signatures were converted" {
  mkdir icclib
  small_program icclib/libicclib085.so -shared -fPIC
  touch icclib/ICCSIG.txt
  left_out icclib/libicclib085.so ICCSIG.txt
}

@test "--convert-checksummed converts what has a checksum" {
  small_program libx.so
  touch libx.chk
  convert --convert-checksummed libx.so
  has_sframe libx.so
  # With something there it is still skipped for that.
  skipped libx.so
  convert --undo --convert-checksummed libx.so
  run "$CFI2SFRAME" --convert-checksummed --check libx.so
  [ "$status" -eq 2 ] || report
}

# One write of all writes one byte wrong, which may be padding.
@test "a byte that was written wrongly is noticed before the file is replaced" {
  local n bad=0
  ! grep -q __asan_init "$CFI2SFRAME" || skip "AddressSanitizer comes first"
  cat >spoil.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
ssize_t
pwrite64 (int fd, const void *bytes, size_t size, off_t offset)
{
  static int calls;
  static char copy[1 << 16];
  struct iovec part = { copy, size < sizeof copy ? size : sizeof copy };
  memcpy (copy, bytes, part.iov_len);
  copy[part.iov_len / 2] ^= calls++ == atoi (getenv ("SPOIL"));
  return pwritev (fd, &part, 1, offset);
}
ssize_t
pwrite (int fd, const void *bytes, size_t size, off_t offset)
{
  return pwrite64 (fd, bytes, size, offset);
}
END
  "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o spoil.so spoil.c
  small_program in
  for n in 0 1 2 3 4 5 6 7; do
    cp in f
    capture env LD_PRELOAD="$PWD/spoil.so" SPOIL=$n "$CFI2SFRAME" f
    if [ "$status" -eq 1 ]; then
      [[ $stderr == *"self-check of the new file failed"* ]] || report
      cmp in f
      bad=$((bad + 1))
    else
      [ "$(./f)" = "$(./in)" ] || report
    fi
  done
  [ "$bad" -ge 6 ] || report
  run ! compgen -G '.cfi2sframe-*'
}

# SEEK_DATA of some file systems takes bytes for a hole that are not on disk yet.
@test "a hole that has bytes is copied" {
  ! grep -q __asan_init "$CFI2SFRAME" || skip "AddressSanitizer comes first"
  cat >liar.c <<'EOF'
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
off_t
lseek64 (int fd, off_t offset, int whence)
{
  if (whence == SEEK_DATA)
    return errno = ENXIO, -1;
  return syscall (SYS_lseek, fd, offset, whence);
}
off_t
lseek (int fd, off_t offset, int whence)
{
  return lseek64 (fd, offset, whence);
}
EOF
  "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o liar.so liar.c
  cat >sparse.c <<'EOF'
int zeros[1 << 18] = { 1 };
int main (void) { return zeros[0] + 41; }
EOF
  "${CC:-cc}" -o full sparse.c
  cp --sparse=always full f
  [ $(($(stat -c %b f) * 512)) -lt "$(stat -c %s f)" ] || skip "no holes here"
  convert -o wanted f
  gives 0 capture env LD_PRELOAD="$PWD/liar.so" "$CFI2SFRAME" f
  cmp wanted f
}

# Of large files not all is read back.
@test "a part of a large file that was not written is noticed" {
  local n bad=0
  ! grep -q __asan_init "$CFI2SFRAME" || skip "AddressSanitizer comes first"
  cat >drop.c <<'EOF'
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int calls;
ssize_t
pwrite64 (int fd, const void *bytes, size_t size, off_t offset)
{
  if (size > 1 << 16 && calls++ == atoi (getenv ("DROP")))
    return size;
  return syscall (SYS_pwrite64, fd, bytes, size, offset);
}
ssize_t
pwrite (int fd, const void *bytes, size_t size, off_t offset)
{
  return pwrite64 (fd, bytes, size, offset);
}
EOF
  "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o drop.so drop.c
  cat >large.s <<'EOF'
	.data
	.fill 3 << 20, 4, 0x01020304
	.section .note.GNU-stack, "", %progbits
EOF
  echo 'int main (void) { return 42; }' >main.c
  "${CC:-cc}" -o large main.c large.s
  convert -o wanted large
  for n in 0 1 2; do
    cp large f
    capture env LD_PRELOAD="$PWD/drop.so" DROP=$n "$CFI2SFRAME" -j1 f
    if [ "$status" -eq 0 ]; then
      cmp wanted f
    else
      [[ $stderr == *"self-check of the new file failed"* ]] || report
      cmp large f
      bad=$((bad + 1))
    fi
  done
  [ "$bad" -ge 1 ] || report
}

# Between two openings another file could get the name.
@test "what is copied is the file that was looked at" {
  needs_strace
  small_program in
  convert in
  strace -f -e trace=openat -o trace "$CFI2SFRAME" -o out in
  cmp in out
  [ "$(grep -c '"in"' trace)" -eq 1 ] || { cat trace; return 1; }
}
