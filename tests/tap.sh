# What tests in shell share that print TAP.  Sourced; needs a POSIX shell.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

n=0
# trap ... EXIT then has its effect: not every sh does so by itself.
trap 'exit 99' HUP INT TERM

# result ok|"not ok" WHAT
result ()
{
  n=$((n + 1))
  echo "$1 $n - $2"
}

# check WHAT COMMAND...: does it succeed?  If not, show the file it says why in:
# $log, where the test has one.
check ()
{
  what=$1
  shift
  if "$@"; then
    result ok "$what"
  else
    result "not ok" "$what"
    [ -z "${log-}" ] || sed 's/^/# /' "$log"
  fi
}

# The files of the source in $1, of the converter and of the products beside it,
# whose names match $2.
product_files ()
{
  product_folders=$(. "$1/tools/common.sh" && echo "$product_folders")
  for folder in $product_folders; do
    find "$1/$folder" -name "$2"
  done
}

skip ()
{
  n=$((n + 1))
  echo "ok $n # SKIP $*"
}

# Nothing of the test can run here.
skip_all ()
{
  echo "1..0 # SKIP $*"
  exit 0
}

without_libdw="libdw not found (Debian: apt-get install libdw-dev)"

# What walks living stacks (tests/living, tests/clients) cannot do without.
needs_walker ()
{
  [ -e "$1" ] || skip_all "$without_libdw"
  [ "$(uname -m)" = x86_64 ] || skip_all "for x86-64 only"
}

# The libraries that the program or library $1 needs, and the loader.
libraries_of ()
{
  ldd "$1" 2>/dev/null \
    | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[^/]*\(\/[^ ]*ld-[^ ]*\) .*/\1/p'
}

# What a library of that name is called beside a program: the loader is run by
# name.
library_name ()
{
  case ${1##*/} in
    ld-*) echo ld.so ;;
    *) echo "${1##*/}" ;;
  esac
}

# Whether this build has Zydis.  Tests run in its folder: in another one nothing
# would tell, everything would be skipped, and nobody would notice.
has_zydis ()
{
  if [ ! -f config.h ]; then
    echo "Bail out! no config.h in $(pwd): run this in the build folder"
    exit 1
  fi
  grep -q '^#define HAVE_ZYDIS 1' config.h
}
