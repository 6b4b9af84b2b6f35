#!/bin/sh
# Convert real binary packages with sframe-retrofit-deb, install them in a
# fresh root and see whether it still works.
#   sh tools/maintainer/try-retrofit.sh [PACKAGE...]
# Needs root (for debootstrap and chroot), network, and a built tree.  Takes
# minutes, so check.sh does not do it.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
cd "$(dirname "$0")/../.."
. tools/common.sh
: "${WORK:=$(mktemp -d /tmp/cfi2sframe-retrofit.XXXXXX)}"
: "${MIRROR:=$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)}"
: "${SUITE:=bookworm}"
# What makes up a small system, C library included.
[ $# -gt 0 ] || set -- apt bash bsdutils coreutils dash debianutils diffutils \
  dpkg e2fsprogs findutils gcc-12-base git grep gzip hostname libacl1 \
  libapt-pkg6.0 libattr1 libblkid1 libbz2-1.0 libc-bin libc6 libcap2 \
  libcrypt1 libgcc-s1 libgcrypt20 libgmp10 liblzma5 libmount1 libncursesw6 \
  libpam-modules libpam0g libperl5.36 libpcre2-8-0 libpython3.11-minimal libpython3.11-stdlib \
  libselinux1 libssl3 libstdc++6 libsystemd0 libtinfo6 libudev1 libuuid1 \
  login mawk mount ncurses-bin openssl passwd perl perl-base python3.11 \
  python3.11-minimal sed tar util-linux xz-utils zlib1g

need_packages debootstrap dpkg-dev
root=$WORK/root
[ -d "$root" ] \
  || quietly debootstrap --variant=minbase "$SUITE" "$root" "$MIRROR"

in_root ()
{
  chroot "$root" env -i DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null
}

# What is asked of the root, before and after.
try_programs ()
{
  in_root bash -c '
    set -u
    cd /tmp && rm -rf t && mkdir t && cd t
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a
    export GIT_COMMITTER_EMAIL=a@b GIT_AUTHOR_DATE="1000000000 +0000"
    export GIT_COMMITTER_DATE="1000000000 +0000"
    seq 5000 >file; md5sum file; sort -r file | head -n 3; wc file
    git init -q . 2>/dev/null; git add file; git commit -q -m one; git log
    tar cJf x.tar.xz file; tar tf x.tar.xz; gzip -k file; zcat file.gz | tail -n 1
    openssl dgst -sha512 file; openssl enc -aes-128-cbc -K 00 -iv 00 -in file 2>/dev/null | md5sum
    python3.11 -c "
import json, re, threading, hashlib
def f(n):
    return f(n - 1) + 1 if n else 0
print(f(500), json.dumps([1, 2]), hashlib.md5(b\"x\").hexdigest())
try: raise ValueError(1)
except ValueError as e: print(repr(e))
t = [threading.Thread(target=lambda: None) for i in range(50)]
[x.start() for x in t]; [x.join() for x in t]"
    perl -e "print join(q(,), map { \$_ ** 2 } 1 .. 20), qq(\n); eval { die qq(x\n) }; print \$@"
    sed -n 10p file; grep -c 9 file; find . -name "fi*" | sort; mawk "{ s += \$1 } END { print s }" file
    dash -c "echo dash \$((1 + 2))"; id root; getent passwd root; su root -c "echo su"
    apt-get --version | head -n 1; apt-cache show bash | head -n 1; dpkg -s dpkg | head -n 2
    ls -la /proc/self/exe | sed "s/.* -> //"; mount --version; hostname --version 2>&1 | head -n 1
    trap "echo usr1" USR1; kill -USR1 $$; (exit 3); echo $?'
}

mkdir -p "$WORK/debs" "$WORK/new" "$root/debs"
in_root apt-get update -qq
in_root apt-get install -y -qq "$@" >/dev/null 2>&1
try_programs >"$WORK/before" 2>&1
in_root dpkg --verify >"$WORK/verify-before" 2>&1 || true
(cd "$root/debs" && chroot "$root" sh -c 'cd /debs && apt-get download -qq "$@"' \
   sh "$@" 2>/dev/null)
say "$(find "$root/debs" -name '*.deb' | wc -l) packages"

CFI2SFRAME=$PWD/build/src/cfi2sframe
export CFI2SFRAME
contrib/retrofit/sframe-retrofit-deb -v -o "$WORK/new" \
  "$root"/debs/*.deb >"$WORK/log" 2>"$WORK/errors" \
  || { cat "$WORK/errors"; say "some files failed, see above"; }
awk '{ converted += $2; of += $4 }
     END { printf "%d of %d ELF files converted\n", converted, of }' "$WORK/log"
# The same packages, the same bytes.
one=$(find "$root/debs" -name 'bash_*.deb' | head -n 1)
if [ -n "$one" ]; then
  contrib/retrofit/sframe-retrofit-deb -o "$WORK/again" "$one"
  cmp "$WORK/again"/bash_*.deb "$WORK/new"/bash_*.deb
fi

cp "$WORK"/new/*.deb "$root/debs/"
in_root sh -c 'dpkg -i --force-confold /debs/*A~sframe1_*.deb' \
  >"$WORK/install" 2>&1 || { tail -n 30 "$WORK/install"; die "dpkg -i failed"; }
in_root dpkg --verify >"$WORK/verify-after" 2>&1 || true
diff "$WORK/verify-before" "$WORK/verify-after" || die "dpkg --verify complains"
in_root dpkg --audit | grep . && die "dpkg --audit complains"
in_root apt-get check -qq || die "apt-get check complains"
try_programs >"$WORK/after" 2>&1
sed -i '/^Version:/d' "$WORK/before" "$WORK/after"
diff "$WORK/before" "$WORK/after" || die "programs behave differently"
say "$(in_root dpkg -l | grep -c 'A~sframe1') converted packages installed;" \
    "dpkg --verify, dpkg --audit and apt-get check are clean;" \
    "$(wc -l <"$WORK/after") lines of output are the same before and after"
