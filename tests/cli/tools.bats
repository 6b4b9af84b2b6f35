#!/usr/bin/env bats
# tools/quickstart.sh and tools/common.sh, which people run first.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# A source tree in which everything is installed and built already.
make_source_tree ()
{
  mkdir -p "$1/tools" "$1/build/src"
  cp "$srcdir/tools/quickstart.sh" "$1/tools/"
  { cat "$srcdir/tools/common.sh"
    echo 'need_packages () { :; }; build_in () { :; }'; } >"$1/tools/common.sh"
  ln -s "$CFI2SFRAME" "$1/build/src/cfi2sframe"
}

quickstart ()
{
  run sh "${tree-tree}/tools/quickstart.sh" "$@"
}

@test "quickstart: a program" {
  make_source_tree tree
  small_program
  before=$(checksum small)
  quickstart small
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ $output == *"The same output and exit status (0) as before"* ]] \
    || { echo "$output"; return 1; }
  [ "$(checksum small)" = "$before" ]
}

# The copy has no set-id bit and another name; the program said so.
@test "quickstart: a set-id program that looks at its bits and its name" {
  make_source_tree tree
  cat >setid.c <<'END'
#include <stdio.h>
#include <sys/stat.h>
int
main (int argc, char **argv)
{
  struct stat status;
  (void)argc;
  stat ("/proc/self/exe", &status);
  printf ("%s: %s\n", argv[0], status.st_mode & S_ISUID ? "fine" : "no bit");
  return !(status.st_mode & S_ISUID);
}
END
  "${CC:-cc}" -o setid setid.c
  chmod 4755 setid
  quickstart setid
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ $output == *"The same output and exit status (1) as before"* ]] \
    || { echo "$output"; return 1; }
}

@test "quickstart: a library, with spaces and colons in all names" {
  tree="a tree: mine"
  make_source_tree "$tree"
  mkdir "with space"
  small_program "with space/lib small:1.so" -shared -fPIC
  quickstart "with space/lib small:1.so"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ $output == *"LD_PRELOAD=./lib_small_1.so true"* ]] || { echo "$output"; return 1; }
  [[ $output == *"The same output and exit status (0)"* ]] || { echo "$output"; return 1; }
  [[ $output != *"cannot be preloaded"* ]] || { echo "$output"; return 1; }
}

@test "quickstart: text, a missing file, a 32-bit one: said as it is" {
  make_source_tree tree
  echo text >text
  quickstart text
  [ "$status" -eq 1 ] || { echo "$output"; return 1; }
  [[ $output == *"not an ELF file"*"text has nothing to convert"* ]] \
    || { echo "$output"; return 1; }
  [[ $output != *"check failed"* ]]
  quickstart missing
  [ "$status" -eq 2 ] || { echo "$output"; return 1; }
  [[ $output == "quickstart.sh: missing: no such file"*"sh tools/quickstart.sh [FILE]"* ]] \
    || { echo "$output"; return 1; }
  quickstart one two
  [ "$status" -eq 2 ] || { echo "$output"; return 1; }
}

