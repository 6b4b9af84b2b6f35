#!/bin/sh
# Install what the tests need, build, run all tests.
#   sh tools/check.sh
# The last line is "N passed, N failed, N skipped".
# CFI2SFRAME_CONFIGURE holds further arguments of configure.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

# What tests run or convert.  A test that misses something says so and is
# skipped.
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

# Of binutils in Debian 12, a package of its own later.
command -v ld.gold >/dev/null || test_packages="$test_packages binutils-gold"

# Count the results that Automake's TAP driver noted below build/.  A skipped
# test is never counted as passed; an unexpected pass or an error is a failure.
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

# Name what was skipped or failed; the logs have the reasons.
show_results ()
{
  find build -name '*.trs' | sed 's/trs$/log/' | xargs -r cat 2>/dev/null \
    | sed -n 's/^SKIP: /skipped: /p; s/^\(FAIL\|XPASS\|ERROR\): /FAILED: /p' \
    | sort | uniq
}

# What the tests that failed have to say: each with the lines that belong to
# it, or, if it ended without a word, the end of its log.
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

# Without them the build or some tests cannot run; both say so themselves.
# shellcheck disable=SC2086
need_packages $build_packages $test_packages \
  || say "Not everything could be installed; going on without."

# shellcheck disable=SC2086
configured_with=$(packages_missing $test_packages 2>/dev/null)
if [ ! -f build/.without ] \
   || [ "$configured_with" != "$(cat build/.without)" ]; then
  rm -f build/.arguments # configure has to look for them again
fi
say "Building, in build/"
# shellcheck disable=SC2086
build_in build ${CFI2SFRAME_CONFIGURE-} || fail "the build failed"
printf '%s\n' "$configured_with" >build/.without

# Results of earlier runs must not be counted.
find build -name '*.trs' -exec rm -f {} +
log=build/check.log
say "Running the tests; $log has what they print"
# One job more than there are processors: some tests wait for clocks.
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
