#!/bin/sh
# The Python package of the retrofits (contrib/retrofit/sframe_retrofit), module
# by module, with pytest; and whether its type hints, and the programs that use
# it, are right, with mypy.  The programs have tests of their own, in bats.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/log
PYTHONDONTWRITEBYTECODE=1
CFI2SFRAME_CONFIG=
export PYTHONDONTWRITEBYTECODE CFI2SFRAME_CONFIG
retrofit=$srcdir/contrib/retrofit

# Debian's, for Debian's python3, has a name of its own.
pytest=$(command -v pytest-3 || command -v pytest) || pytest=

# A result for each of its tests.
run_pytest ()
{
  "$pytest" -p no:cacheprovider -rA --tb=short --rootdir="$tree" \
    "$srcdir/tests/contrib" >"$log" 2>&1
  status=$?
  # Without the parameters of a case, of which there is a line each.
  sed -nE '/^(PASSED|FAILED|ERROR|SKIPPED) /{ s/\[[^0-9].*//; s/ - .*//; p; }' \
    "$log" >"$tree/results"
  sed -i '/^PASSED /d' "$log"
  while read -r word name; do
    case $word in
      PASSED) result ok "${name##*::}" ;;
      SKIPPED) skip "$name" ;;
      *) result "not ok" "${name##*::}" ;;
    esac
  done <"$tree/results"
  [ "$status" -eq 0 ] && grep -q ^PASSED "$tree/results"
}

# Of what is in a copy of the programs and their package.
check_types ()
{
  (cd "$tree/copy" && mypy --cache-dir="$tree/cache" --strict \
    --scripts-are-modules "$@") >"$log" 2>&1
}

types_are_right ()
{
  # shellcheck disable=SC2046
  check_types $(cd "$tree/copy" && echo sframe-* sframe_retrofit/*.py)
}

# In a program that calls the package, and in the package.
wrong_types_are_found ()
{
  printf 'import sframe_retrofit.elf\nsframe_retrofit.elf.elf_type ()\n' \
    >"$tree/copy/wrong"
  echo 'elf_type ("text")' >>"$tree/copy/sframe_retrofit/elf.py"
  ! check_types wrong && grep -q 'wrong:2: .*Missing positional' "$log" \
    && grep -q 'elf.py:.*incompatible type "str"' "$log"
}

if [ -n "$pytest" ]; then
  check "all of them" run_pytest
else
  skip "pytest not found (Debian: apt-get install python3-pytest)"
fi
if command -v mypy >/dev/null; then
  mkdir "$tree/copy"
  cp -R "$retrofit"/sframe* "$srcdir"/contrib/system/sframe-system \
    "$srcdir"/contrib/attest/sframe-attest "$tree/copy"
  chmod -R u+w "$tree/copy"
  rm "$tree"/copy/*.1
  check "types of the package, and in the programs" types_are_right
  check "wrong types in either of them are found" wrong_types_are_found
else
  skip "mypy not found (Debian: apt-get install mypy)"
fi
echo "1..$n"
