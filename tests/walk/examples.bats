#!/usr/bin/env bats
# The examples of libsframewalk(3), compiled and run.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers

setup ()
{
  own_folder
  [ "$(uname -m)" = x86_64 ] || skip "for x86-64 only"
  builddir=$(cd "$(dirname "$CFI2SFRAME")/.." && pwd)
  [ -e "$builddir/.libs/libsframewalk.so" ] \
    || skip "built without shared libraries"
  LD_LIBRARY_PATH=$builddir/.libs
  export LD_LIBRARY_PATH
}

# compile NAME OPTION...: an example, as a user would.
compile ()
{
  local name=$1
  shift
  "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror -O1 -fno-optimize-sibling-calls \
    -I"$srcdir/include" -o "$name" "$srcdir/walk/examples/$name.c" \
    -L"$builddir/.libs" -lsframewalk "$@"
}

@test "rows in memory for modules that have none" {
  compile walk_made_rows -lcfi2sframe
  gives 0 run ./walk_made_rows
  [ "$output" = "4 frames: the outermost frame" ] || report
}

@test "a just-in-time compiler registers rows" {
  compile walk_jit
  "$CFI2SFRAME" -q walk_jit
  gives 0 run ./walk_jit
  [[ ${lines[0]} == "2 frames: no SFrame data for this address" ]] || report
  # Through that code to main, and out of it.
  [ "${lines[1]%% *}" -ge 4 ] || report
}

@test "a library that comes later" {
  compile walk_dlopen -ldl
  "${CC:-cc}" -O1 -fno-optimize-sibling-calls -shared -fPIC -DLIBRARY \
    -I"$srcdir/include" -o libcall.so "$srcdir/walk/examples/walk_dlopen.c"
  "$CFI2SFRAME" -q walk_dlopen libcall.so
  gives 0 run ./walk_dlopen
  # Within the program; to the library; through it.
  [ "${lines[0]%% *}" -ge 3 ] || report
  [ "${lines[1]}" = "2 frames" ] || report
  [ "${lines[2]%% *}" -ge 4 ] || report
}

# The library frees a thread's walker when the thread ends.
@test "a plug-in that uses the library is unloaded before its thread ends" {
  cat >plugin.c <<'END'
#include <sframewalk.h>
int frames (void) { void *at[9]; return sfw_backtrace (at, 9); }
END
  cat >host.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void *library;
static void *thread (void *unused)
{
  int (*frames) (void);
  *(void **)&frames = dlsym (library, "frames");
  if (frames () > 0)
    puts ("walked");
  return dlclose (library) == 0 ? unused : NULL;
}
int main (void)
{
  pthread_t id;
  void *closed = NULL;
  library = dlopen ("./plugin.so", RTLD_NOW);
  if (library == NULL || pthread_create (&id, NULL, thread, &id) != 0)
    return 2;
  return pthread_join (id, &closed) != 0 || closed == NULL;
}
END
  "${CC:-cc}" -O1 -shared -fPIC -I"$srcdir/include" -o plugin.so plugin.c \
    -L"$builddir/.libs" -lsframewalk
  "${CC:-cc}" -O1 -o host host.c -ldl -pthread
  gives 0 run ./host
  [ "$output" = walked ] || report
}

@test "samples of perf" {
  compile walk_perf
  cat >spin.c <<'END'
volatile unsigned sink;
__attribute__ ((noinline)) void inner (void) { for (;;) sink++; }
int main (void) { inner (); sink++; return 0; }
END
  "${CC:-cc}" -O1 -fno-optimize-sibling-calls -o spin spin.c
  "$CFI2SFRAME" -q spin
  ./spin 3>&- &
  children+=("$!")
  # It is sampled for a second, in which a busy machine may have other things to
  # run.
  local tries=0 said=
  # inner, main, and what called main.
  until [ "$(grep -cE '^([3-9]|[0-9]{2}) frames: ' <<<"$said")" -ge 10 ]; do
    [ $((tries += 1)) -lt 20 ] || report
    run ./walk_perf "${children[0]}"
    [ "$status" -ne 77 ] || skip "perf_event_open is not permitted here"
    [ "$status" -eq 0 ] || report
    said+=$output$'\n'
  done
}

@test "from C++" {
  needs c++
  c++ -Wall -Wextra -Werror -O1 -fno-optimize-sibling-calls -rdynamic \
    -I"$srcdir/include" -o walk_cpp "$srcdir/walk/examples/walk_cpp.cc" \
    -L"$builddir/.libs" -lsframewalk
  "$CFI2SFRAME" -q walk_cpp
  gives 0 run ./walk_cpp
  [[ $output == "Shape::draw(int)
Shape::draw(int)
Shape::draw(int)
main"* ]] || report
}
