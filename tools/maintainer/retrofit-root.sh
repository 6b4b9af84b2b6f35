#!/bin/sh
# Does a Debian system still work if every ELF file in it is converted, libc and the
# loader included?
#   sh tools/maintainer/retrofit-root.sh [-b BUILD] [-p TESTS] [-s SUITE] FOLDER
#     -b BUILD    build tree (default: build)
#     -p TESTS    names of Python's test modules, "all", or "none" (default: 29 of them)
#     -s SUITE    release of Debian (default: bookworm)
# FOLDER/plain is made by debootstrap, unless it is there; FOLDER/converted is a copy of
# it, converted in place.  The same commands run in both, and must give the same results.
# Needs root, debootstrap, jq, the network and 1 GB; an hour with all of Python's tests.
# Prints a line for each command, and how many differ.
# For example: sh tools/maintainer/retrofit-root.sh -p test_json /tmp/root
# Exit status: 0 nothing differs, 1 something does, 2 wrong usage.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"

packages="gcc libc6-dev g++ perl python3 libpython3.*-testsuite gdb git file"
python_tests="test_json test_re test_sqlite3 test_ctypes test_threading
  test_subprocess test_socket test_ssl test_hashlib test_struct test_math
  test_generators test_exceptions test_gc test_os test_signal test_zlib
  test_bz2 test_lzma test_decimal test_asyncio test_faulthandler test_readline
  test_pickle test_unicode test_traceback test_weakref test_zipfile"
build='' suite=bookworm
failures=0

while getopts b:p:s: option; do
  case $option in
    b) build=$OPTARG ;;
    p) python_tests=$OPTARG ;;
    s) suite=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || usage
find_build "$build"
program=$build/src/cfi2sframe
[ -x "$program" ] || die "$program: not built"
needs_root debootstrap jq
make_work root "$1"
cd "$work" || exit 2

# The same command in both roots must give the same output and status.
same ()
{
  plain=$(in_root "$work/plain" "$2" 2>&1; echo "status $?")
  converted=$(in_root "$work/converted" "$2" 2>&1; echo "status $?")
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
  if [ ! -e plain/.complete ]; then
    make_root plain "$suite" "$(debian_mirror)" --variant=minbase || exit 1
    quietly in_root "$work/plain" \
      "apt-get install -y --no-install-recommends $packages" || exit 1
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
  jq -r 'select(.file and .status != "converted") | "\(.status): \(.reason)"' stats.json \
    | sort | uniq -c | sort -rn
  sed 's/^/  /' problems.txt
  echo "loader and libc:"
  jq -r 'select(.file and (.file | test("/(ld-linux.*|libc)\\.so\\.[0-9]$")))
    | "  \(.file) \(.status) \(.strategy)"' stats.json
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

# Put the name and the result of each test module in $1 into $1.python.
python_results ()
{
  names=$python_tests
  [ "$names" != all ] || names=
  in_root "$work/$1" "cd /tmp && timeout 7200 nice python3 -m test -j2 --timeout 900 $(echo "$names" | tr '\n' ' ')" \
    >"$1.python.log" 2>&1
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