# common.sh with these commands instead of the system's.
write_package_commands ()
{
  needs awk
  mkdir -p bin
  cat >bin/dpkg-query <<'END'
#!/bin/sh
echo "dpkg-query $*" >>"$LOG"
printf 'here installed\nold deinstalled\nother9 installed\n'
END
  cat >bin/apt-cache <<'END'
#!/bin/sh
echo "apt-cache $*" >>"$LOG"
printf 'one:\n  Installed: (none)\n  Candidate: 1.0\n'
printf 'two:\n  Installed: (none)\n  Candidate: (none)\n'
printf 'three9:\n  Installed: (none)\n  Candidate: 2.0\n'
END
  cat >bin/sudo <<'END'
#!/bin/sh
exit 1
END
  printf '#!/bin/sh\necho "${ID-1000}"\n' >bin/id
  printf '#!/bin/sh\necho "apt-get $*" >>"$LOG"\n' >bin/apt-get
  chmod +x bin/*
  export LOG=$PWD/log
  PATH=$PWD/bin:$PATH
}

# One call per package took nine minutes where apt may not keep its cache.
@test "packages: one call of apt-cache and dpkg-query for all of them" {
  write_package_commands
  . "$srcdir/tools/common.sh"
  [ "$(packages_missing here old "other8|other9" "x|y" z)" = " old x|y z" ]
  [ "$(packages_known one two "three8|three9" "one|three9")" = " one three9 one" ]
  [ "$(grep -c apt-cache log)" -eq 1 ]
  [ "$(grep -c dpkg-query log)" -eq 1 ]
}

@test "packages: without root and sudo an administrator's command is shown" {
  write_package_commands
  . "$srcdir/tools/common.sh"
  run need_packages here one "three8|three9"
  [ "$status" -eq 1 ]
  [[ $output == *"apt-get install one three9"* ]] || { echo "$output"; return 1; }
  run ! grep apt-get log
}

# It was said in the words of the shell: line 22: autoreconf: not found.
@test "build folders: what a build misses is named, with the document that lists it" {
  . "$srcdir/tools/common.sh"
  mkdir bin
  PATH=$PWD/bin run ! build_in build
  [[ $output == *": autoreconf not found; doc/use/building.md lists"* ]] \
    || { echo "$output"; return 1; }
  [ -f "$srcdir/doc/use/building.md" ]
}

# make failed for ever in the folder of mutants.sh: its objects named sources of a clone
# that was gone.
@test "build folders: of another source tree nothing is left, of the same one all is" {
  . "$srcdir/tools/common.sh"
  local tree
  for tree in one two; do
    mkdir "$tree"
    printf '#!/bin/sh\necho "abs_top_srcdir = ${0%%/*}" >Makefile\necho >>calls\n' \
      >"$tree/configure"
    chmod +x "$tree/configure"
    : >"$tree/Makefile.in"
  done
  build=$PWD/build
  (cd one && configure_in "$build" a && configure_in "$build" a)
  [ "$(wc -l <build/calls)" -eq 1 ]
  (cd one && configure_in "$build" b)
  [ "$(wc -l <build/calls)" -eq 2 ]
  (cd two && configure_in "$build" b)
  [ "$(wc -l <build/calls)" -eq 1 ]
}

# It showed the last 200 lines of everything, which are PASS lines.
@test "check.sh: after a failure the failing test's own lines are shown" {
  sed -n '/^show_failures ()/,/^}/p' "$srcdir/tools/check.sh" >function.sh
  . ./function.sh
  mkdir -p build/tests
  printf ':test-result: PASS a\n:test-result: FAIL b\n' >build/tests/one.trs
  { printf 'ok 1 a\nPASS: one 1 a\nnot ok 2 b\nFAIL: one 2 b\n# why: %s\n' 42
    seq 300 | sed 's/.*/ok & more\nPASS: one & more/'; } >build/tests/one.log
  printf ':test-result: ERROR two\n' >build/tests/two.trs
  printf 'ok 1 a\nERROR: two - exited with status 1\n' >build/tests/two.log
  printf ':test-result: PASS a\n' >build/tests/three.trs
  printf 'ok 1 fine\n' >build/tests/three.log
  run show_failures
  [ "$output" = "
build/tests/one.log:
not ok 2 b
# why: 42

build/tests/two.log:
ok 1 a
ERROR: two - exited with status 1" ] || { echo "$output"; return 1; }
}

# Mutants of FILE, made and tried in this build folder.
mutants ()
{
  command -v python3 >/dev/null || skip "python3 is not installed"
  [ -f "$builddir/tests/unit/test_cfa_program.o" ] \
    || skip "the unit tests are not built"
  run python3 "$srcdir/tools/maintainer/mutants.py" --srcdir "$srcdir" \
    -b "$builddir" "$@"
}

@test "mutants: the tests notice five changes of cfa_program.c" {
  mutants -v -n 5 -s 1 -t cfa_program src/cfi/cfa_program.c
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ $output == *"killed by: cfa_program "[1-5] ]] \
    || { echo "$output"; return 1; }
  [[ $output != *survived:\ src* ]]
}

# Without the first, nothing would show that tests are run on what was changed.
# Without the second, mutants of stacks/ survived that a unit test would have killed.
@test "mutants: each test that a rule names is there, and a rule names each unit test" {
  needs python3
  python3 - "$srcdir" <<'END'
import glob, os, sys
top = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(top, "tools/maintainer"))
from mutants import RULES as rules
assert len(rules) > 20
for pattern, tests in rules:
    for test in tests.split():
        name = test.partition(":")[0]
        path = (name if "/" in name else "tests/*/" + (
            name if ".bats" in name else f"test_{name}.c"))
        assert len(glob.glob(os.path.join(top, path))) == 1, (pattern, test)
