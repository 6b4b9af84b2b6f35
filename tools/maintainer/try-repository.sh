#!/bin/sh
# Make a repository of converted packages of Debian 12, a system from it, and
# see whether that is a Debian; then convert a plain system, and undo it.
#   sh tools/maintainer/try-repository.sh [PACKAGE...]
# Needs root (for debootstrap and chroot), network, and a built tree.  Half an
# hour, nearly all of it for compressing (LEVEL=1: a third of that), and 4 GB
# in WORK, so check.sh does not do it.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
cd "$(dirname "$0")/../.."
. tools/common.sh
: "${WORK:=$(mktemp -d /tmp/cfi2sframe-repository.XXXXXX)}"
: "${MIRROR:=http://deb.debian.org}"
: "${SUITE:=bookworm}"
[ $# -gt 0 ] || set -- task-ssh-server build-essential python3 git gdb perl
[ -x build/src/cfi2sframe ] || die "build/src/cfi2sframe is not there"
CFI2SFRAME=$PWD/build/src/cfi2sframe
GNUPGHOME=$WORK/gpg
export CFI2SFRAME GNUPGHOME

need_packages apt-utils debootstrap gpg gpg-agent
mkdir -p "$WORK/repository"
say "In $WORK:"

# in_root ROOT COMMAND: with the repository as /srv.  Mounts vanish with the
# namespace.
in_root ()
{
  unshare -m sh -c '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount --bind "$2" "$1/srv"
    exec chroot "$1" env -i DEBIAN_FRONTEND=noninteractive HOME=/root \
      LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$3"' \
    sh "$WORK/$1" "$WORK/repository" "$2" </dev/null
}

# prepare ROOT SOURCE: so that apt works in it and no service is started.
prepare ()
{
  cp /etc/resolv.conf "$WORK/$1/etc/"
  printf '#!/bin/sh\nexit 101\n' >"$WORK/$1/usr/sbin/policy-rc.d"
  chmod +x "$WORK/$1/usr/sbin/policy-rc.d"
  echo "$2" >"$WORK/$1/etc/apt/sources.list"
}

try_programs ()
{
  in_root "$1" 'set -e
    rm -rf /tmp/try; mkdir /tmp/try; cd /tmp/try
    echo "int puts (const char *); int main () { return puts (\"C\") < 0; }" >c.c
    gcc -O2 c.c -o c && ./c
    echo "#include <iostream>
#include <thread>
int main () { std::thread ([] { try { throw 1; } catch (int)
  { std::cout << \"C++\" << std::endl; } }).join (); }" >d.cc
    g++ -O2 d.cc -o d && ./d
    python3 -c "import ctypes, json, sqlite3, ssl; print (\"Python\", sqlite3
      .connect (\":memory:\").execute (\"select 6 * 7\").fetchall ())"
    git init -q . 2>/dev/null && git add c.c && git -c user.name=a \
      -c user.email=b commit -q -m git && git log --format=%s && git fsck
    gdb -q -nx -batch -ex "break main" -ex run -ex backtrace ./c | grep "^#0"
    perl -e "print qq(Perl ), join (q(,), map { \$_ ** 2 } 1 .. 9), qq(\n)"
    systemd-analyze calendar daily | grep Normalized' \
    || die "a program fails in $1"
}

# Everything dpkg and apt can find fault with.
healthy ()
{
  in_root "$1" 'dpkg --verify; dpkg --audit; apt-get check -qq' >"$WORK/faults"
  [ ! -s "$WORK/faults" ] || { cat "$WORK/faults"; die "$1 is not clean"; }
}

retrofit ()
{
  contrib/retrofit/sframe-retrofit-repo ${LEVEL:+-z $LEVEL} \
    -o "$WORK/repository" --suite="$SUITE" --sign="${KEY:-Test}" \
    --sources="$WORK/original.list" '~prequired' '~pimportant' usr-is-merged \
    apt ca-certificates debian-archive-keyring "$@"
  cp "$WORK/repository/report.json" "$WORK/report$(date +%s).json"
}

say "the repository"
if [ ! -d "$GNUPGHOME" ]; then
  mkdir -m 700 "$GNUPGHOME"
  quietly gpg --batch --passphrase '' --quick-gen-key \
    'Test <nobody@localhost.invalid>' default default never
  gpg --export >"$WORK/key.gpg"
fi
echo "deb $MIRROR/debian $SUITE main" >"$WORK/original.list"
retrofit "$@"

say "a system from it"
rm -rf "$WORK/root"
quietly debootstrap --keyring="$WORK/key.gpg" "$SUITE" "$WORK/root" \
  "file://$WORK/repository"
cp "$WORK/key.gpg" "$WORK/root/usr/share/keyrings/sframe.gpg"
prepare root "deb [signed-by=/usr/share/keyrings/sframe.gpg] file:/srv $SUITE main"
quietly in_root root "apt-get update && apt-get install -y $*"
say "$(in_root root 'dpkg -l | grep -c ^ii') packages installed," \
  "$(in_root root 'dpkg -l | grep -c A~sframe1') of them converted"
healthy root
try_programs root

say "updates replace converted packages, converted updates replace those"
security="deb $MIRROR/debian-security $SUITE-security main"
echo "$security" >"$WORK/root/etc/apt/sources.list.d/security.list"
quietly in_root root 'apt-get update && apt-get upgrade -y'
say "$(in_root root 'dpkg -l | grep -c A~sframe1') converted packages are left"
healthy root
echo "$security" >>"$WORK/original.list"
retrofit "$@"
quietly in_root root 'apt-get update && apt-get upgrade -y'
say "$(in_root root 'dpkg -l | grep -c A~sframe1') are again"
healthy root
try_programs root

say "a plain system"
rm -rf "$WORK/plain"
quietly debootstrap "$SUITE" "$WORK/plain" "$MIRROR/debian"
prepare plain "deb $MIRROR/debian $SUITE main"
quietly in_root plain "apt-get update && apt-get install -y $*"
healthy plain
cp -a "$WORK/plain" "$WORK/before"
system ()
{
  contrib/system/sframe-system --root="$WORK/plain" "$@"
}
system convert
system status
system verify
try_programs plain
system undo
healthy plain
diff -r --no-dereference -x __pycache__ "$WORK/before/usr" "$WORK/plain/usr" \
  || die "undo gives other files"
rm -rf "$WORK/before"
system convert
echo "$security" >"$WORK/plain/etc/apt/sources.list.d/security.list"
quietly in_root plain 'apt-get update && apt-get upgrade -y'
quietly in_root plain 'apt-get remove -y gdb'
system status
system verify
system convert
system undo
healthy plain
say "all is well"
