#!/bin/sh
# The long form of tests/living/living.sh: millions of single steps, and more
# than 100,000 random stops, over many programs.
#   sh tools/maintainer/living.sh [-b BUILD] [-f FORMAT] [-o REPORT] [-r STOPS] [-s STEPS]
#     -b BUILD   build tree, after make check (default: build)
#     -f FORMAT  SFrame format: 3 or 2 (default 3)
#     -o REPORT  where the results go, one JSON object per program
#     -r STOPS   random stops in each program (default 10,000)
#     -s STEPS   single steps in those that are stepped (default 2,000,000)
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
build=build
while getopts b:f:o:r:s: option; do
  case $option in
    b) build=$OPTARG ;;
    f) LIVING_FORMAT=$OPTARG; export LIVING_FORMAT ;;
    o)
      case $OPTARG in
        /*) LIVING_REPORT=$OPTARG ;;
        *) LIVING_REPORT=$PWD/$OPTARG ;;
      esac
      export LIVING_REPORT
      ;;
    r) LIVING_SAMPLES=$OPTARG; export LIVING_SAMPLES ;;
    s) LIVING_STEPS=$OPTARG; export LIVING_STEPS ;;
    *) exit 2 ;;
  esac
done
srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
export srcdir
cd "$build" || exit 2
if [ ! -x tests/living/living ]; then
  echo "living.sh: $build/tests/living/living: not built (make check builds it)" >&2
  exit 2
fi
exec sh "$srcdir/tests/living/living.sh" --long
