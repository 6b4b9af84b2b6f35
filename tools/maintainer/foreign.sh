#!/bin/sh
# Are the rows right in Debian's packages of other machines?
#   sh tools/maintainer/foreign.sh [OPTION]... [PACKAGE]...
#     -a ARCHS     Debian architectures (default: "arm64 s390x")
#     -f FORMATS   SFrame formats (default: "3 2")
#     -b BUILD     build tree (default: build)
#     -d DIR       keep lists, packages and files in DIR and use them again
# Downloads the packages (default: the C and C++ libraries, bash, git, Python, OpenSSL)
# with an apt of its own, unpacks them, and runs survey.sh over their files, so it prints
# what survey.sh prints.  Needs the network and apt; minutes.
# For example: sh tools/maintainer/foreign.sh -a arm64 bash
# Exit status: that of survey.sh; 77 when packages cannot be downloaded here.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"

architectures='arm64 s390x' formats='3 2' build='' keep=''
while getopts a:f:b:d: option; do
  case $option in
    a) architectures=$OPTARG ;;
    f) formats=$OPTARG ;;
    b) build=$OPTARG ;;
    d) keep=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- libc6 libstdc++6 bash git python3.11-minimal libssl3

find_build "$build"
die_status=77 # something is missing here
for program in apt-get dpkg-deb; do
  command -v $program >/dev/null || die "$program not found"
done

make_work foreign "$keep"
log=$work/apt.log
status=2
for architecture in $architectures; do
  suite_machine=$architecture
  suite_prepare system || die "apt-get update failed; see $log"
  mkdir -p "$work/$architecture/packages" "$work/$architecture/files"
  cd "$work/$architecture/packages" || exit 2
  for package; do
    ls "${package}"_*.deb >/dev/null 2>&1 \
      || suite_download system . "$package" \
      || echo "foreign.sh: no $package for $architecture" >&2
  done
  for file in *.deb; do
    [ -e "$file" ] && dpkg-deb -x "$file" ../files
  done
  for format in $formats; do
    echo "== $architecture, SFrame $format"
    sh "$top/tools/maintainer/survey.sh" -b "$build" -f "$format" ../files
    result=$?
    [ "$status" -eq 2 ] && status=$result
    [ "$result" -eq 1 ] && status=1
  done
done
exit $status
