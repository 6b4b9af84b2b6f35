#!/bin/sh
# Is a system from a repository of converted packages a Debian?  Can a plain system be
# converted and undone?
#   sh tools/maintainer/try-repository.sh [OPTION]... [PACKAGE...]
#     -b BUILD    build tree (default: build)
#     -d DIR      keep the repository and the systems in DIR
#     -m MIRROR   Debian mirror, which ends in /debian and has debian-security next to
#                 that (default: this system's)
#     -s SUITE    release of Debian (default: bookworm)
#     -z LEVEL    of compression: 1 takes a third of the time (default: dpkg-deb's)
#     PACKAGE     a further package of the repository and the systems
# Makes a repository of compilers, Python, git, gdb, perl and an SSH server by
# sframe-retrofit-repo, a system from it, and updates it; then converts a
# plain system by sframe-system, updates it and undoes the conversion.  Needs root,
# debootstrap, the network and 4 GB; half an hour, nearly all of it for compressing.
# Prints a line for each step.
# For example: sh tools/maintainer/try-repository.sh -z 1
# Exit status: 0 all is well, 1 something is not, 2 wrong usage.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"

build='' folder='' mirror='' suite=bookworm level=
while getopts b:d:m:s:z: option; do
  case $option in
    b) build=$OPTARG ;;
    d) folder=$OPTARG ;;
    m) mirror=$OPTARG ;;
    s) suite=$OPTARG ;;
    z) level=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
# try_programs runs these.
set -- task-ssh-server build-essential python3 git gdb perl "$@"
find_build "$build"
CFI2SFRAME=$build/src/cfi2sframe
[ -x "$CFI2SFRAME" ] || die "$CFI2SFRAME: not built"
needs_root
make_work repository "$folder"
: "${mirror:=$(debian_mirror)}"
mirror=${mirror%/}
cd "$top"
GNUPGHOME=$work/gpg
export CFI2SFRAME GNUPGHOME

need_packages apt-utils debootstrap gpg gpg-agent
served=$work/repository
mkdir -p "$served"

try_programs ()
{
  in_root "$work/$1" 'set -e
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
  in_root "$work/$1" 'dpkg --verify; dpkg --audit; apt-get check -qq' >"$work/faults"
  [ ! -s "$work/faults" ] || { cat "$work/faults"; die "$1 is not clean"; }
}

retrofit ()
{
  contrib/retrofit/sframe-retrofit-repo ${level:+-z "$level"} \
    -o "$work/repository" --suite="$suite" --sign=Test \
    --sources="$work/original.list" '~prequired' '~pimportant' usr-is-merged \
    apt ca-certificates debian-archive-keyring "$@"
  cp "$work/repository/report.json" "$work/report$(date +%s).json"
}

say "the repository"
if [ ! -d "$GNUPGHOME" ]; then
  mkdir -m 700 "$GNUPGHOME"
  quietly gpg --batch --passphrase '' --quick-gen-key \
    'Test <nobody@localhost.invalid>' default default never
  gpg --export >"$work/key.gpg"
fi
echo "deb $mirror $suite main" >"$work/original.list"
retrofit "$@"

say "a system from it"
make_root "$work/root" "$suite" "file://$work/repository" --keyring="$work/key.gpg"
cp "$work/key.gpg" "$work/root/usr/share/keyrings/sframe.gpg"
echo "deb [signed-by=/usr/share/keyrings/sframe.gpg] file:/srv $suite main" \
  >"$work/root/etc/apt/sources.list"
quietly in_root "$work/root" "apt-get update && apt-get install -y $*"
say "$(in_root "$work/root" 'dpkg -l | grep -c ^ii') packages installed," \
  "$(in_root "$work/root" 'dpkg -l | grep -c A~sframe1') of them converted"
healthy root
try_programs root

say "updates replace converted packages, converted updates replace those"
security="deb ${mirror%/debian}/debian-security $suite-security main"
echo "$security" >"$work/root/etc/apt/sources.list.d/security.list"
quietly in_root "$work/root" 'apt-get update && apt-get upgrade -y'
say "$(in_root "$work/root" 'dpkg -l | grep -c A~sframe1') converted packages are left"
healthy root
echo "$security" >>"$work/original.list"
retrofit "$@"
quietly in_root "$work/root" 'apt-get update && apt-get upgrade -y'
say "$(in_root "$work/root" 'dpkg -l | grep -c A~sframe1') are again"
healthy root
try_programs root

say "a plain system"
make_root "$work/plain" "$suite" "$mirror"
echo "deb $mirror $suite main" >"$work/plain/etc/apt/sources.list"
quietly in_root "$work/plain" "apt-get update && apt-get install -y $*"
healthy plain
cp -a "$work/plain" "$work/before"
system ()
{
  contrib/system/sframe-system --root="$work/plain" "$@"
}
system convert
system status
system verify
try_programs plain
system undo
healthy plain
diff -r --no-dereference -x __pycache__ "$work/before/usr" "$work/plain/usr" \
  || die "undo gives other files"
rm -rf "$work/before"
system convert
echo "$security" >"$work/plain/etc/apt/sources.list.d/security.list"
quietly in_root "$work/plain" 'apt-get update && apt-get upgrade -y'
quietly in_root "$work/plain" 'apt-get remove -y gdb'
system status
system verify
system convert
system undo
healthy plain
say "all is well"
