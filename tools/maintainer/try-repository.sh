#!/bin/sh
# Is a system from a repository of converted packages a Debian?  Can a plain system be
# converted and undone?
#   sh tools/maintainer/try-repository.sh [PACKAGE...]
# Makes a repository with PACKAGEs (default: compilers, Python, git, gdb, perl, an SSH
# server) by sframe-retrofit-repo, a system from it, and updates it; then converts a
# plain system by sframe-system, updates it and undoes the conversion.  Needs root,
# debootstrap, the network, a built tree and 4 GB; half an hour, nearly all of it for
# compressing ($LEVEL=1: a third of that).  Prints a line for each step.
#   $WORK     folder, which is kept (default: a new one in /tmp)
#   $MIRROR   Debian mirror without /debian (default: http://deb.debian.org)
#   $SUITE    release of Debian (default: bookworm)
# Exit status: 0 all is well, 1 something is not, 2 wrong usage.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
no_options "$@"
cd "$top"
[ -x build/src/cfi2sframe ] || die "$top/build/src/cfi2sframe: not built"
needs_root
: "${WORK:=$(mktemp -d /tmp/cfi2sframe-repository.XXXXXX)}"
: "${MIRROR:=http://deb.debian.org}"
: "${SUITE:=bookworm}"
[ $# -gt 0 ] || set -- task-ssh-server build-essential python3 git gdb perl
CFI2SFRAME=$PWD/build/src/cfi2sframe
GNUPGHOME=$WORK/gpg
export CFI2SFRAME GNUPGHOME

need_packages apt-utils debootstrap gpg gpg-agent
served=$WORK/repository
mkdir -p "$served"
say "In $WORK:"

try_programs ()
{
  in_root "$WORK/$1" 'set -e
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
  in_root "$WORK/$1" 'dpkg --verify; dpkg --audit; apt-get check -qq' >"$WORK/faults"
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
make_root "$WORK/root" "$SUITE" "file://$WORK/repository" --keyring="$WORK/key.gpg"
cp "$WORK/key.gpg" "$WORK/root/usr/share/keyrings/sframe.gpg"
echo "deb [signed-by=/usr/share/keyrings/sframe.gpg] file:/srv $SUITE main" \
  >"$WORK/root/etc/apt/sources.list"
quietly in_root "$WORK/root" "apt-get update && apt-get install -y $*"
say "$(in_root "$WORK/root" 'dpkg -l | grep -c ^ii') packages installed," \
  "$(in_root "$WORK/root" 'dpkg -l | grep -c A~sframe1') of them converted"
healthy root
try_programs root

say "updates replace converted packages, converted updates replace those"
security="deb $MIRROR/debian-security $SUITE-security main"
echo "$security" >"$WORK/root/etc/apt/sources.list.d/security.list"
quietly in_root "$WORK/root" 'apt-get update && apt-get upgrade -y'
say "$(in_root "$WORK/root" 'dpkg -l | grep -c A~sframe1') converted packages are left"
healthy root
echo "$security" >>"$WORK/original.list"
retrofit "$@"
quietly in_root "$WORK/root" 'apt-get update && apt-get upgrade -y'
say "$(in_root "$WORK/root" 'dpkg -l | grep -c A~sframe1') are again"
healthy root
try_programs root

say "a plain system"
make_root "$WORK/plain" "$SUITE" "$MIRROR/debian"
echo "deb $MIRROR/debian $SUITE main" >"$WORK/plain/etc/apt/sources.list"
quietly in_root "$WORK/plain" "apt-get update && apt-get install -y $*"
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
quietly in_root "$WORK/plain" 'apt-get update && apt-get upgrade -y'
quietly in_root "$WORK/plain" 'apt-get remove -y gdb'
system status
system verify
system convert
system undo
healthy plain
say "all is well"
