#!/bin/sh
# Install what the tests need, build in build/, and run all tests.
#   sh tools/check.sh
# Five to ten minutes.  A test that misses a program says so and is skipped.
# Prints which tests failed, with their output, and which were skipped; the last
# line is "N passed, N failed, N skipped".  $CFI2SFRAME_CONFIGURE has further
# arguments of configure.
# Exit status: 0 no test failed, 1 a test or the build failed, 2 wrong usage.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
. "$top/tools/common.sh"
[ $# -eq 0 ] || usage
cd "$top" || exit 2

# What tests run or convert.
test_packages="libcmocka-dev libdw-dev bats gettext
  clang g++ libdebuginfod-dev lld llvm mold musl-tools
  acl attr cpio curl elfutils file jq libcap2-bin mypy patchelf procps strace util-linux
  valgrind xz-utils zstd
  g++-aarch64-linux-gnu g++-s390x-linux-gnu libc6-dev-arm64-cross
  libc6-dev-s390x-cross qemu-user
  e2fsprogs gdb git libllvm14|libllvm19 openssl perl python3 python3-capstone python3-debian
  mandoc python3-markdown python3-pytest python3-unicorn
  cargo fish golang-go rustc zsh
  cmake debhelper dpkg-dev meson ninja-build nodejs rpm
  apt-utils aptly gpg gpg-agent reprepro skopeo umoci
  fakeroot libarchive-tools makepkg pacman-package-manager
  libclang-rt-dev"

# ld.gold is in binutils of Debian 12, and in a package of its own since.
command -v ld.gold >/dev/null || test_packages="$test_packages binutils-gold"

# Count the results that Automake's TAP driver noted below build/.  A skipped test
# does not count as passed; an unexpected pass and an error count as failures.
count_results ()
{
  find build -name '*.trs' -exec cat {} + 2>/dev/null | awk '
    $1 == ":test-result:" {
      if ($2 == "PASS" || $2 == "XFAIL") passed++
      else if ($2 == "SKIP") skipped++
      else failed++
    }
    END { printf "%d passed, %d failed, %d skipped\n",
                 passed, failed, skipped }'
}

# Print what was skipped, with the reasons, and what failed.
show_results ()
{
  find build -name '*.trs' | sed 's/trs$/log/' | xargs -r cat 2>/dev/null \
    | sed -n 's/^SKIP: /skipped: /p; s/^\(FAIL\|XPASS\|ERROR\): /FAILED: /p' \
    | sort | uniq
}

# Print the output of the files of tests that failed: the failed tests with their
# lines or, if none of the tests says that it failed, the end of the log.
show_failures ()
{
  find build -name '*.trs' \
    -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} + 2>/dev/null \
    | LC_ALL=C sort | sed 's/trs$/log/' | while read -r failed_log; do
      printf '\n%s:\n' "$failed_log"
      awk '/^not ok/ && !/# (SKIP|TODO)/ { said = shown = 1; print; next }
           /^ok/ { shown = 0 }
           shown && !/^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): / { print }
           END { exit !said }' "$failed_log" \
        || tail -n 40 "$failed_log"
    done
}

fail ()
{
  printf 'check.sh: %s\n' "$*" >&2
  say "0 passed, 1 failed, 0 skipped"
  exit 1
}

# If a package is missing, the build or the tests that need it say so.
# shellcheck disable=SC2086
need_packages $build_packages $test_packages \
  || say "Not everything could be installed; going on without."

# shellcheck disable=SC2086
configured_with=$(packages_missing $test_packages 2>/dev/null)
if [ ! -f build/.without ] \
   || [ "$configured_with" != "$(cat build/.without)" ]; then
  rm -f build/.arguments # configure looks again for what is installed now
fi
say "Building, in build/"
# shellcheck disable=SC2086
build_in build ${CFI2SFRAME_CONFIGURE-} || fail "the build failed"
printf '%s\n' "$configured_with" >build/.without

# The results of earlier runs are not counted.
find build -name '*.trs' -exec rm -f {} +
log=build/check.log
say "Running the tests; $log has what they print"
# One job more than there are processors: some tests only wait for a time to pass.
make -C build V=0 -j"$(($(cores) + 1))" check >"$log" 2>&1 </dev/null
status=$?
show_results
counts=$(count_results)
case $counts in
  "0 passed, 0 failed, "*)
    tail -n 60 "$log" >&2
    fail "no test ran" ;;
esac
if [ "$status" -ne 0 ]; then
  case $counts in
    *", 0 failed, "*)
      # A test program that does not compile leaves no result behind.
      tail -n 60 "$log" >&2
      counts=$(printf '%s\n' "$counts" | sed 's/, 0 failed,/, 1 failed,/') ;;
    *)
      show_failures >&2 ;;
  esac
fi
say "$counts"
case $counts in
  *", 0 failed, "*) exit "$status" ;;
  *) exit 1 ;;
esac
