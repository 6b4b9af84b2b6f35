#!/bin/sh
# Does the source compile with musl, whose headers include fewer others?  A name whose
# header is not included shows there only.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/log

command -v musl-gcc >/dev/null \
  || skip_all "musl-gcc not found (Debian: apt-get install musl-tools)"
if [ ! -f config.h ]; then
  echo "Bail out! no config.h in $(pwd): run this in the build folder"
  exit 1
fi

# The headers of libraries and of the kernel, without glibc's beside them.  musl lacks
# argp.h, and Debian has no library for it: glibc's header stands in, with the macros
# that it takes from glibc's other headers.
mkdir -p "$tree/include/bits"
: >"$tree/include/bits/floatn.h"
argp_macros="-D__THROW= -D__NTH(x)=x -D__BEGIN_DECLS= -D__END_DECLS="
for name in argp.h asm-generic linux Zycore Zydis demangle.h dwarf.h elfutils gelf.h \
    json-c libdwarf libdwarf-0 libdwarf.h libelf.h libiberty xxhash.h \
    zdict.h zstd.h zstd_errors.h; do
  [ ! -e "/usr/include/$name" ] || ln -s "/usr/include/$name" "$tree/include"
done
ln -s "/usr/include/$(gcc -print-multiarch)/asm" "$tree/include"

# compile FILE...: write to the log what is wrong with them.
compile ()
{
  # shellcheck disable=SC2086 # one word for each macro
  musl-gcc -std=gnu17 -fsyntax-only -w -DHAVE_CONFIG_H $argp_macros -I. \
    -I"$srcdir/include" -I"$srcdir/src" -I"$srcdir" -idirafter "$tree/include" "$@" \
    2>"$log"
}

source_compiles ()
{
  # Names of the source have no spaces.
  # shellcheck disable=SC2046
  compile $(product_files "$srcdir" '*.c')
}

missing_header_is_found ()
{
  printf '#include <dirent.h>\nint longest = NAME_MAX;\n' >"$tree/one.c"
  ! compile "$tree/one.c"
}

echo "1..2"
check "every header that is needed is included" source_compiles
check "one that is not is found" missing_header_is_found
