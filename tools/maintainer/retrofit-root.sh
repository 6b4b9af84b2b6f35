#!/bin/sh
# Convert a whole Debian root, libc and the loader included, and see whether
# it still works as before.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: tools/maintainer/retrofit-root.sh [--suite SUITE]
#          [--python-tests "NAMES"|all|none] FOLDER
#
# Needs root, debootstrap and a built program.  FOLDER/plain is debootstrapped
# (unless it is there) from SUITE, which is bookworm if none is named.  Every ELF
# file of FOLDER/converted, a copy of it, is converted in place.  Then the same
# commands run in both, through chroot; their results must not differ.  About 1 GB
# and, with all of Python's tests, an hour.

set -u
. "$(dirname "$0")/../common.sh"

program=${CFI2SFRAME-$PWD/build/src/cfi2sframe}
packages="gcc libc6-dev g++ perl python3 libpython3.*-testsuite gdb git file"
python_tests="test_json test_re test_sqlite3 test_ctypes test_threading
  test_subprocess test_socket test_ssl test_hashlib test_struct test_math
  test_generators test_exceptions test_gc test_os test_signal test_zlib
  test_bz2 test_lzma test_decimal test_asyncio test_faulthandler test_readline
  test_pickle test_unicode test_traceback test_weakref test_zipfile"
suite=bookworm
failures=0

usage ()
{
  echo "usage: $0 [--suite SUITE] [--python-tests \"NAMES\"|all|none] FOLDER" >&2
  exit 2
}

while [ $# -ge 3 ]; do
  case $1 in
    --suite) suite=$2 ;;
    --python-tests) python_tests=$2 ;;
    *) usage ;;
  esac
  shift 2
done
[ $# -eq 1 ] || usage
[ -x "$program" ] || die "$program is not there"
mkdir -p "$1" && cd "$1" || exit 1
folder=$PWD

# Run a shell command in a root.  Mounts vanish with the namespace.
in_root ()
{
  unshare -m sh -c '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
      LC_ALL=C.UTF-8 sh -c "$2"' sh "$folder/$1" "$2" </dev/null 2>&1
}

# The same command in both roots must give the same output and status.
same ()
{
  plain=$(in_root plain "$2"; echo "status $?")
  converted=$(in_root converted "$2"; echo "status $?")
  if [ "$plain" = "$converted" ] && [ -n "${plain%status 0}" ] \
    && [ "${plain##*status }" = 0 ]; then
    echo "ok: $1"
  else
    failures=$((failures + 1))
    echo "DIFFERS: $1"
    printf '%s\n' "$plain" >plain.out
    printf '%s\n' "$converted" >converted.out
    diff plain.out converted.out | head -n 10
  fi
}

make_roots ()
{
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)
  if [ ! -e plain/.complete ]; then
    rm -rf plain
    debootstrap --variant=minbase "$suite" plain "$mirror" >debootstrap.log 2>&1 \
      || { tail debootstrap.log >&2; exit 1; }
    cp /etc/resolv.conf plain/etc/
    in_root plain "DEBIAN_FRONTEND=noninteractive apt-get install -y \
      --no-install-recommends $packages" >install.log \
      || { tail install.log >&2; exit 1; }
    touch plain/.complete
  fi
  rm -rf converted
  cp -a plain converted
}

convert ()
{
  "$program" -r -x --stats=json converted >stats.json 2>problems.txt
  echo "conversion: exit status $?"
  tail -n 1 stats.json
  echo "ELF files without .sframe, by reason:"
  grep -v '"status":"converted"' stats.json \
    | sed -n 's/.*"status":"\([a-z]*\)","reason":"\([^"]*\)".*/\1: \2/p' \
    | sort | uniq -c | sort -rn
  sed 's/^/  /' problems.txt
  echo "loader and libc:"
  grep -E 'ld-linux|libc\.so\.6"' stats.json \
    | sed -n 's/^{"json_version":[0-9]*,"file":"\([^"]*\)".*"status":"\([a-z]*\)".*"strategy":\([^,]*\),.*/  \1 \2 \3/p'
}

run_commands ()
{
  same "dpkg knows its packages" 'dpkg -l | tail -n +6 | wc -l'
  same "apt resolves an installation" \
    'apt-get -s install --no-install-recommends vim-tiny | tail -n 3; apt-cache stats | head -n 3'
  same "perl" 'perl -MList::Util=sum -e "print sum(map { \$_**2 } 1..1000), qq(\n)"'
  same "python3" 'python3 -c "import json,re,sqlite3,ssl,decimal; print(json.dumps(sqlite3.connect(\":memory:\").execute(\"select 6*7\").fetchall()), ssl.OPENSSL_VERSION)"'
  same "gcc compiles and the program runs" '
    cd /tmp && printf "#include <stdio.h>\n#include <math.h>\nint main(void){printf(\"%%.6f\\\\n\", sqrt(2)); return 0;}\n" >t.c \
      && gcc -O2 t.c -lm -o t && ./t'
  same "g++, an exception and a thread" '
    cd /tmp && printf "#include <thread>\n#include <iostream>\n#include <stdexcept>\nint main(){std::thread t([]{try{throw std::runtime_error(\"caught\");}catch(std::exception&e){std::cout<<e.what()<<std::endl;}});t.join();}\n" >t.cc \
      && g++ -O2 -pthread t.cc -o tcc && ./tcc'
  same "a static program" '
    cd /tmp && gcc -O2 -static t.c -lm -o ts && ./ts'
  same "git" '
    cd /tmp && rm -rf r && git init -q r && cd r && git -c user.name=a -c user.email=b commit -q --allow-empty -m x --date=2000-01-01T00:00:00Z && git log --format=%s && git fsck 2>&1'
  same "gdb" 'cd /tmp && gcc -g t.c -lm -o tg && gdb -q -batch -ex "break main" -ex run -ex bt -ex "info registers rip" ./tg 2>&1 | grep -c "^#0"'
  same "tar, gzip, sed, awk, find, sort" \
    'cd /usr/share && find doc -type f | LC_ALL=C sort | head -n 500 | tar cf - -T - 2>/dev/null | gzip -9n | gzip -dc | tar tf - | awk "{n+=length(\$0)} END {print n}" | sed s/^/n=/'
}

# name and result of every test module
python_results ()
{
  names=$python_tests
  [ "$names" != all ] || names=
  in_root "$1" "cd /tmp && timeout 7200 nice python3 -m test -j2 --timeout 900 $(echo $names)" \
    >"$1.python.log"
  sed -n 's/^[0-9:]* .*\[ *[0-9/]*\] \(test_[a-z0-9_.]*\) \([a-z ]*\).*/\1 \2/p' \
    "$1.python.log" | sed 's/ *$//' | sort -u >"$1.python"
}

run_python_tests ()
{
  [ "$python_tests" != none ] || return 0
  python_results plain
  python_results converted
  echo "python3 -m test: $(wc -l <plain.python) modules," \
    "$(grep -c passed plain.python) passed before," \
    "$(grep -c passed converted.python) passed after"
  if ! cmp -s plain.python converted.python; then
    failures=$((failures + 1))
    echo "DIFFERS: python tests"
    diff plain.python converted.python
  fi
}

make_roots
convert
run_commands
run_python_tests
echo "$failures differences"
[ "$failures" -eq 0 ]
