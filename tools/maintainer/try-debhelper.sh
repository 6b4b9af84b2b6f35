#!/bin/sh
# Build real Debian source packages with and without dh_sframe, compare, and
# install the result in a fresh root.
#   sh tools/maintainer/try-debhelper.sh [PACKAGE...]       (default: hello lua5.4 libpng1.6)
# Needs root (for debootstrap and chroot), network, and a built tree.  Takes
# minutes, so check.sh does not do it.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
cd "$(dirname "$0")/../.."
. tools/common.sh
top=$PWD
: "${WORK:=$(mktemp -d /tmp/cfi2sframe-debhelper.XXXXXX)}"
: "${MIRROR:=$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)}"
: "${SUITE:=bookworm}"
[ $# -gt 0 ] || set -- hello lua5.4 libpng1.6

need_packages build-essential debhelper debootstrap dpkg-dev gdb fakeroot

# dh_sframe and its sequence as if installed.
mkdir -p "$WORK/bin" "$WORK/perl/Debian/Debhelper/Sequence" "$WORK/lists"
cp contrib/debian/dh_sframe build/src/cfi2sframe "$WORK/bin"
cp contrib/debian/sframe.pm "$WORK/perl/Debian/Debhelper/Sequence"
printf '%s %s %s main\n' deb "$MIRROR" "$SUITE" deb-src "$MIRROR" "$SUITE" \
  >"$WORK/sources.list"

apt ()
{
  apt-get -qq -o Dir::Etc::sourcelist="$WORK/sources.list" \
    -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$WORK/lists" "$@"
}

# build PACKAGE RESULT with|without
build ()
{
  rm -rf "$WORK/build"
  mkdir -p "$WORK/build" "$WORK/$2"
  (cd "$WORK/build" && dpkg-source -q -x "$WORK/source/$1"_*.dsc source \
     >/dev/null 2>&1)
  if [ "$3" = with ]; then
    sed -i 's/^Build-Depends:/& dh-sequence-sframe,/' \
      "$WORK/build/source/debian/control"
  fi
  (cd "$WORK/build/source" \
     && PATH=$WORK/bin:$PATH PERL5LIB=$WORK/perl DEB_BUILD_OPTIONS=nocheck \
        quietly dpkg-buildpackage -b -us -uc -d)
  cp "$WORK"/build/*.deb "$WORK/$2/"
}

# The ELF files of a .deb that have .sframe, of those that have code.
count_sframe ()
{
  rm -rf "$WORK/x"
  dpkg-deb -x "$1" "$WORK/x"
  find "$WORK/x" -type f ! -path '*/debug/*' | sort | while read -r file; do
    readelf -lW "$file" 2>/dev/null | grep -q LOAD || continue
    if readelf -SW "$file" | grep -q ' \.sframe '; then echo with
    else echo without; fi
  done | sort | uniq -c | awk '{ printf "%s%d %s", sep, $1, $2; sep = ", " }'
}

# What gdb says when it loads each program with its debug file.
gdb_says ()
{
  rm -rf "$WORK/x"
  for deb in "$1"/*.deb; do
    dpkg-deb -x "$deb" "$WORK/x"
  done
  find "$WORK/x" -type f ! -path '*/debug/*' | sort | while read -r file; do
    readelf -lW "$file" 2>/dev/null | grep -q LOAD || continue
    gdb -nx -batch -iex "set debug-file-directory $WORK/x/usr/lib/debug" \
      -ex 'info line 1' "$file" 2>&1 </dev/null | grep -i warning || true
  done
}

failed=0
fail ()
{
  say "FAILED: $*"
  failed=1
}

mkdir -p "$WORK/source"
apt update
for package in "$@"; do
  (cd "$WORK/source" && quietly apt source --download-only "$package")
  apt build-dep -y "$package" >/dev/null 2>&1
  build "$package" "plain-$package" without
  build "$package" "one-$package" with
  build "$package" "two-$package" with
  for deb in "$WORK/one-$package"/*.deb; do
    name=${deb##*/}
    cmp "$deb" "$WORK/two-$package/$name" \
      || fail "$name differs between two builds"
    case $name in
      *-dbgsym_*) continue ;;
    esac
    say "$name: $(count_sframe "$deb" )" \
        "($(stat -c %s "$WORK/plain-$package/$name")" \
        "-> $(stat -c %s "$deb") bytes)"
  done
  plain=$(gdb_says "$WORK/plain-$package")
  new=$(gdb_says "$WORK/one-$package")
  [ "$plain" = "$new" ] || fail "gdb says about $package: $new"
done

say "Installing in a fresh $SUITE"
[ -d "$WORK/root" ] \
  || quietly debootstrap --variant=minbase "$SUITE" "$WORK/root" "$MIRROR"
mkdir -p "$WORK/root/debs"
for package in "$@"; do
  for deb in "$WORK/one-$package"/*.deb; do
    case $deb in
      *-dbgsym_* | *-udeb* | *.udeb) ;;
      *) cp "$deb" "$WORK/root/debs" ;;
    esac
  done
done
quietly chroot "$WORK/root" env DEBIAN_FRONTEND=noninteractive \
  sh -c 'apt-get update -qq && apt-get install -y -qq /debs/*.deb'
chroot "$WORK/root" dpkg --verify >"$WORK/verify" 2>&1 || true
[ ! -s "$WORK/verify" ] || fail "dpkg --verify: $(cat "$WORK/verify")"
chroot "$WORK/root" sh -c '
  status=0
  for deb in /debs/*.deb; do
    dpkg-deb -c "$deb" | awk "\$1 ~ /^-..x/ { print \$6 }"
  done | sed "s/^\.//" | grep "/bin/" | while read -r program; do
    case $(head -c 4 "$program" | tr -d "\000") in ?ELF) ;; *) continue ;; esac
    timeout 10 "$program" --version </dev/null >/tmp/out 2>&1
    echo "$program --version: status $?: $(head -n 1 /tmp/out)"
  done'
[ "$failed" -eq 0 ] || exit 1
say "All well; everything is in $WORK"