unit_tests = {os.path.basename(path)[len("test_"):-len(".c")]
              for path in glob.glob(os.path.join(top, "tests/*/test_*.c"))}
assert len(unit_tests) > 40
missing = unit_tests - {test for _, tests in rules for test in tests.split()}
assert not missing, missing
END
}

@test "mutants: a changed comment survives, what is not C is none, endless loops end" {
  mutants -v -t cfa_program -e 's|/\* ---- From the state to a row|/* ---- To a row|' \
    -e 's/^run_program /run program /' \
    -e 's/for \(size_t step; at < end;/for (;;); &/' src/cfi/cfa_program.c
  [ "$status" -eq 1 ] || { echo "$output"; return 1; }
  says "compiler: src/cfi/cfa_program.c:"
  says "survived: src/cfi/cfa_program.c:"
  says "50.0 % of 2"
  says "killed by: cfa_program 1"
}

# Objects of programs were linked twice, with and without the mutant, and a product's
# survivors were not found again in what had been printed.
@test "mutants: files of programs and of products are tried, and tried again" {
  [ -f "$builddir/stacks/sframe-profile" ] || skip "sframe-profile is not built"
  mutants -v -t "profile.bats:refused in one line" \
    -e 's/HZ_MAX = 10000/HZ_MAX = 90000/' stacks/profile_options.c
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ $output == *"killed by: profile.bats:refused in one line 1" ]]
  mutants -t "profile.bats:no such test" -e '1s/^/ /' stacks/profile_options.c
  [[ $output == *"tests nothing here" ]]
  mutants -l analysis/state_row.c
  sed -n '1s/^/survived: /; 1,3p' <<<"$output" >log
  mutants -l -a log analysis/state_row.c
  [ -n "$output" ]
  sed 's/^survived: //' log | diff - <(echo "$output")
}

# judge HELPER BEHAVIOUR: $judgement is how HELPER ends with a program that does
# BEHAVIOUR.  As in a test, the first failure ends it: so this must not be called
# where errors are looked at.
judge ()
{
  rm -rf judged_in
  mkdir judged_in
  printf 'before\n' >judged_in/file
  printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/fake"
  chmod +x "$BATS_TEST_TMPDIR/fake"
  set +eET
  (set -e; cd judged_in; CFI2SFRAME=$BATS_TEST_TMPDIR/fake; "$1" file) \
    >judged.log 2>&1
  judgement=$?
  set -eET
}

# content HELPER BEHAVIOUR..., discontent HELPER BEHAVIOUR...
content ()
{
  local helper=$1 behaviour
  shift
  for behaviour in "$@"; do
    judge "$helper" "$behaviour"
    [ "$judgement" -eq 0 ] || { cat judged.log; echo "$helper: $behaviour"; return 1; }
  done
}

discontent ()
{
  local helper=$1 behaviour
  shift
  for behaviour in "$@"; do
    judge "$helper" "$behaviour"
    [ "$judgement" -ne 0 ] || { echo "$helper: $behaviour"; return 1; }
  done
}

@test "helpers: refused, skipped and convert notice all that they ask for" {
  local complaint='echo "cfi2sframe: file: it is so" >&2'
  content refused "$complaint; exit 1" \
    'echo "cfi2sframe: other: it is so (for file)" >&2; exit 1'
  discontent refused "$complaint" "$complaint; exit 2" "exit 1" \
    "$complaint; $complaint; exit 1" \
    "$complaint; echo; echo word; exit 1" \
    "echo 'cfi2sframe: other: it is so' >&2; exit 1" \
    "$complaint; echo x >>file; exit 1" \
    "$complaint; printf 'bEfore\n' >file; exit 1" \
    "$complaint; : >.left; exit 1" "$complaint; mkdir left; exit 1" \
    "$complaint; ln -s nowhere left; exit 1" "$complaint; mv file moved; exit 1"
  content skipped :
  discontent skipped "exit 1" "echo word" "$complaint" "echo x >>file" \
    ": >left" "rm file"
  content convert "echo x >>file"
  discontent convert "exit 1" "echo word" "$complaint"
}

