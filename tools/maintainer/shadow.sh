#!/bin/sh
# The long form of tests/living/shadow.sh: hundreds of thousands of single steps
# through programs without CFI, compared with a shadow stack.
#   sh tools/maintainer/shadow.sh [-b BUILD] [-s STEPS] [-o REPORT]
#     -b BUILD   build tree, after make check (default: build)
#     -s STEPS   of each program (default 500000)
#     -o REPORT  where the results go, one JSON object per program
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
build=build
while getopts b:s:o: option; do
  case $option in
    b) build=$OPTARG ;;
    s) SHADOW_STEPS=$OPTARG; export SHADOW_STEPS ;;
    o)
      case $OPTARG in
        /*) SHADOW_REPORT=$OPTARG ;;
        *) SHADOW_REPORT=$PWD/$OPTARG ;;
      esac
      export SHADOW_REPORT
      ;;
    *) exit 2 ;;
  esac
done
srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
export srcdir
cd "$build" || exit 2
if [ ! -x tests/living/living ]; then
  echo "shadow.sh: $build/tests/living/living: not built (make check builds it)" >&2
  exit 2
fi
exec sh "$srcdir/tests/living/shadow.sh" --long
