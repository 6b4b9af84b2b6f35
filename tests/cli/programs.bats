#!/usr/bin/env bats
# Real programs and libraries run after conversion as they did before.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# Convert a copy of program NAME into ./new/NAME; ./old/NAME is the original.
converted_program ()
{
  needs "$1"
  mkdir -p old new
  copy "$(program_file "$1")" "old/$1"
  file_is_elf "old/$1" || skip "$1 is a script here"
  cp "old/$1" "new/$1"
  convert "new/$1"
  has_sframe "new/$1"
  exits 0 --check "new/$1"
}

# The same for the library SONAME.
converted_library ()
{
  local file
  file=$(library_file "$1")
  [ -f "$file" ] || skip "$1 not found"
  mkdir -p new
  copy "$file" "new/$1"
  convert "new/$1"
  has_sframe "new/$1"
  exits 0 --check "new/$1"
}

file_is_elf ()
{
  head -c 4 "$1" | grep -q ELF
}

# Run the same arguments with old/NAME and new/NAME; same output and status.
same ()
{
  local name=$1 old_status=0 new_status=0
  shift
  "old/$name" "$@" >old.out 2>old.err </dev/null || old_status=$?
  "new/$name" "$@" >new.out 2>new.err </dev/null || new_status=$?
  sed -i "s|old/$name|PROGRAM|g" old.err old.out
  sed -i "s|new/$name|PROGRAM|g" new.err new.out
  [ "$old_status" -eq "$new_status" ]
  diff old.out new.out
  diff old.err new.err
  [ -s old.out ] || [ -s old.err ]
}

# Run COMMAND with and without the converted library; it is really the
# converted one that gets loaded.
same_with_library ()
{
  local library=$1
  shift
  "$@" >old.out 2>&1 </dev/null
  LD_LIBRARY_PATH=$PWD/new "$@" >new.out 2>&1 </dev/null
  diff old.out new.out
  [ -s old.out ]
  LD_LIBRARY_PATH=$PWD/new LD_DEBUG=files "$@" 2>&1 </dev/null \
    | grep -F "$PWD/new/$library" >loaded
  [ -s loaded ]
}