@test "helpers: once makes files once, copies them each time, and keeps none of a failure" {
  made ()
  {
    echo "$1" >>"$BATS_TEST_TMPDIR/calls"
    echo "$1" >"file"
    ln file again
    [ ! -e "$BATS_TEST_TMPDIR/fails" ]
    : >complete
  }
  : >"$BATS_TEST_TMPDIR/fails"
  # As judge has it.
  set +eET
  (set -e; once made a/b)
  judgement=$?
  set -eET
  [ "$judgement" -ne 0 ]
  [ ! -e file ]
  rm "$BATS_TEST_TMPDIR/fails"
  once made a/b
  [ -e complete ]
  [ file -ef again ]
  echo changed >file
  once made c
  [ "$(cat file)" = c ]
  once made a/b
  [ "$(cat file)" = a/b ]
  printf '%s\n' a/b a/b c | cmp - "$BATS_TEST_TMPDIR/calls"
}

@test "helpers: section, has_sframe and no_sframe read what readelf prints" {
  small_program
  local offset size table
  table=$(readelf -SW small)
  for name in .text .eh_frame .bss; do
    read -r offset size < <(section small "$name")
    [[ $table == *" $name "*" $(printf %06x "$offset") $(printf %06x "$size") "* ]] \
      || { echo "$name: $offset $size"; echo "$table"; return 1; }
  done
  run ! section small .tex
  run ! section small .nosuch
  no_sframe small
  run ! has_sframe small
  convert small
  has_sframe small
  run ! no_sframe small
  # A section alone is not enough, nor is a header alone.
  echo x >x
  objcopy --add-section .sframe=x --set-section-flags .sframe=alloc,readonly \
    "$BATS_FILE_TMPDIR/small-${CC##*/}" section 2>/dev/null
  readelf -SW section | grep -q ' \.sframe '
  run ! has_sframe section
  run ! no_sframe section
  run ! no_sframe x
  run ! has_sframe x
}

@test "tools: each file has a line in its README, and each name there is a file" {
  local folder name
  for folder in tools tools/maintainer; do
    for name in "$srcdir/$folder"/*; do
      name=${name##*/}
      [[ $name == @(README|local.am|__pycache__) ]] \
        || grep -qE "(^|[ (/])$name([],:;./ ]|$)" "$srcdir/$folder/README" \
        || { echo "$folder/README: nothing about $name"; return 1; }
    done
    grep -oE '[A-Za-z_-]+\.(sh|py)' "$srcdir/$folder/README" | sort -u >names
    while read -r name; do
      [ -f "$srcdir/$folder/$name" ] || { echo "no $folder/$name"; return 1; }
    done <names
  done
}

