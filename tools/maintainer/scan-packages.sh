#!/bin/sh
# Which files of some Debian packages, and of all that they depend on, are refused, and
# why?
#   sh tools/maintainer/scan-packages.sh [OPTION]... PACKAGE...
#     -b BUILD     build tree (default: build)
#     -d DIR       keep the package lists, the results and, in DIR/refused, the
#                  files that were refused; go on there if interrupted
#     -n           convert nothing, only say what would be done (--dry-run)
#     -p N         download and unpack N packages at a time (default: 150)
#     -r           recommended packages, too
#     -s SUITE     of this release (default: sid)
# Each PACKAGE is resolved by itself, as if nothing was installed.  The packages come
# from this system's Debian mirror, are unpacked, not installed, and deleted again.  Each
# file is converted with --dry-run and then really, which compares the result with the
# original; both have to say the same.  Needs jq, the network and 3 GB.  Prints how many
# files were converted in which way, and the refused files with the reasons; hours for
# desktops.
# For example: sh tools/maintainer/scan-packages.sh -n -s bookworm hello
# Exit status: 0 nothing was refused, 1 something was, 2 wrong usage, 77 no packages
# can be had.
# SPDX-License-Identifier: LGPL-2.1-or-later

# Lists of packages are meant to be split.
# shellcheck disable=SC2046
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
LC_ALL=C
export LC_ALL

build='' keep='' suite=sid portion=150 real=true
recommends=--no-install-recommends
while getopts b:d:np:rs: option; do
  case $option in
    b) build=$OPTARG ;;
    d) keep=$OPTARG ;;
    n) real=false ;;
    p) portion=$OPTARG ;;
    r) recommends=--install-recommends ;;
    s) suite=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
find_build "$build"
tool=$build/src/cfi2sframe
[ -x "$tool" ] || die "$tool: not built"
command -v jq >/dev/null || die "jq not found (Debian: apt-get install jq)"
make_work scan "$keep"
log=$work/log
root=$work/root
# Reasons that have nothing to do with the layout of a file: they are not counted as
# refusals.
harmless='no \.eh_frame"\|relocatable object \|has an \.sframe already"'
harmless=$harmless'\|"same file as \|"debug file\|SFrame has no ABI'

# The packages with files for one machine that installing $1 would bring.
closure ()
{
  suite_apt "$suite" apt-get -s "$recommends" install "$1" 2>>"$log" \
    | awk '$1 == "Inst" && !/\[all\]/ { print $2 }'
}

# Download and unpack the packages $@ into $root.
unpack ()
{
  rm -rf "$root" "$work/debs"
  mkdir -p "$root"
  suite_download "$suite" "$work/debs" "$@" || return 1
  for package in "$work/debs"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" \
      | tar -x -C "$root" --no-same-owner --exclude='./usr/share/*' \
        --exclude='./usr/include/*' --exclude='./dev/*' 2>>"$log" \
      || return 1
    rm -f "$package"
  done
  chmod -R u+rwX "$root"
}

# reports: "status TAB reason TAB strategy TAB file", as in JSON, for each line of
# --stats=json on standard input.
reports ()
{
  jq -r --arg root "$root" 'select(.file)
    | [.status, (.reason | tojson), (.strategy | tojson), (.file | ltrimstr($root))]
    | join("\t")' | sort
}

# Convert $root in one way; the report goes to the file $1.
convert ()
{
  report=$1
  shift
  "$tool" -r --stats=json "$@" "$root" >"$work/json" 2>>"$log" </dev/null
  result=$?
  reports <"$work/json" >"$report"
  [ $result -le 1 ] || die "cfi2sframe ends with status $result; see $log"
}

keep_refused ()
{
  grep -v '^converted' "$work/dry" | grep -v "$harmless" | cut -f 4 \
    | while read -r file; do
    mkdir -p "$work/refused/${file%/*}"
    cp "$root$file" "$work/refused/$file"
  done
}

scan ()
{
  unpack "$@" || die "cannot download or unpack; see $log"
  convert "$work/dry" -n
  keep_refused
  if $real; then
    convert "$work/real"
    diff "$work/dry" "$work/real" >>"$work/differences"
  fi
  cat "$work/dry" >>"$work/reports"
  for package; do
    echo "$package"
  done >>"$work/done"
  rm -rf "$root"
}

suite_prepare "$suite" || {
  echo "no package lists of $suite; see $log"
  exit 77
}
: >>"$work/done"
: >>"$work/reports"
: >>"$work/differences"
for package; do
  closure "$package" >"$work/closure"
  [ -s "$work/closure" ] || die "$package cannot be resolved; see $log"
  say "$package: $(wc -l <"$work/closure") packages with files for the machine"
  cat "$work/closure"  >&3
done 3>"$work/all"
sort -u "$work/all" | sort - "$work/done" "$work/done" | uniq -u >"$work/todo"
while [ -s "$work/todo" ]; do
  scan $(head -n "$portion" "$work/todo")
  sed -i "1,${portion}d" "$work/todo"
done

say "$(wc -l <"$work/done") packages, $(wc -l <"$work/reports") ELF files:"
cut -f 1,3 "$work/reports" | sort | uniq -c
cut -f 1,2 "$work/reports" | grep "$harmless" | sed 's/same file as .*/same file"/' \
  | sort | uniq -c
grep -v '^converted' "$work/reports" | grep -v "$harmless" >"$work/bad"
say "Refused or failed: $(wc -l <"$work/bad")"
cut -f 2,4 "$work/bad"
if [ -s "$work/differences" ]; then
  say "--dry-run and the conversion do not agree:"
  cat "$work/differences"
fi
[ -s "$work/reports" ] || die "no ELF file in the packages"
[ ! -s "$work/bad" ] && [ ! -s "$work/differences" ]
