#!/bin/sh
# Walk a program's stack in a signal handler at every instruction, by
# libsframewalk and by libgcc (stepping.c).  Prints TAP.
#   stepping.sh [--long]
# The long form has ten programs and 300,000 instructions of each, or
# STEPPING_STEPS.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CC:=cc}" "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
case $srcdir in /*) ;; *) srcdir=$PWD/$srcdir ;; esac
steps=4000
long=
[ "${1-}" = --long ] && long=yes && steps=300000
STEPPING_STEPS=${STEPPING_STEPS:-$steps}
export STEPPING_STEPS
. "$srcdir/tests/tap.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the trap flag is x86-64's"
walk=$(pwd)/.libs/libwalk.a
[ -e "$walk" ] || skip_all "no $walk"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-stepping.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
mkdir lib
"$CC" -O2 -g -shared -fPIC -Wl,-z,now -I"$srcdir/include" -o stepping.so \
  "$srcdir/tests/walk/stepping.c" "$walk" -lgcc_s 2>errors || {
  sed 's/^/# /' errors
  skip_all "the library cannot be linked"
}
"$CFI2SFRAME" -q stepping.so

# step PROGRAM [ARGUMENT]...: converted, with the libraries that it needs.
step ()
{
  name=${1##*/}
  program=$(readlink -f "$(command -v "$1")")
  shift
  "$CFI2SFRAME" -q -o "$name" "$program" || {
    result "not ok" "$name can be converted"
    return
  }
  libraries_of "$program" | while read -r library; do
    [ -e "lib/$(library_name "$library")" ] \
      || "$CFI2SFRAME" -q -o "lib/$(library_name "$library")" "$library"
  done
  rm -f report
  LD_LIBRARY_PATH=$scratch/lib LC_ALL=C \
    STEPPING_REPORT=$scratch/report timeout 600 "$scratch/lib/ld.so" \
    --preload "$scratch/stepping.so" "./$name" "$@" >output 2>errors </dev/null
  status=$?
  line=$(head -n 1 report 2>/dev/null)
  echo "# $name: status $status, $line"
  case $line in
    *" complete 0 "* | "") result "not ok" "$name: walked at every step" ;;
    *" different 0 "*)
      if [ "$status" -lt 128 ]; then
        result ok "$name: walked at every step"
      else
        result "not ok" "$name: ends by a signal"
      fi
      ;;
    *) result "not ok" "$name: frames as by .eh_frame" ;;
  esac
}

step sort /etc/passwd
step ls -l /
step sed s/a/b/ /etc/passwd
if [ -n "$long" ]; then
  step grep -E 'r(oo|aa)t' /etc/passwd
  step awk -F: '{ n += $3 } END { print n }' /etc/passwd
  step perl -e 'print join (",", sort { $b <=> $a } map { $_ * 7 % 31 } 1 .. 99)'
  step "${PYTHON:-/usr/bin/python3}" -S -c 'print (sorted (str (i) for i in range (99)))'
  step bash -c 'for i in 1 2 3; do x=$((x + i)); done; echo $x'
  step sqlite3 :memory: 'create table t (a); insert into t values (1), (2); select sum (a) from t'
  step openssl version
fi
echo "1..$n"