# Some described themselves in numbers of lines that had moved, others in no words.
@test "tools: each script prints its head for --help, and how it is called for nonsense" {
  needs python3
  local script name shell top="a tree" here=$PWD
  ln -s "$(cd "$srcdir" && pwd)" "$top"
  mkdir elsewhere
  cd elsewhere
  for script in "../$top"/tools/*.sh "../$top"/tools/maintainer/*.{sh,py} \
      "../$top/tools/maintainer/yardstick"/*.sh "../$top/.ci/run"; do
    name=${script##*/}
    case $name in
      common.* | debian.sh | machine.sh | mutants.py | mutations.py | survey_totals.py)
        continue ;; # of others
      *.py) shell=python3 ;;
      *) shell=sh ;;
    esac
    [[ $(head -n 1 "$script") != *bash ]] || shell=bash
    run -0 --separate-stderr "$shell" "$script" --help
    [[ ${#lines[@]} -ge 5 && -z $stderr && $output == *"$name"* ]] \
      || { echo "$name: $output"; return 1; }
    [[ $output != *SPDX* && $output != *"set -"* ]] || { echo "$name: $output"; return 1; }
    run -2 "$shell" "$script" --nonsense
    [[ $output == *"$name"* ]] || { echo "$name: $output"; return 1; }
  done
  [ -z "$(ls)" ]
}

# They ended with Python's traceback.
@test "tools: a program in Python says in a line which file is missing" {
  needs python3
  local script arguments
  while read -r script arguments; do
    # shellcheck disable=SC2086
    run -1 python3 "$srcdir/tools/maintainer/$script" $arguments
    [[ $output == *"$script: "* && $output == *nowhere* && $output != *Traceback* ]] \
      || report
  done <<END
foreign-cfi.py -b $builddir nowhere
fuzz-corpus.py nowhere
go_depths.py -b $builddir nowhere
lint-survey.py -b nowhere /bin
size_bound.py nowhere
size_bound.py -b nowhere $CFI2SFRAME
size_report.py --chart nowhere
deleted-directives.py -b $builddir nowhere
END
}

# It printed an empty line.
@test "foreign-cfi.py: a folder without sources is said to have none" {
  needs python3
  run -1 python3 "$srcdir/tools/maintainer/foreign-cfi.py" -b "$builddir" .
  [[ $output == "foreign-cfi.py: no source (.s, .ll) in ." ]] || report
}

# It had this machine's devices: a change of their modes or times lasted.
@test "tools: a system under test has devices of its own" {
  local device
  unshare -m true 2>/dev/null || skip "no new namespace for mounts here"
  mkdir -p root/{proc,dev,srv} bin
  cat >bin/chroot <<'END'
#!/bin/sh
cd "$1/dev" && stat -c '%n %F %d %t %T' null zero full random urandom tty \
  && echo x | cat stdin && : <ptmx && [ -d shm ] && exit 7
END
  chmod +x bin/chroot
  . "$srcdir/tools/maintainer/debian.sh"
  PATH=$PWD/bin:$PATH capture in_root "$PWD/root" true
  [ "$status" -eq 7 ] && [[ $output == *$'\nx' ]] || report
  for device in null zero full random urandom tty; do
    [[ $output == *"$device character special file"*" $(stat -c '%t %T' /dev/$device)"* ]] \
      || report
  done
  [[ $output != *"null character special file $(stat -c %d /dev/null) "* ]] || report
}

# It was said to install nothing.
@test "packages: without lists of packages the command for the administrator names them" {
  write_package_commands
  printf '#!/bin/sh\n' >bin/apt-cache
  . "$srcdir/tools/common.sh"
  run need_packages here one "three8|three9"
  [ "$status" -eq 1 ]
  [[ $output == *"apt-get install one three8" ]] || { echo "$output"; return 1; }
}

# Lists in tools were left behind by renames, and said nothing.
@test "tools: files and functions that they name exist" {
  cd "$srcdir"
  local name function missing= folders count=0
  folders=$(. tools/common.sh && echo "${product_folders// /|}")
  while read -r name; do
    count=$((count + 1))
    case $name in
      src/cfi2sframe | stacks/sframe-* | prove/sframe-prove | *.la) continue ;; # built
      tests/fuzz/corpus* | tests/data/fuzz/TARGET.tar.xz) continue ;;
      src/\*.c) continue ;; # of a user's
    esac
    compgen -G "$name*" >/dev/null || missing+=" $name"
  done < <(grep -rhoE "(^|[^A-Za-z0-9_/.}\$-])($folders|contrib|doc|include|tests|tools|conformance)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]" \
             --include=*.sh --include=*.py --include=mutants-equivalent tools | sed 's/^[^A-Za-z.]//' | sort -u)
  for name in $(sed -n '/^  for function in/,/^  do/p' tools/maintainer/bench.sh \
                  | grep -oE '[a-z]+_[a-z_]+'); do
    count=$((count + 1))
    grep -rqE "^$name \(" --include=*.c src || missing+=" $name"
  done
  while read -r name function; do
    count=$((count + 1))
    grep -qE "^$function \(" "$name" || missing+=" $name:$function"
  done < <(awk '/^@ / { print $2, $3 }' tools/maintainer/mutants-equivalent | sort -u)
  [ "$count" -ge 100 ]
  [ -z "$missing" ] || { echo "missing:$missing"; return 1; }
}

# A line that was changed since excuses nothing any more, or another mutant.
@test "mutants-equivalent: the lines that it names are in their files" {
  cd "$srcdir"
  local mark rest name= count=0 missing=
  while read -r mark rest; do
    case $mark in
      @) name=${rest%% *} ;;
      -)
        count=$((count + 1))
        tr -d ' \n' <"$name" | grep -qF "${rest// /}" || missing+=" $name: $rest;"
        ;;
    esac
  done < <(grep '^[@-]' tools/maintainer/mutants-equivalent)
  [ "$count" -ge 40 ]
  [ -z "$missing" ] || { echo "missing:$missing"; return 1; }
}
