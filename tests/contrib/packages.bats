#!/usr/bin/env bats
# The recipes that make packages of cfi2sframe itself: debian/, contrib/rpm,
# contrib/arch, contrib/alpine.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers

pkgbuild=$srcdir/contrib/arch/PKGBUILD
apkbuild=$srcdir/contrib/alpine/APKBUILD
spec=$srcdir/contrib/rpm/cfi2sframe.spec

setup_file ()
{
  version=$(sed -n 's/^AC_INIT(\[cfi2sframe\], \[\(.*\)\])$/\1/p' \
              "$srcdir/configure.ac")
  export version
}

@test "every recipe and NEWS have configure.ac's version" {
  [[ $version =~ ^[0-9]+\.[0-9]+ ]]
  [ "$(sed -n 's/^Version: *//p' "$spec")" = "$version" ]
  [[ "$(sed -n '/^%changelog/{n;p}' "$spec")" == "* "*" - $version-"* ]]
  [ "$(sed -n 's/^pkgver=//p' "$pkgbuild")" = "$version" ]
  [ "$(sed -n 's/^pkgver=//p' "$apkbuild")" = "$version" ]
  [[ "$(grep -m 1 '^\* ' "$srcdir/NEWS")" == "* $version "* ]]
  [ -d "$srcdir/debian" ] || skip "releases have no folder debian"
  [[ "$(head -n 1 "$srcdir/debian/changelog")" == "cfi2sframe ($version-"* ]]
}

# What configure looks for, and the package that has it: none for what comes
# with the compiler, or what a release has made already.  Below "-" is what
# only the build or its tests run.
dependencies ()
{
  cat <<'END'
argp        -               -                      -         argp-standalone
bats        bats            bats                   bats      -
cmocka      libcmocka-dev   libcmocka-devel        cmocka    cmocka-dev
dwarf       libdwarf-dev    libdwarf-devel         libdwarf  libdwarf-dev
elf         libelf-dev      elfutils-libelf-devel  libelf    elfutils-dev
iberty      libiberty-dev   binutils-devel         -         binutils-dev
json-c      libjson-c-dev   json-c-devel           json-c    json-c-dev
libdw       libdw-dev       elfutils-devel         libelf    elfutils-dev
libxxhash   libxxhash-dev   xxhash-devel           xxhash    xxhash-dev
libzstd     libzstd-dev     libzstd-devel          zstd      zstd-dev
makeinfo    texinfo         -                      -         -
pthread     -               -                      -         -
tex         -               -                      -         -
xxhash      libxxhash-dev   xxhash-devel           xxhash    xxhash-dev
Zydis       libzydis-dev    zydis-devel            zydis     zydis-dev
-           pkgconf         pkgconfig              -         pkgconf
-           debhelper-compat  gcc                  glibc     linux-headers
-           elfutils        elfutils               elfutils  -
-           file            file                   -         -
-           python3         python3                python    -
-           python3-debian  make                   -         -
-           python3-pytest  -                      -         -
END
}

# names_are COLUMN: the names on standard input are those of the list.
names_are ()
{
  diff <(dependencies | awk -v column="$1" '$column != "-" { print $column }' \
           | LC_ALL=C sort -u) <(LC_ALL=C sort -u)
}

