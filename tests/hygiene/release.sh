#!/bin/sh
# What make dist-static and make image have made, if they were called: programs
# that need no other file, on their machines (by qemu-user), and the images.
# And make dist where nothing says what the files of the source are.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/log
ours=$PWD/src/cfi2sframe
CFI2SFRAME_CONFIG=
export CFI2SFRAME_CONFIG

# The emulator for machine $1, nothing if there is none, or "env" if it is ours.
runner_of ()
{
  case $1:$(uname -m) in
    amd64:x86_64 | arm64:aarch64 | s390x:s390x) echo env ;;
    amd64:*) command -v qemu-x86_64 ;;
    arm64:*) command -v qemu-aarch64 ;;
    s390x:*) command -v qemu-s390x ;;
  esac
}

needs_no_loader ()
{
  readelf -lW "$tree/$1" >"$log" && ! grep -q INTERP "$log" \
    && ! readelf -dW "$tree/$1" | grep NEEDED >>"$log"
}

# It converts itself to the same bytes as the program built here does, though
# that may be of another byte order, and runs afterwards.
converts_itself ()
{
  cp "$tree/$1" "$tree/by-it" && cp "$tree/$1" "$tree/by-us" \
    && $2 "$tree/$1" "$tree/by-it" >"$log" 2>&1 \
    && "$ours" "$tree/by-us" >>"$log" 2>&1 \
    && cmp "$tree/by-it" "$tree/by-us" >>"$log" 2>&1 \
    && ! cmp -s "$tree/by-it" "$tree/$1" \
    && $2 "$tree/by-it" --check "$tree/by-it" >>"$log" 2>&1
}

image_has_it ()
{
  umoci unpack --rootless --image "$1:$2" "$tree/bundle-$2" >"$log" 2>&1 \
    && cmp "$tree/bundle-$2/rootfs/cfi2sframe" "$tree/$3" >>"$log" 2>&1 \
    && grep -q '"/cfi2sframe"' "$tree/bundle-$2/config.json"
}

# A source as from git archive: links to all but .git and a release's list.
no_release_without_a_list ()
{
  mkdir "$tree/source"
  for file in "$source"/*; do
    [ "$file" = "$source/MANIFEST" ] || ln -s "$file" "$tree/source"
  done
  ! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make dist srcdir="$tree/source" \
    top_srcdir="$tree/source" distdir="$tree/made" >"$log" 2>&1 \
    && grep -q "^make dist: neither .git nor a release's MANIFEST" "$log" \
    && [ ! -e "$tree/made" ]
}

source=$(cd "$srcdir" && pwd)
check "make dist needs a list of the files" no_release_without_a_list
set -- static/cfi2sframe-*-linux-*.tar.xz
[ -e "$1" ] || {
  skip "no static programs (make dist-static makes them)"
  set --
}
for archive; do
  name=$(basename "$archive" .tar.xz)
  machine=${name##*-}
  version=${name#cfi2sframe-}
  version=${version%-linux-*}
  tar -xOf "$archive" "$name/cfi2sframe" >"$tree/$name"
  chmod +x "$tree/$name"
  check "$machine: no loader, no library" needs_no_loader "$name"
  runner=$(runner_of "$machine")
  if [ -n "$runner" ]; then
    check "$machine: converts itself" converts_itself "$name" "$runner"
  else
    skip "$machine: qemu-user not found"
  fi
  if [ ! -e "static/cfi2sframe-$version.oci" ]; then
    skip "$machine: no image (make image makes it)"
  elif ! command -v umoci >/dev/null; then
    skip "$machine: umoci not found"
  else
    check "$machine: the image" image_has_it "static/cfi2sframe-$version.oci" \
      "$version-$machine" "$name"
  fi
done
echo "1..$n"
