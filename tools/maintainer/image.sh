#!/bin/sh
# Container images with cfi2sframe and nothing else.
#   sh tools/maintainer/image.sh [DIR]       (default: static)
# DIR has the archives of static.sh, and gets an image for each machine: the layout
# cfi2sframe-VERSION.oci has all of them, and docker load and podman load take
# cfi2sframe-VERSION-MACHINE.tar.  The same archives give the same images.
#   docker run --rm -v "$PWD:/work" cfi2sframe:VERSION FILE...
# Needs skopeo and umoci, no daemon and no root rights; seconds.  Prints the names of
# the images.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
no_options "$@"
for program in skopeo umoci; do
  command -v $program >/dev/null \
    || die "$program not found (Debian: apt-get install $program)"
done
cd "${1:-static}" || die "${1:-static}: no such folder (make dist-static)"
work=$(mktemp -d image.XXXXXX)
trap 'rm -rf "$work"' EXIT

# Add the image of the archive $2, of machine $1.  The layout gets its name when it is
# complete.
pack ()
{
  machine=$1
  archive=$2
  layout=$work/layout
  tag=$version-$machine
  [ -e "$layout" ] || umoci init --layout "$layout"
  umoci new --image "$layout:$tag"
  mkdir -p "$work/root/work"
  tar -xOf "$archive" --wildcards '*/cfi2sframe' >"$work/root/cfi2sframe"
  chmod 755 "$work/root/cfi2sframe"
  # umoci packs files with their times.
  date=$(TZ=UTC tar --full-time -tvf "$archive" | sed -n '1s/.* \([0-9-]* [0-9:]*\) .*/\1/p')
  find "$work/root" -exec touch -hd "$date UTC" {} +
  tar -C "$work/root" --sort=name --owner=0 --group=0 --numeric-owner \
    -cf "$work/layer.tar" cfi2sframe work
  quietly umoci raw add-layer --image "$layout:$tag" --no-history \
    "$work/layer.tar"
  quietly umoci config --image "$layout:$tag" --no-history \
    --created "$(date -u -d "$date UTC" +%Y-%m-%dT%H:%M:%SZ)" \
    --architecture "$machine" --os linux --author "The cfi2sframe maintainers" \
    --config.entrypoint /cfi2sframe --config.workingdir /work \
    --config.label "org.opencontainers.image.title=cfi2sframe" \
    --config.label "org.opencontainers.image.version=$version" \
    --config.label "org.opencontainers.image.licenses=LGPL-2.1-or-later"
  rm -rf "$work/root"
  rm -f "cfi2sframe-$tag.tar"
  quietly skopeo --insecure-policy copy "oci:$layout:$tag" \
    "docker-archive:cfi2sframe-$tag.tar:cfi2sframe:$version"
}

found=
for archive in cfi2sframe-*-linux-*.tar.xz; do
  [ -e "$archive" ] || die "no archives of static.sh in $PWD"
  name=${archive%.tar.xz}
  version=${name#cfi2sframe-}
  version=${version%-linux-*}
  pack "${name##*-}" "$archive"
  found="$found $PWD/cfi2sframe-$version-${name##*-}.tar"
done
quietly umoci gc --layout "$work/layout"
rm -rf "cfi2sframe-$version.oci"
mv "$work/layout" "cfi2sframe-$version.oci"
printf '%s\n' $found "$PWD/cfi2sframe-$version.oci"