@test "the list of dependencies has what configure looks for" {
  sed -nE 's/.*PKG_CHECK_MODULES\(\[[A-Z]+\], \[([a-z-]+).*/\1/p
           s/.*AC_CHECK_LIB\(\[([A-Za-z]+)\].*/\1/p
           s/.*AC_SEARCH_LIBS\(\[[a-z_]+\], \[([a-z]+)\].*/\1/p
           s/.*AC_(PATH|CHECK)_PROG\(\[[A-Za-z_]+\], \[([a-z]+)\].*/\2/p' \
    "$srcdir/configure.ac" | names_are 1
}

# What tools/common.sh installs is for a clone: with the tools that make
# configure, which no recipe needs.
@test "Debian: build dependencies are those of the list" {
  local package
  for package in $(dependencies | awk '$1 != "-" && $1 != "bats" && $1 != "cmocka" && $2 != "-" { print $2 }'); do
    sed -n '/^build_packages="/,/"$/p' "$srcdir/tools/common.sh" \
      | tr -s ' "' '\n' | grep -qxF "$package" || { echo "$package"; return 1; }
  done
  # Those that configure's messages name.
  for package in $(sed -nE 's/.*C2S_MISSING\(.*, \[([a-z-]+)\]\).*/\1/p' \
                     "$srcdir/configure.ac"); do
    dependencies | grep -qw -e "$package" || { echo "$package"; return 1; }
  done
  [ -d "$srcdir/debian" ] || skip "releases have no folder debian"
  sed -n '/^Build-Depends:/,/^[A-Z][a-z]*-Version:/p' "$srcdir/debian/control" \
    | sed 's/^Build-Depends://; /^Standards/d; s/^ *\([a-z0-9+.-]*\).*/\1/' \
    | names_are 2
}

@test "RPM: build dependencies are those of the list" {
  sed -n 's/^BuildRequires: *//p' "$spec" | names_are 3
}

@test "Arch: dependencies are those of the list" {
  bash -c 'source "$1"
    printf "%s\n" "${depends[@]}" "${makedepends[@]}" "${checkdepends[@]}"' \
    bash "$pkgbuild" | names_are 4
}

@test "Alpine: build dependencies are those of the list" {
  # shellcheck disable=SC2016
  sh -c '. "$1"; printf "%s\n" $makedepends $checkdepends' sh "$apkbuild" \
    | names_are 5
}

# make_release: a tarball by the name of the release, in which configure, make,
# its checks and its installation note down that they were called.
make_release ()
{
  local tree=cfi2sframe-$version
  mkdir -p "$tree/contrib/arch"
  cp "$srcdir/contrib/arch/45-sframe.sh" "$tree/contrib/arch"
  cat >"$tree/configure" <<'END'
#!/bin/sh
case " $* " in *" --prefix=/usr "*) ;; *) exit 1 ;; esac
cat >Makefile <<'MAKE'
TESTS = all
UNIT_TESTS = unit
program:
	echo built >program
check: program
	test ! -e fails && echo "checked:$(TESTS)" >>program
install: program
	install -D program "$(DESTDIR)/usr/bin/cfi2sframe"
MAKE
END
  chmod +x "$tree/configure"
  "$@"
  tar -cJf "$tree.tar.xz" "$tree"
}

tests_fail ()
{
  touch "$tree/fails"
}

@test "Arch: makepkg builds, checks and packs" {
  needs makepkg bsdtar fakeroot setpriv xz
  mkdir made
  cp "$pkgbuild" made
  make_release
  mv cfi2sframe-*.tar.xz made
  by_makepkg made
  bsdtar -xf made/cfi2sframe-"$version"-1-*.pkg.tar.zst
  [ "$(cat usr/bin/cfi2sframe)" = $'built\nchecked:all' ]
  cmp usr/share/makepkg/tidy/45-sframe.sh "$srcdir/contrib/arch/45-sframe.sh"
  [ "$(stat -c %a usr/share/makepkg/tidy/45-sframe.sh)" = 644 ]
  rm made/*.zst
  make_release tests_fail
  mv cfi2sframe-*.tar.xz made
  by_makepkg made
  grep -q 'A failure occurred in check' made/log
  [ -z "$(find made -name '*.zst')" ]
}

# abuild enters builddir before each function.
run_apkbuild ()
{
  rm -rf out "cfi2sframe-$version"
  tar -xf "$(. "$apkbuild" && echo "$source")"
  run sh -e -c 'cd "$1" && CBUILD=x CHOST=x pkgdir=../out && . "$2"
    build && check && package' sh "cfi2sframe-$version" "$apkbuild"
}

@test "Alpine: the functions build, check and install" {
  make_release
  run_apkbuild
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [ "$(cat out/usr/bin/cfi2sframe)" = $'built\nchecked:unit' ]
  make_release tests_fail
  run_apkbuild
  [ "$status" -ne 0 ]
  [ ! -e out ]
}