@test "bash" {
  converted_program bash
  same bash --version
  same bash -c 'f () { [ $1 -eq 0 ] || { echo $1; f $(($1 - 1)); }; }
    f 40; declare -A a=([x]=1 [y]=2); echo ${#a[@]}; trap "echo bye" EXIT
    (kill -TERM $BASHPID); echo $?; exit 7'
}

@test "python3" {
  converted_program python3
  same python3 -c 'import json, re, hashlib, sys
def f(n):
    if n == 0: raise ValueError("bottom")
    return f(n - 1)
try: f(200)
except ValueError as e: print(e)
print(json.dumps({"a": [1, 2.5, None]}), re.sub("a+", "b", "caaat"))
print(hashlib.sha256(b"x").hexdigest()); sys.exit(3)'
}

@test "perl" {
  converted_program perl
  same perl -e 'sub f { my $n = shift; return $n ? $n + f($n - 1) : 0 }
    print f(100), "\n"; eval { die "caught\n" }; print $@;
    print join(",", sort { $a <=> $b } map { $_ * 7 % 13 } 1..12), "\n";'
}

@test "git" {
  converted_program git
  export HOME=$PWD GIT_CONFIG_NOSYSTEM=1
  export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_AUTHOR_DATE="1000000000 +0000"
  export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
  export GIT_COMMITTER_DATE="1000000000 +0000"
  mkdir work
  ./new/git -C work init -q
  seq 1000 >work/file
  ./new/git -C work add file
  ./new/git -C work commit -q -m first
  seq 500 1500 >work/file
  ./new/git -C work commit -q -a -m second
  same git -C work log -p --stat
  ./new/git -C work gc -q --aggressive
  same git -C work fsck --full --verbose
  same git -C work verify-pack -v "$PWD"/work/.git/objects/pack/*.idx
}

@test "gdb" {
  converted_program gdb
  small_program small -g
  # Not every sandbox lets one trace another process.
  if "old/gdb" -nx -batch -ex 'break leaf' -ex run -ex bt small 2>&1 \
     </dev/null | grep -q '^#0'; then
    same gdb -nx -batch -ex 'break leaf' -ex run -ex bt -ex 'print a' small
    grep -q '^#1.*deep' new.out
  fi
  same gdb -nx -batch -ex 'print 6*7' -ex 'disassemble main' small
}

@test "C++ exceptions, with every linker" {
  needs g++
  cat >throw.cc <<'END'
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
struct guard { int n; ~guard () { std::printf ("unwound %d\n", n); } };
__attribute__ ((noinline)) static int
deep (int n)
{
  guard g{ n };
  std::vector<std::string> v (n, "x");
  if (n == 0)
    throw std::runtime_error ("bottom");
  return deep (n - 1) + v.size ();
}
int
main ()
{
  for (int i = 0; i < 3; i++)
    try { deep (5 + i); }
    catch (const std::exception &e) { std::printf ("%s\n", e.what ()); }
  try { throw 42; } catch (int i) { std::printf ("%d\n", i); }
}
END
  g++ -O2 -fPIE -c -o throw-pie.o throw.cc
  g++ -O2 -fno-PIE -c -o throw-no-pie.o throw.cc
  local tried=0 mode linker
  for linker in bfd gold lld mold; do
    for mode in "-pie throw-pie.o" "-no-pie throw-no-pie.o" \
                "-static throw-no-pie.o"; do
      # shellcheck disable=SC2086
      g++ -fuse-ld=$linker $mode -o throw 2>/dev/null || continue
      cp throw converted
      tool converted
      if [ "$status" -ne 0 ]; then
        # Refused is right, harm is not.
        cmp throw converted
        continue
      fi
      has_sframe converted
      diff <(./throw) <(./converted)
      tool --check converted
      [ "$status" -eq 0 ] || { echo "$linker $mode"; report; }
      tried=$((tried + 1))
    done
  done
  [ "$tried" -ge 2 ] || { echo "only $tried converted"; return 1; }
}

@test "libc.so.6" {
  converted_library libc.so.6
  same_with_library libc.so.6 bash -c 'printf "%s\n" $(seq 100) | sort -r | md5sum'
}

@test "libc.so.6: threads" {
  needs python3
  converted_library libc.so.6
  same_with_library libc.so.6 python3 -c 'import threading, ctypes, socket
t = [threading.Thread(target=lambda i=i: sum(range(i))) for i in range(20)]
[x.start() for x in t]; [x.join() for x in t]; print(socket.AF_INET)'
}

@test "libstdc++.so.6" {
  needs g++
  converted_library libstdc++.so.6
  cat >streams.cc <<'END'
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
int
main ()
{
  std::map<std::string, int> m{ { "a", 1 }, { "b", 2 } };
  std::ostringstream s;
  for (auto &[k, v] : m)
    s << k << '=' << v << ' ';
  std::cout << s.str ();
  try { std::string ("x").at (7); }
  catch (const std::out_of_range &e) { std::cout << e.what () << '\n'; }
  std::ifstream f;
  f.exceptions (std::ios::failbit);
  try { f.open ("/nonexistent"); }
  catch (const std::ios::failure &e) { std::cout << "failure\n"; }
}
END
  g++ -std=c++17 -O1 -o streams streams.cc
  same_with_library libstdc++.so.6 ./streams
}

@test "libcrypto.so.3" {
  needs openssl
  converted_library libcrypto.so.3
  seq 10000 >data
  same_with_library libcrypto.so.3 openssl dgst -sha512 data
  same_with_library libcrypto.so.3 openssl enc -aes-256-cbc -K 00 -iv 00 \
    -in data -base64
}

@test "libLLVM" {
  local soname
  # libLLVM-14.so.1, later libLLVM.so.19.1.
  soname=$(/sbin/ldconfig -p | sed -n 's/^\t\(libLLVM[-.][^ ]*\) .*/\1/p' | head -n 1)
  [ -n "$soname" ] || skip "libLLVM not found"
  converted_library "$soname"
  cat >llvm.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
/* LLVM's C interface, by hand: its headers may not be installed.  */
#define F(type, name, args) type (*name) args = (type (*) args) sym (#name)
static void *library;
static void *
sym (const char *name)
{
  void *s = dlsym (library, name);
  if (!s)
    exit (9);
  return s;
}
int
main (int argc, char **argv)
{
  library = dlopen (argv[argc - 1], RTLD_NOW);
  if (!library)
    return puts (dlerror ()), 8;
  F (void *, LLVMModuleCreateWithName, (const char *));
  F (void *, LLVMInt32Type, (void));
  F (void *, LLVMFunctionType, (void *, void **, unsigned, int));
  F (void *, LLVMAddFunction, (void *, const char *, void *));
  F (void *, LLVMAppendBasicBlock, (void *, const char *));
  F (void *, LLVMCreateBuilder, (void));
  F (void, LLVMPositionBuilderAtEnd, (void *, void *));
  F (void *, LLVMBuildMul, (void *, void *, void *, const char *));
  F (void *, LLVMBuildRet, (void *, void *));
  F (void *, LLVMGetParam, (void *, unsigned));
  F (char *, LLVMPrintModuleToString, (void *));
  void *i32 = LLVMInt32Type (), *args[] = { i32 };
  void *module = LLVMModuleCreateWithName ("m");
  void *f = LLVMAddFunction (module, "square",
                             LLVMFunctionType (i32, args, 1, 0));
  void *builder = LLVMCreateBuilder ();
  LLVMPositionBuilderAtEnd (builder, LLVMAppendBasicBlock (f, "entry"));
  void *p = LLVMGetParam (f, 0);
  LLVMBuildRet (builder, LLVMBuildMul (builder, p, p, "r"));
  puts (LLVMPrintModuleToString (module));
  return 0;
}
END
  "${CC:-cc}" -o llvm llvm.c -ldl
  same_with_library "$soname" ./llvm "$soname"
  grep -q "define i32 @square" new.out
}

@test "determinism: real files give the same bytes twice" {
  local name
  mkdir one two
  for name in bash python3 perl; do
    command -v $name >/dev/null || continue
    convert -o one/$name "$(program_file $name)"
    convert -o two/$name "$(program_file $name)"
    cmp one/$name two/$name
    cp one/$name again
    skipped again
  done
  [ -n "$(ls one)" ]
}

@test "lld's PT_PHDR that is one entry too large is room, not somebody's bytes" {
  needs ld.lld
  echo 'int f (int x) { return x + 1; }' >f.c
  "${CC:-cc}" -O2 -shared -fPIC -nostdlib -fuse-ld=lld -Wl,-z,now f.c -o f.so \
    || skip "cannot link with lld here"
  exits 0 -o converted.so f.so
  readelf -lW converted.so | grep -q GNU_SFRAME
  exits 0 --check converted.so
}
