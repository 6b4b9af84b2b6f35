#!/bin/sh
# Survey Debian's own packages of other machines: download them with apt into
# a folder of our own (the system's package lists and architectures stay as
# they are), unpack, and run tools/maintainer/survey.sh over their files.
#   sh tools/maintainer/foreign.sh [OPTION]... [PACKAGE]...
#     -a ARCHS     Debian architectures (default "arm64 s390x")
#     -f FORMATS   SFrame formats (default "3 2")
#     -b BUILD     build tree (default: build)
#     -d DIR       keep lists, packages and files in DIR and reuse them
# Exit status: as survey.sh; 77 when packages cannot be downloaded here.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u

architectures='arm64 s390x' formats='3 2' build='' keep=''
while getopts a:f:b:d: option; do
  case $option in
    a) architectures=$OPTARG ;;
    f) formats=$OPTARG ;;
    b) build=$OPTARG ;;
    d) keep=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- libc6 libstdc++6 bash git python3.11-minimal libssl3

tools=$(cd "$(dirname "$0")" && pwd)
. "$tools/../common.sh"
. "$tools/suite-apt.sh"
die_status=77 # for what is missing here
: "${build:=$tools/../../build}"
build=$(cd "$build" && pwd) || exit 2
for program in apt-get dpkg-deb; do
  command -v $program >/dev/null || die "$program not found"
done

if [ -n "$keep" ]; then
  mkdir -p "$keep"
  work=$(cd "$keep" && pwd) || exit 2
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-foreign.XXXXXX") || exit 2
  trap 'rm -rf "$work"' EXIT
fi

log=$work/apt.log
status=2
for architecture in $architectures; do
  suite_machine=$architecture
  suite_prepare system || die "apt-get update failed; see $log"
  mkdir -p "$work/$architecture/packages" "$work/$architecture/files"
  cd "$work/$architecture/packages" || exit 2
  for package; do
    ls "${package}"_*.deb >/dev/null 2>&1 \
      || suite_apt system apt-get download "$package" >>"$log" 2>&1 \
      || echo "foreign.sh: no $package for $architecture" >&2
  done
  for file in *.deb; do
    [ -e "$file" ] && dpkg-deb -x "$file" ../files
  done
  for format in $formats; do
    echo "== $architecture, SFrame $format"
    sh "$tools/survey.sh" -b "$build" -f "$format" ../files
    result=$?
    [ "$status" -eq 2 ] && status=$result
    [ "$result" -eq 1 ] && status=1
  done
done
exit $status
