#!/usr/bin/env bats
# The hooks of contrib/ inside the build systems they are for.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load ../cli/helpers

contrib=$srcdir/contrib

write_hello ()
{
  cat >hello.c <<'END'
#include <stdio.h>
int answer (void);
int
main (void)
{
  printf ("%d\n", answer ());
  return 0;
}
END
  echo 'int answer (void) { return 42; }' >answer.c
}

# Files in FOLDER that cannot be converted: of a 32-bit machine, of one without
# SFrame, with something appended.  None of them may break a build.
unconvertible_files ()
{
  mkdir -p "$1"
  # An ELF header and nothing else: class 32, little-endian, DYN, i386.
  printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\3\0\3\0\1\0\0\0' >"$1/lib32.so"
  head -c 16 /dev/zero >>"$1/lib32.so"
  printf '\64\0\40\0\0\0\50\0\0\0\0\0' >>"$1/lib32.so"
  # Class 64, EXEC, RISC-V (243).
  printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0\1\0\0\0' >"$1/riscv"
  head -c 28 /dev/zero >>"$1/riscv"
  printf '\100\0\70\0\0\0\100\0\0\0\0\0' >>"$1/riscv"
  small_program "$1/appended"
  printf 'xx' >>"$1/appended"
}

# A Debian source package with a program, a library, hard links and an object, and
# the Perl module of the sequence.
debian_source ()
{
  mkdir -p perl/Debian/Debhelper/Sequence source/debian/source
  cp "$contrib/debian/sframe.pm" perl/Debian/Debhelper/Sequence/
  cd source
  write_hello
  cat >Makefile <<'END'
all:
	$(CC) -g -O2 -fPIC -shared -o libanswer.so answer.c
	$(CC) -g -O2 -o hello hello.c -L. -lanswer
clean:
	rm -f hello *.so *.o
install:
	install -D hello $(DESTDIR)/usr/bin/hello
	ln $(DESTDIR)/usr/bin/hello $(DESTDIR)/usr/bin/hello-again
	install -D -m 644 libanswer.so $(DESTDIR)/usr/lib/hello/libanswer.so
	$(CC) -c -o $(DESTDIR)/usr/lib/hello/answer.o answer.c
END
  cat >debian/control <<'END'
Source: hello-sframe
Maintainer: Nobody <nobody@localhost.invalid>
Build-Depends: debhelper-compat (= 13)
Standards-Version: 4.6.2
Rules-Requires-Root: no

Package: hello-sframe
Architecture: any
Description: test
 Test.
END
  cat >debian/changelog <<'END'
hello-sframe (1.0) unstable; urgency=medium

  * Test.

 -- Nobody <nobody@localhost.invalid>  Fri, 20 Nov 2026 00:00:00 +0000
END
  printf '#!/usr/bin/make -f\n%%:\n\tdh $@ --with sframe\n' >debian/rules
  printf 'override_dh_shlibdeps:\n' >>debian/rules
  chmod +x debian/rules
  echo "3.0 (native)" >debian/source/format
  cd ..
}

# Go to what $1 makes: that source, or more.
enter_debian_source ()
{
  needs dh dpkg-buildpackage
  program_in_path
  ln -s "$contrib/debian/dh_sframe" bin/dh_sframe
  once "$1"
  PERL5LIB=$PWD/perl
  export PERL5LIB
  cd source
}

write_debian_source ()
{
  enter_debian_source debian_source
}

build_debian_source ()
{
  succeeds dpkg-buildpackage -b -us -uc -d --no-sign </dev/null
  rm -rf ../x
  dpkg-deb -x ../hello-sframe_1.0_*.deb ../x
}

# The source, and below installed what its package would have where dh_sframe is
# called: most of a build concerns debhelper alone, and takes a hundred times as
# long.
installed_source ()
{
  debian_source
  make -s -C source
  make -s -C source install DESTDIR="$PWD/installed"
}

write_installed_source ()
{
  enter_debian_source installed_source
  cp -a ../installed debian/hello-sframe
  installed=debian/hello-sframe/usr
}

# Have dh_sframe do its work again, as the target $1 of debian/rules.
sframe_again ()
{
  rm -r debian/hello-sframe
  cp -a ../installed debian/hello-sframe
  succeeds debian/rules "$1"
}

@test "Debian: dh --with sframe converts before dh_strip, hard links stay; twice the same" {
  write_debian_source
  build_debian_source
  cp ../hello-sframe_1.0_*.deb ../first.deb
  build_debian_source
  cmp ../first.deb ../hello-sframe_1.0_*.deb
  # They were said to have the old contents.
  [[ $output != *"hard link"* ]] || { echo "$output"; return 1; }
  cd ..
  has_sframe x/usr/bin/hello
  has_sframe x/usr/lib/hello/libanswer.so
  [ x/usr/bin/hello -ef x/usr/bin/hello-again ]
  [ "$(LD_LIBRARY_PATH=x/usr/lib/hello x/usr/bin/hello)" = 42 ]
  run readelf -SW x/usr/lib/hello/answer.o
  [[ $output != *.sframe* ]]
  # The debug file was split off the converted program.
  dpkg-deb -x hello-sframe-dbgsym_*.deb debug
  local debug
  debug=$(find debug -name '*.debug' | head -n 1)
  readelf -SW "$debug" | grep -q '\.sframe .*NOBITS'
}

@test "Debian: nostrip, nosframe, --exclude and options behind --" {
  write_installed_source
  for option in nostrip nosframe; do
    DEB_BUILD_OPTIONS=$option dh_sframe
    no_sframe $installed/bin/hello
  done
  dh_sframe -Xlibanswer -- --format=2
  no_sframe $installed/lib/hello/libanswer.so
  [ "$(version_of $installed/bin/hello)" = 2 ]
}

@test "Debian: the configuration, and a build that wants none" {
  write_installed_source
  printf 'only:\n\tdh_sframe\n' >>debian/rules
  configure <<'END'
exclude = /usr/lib/hello/*.so
format = 2
END
  sframe_again only
  no_sframe $installed/lib/hello/libanswer.so
  [ "$(version_of $installed/bin/hello)" = 2 ]
  says "note: " "/libanswer.so: not to be converted, left as it is: left out by $CFI2SFRAME_CONFIG:1"
  configure <<<"exclude-package = hello-*"
  sframe_again only
  no_sframe $installed/bin/hello
  # The line that dh_sframe(1) shows.
  sed -n 's/^ \(export CFI2SFRAME_CONFIG =\)/\1/p' "$contrib/debian/dh_sframe" >lines
  [ -s lines ]
  cat lines >>debian/rules
  sframe_again only
  has_sframe $installed/lib/hello/libanswer.so
  [ "$(version_of $installed/bin/hello)" = 3 ]
}

@test "Debian: --no-act says what would be run and changes nothing" {
  write_installed_source
  local before
  before=$(checksum $installed/bin/hello)
  succeeds dh_sframe --no-act -v
  says "cfi2sframe --hook --root=debian/hello-sframe --package=hello-sframe --files0-from="
  says "$installed/bin/hello"
  [ "$(checksum $installed/bin/hello)" = "$before" ]
}

@test "Debian: a sequence that has no effect says so" {
  write_debian_source
  printf "remove_command('dh_strip');\n1;\n" \
    >../perl/Debian/Debhelper/Sequence/away.pm
  sed -i 's/ --with sframe//' debian/rules
  # what dh calls, and what it says, with the sequences $1
  sequence ()
  {
    succeeds dh binary --no-act "$@"
  }
  local kind
  for kind in "" -Arch -Indep; do
    cp debian/control control
    sed -i "/^Standards/iBuild-Depends$kind: dh-sequence-sframe" debian/control
    [ "$kind" ] || sed -i -e '/^Build-Depends: dh-seq/d' \
      -e 's/^Build-Depends: .*/&, dh-sequence-sframe/' debian/control
    sequence
    if [ "$kind" = -Indep ]; then
      [[ $output != *" dh_sframe"$'\n'* && $output != *" dh_sframe -a"* ]]
      says "dh_sframe will not be called: " Build-Depends-Arch
    else
      [[ $output == *" dh_sframe"* && $output != *"not be called"* ]] \
        || { echo "$output"; return 1; }
    fi
    mv control debian/control
  done
  sequence --with away,sframe
  says "dh_sframe will not be called: " dh_strip
  # Where dh is not used nobody can say anything but the documents.
  grep -q "only L<dh(1)> looks at" "$contrib/debian/dh_sframe"
  [ ! -d "$srcdir/debian" ] \
    || sed -n '/^Package: dh-sequence-sframe/,/^$/p' "$srcdir/debian/control" \
    | grep -q "where debian/rules uses dh"
}

@test "Debian: udebs are left alone" {
  write_installed_source
  printf '%s\n' "" "Package: hello-udeb" "Package-Type: udeb" \
    "Architecture: any" "Description: test" >>debian/control
  cp -a ../installed debian/hello-udeb
  succeeds dh_sframe
  has_sframe $installed/bin/hello
  no_sframe debian/hello-udeb/usr/bin/hello
}

# As in the packages zlib (debian/lib32z1), libc6-i386 and valgrind.
@test "Debian: files that cannot be converted are a note; =no makes them an error" {
  write_installed_source
  unconvertible_files files
  cp -r files $installed/lib/hello/lib32
  succeeds dh_sframe
  says "note: 2 files are not for SFrame"
  says "note: " "/appended: refused"
  diff -r files $installed/lib/hello/lib32
  has_sframe $installed/bin/hello
  run ! dh_sframe -- --skip-unconvertible=no
}

# The classic form: every program by hand, no dh(1), no sequence.
@test "Debian: dh_sframe by hand in a classic debian/rules" {
  write_debian_source
  # The lines that dh_sframe(1) shows.
  sed -n '/^ binary-arch:/,/^$/s/^ //p' "$contrib/debian/dh_sframe" >lines
  grep -qx $'\tdh_sframe -a' lines
  cat >debian/rules <<'END'
#!/usr/bin/make -f
build build-arch build-indep:
	$(MAKE)
install: build
	dh_prep
	$(MAKE) install DESTDIR=$(CURDIR)/debian/hello-sframe
clean:
	dh_clean
	$(MAKE) clean
END
  sed -e '1s/.*/binary-arch: install/' \
    -e '/^\t\.\.\./d' -e '/dh_shlibdeps/d' lines >>debian/rules
  printf '\tdh_gencontrol -a\n\tdh_md5sums -a\n\tdh_builddeb -a\n' \
    >>debian/rules
  printf 'binary-indep:\nbinary: binary-arch\n' >>debian/rules
  build_debian_source
  cd ..
  has_sframe x/usr/bin/hello
  has_sframe x/usr/lib/hello/libanswer.so
  dpkg-deb -x hello-sframe-dbgsym_*.deb debug
  readelf -SW "$(find debug -name '*.debug' | head -n 1)" \
    | grep -q '\.sframe .*NOBITS'
}

@test "variables of an outer debhelper or make do not reach the tests" {
  printf '#!/bin/sh\nenv\n' >bats
  chmod +x bats
  DH_INTERNAL_OPTIONS=-a DEB_BUILD_OPTIONS=nostrip MAKEFLAGS=-k CFLAGS=-m32 \
    sh "$srcdir/tests/run-bats.sh" "$PWD/bats" >seen
  grep -q ^LC_ALL=C seen
  run ! grep -E '^(DH_|DEB_|MAKEFLAGS=|CFLAGS=)' seen
}

@test "Debian: without the program a warning and success" {
  write_debian_source
  rm ../bin/cfi2sframe
  command -v cfi2sframe >/dev/null && skip "cfi2sframe is installed"
  succeeds dh_sframe
  says "cfi2sframe not found"
}

# rpmbuild reads macro files in the order it was made with; only /etc/rpm and
# the hook itself are replaced by folders of the test.
write_rpm_spec ()
{
  needs rpmbuild cpio rpm2cpio
  program_in_path
  write_hello
  mkdir -p rpm "etc/rpm" rpmmacrodir
  cp hello.c answer.c rpm/
  # The folder that the file itself says it has to be in.
  installed=$(sed -n 's/^# Install as \(\S*\) .*/\1/p' "$contrib/rpm/macros.sframe" \
                | tr -d ',')
  sed "s|%{_rpmconfigdir}/brp-sframe|$contrib/rpm/brp-sframe|" \
    "$contrib/rpm/macros.sframe" >"$PWD$installed"
  cat >hello.spec <<'END'
Name: hello-sframe
Version: 1
Release: 1
Summary: Test
License: LGPL
%global debug_package %{nil}
%description
Test.
%build
cc -g -O2 -fPIC -shared -o libanswer.so %{_sourcedir}/answer.c
cc -g -O2 -o hello %{_sourcedir}/hello.c -L. -lanswer
%install
install -D hello %{buildroot}/usr/bin/hello
ln %{buildroot}/usr/bin/hello %{buildroot}/usr/bin/hello-again
install -D libanswer.so %{buildroot}/usr/lib/hello/libanswer.so
test ! -d %{_sourcedir}/files || cp -r %{_sourcedir}/files %{buildroot}/usr/lib/hello
%files
/usr/bin/hello
/usr/bin/hello-again
/usr/lib/hello
END
}

rpm_macro_path ()
{
  rpm --showrc | sed -n 's/^Macro path: //p' | sed "s|/etc/rpm|$PWD/etc/rpm|g"
}

# With $macros in place of rpm's list of macro files.
build_rpm ()
{
  rm -rf out x
  run rpmbuild -bb --nodeps --macros "${macros-$(rpm_macro_path)}" \
    --define "_topdir $PWD/out" --define "_sourcedir $PWD/rpm" \
    --dbpath "$PWD/rpmdb" "$@" hello.spec </dev/null
  [ "$status" -eq 0 ] || { echo "$output" | tail -n 30; return 1; }
  mkdir x
  (cd x && rpm2cpio ../out/RPMS/*/*.rpm | cpio -id --quiet)
}

@test "RPM: macros convert before the debug split; exclude and switch off" {
  write_rpm_spec
  build_rpm
  has_sframe x/usr/bin/hello
  has_sframe x/usr/lib/hello/libanswer.so
  [ x/usr/bin/hello -ef x/usr/bin/hello-again ]
  [ "$(LD_LIBRARY_PATH=x/usr/lib/hello x/usr/bin/hello)" = 42 ]
  says "2 files converted"
  [[ $output != *"hard link"* ]] || { echo "$output"; return 1; }
  build_rpm --define '_sframe_exclude ^/usr/lib/hello/' \
    --define '_sframe_options --format=2'
  no_sframe x/usr/lib/hello/libanswer.so
  [ "$(version_of x/usr/bin/hello)" = 2 ]
  build_rpm --define '_sframe 0'
  no_sframe x/usr/bin/hello
}

@test "RPM: the configuration" {
  write_rpm_spec
  configure <<'END'
exclude = /usr/lib/hello/*
format = 2
END
  build_rpm
  no_sframe x/usr/lib/hello/libanswer.so
  [ "$(version_of x/usr/bin/hello)" = 2 ]
  build_rpm --define '_sframe_options --format=3'
  [ "$(version_of x/usr/bin/hello)" = 3 ]
  configure <<<"exclude-package = hello-sframe"
  build_rpm
  no_sframe x/usr/bin/hello
}

# The number of the built library's soname, in $number.
soname_number ()
{
  needs readelf
  local library=$builddir/.libs/libcfi2sframe.so
  [ -f "$library" ] || skip "built without shared library"
  number=$(readelf -dW "$library" \
    | sed -n 's/.*SONAME.*\[libcfi2sframe\.so\.\([0-9]*\)\]/\1/p')
}

# Without it packages that use the library depend on any version of it.
@test "Debian: the symbols file lists what the library exports" {
  soname_number
  [ -d "$srcdir/debian" ] || skip "releases have no folder debian"
  local symbols=$srcdir/debian/libcfi2sframe$number.symbols
  sed -n "s/^ \(cfi2sframe_.*\)@CFI2SFRAME_$number .*/\1/p" "$symbols" | sort \
    | diff "$srcdir/tests/data/libcfi2sframe.symbols" -
}

# dh_missing ends a build for a document that no package has.
@test "Debian: every installed document is in a package" {
  [ -d "$srcdir/debian" ] || skip "releases have no folder debian"
  local name n=0
  for name in $(sed -n '/^dist_doc_DATA = /,/[^\\]$/p' "$srcdir/doc/local.am" \
                  | sed '1d; s|\\$||; s|.*/||'); do
    grep -qx -e "usr/share/doc/cfi2sframe/$name" -e "usr/share/doc/cfi2sframe/${name%%.*}\*" \
      "$srcdir/debian/cfi2sframe.install" || { echo "$name"; return 1; }
    n=$((n + 1))
  done
  [ "$n" -ge 11 ]
}

# A package named after another soname replaces a library still in use.
@test "Debian, RPM: the packages of the library have its soname" {
  soname_number
  grep -qxF "%{_libdir}/libcfi2sframe.so.$number*" \
    "$srcdir/contrib/rpm/cfi2sframe.spec"
  [ -d "$srcdir/debian" ] || skip "releases have no folder debian"
  local package=libcfi2sframe$number
  [ "$(sed -n 's/^Package: \(libcfi2sframe[0-9]*\)$/\1/p' \
         "$srcdir/debian/control")" = "$package" ]
  grep -q "^Depends: $package (= " "$srcdir/debian/control"
  [ "$(head -n 1 "$srcdir/debian/$package.symbols")" \
    = "libcfi2sframe.so.$number $package #MINVER#" ]
  [ "$(cat "$srcdir/debian/$package.install")" \
    = "usr/lib/*/libcfi2sframe.so.$number*" ]
}

# The reason for the place: rpm's platform macros are read after macros.d.
@test "RPM: in rpm's own macros.d the macro would do nothing" {
  write_rpm_spec
  local platform
  platform=$(rpm --eval '%{_rpmconfigdir}/platform/%{_target}/macros')
  grep -qs __spec_install_post "$platform" \
    || skip "rpm's platform macros leave __spec_install_post alone"
  mv etc/rpm/macros.sframe rpmmacrodir/
  macros=$(rpm_macro_path | sed "s|[^:]*/macros\.d/|$PWD/rpmmacrodir/|")
  [[ $macros == *rpmmacrodir* ]]
  build_rpm
  no_sframe x/usr/bin/hello
}

@test "RPM: files that cannot be converted are a note; =no makes them an error" {
  write_rpm_spec
  unconvertible_files rpm/files
  build_rpm
  says "note: 2 files are not for SFrame"
  says "note: ./usr/lib/hello/files/appended: refused"
  has_sframe x/usr/bin/hello
  run ! build_rpm --define '_sframe_options --skip-unconvertible=no'
}

# configured_in FOLDER [ARGUMENT]...: the project that is here, by cmake.  What cmake
# finds out about compilers it is asked once in a file of tests: that takes ten times
# as long as all else.
configured_in ()
{
  local known=$BATS_FILE_TMPDIR/known
  if [ ! -e "$known" ]; then
    mkdir "$known.source"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(known C)' \
      'enable_language(CXX OPTIONAL)' >"$known.source/CMakeLists.txt"
    cmake -S "$known.source" -B "$known" >/dev/null
  fi
  mkdir -p "$1/CMakeFiles"
  cp -r "$known"/CMakeFiles/[0-9]* "$1/CMakeFiles"
  cmake -S . -B "$1" -DCMAKE_PLATFORM_INFO_INITIALIZED=1 "${@:2}"
}

# Build by CMake's generator $1.
build_by_cmake ()
{
  needs cmake
  program_in_path
  write_hello
  cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(hello C)
include("$contrib/cmake/Cfi2sframe.cmake")
add_library(answer SHARED answer.c)
add_executable(hello hello.c)
target_link_libraries(hello answer)
cfi2sframe_convert(answer OPTIONS --format=2)
cfi2sframe_convert(hello REQUIRED)
END
  succeeds configured_in build -G "$1"
  succeeds cmake --build build
  has_sframe build/hello
  [ "$(build/hello)" = 42 ]
  [ "$(version_of build/libanswer.so)" = 2 ]
  # And again after a change.
  echo 'int answer (void) { return 43; }' >answer.c
  cmake --build build >/dev/null
  has_sframe build/libanswer.so
  [ "$(build/hello)" = 43 ]
  configure <<<"exclude = $PWD/build/hello"
  rm build/hello
  cmake --build build >/dev/null
  no_sframe build/hello
}

@test "CMake: cfi2sframe_convert after each link" {
  needs make
  build_by_cmake "Unix Makefiles"
}

@test "CMake: the same with Ninja" {
  needs ninja
  build_by_cmake Ninja
}

# all_by_cmake GENERATOR: a project with folders, a module and a project in it.
all_by_cmake ()
{
  needs cmake
  program_in_path
  write_hello
  mkdir below other
  cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.15)
project(hello C)
${2-}
add_library(answer SHARED answer.c)
add_library(archive STATIC answer.c)
add_executable(program hello.c)
set_target_properties(program PROPERTIES OUTPUT_NAME "a program")
target_link_libraries(program answer)
add_subdirectory(below)
add_subdirectory(other)
END
  echo 'add_library(module MODULE ../answer.c)' >below/CMakeLists.txt
  echo 'int main () { return 0; }' >other/main.cc
  printf '%s\n' 'project(other CXX)' 'add_executable(other main.cc)' \
    >other/CMakeLists.txt
  succeeds configured_in build -G "$1" "${@:3}"
  succeeds cmake --build build
  has_sframe build/libanswer.so
  has_sframe "build/a program"
  has_sframe build/below/libmodule.so
  [ "$("build/a program")" = 42 ]
}

@test "CMake: one switch for a project that is not changed" {
  needs make
  all_by_cmake "Unix Makefiles" "" \
    -DCMAKE_PROJECT_INCLUDE="$contrib/cmake/Cfi2sframeAll.cmake" \
    "-DCFI2SFRAME_OPTIONS=--format=2;--min-coverage=1"
  has_sframe build/other/other
  [ "$(version_of build/other/other)" = 2 ]
  # Without the program all is built as always.
  PATH=/usr/bin:/bin configured_in build2 \
    -DCMAKE_PROJECT_INCLUDE="$contrib/cmake/Cfi2sframeAll.cmake" >log
  grep -q "cfi2sframe not found: no SFrame data" log
  cmake --build build2 >/dev/null
  no_sframe build2/libanswer.so
}

@test "CMake: one call for a project, with Ninja" {
  needs ninja
  all_by_cmake Ninja "include(\"$contrib/cmake/Cfi2sframe.cmake\")
cfi2sframe_convert_all(REQUIRED)"
}

@test "CMake: a language that project() does not name" {
  needs make cmake
  program_in_path
  mkdir below
  echo 'int main () { return 0; }' | tee program.c >below/main.cc
  cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.15)
project(hello NONE)
enable_language(C)
add_executable(program program.c)
add_subdirectory(below)
END
  printf '%s\n' 'enable_language(CXX OPTIONAL)' 'add_executable(other main.cc)' \
    >below/CMakeLists.txt
  succeeds configured_in build \
    -DCMAKE_PROJECT_INCLUDE="$contrib/cmake/Cfi2sframeAll.cmake" \
    -DCFI2SFRAME_OPTIONS=--format=2
  succeeds cmake --build build
  [ "$(version_of build/program)" = 2 ]
  [ "$(version_of build/below/other)" = 2 ]
  # By a call without options.
  sed -i "s|^enable|include(\"$contrib/cmake/Cfi2sframe.cmake\")\\
cfi2sframe_convert_all()\\
&|" CMakeLists.txt
  succeeds configured_in build2
  succeeds cmake --build build2
  has_sframe build2/program
}

@test "CMake: a project with an enable_language() of its own" {
  needs make cmake
  program_in_path
  echo 'int main () { return 0; }' >program.c
  cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.15)
project(hello NONE)
macro(enable_language)
  message(STATUS "enabling ${ARGV}")
  _enable_language(${ARGV})
endmacro()
# include
enable_language(C)
add_executable(program program.c)
END
  succeeds configured_in build \
    -DCMAKE_PROJECT_INCLUDE="$contrib/cmake/Cfi2sframeAll.cmake"
  says "enabling C"
  succeeds cmake --build build
  has_sframe build/program
  # With the call behind it.
  sed -i "s|^# include|include(\"$contrib/cmake/Cfi2sframe.cmake\")\\
cfi2sframe_convert_all()|" CMakeLists.txt
  succeeds configured_in build2
  says "enabling C"
  succeeds cmake --build build2
  has_sframe build2/program
}

@test "CMake: what a folder asks for is not for those above it and next to it" {
  needs make cmake
  program_in_path
  mkdir asks next
  echo 'int main () { return 0; }' | tee program.c asks/main.cc >next/main.cc
  cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.15)
project(hello NONE)
add_subdirectory(asks)
add_subdirectory(next)
enable_language(C)
add_executable(program program.c)
END
  cat >asks/CMakeLists.txt <<END
include("$contrib/cmake/Cfi2sframe.cmake")
cfi2sframe_convert_all()
enable_language(CXX)
add_executable(asks main.cc)
END
  printf '%s\n' 'enable_language(CXX)' 'add_executable(next main.cc)' \
    >next/CMakeLists.txt
  succeeds configured_in build
  succeeds cmake --build build
  has_sframe build/asks/asks
  no_sframe build/next/next
  no_sframe build/program
}

# Nothing was converted, and nothing said so.
@test "CMake: the file is included by a folder below first" {
  needs make cmake
  program_in_path
  mkdir below
  echo 'int main () { return 0; }' >program.c
  echo "include(\"$contrib/cmake/Cfi2sframe.cmake\")" >below/CMakeLists.txt
  cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.15)
project(hello C)
add_subdirectory(below)
include("$contrib/cmake/Cfi2sframe.cmake")
cfi2sframe_convert_all(REQUIRED)
add_executable(program program.c)
END
  succeeds configured_in build
  succeeds cmake --build build
  has_sframe build/program
}

@test "CMake: a cross build runs this machine's program, not the target's" {
  needs make cmake
  program_in_path
  mkdir -p target/usr/bin
  printf '#!/bin/sh\nexit 99\n' >target/usr/bin/cfi2sframe
  chmod +x target/usr/bin/cfi2sframe
  echo 'int main () { return 0; }' >program.c
  cat >toolchain.cmake <<'END'
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_LIST_DIR}/target")
END
  cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(hello C)
include("$contrib/cmake/Cfi2sframe.cmake")
add_executable(program program.c)
cfi2sframe_convert(program)
END
  succeeds cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE="$PWD/toolchain.cmake"
  succeeds cmake --build build
  has_sframe build/program
}

# What a cross compiler for another machine would make.
@test "CMake: a target that cannot be converted is a note; =no makes it an error" {
  needs cmake make
  program_in_path
  write_hello
  cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(hello C)
include("$contrib/cmake/Cfi2sframe.cmake")
add_executable(hello hello.c answer.c)
add_custom_command(TARGET hello POST_BUILD
  COMMAND printf xx >>\$<TARGET_FILE:hello>)
cfi2sframe_convert(hello OPTIONS \${HOW})
END
  configured_in build >/dev/null
  succeeds cmake --build build
  says "note: " "hello: refused"
  [ "$(build/hello)" = 42 ]
  rm build/hello
  configured_in build -DHOW=--skip-unconvertible=no >/dev/null
  run ! cmake --build build
}

@test "CMake: without the program a message, with REQUIRED an error" {
  needs cmake make
  command -v cfi2sframe >/dev/null && skip "cfi2sframe is installed"
  write_hello
  cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(hello C)
include("$contrib/cmake/Cfi2sframe.cmake")
add_executable(hello hello.c answer.c)
cfi2sframe_convert(hello \${HOW})
END
  succeeds configured_in build
  [[ $output == *"cfi2sframe not found"* ]]
  cmake --build build >/dev/null
  [ "$(build/hello)" = 42 ]
  run configured_in build -DHOW=REQUIRED
  [ "$status" -ne 0 ]
}

@test "Meson: the install script" {
  needs meson ninja
  program_in_path
  write_hello
  cp "$contrib/meson/sframe-install.sh" .
  cat >meson.build <<'END'
project('hello', 'c')
lib = shared_library('hello', 'answer.c', version: '0.1', install: true)
executable('hello', 'hello.c', link_with: lib, install: true)
END
  # The lines that the README shows.
  sed -n '/^  cfi2sframe =/,/^  endif/s/^  //p' "$contrib/meson/README" \
    >>meson.build
  grep -q add_install_script meson.build
  # Debian's libdir is lib/MACHINE; one may be outside of the prefix.
  local where
  for where in "" --libdir=lib --libdir=/opt/hello; do
    rm -rf build x
    succeeds meson setup build --prefix=/usr ${where:+"$where"}
    DESTDIR=$PWD/x succeeds meson install -C build
    has_sframe x/usr/bin/hello
    where=$(find x -name libhello.so.0.1)
    has_sframe "$where"
    [ "$(LD_LIBRARY_PATH=${where%/*} x/usr/bin/hello)" = 42 ]
  done
  # A second installation, and one of what has changed; and of a part.
  DESTDIR=$PWD/x succeeds meson install -C build
  DESTDIR=$PWD/tagged succeeds meson install -C build --tags runtime
  has_sframe tagged/usr/bin/hello
  echo 'int answer (void) { return 43; }' >answer.c
  DESTDIR=$PWD/x succeeds meson install -C build
  has_sframe "$where"
  [ "$(LD_LIBRARY_PATH=${where%/*} x/usr/bin/hello)" = 43 ]
}

@test "Meson: a file that cannot be converted is a note; =no makes it an error" {
  program_in_path
  unconvertible_files x/usr/lib
  install_script ()
  {
    run env MESON_INSTALL_DESTDIR_PREFIX="$PWD/x/usr" "$@" \
      "$contrib/meson/sframe-install.sh" cfi2sframe \
      lib/riscv lib/lib32.so lib/appended
  }
  install_script
  ended_well
  says "note: 2 files are not for SFrame" "note: " "appended: refused"
  install_script SFRAME_OPTIONS=--skip-unconvertible=no
  [ "$status" -eq 1 ] || { echo "$output"; return 1; }
  # Hard links stay links.
  small_program x/usr/lib/one
  ln x/usr/lib/one x/usr/lib/two
  MESON_INSTALL_DESTDIR_PREFIX=$PWD/x/usr \
    succeeds "$contrib/meson/sframe-install.sh" cfi2sframe lib/one lib/two
  has_sframe x/usr/lib/two
  [ x/usr/lib/one -ef x/usr/lib/two ]
}

@test "Automake: the install hook of contrib/autotools/README" {
  needs autoreconf libtoolize make
  program_in_path
  write_hello
  cat >configure.ac <<'END'
AC_INIT([hello], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AM_PROG_AR
LT_INIT([disable-static])
END
  # The very lines of the README.
  sed -n 's/^  \(AC_CHECK_PROG.*\)/\1/p' "$contrib/autotools/README" \
    >>configure.ac
  printf 'AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >>configure.ac
  cat >Makefile.am <<'END'
bin_PROGRAMS = hello tools/other
lib_LTLIBRARIES = below/libanswer.la
below_libanswer_la_SOURCES = answer.c
hello_LDADD = below/libanswer.la
tools_other_SOURCES = other.c
END
  echo 'int main (void) { return 0; }' >other.c
  sed -n '/^  install-exec-hook:/,/^$/s/^  //p' "$contrib/autotools/README" \
    >>Makefile.am
  grep -q CFI2SFRAME Makefile.am
  succeeds autoreconf -fi
  succeeds ./configure -q --prefix=/usr --libdir=/usr/lib
  succeeds make -s install DESTDIR="$PWD/x"
  has_sframe x/usr/bin/hello
  has_sframe x/usr/bin/other
  has_sframe x/usr/lib/libanswer.so
  [ "$(LD_LIBRARY_PATH=x/usr/lib x/usr/bin/hello)" = 42 ]
  configure <<<"exclude = /usr/lib/*"
  succeeds make -s install DESTDIR="$PWD/v" transform='s/^/my-/'
  has_sframe v/usr/bin/my-hello
  no_sframe v/usr/lib/libanswer.so
  export CFI2SFRAME_CONFIG=
  # A library that cannot be converted.
  printf 'xx' >>below/.libs/libanswer.so.0.0.0
  succeeds make -s install DESTDIR="$PWD/y"
  says "note: " "libanswer.so.0: refused"
  run ! make -s install DESTDIR="$PWD/z" SFRAME_OPTIONS=--skip-unconvertible=no
}

linker=$contrib/cargo/sframe-linker

@test "Cargo: the linker converts, with arguments in a file, too" {
  program_in_path
  write_hello
  succeeds "$linker" -O2 -o "a b" hello.c answer.c
  has_sframe "a b"
  # As rustc writes it: an argument per line, blanks behind a backslash.
  printf '%s\n' -o 'c\ d' hello.c answer.c >arguments
  SFRAME_OPTIONS=--format=2 succeeds "$linker" -O2 @arguments
  [ "$(version_of "c d")" = 2 ]
  for option in -ojoined --output=joined "--output joined"; do
    rm -f joined
    "$linker" -O2 $option hello.c answer.c
    has_sframe joined
  done
  "$linker" -O2 hello.c answer.c
  has_sframe a.out
  configure <<<"format = 2"
  "$linker" -O2 hello.c answer.c
  [ "$(version_of a.out)" = 2 ]
  configure <<<"exclude = $PWD/a.out"
  "$linker" -O2 hello.c answer.c
  no_sframe a.out
  export CFI2SFRAME_CONFIG=
  # The linker's failure is ours, and so is its success.
  run ! "$linker" -o none missing.c
  printf '#!/bin/sh\ncc "$@" && printf xx >>appended\n' >bin/appender
  chmod +x bin/appender
  SFRAME_LINKER=appender succeeds "$linker" -o appended hello.c answer.c
  says "note: appended: refused"
  SFRAME_LINKER=appender SFRAME_OPTIONS=--skip-unconvertible=no \
    run ! "$linker" -o appended hello.c answer.c
}

@test "Cargo: what is linked is converted, wherever its name stands, and nothing else" {
  local written=("-Wl,-o,made" "-Wl,--output=made,-O1" "-Xlinker -o -Xlinker made"
    "-o driver -Wl,-omade" "-Wl,-o -Wl,made -o driver" "-O1 -o made" "@nested")
  program_in_path
  write_hello
  echo @arguments >nested
  printf "%s\n" "-O2 -o 'ma'd\"e\"  hello.c" 'answer.c' >arguments
  for words in "${written[@]}" @arguments; do
    rm -f made
    [[ $words == @* ]] || words+=" hello.c answer.c"
    succeeds "$linker" $words
    [ -f made ]
    has_sframe made
  done
  # What lies about: no program, or one that nobody links.
  cc -o a.out hello.c answer.c
  cp a.out stale
  cp a.out object
  cc -c answer.c hello.c
  cp a.out $'two\nlines'
  for words in --version "-c answer.c" "-o stale --version" -v; do
    succeeds "$linker" $words
  done
  cmp a.out object
  cmp stale object
  succeeds "$linker" -o $'two\nlines\n' hello.o answer.o
  has_sframe $'two\nlines\n'
  no_sframe $'two\nlines'
  succeeds "$linker" -o -dash hello.o answer.o
  has_sframe ./-dash
}

# target/release/hello is a hard link that cargo makes again.
@test "Cargo: a second build, a change and an installation keep the section" {
  needs cargo rustc
  program_in_path
  export CARGO_HOME=$PWD/home CARGO_NET_OFFLINE=true
  cargo new -q --vcs none hello || skip "cargo does not run here"
  cd hello
  mkdir .cargo
  # The lines that the linker's head shows.
  sed -n 's/^#   \(\[target\.x86_64.*\|linker = .*\)/\1/p' "$linker" \
    | sed "s|/usr/share/cfi2sframe/contrib|$contrib|" >.cargo/config.toml
  grep -q linker .cargo/config.toml
  cargo build -q --release
  has_sframe target/release/hello
  [ "$(target/release/hello)" = "Hello, world!" ]
  cargo build -q --release
  has_sframe target/release/hello
  sed -i 's/world/again/' src/main.rs
  cargo build -q --release
  has_sframe target/release/hello
  [ "$(target/release/hello)" = "Hello, again!" ]
  cargo install -q --path . --root ../root
  has_sframe ../root/bin/hello
  "$CFI2SFRAME" -q --check ../root/bin/hello
}

# genrules stand for cc_binary, whose toolchains Bazel downloads.
@test "Bazel: programs and libraries, options and settings" {
  # A hundred packages with Java are too many for all tests to install.
  command -v bazel >/dev/null || skip "Bazel is not installed"
  mkdir -p tool tools
  ln -s "$CFI2SFRAME" tool/cfi2sframe
  cp "$contrib/bazel/sframe.bzl" tools
  touch tools/BUILD
  write_hello
  cat >WORKSPACE <<END
new_local_repository(name = "cfi2sframe", path = "$PWD/tool",
                     build_file_content = 'exports_files(["cfi2sframe"])')
END
  cat >BUILD <<'END'
load("//tools:sframe.bzl", "sframe_binary")
genrule(name = "program", srcs = ["hello.c", "answer.c"], outs = ["plain"],
        cmd = "$${CC:-cc} -o $@ $(SRCS)", executable = True)
genrule(name = "library", srcs = ["answer.c"], outs = ["plain.so"],
        cmd = "$${CC:-cc} -shared -fPIC -o $@ $(SRCS)")
sframe_binary(name = "hello", src = ":plain", options = ["--format=2"])
sframe_binary(name = "libanswer.so", src = ":plain.so", config = "settings")
END
  echo "exclude = *plain.so" >settings
  bazel --batch --output_user_root="$PWD/root" build -- //:hello \
    //:libanswer.so >log 2>&1 || { cat log; false; }
  [ "$(version_of bazel-bin/hello)" = 2 ]
  [ "$(bazel-bin/hello)" = "$(bazel-bin/plain)" ]
  no_sframe bazel-bin/libanswer.so
  chmod -R u+w root
}

@test "Go: nothing to do without cgo; with cgo an installed program keeps it" {
  needs go
  program_in_path
  export GOCACHE=$PWD/cache GOPATH=$PWD/path GOBIN=$PWD/gobin GOFLAGS=-mod=mod
  export GOTOOLCHAIN=local CGO_ENABLED=1
  mkdir pure cgo
  printf 'module hello\n\ngo 1.19\n' | tee pure/go.mod >cgo/go.mod
  printf 'package main\nfunc main() { println("go") }\n' >pure/main.go
  printf 'package main\n// int f(int x) { return x * 3; }\nimport "C"\n%s\n' \
    'func main() { println(C.f(14)) }' >cgo/main.go
  (cd pure && go build -o hello .) || skip "go does not run here"
  skipped pure/hello
  # Its .debug_frame does not say where callers' frame pointers are.
  tool -v pure/hello
  says "no rules for the frame pointer"
  (cd cgo && go install .)
  convert gobin/hello
  has_sframe gobin/hello
  (cd cgo && go install .)
  has_sframe gobin/hello
  [ "$(gobin/hello 2>&1)" = 42 ]
}

# The other build systems' own commands are not in Debian: their hooks run
# here with what they call replaced.
# Each function runs its hook over the folder tree; $1 holds further options.
tree_to_convert ()
{
  program_in_path
  mkdir -p tree/bin
  small_program tree/bin/small
  ln tree/bin/small tree/bin/again
  echo text >"tree/bin/a b"
  unconvertible_files tree/lib
  cp -r tree before
}

tree_is_converted ()
{
  ended_well
  has_sframe tree/bin/small
  [ tree/bin/small -ef tree/bin/again ]
  [ "$(tree/bin/again)" = "$(./tree/bin/small)" ]
  [ "$(cat "tree/bin/a b")" = text ]
  diff -r before/lib tree/lib
  says "note: 2 files are not for SFrame"
  [[ $output != *"hard link"* ]] || { echo "$output"; return 1; }
}

# Run the hook $1 as it is, then with the switch that makes files that cannot
# be converted an error.
hook_converts_tree ()
{
  tree_to_convert
  "$1" ""
  tree_is_converted
  "$1" --skip-unconvertible=no
  [ "$status" -ne 0 ] || { echo "$output"; return 1; }
}

# with_each_hook FUNCTION NAME...: call it with run_NAME, in a folder for each.
with_each_hook ()
{
  local name
  for name in "${@:2}"; do
    echo "the hook of $name"
    mkdir "$name"
    cd "$name"
    "$1" "run_$name"
    cd ..
  done
}

# write_makepkg_stubs FOLDER [OPTIONS]: what the tidy function calls, and run.sh,
# which runs it, in FOLDER, over FOLDER/tree.
write_makepkg_stubs ()
{
  mkdir -p "$1/library/util"
  cat >"$1/library/util/message.sh" <<'END'
msg2 () { echo "$@"; }
warning () { echo "warning: $*"; }
error () { echo "error: $*"; }
gettext () { echo "$1"; }
END
  echo 'check_option () { [[ " ${options[*]} " == *" $1 "* ]]; }' \
    >"$1/library/util/option.sh"
  cat >"$1/run.sh" <<END
MAKEPKG_LIBRARY=$1/library
SFRAME_OPTIONS=${2-}
pkgname=hello
options=(strip sframe)
source "\${HOOK-$contrib/arch/45-sframe.sh}"
cd $1/tree && "\${tidy_modify[0]}"
true # as makepkg goes on
END
}

# The tidy function, with makepkg's functions replaced.
run_arch ()
{
  write_makepkg_stubs "$PWD" "$1"
  run bash run.sh
}

# post_src_install, with Portage's functions replaced.
run_gentoo ()
{
  run bash -c "D=$PWD/tree/; RESTRICT=; SFRAME_OPTIONS=$1; PN=hello
    ewarn () { echo \"\$@\"; }
    die () { echo \"\$@\"; exit 1; }
    source '$contrib/gentoo/sframe.bashrc'; post_src_install"
}

# The setup hook, with stdenv's functions replaced.
run_nix ()
{
  echo "the machine's own" >machine.conf
  CFI2SFRAME_CONFIG=$PWD/machine.conf run bash -eu -c "preFixupHooks=()
    out=$PWD/tree dev=$PWD/missing pname=hello
    sframeFlags=$1 sframeConfig=${CFI2SFRAME_CONFIG-}
    getAllOutputNames () { echo out dev; }
    source '$contrib/nix/setup-hook.sh'; \"\${preFixupHooks[0]}\""
}

# The shell function of the class.
run_yocto ()
{
  sed -n '/^sframe_package_preprocess ()/,/^}/p' \
    "$contrib/yocto/sframe.bbclass" >function.sh
  sed -i 's/\${\(PKGD\|PN\|INHIBIT_SFRAME\|SFRAME_OPTIONS\|SFRAME_CONFIG\)}/${\1-}/' function.sh
  echo "the machine's own" >machine.conf
  CFI2SFRAME_CONFIG=$PWD/machine.conf run sh -e -c "PKGD=$PWD/tree PN=hello
    SFRAME_OPTIONS=$1
    SFRAME_CONFIG=${CFI2SFRAME_CONFIG-}
    . ./function.sh; sframe_package_preprocess"
}

@test "Arch, Gentoo, Nix, Yocto: the hooks, with what they call replaced" {
  with_each_hook hook_converts_tree arch gentoo nix yocto
}

# tree/mixed has functions with .debug_frame alone, and main; tree/nearly little
# else.  They are made once.
tree_with_debug_frame ()
{
  local made=$BATS_FILE_TMPDIR/debug-frame
  if [ ! -e "$made" ]; then
    mkdir "$made"
    echo 'int f (int); int main (void) { return f (0); }' >main.c
    printf 'extern int g (int);\nint f (int a) { return a ? g (a) + 1 : 0; }\n' >f.c
    echo 'int f (int); int g (int a) { return f (a - 1) + 1; }' >g.c
    echo '.text; .skip 100000, 0x90; .section .note.GNU-stack,"",@progbits' >large.s
    cc -O1 -g -fno-asynchronous-unwind-tables -fno-exceptions -c f.c g.c
    cc -O1 -g main.c f.o g.o -o "$made/mixed"
    cc -O1 -g main.c f.o g.o large.s -o "$made/nearly"
  fi
  readelf -SW "$made/mixed" | grep -q '\.debug_frame' \
    || skip "no .debug_frame from this compiler"
  mkdir -p tree
  cp "$made"/* tree
}

# dh_sframe, brp-sframe and others run before the debug information is split
# off: with -g a program of Go has a .debug_frame there, and without none.
hook_reads_eh_frame_only ()
{
  program_in_path
  tree_with_debug_frame
  cp -r tree before
  "$CFI2SFRAME" --debug-info=none -o expected tree/mixed
  "$CFI2SFRAME" --debug-info=none -o nearly tree/nearly
  "$1" ""
  ended_well
  cmp expected tree/mixed
  cmp before/nearly tree/nearly
  says "percent of the code has rows"
  "$1" --min-coverage=0
  ended_well
  cmp nearly tree/nearly
}

# More hooks as functions, over the folder tree.
run_rpm ()
{
  RPM_PACKAGE_NAME=hello RPM_BUILD_ROOT=$PWD/tree run "$contrib/rpm/brp-sframe" $1
}

run_meson ()
{
  SFRAME_OPTIONS=$1 DESTDIR=$PWD/tree MESON_INSTALL_DESTDIR_PREFIX=$PWD/tree \
    run "$contrib/meson/sframe-install.sh" cfi2sframe \
    $(cd tree && find -L . -type f)
}

@test "hooks: .eh_frame is read only, and little is none" {
  with_each_hook hook_reads_eh_frame_only rpm meson arch gentoo nix yocto
}

run_debian ()
{
  cd source
  run dh_sframe -- $1
  cd ..
}

@test "Debian: .eh_frame is read only, and little is none" {
  write_debian_source
  cd ..
  mkdir -p source/debian/hello-sframe/usr
  ln -s source/debian/hello-sframe/usr tree
  hook_reads_eh_frame_only run_debian
}

# What /etc/cfi2sframe.conf says of paths, as $2 if that is not /lib/*, of
# versions and of packages, as $3 if that is not the package hello.
hook_reads_configuration ()
{
  program_in_path
  mkdir -p tree/bin tree/lib
  small_program tree/bin/small
  cp tree/bin/small tree/lib/small
  cp -r tree before
  configure <<<"${3-exclude-package = hello}"
  "$1" ""
  ended_well
  diff -r before tree
  configure <<<"wrong"
  "$1" ""
  [ "$status" -ne 0 ] || report
  diff -r before tree
  says "$CFI2SFRAME_CONFIG:1: 'wrong' is not 'setting = value'"
  configure <<<"exclude = ${2-/lib/*}"$'\n'"format = 2"
  "$1" ""
  ended_well
  cmp before/lib/small tree/lib/small
  [ "$(version_of tree/bin/small)" = 2 ]
  cp before/bin/small tree/bin/small
  "$1" --format=3
  [ "$(version_of tree/bin/small)" = 3 ]
  configure </dev/null
  "$1" ""
  [ "$(version_of tree/lib/small)" = 3 ]
}

# Yocto's is the one that the recipe names, not the machine's.
@test "hooks: the configuration" {
  with_each_hook hook_reads_configuration rpm arch gentoo yocto
}

@test "Nix: flags are words of a text, or a list of __structuredAttrs" {
  tree_to_convert
  for flags in "'--format=2 --exclude=*/again'" "(--format=2 '--exclude=*/a gain')"; do
    rm -r tree
    cp -r before tree
    rm tree/bin/again
    cp tree/bin/small tree/bin/again
    cp tree/bin/small "tree/bin/a gain"
    run bash -eu -c "preFixupHooks=()
      out=$PWD/tree pname=hello sframeFlags=$flags
      getAllOutputNames () { echo out; }
      source '$contrib/nix/setup-hook.sh'; \"\${preFixupHooks[0]}\""
    ended_well
    [ "$(version_of tree/bin/small)" = 2 ]
    if [[ $flags == \(* ]]; then
      no_sframe "tree/bin/a gain"
    else
      no_sframe tree/bin/again
    fi
  done
}

@test "Nix: the configuration that the derivation names, not the machine's" {
  hook_reads_configuration run_nix "$PWD/tree/lib/*"
}

# Meson's script knows no package.
@test "Meson: the configuration" {
  hook_reads_configuration run_meson "/lib/*" "exclude = *"
}

# Those that cannot run here, too.
@test "all hooks give --hook, which is what it says" {
  local file options
  [ "$(grep -rle "--hook" "$contrib"/*/ --exclude-dir=completions | wc -l)" -eq 11 ]
  options=$("$CFI2SFRAME" --help=all | tr '\n' ' ' | tr -s ' ' \
    | sed 's/.*hooks of builds do: \(.*\); options that.*/\1/')
  [ "$(echo "$options" | wc -w)" -eq 6 ]
  # A file of each kind that one of the options is about.
  program_in_path
  tree_with_debug_frame
  unconvertible_files tree/odd
  copy "$srcdir/tests/data/gnu-linked/cxx-amd64" tree/wrong
  copy tree/mixed tree/never
  configure <<<"exclude = /never"
  cp -a tree hook
  cp -a tree spelt
  "$CFI2SFRAME" $options --root=spelt -rv spelt >spelt.log 2>&1
  "$CFI2SFRAME" --hook --root=hook -rv hook >hook.log 2>&1
  diff -r hook spelt
  sed -i 's|hook/|spelt/|g; s/[0-9.]* m\?s)\?$//' hook.log spelt.log
  diff hook.log spelt.log
  grep -q "note: 2 files" hook.log
  run ! cmp -s hook/wrong tree/wrong
  run ! cmp -s hook/mixed tree/mixed
  cmp hook/nearly tree/nearly
  cmp hook/never tree/never
  # What is given counts more, wherever it stands.
  local order
  for order in "--hook X" "X --hook" "X --config --hook"; do
    cp tree/nearly hook/nearly
    convert -q ${order/X/--min-coverage=0} hook/nearly
    has_sframe hook/nearly
    exits 1 ${order/X/--skip-unconvertible=no} hook/odd/riscv
    exits 0 ${order/X/--replace=no -o kept} tree/wrong
    cmp tree/wrong kept
    exits 0 ${order/X/--replace --stats=json -o new} hook/wrong
    [[ $output == *'"strategy"'* ]] || report
    exits 0 ${order/X/--debug-info=own -o own} tree/mixed
    run ! cmp -s own hook/mixed
  done
  exits 2 --hook --check hook/wrong
  needs strace
  strace -f -o trace -e trace=fsync,syncfs "$CFI2SFRAME" --hook tree/mixed tree/never
  grep -q syncfs trace
  small_program again
  strace -f -o trace -e trace=fsync,syncfs "$CFI2SFRAME" --sync=file --hook again
  grep -q fsync trace
}

# as_user COMMAND...: as somebody who may not read all files.
as_user ()
{
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  else
    "$@"
  fi
}

# A folder that everybody reaches, with the program and a tree that has a file
# that may be run and not read.
public_tree ()
{
  [ "$(id -u)" -ne 0 ] || needs setpriv
  tree_to_convert
  public=$(mktemp -d /tmp/cfi2sframe-test.XXXXXX)
  cp -a tree "$public/tree"
  cp "$CFI2SFRAME" "$public/cfi2sframe"
  cp "$public/tree/bin/small" "$public/tree/bin/hidden"
  chmod 4111 "$public/tree/bin/hidden"
  [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$public"
  chmod 755 "$public"
}

# The file that may not be read stays, with a note; all others are converted.
all_but_the_hidden_file_converted ()
{
  no_sframe "$public/tree/bin/hidden"
  rm -rf tree "$public/tree/bin/hidden"
  cp -a "$public/tree/." tree
  rm -rf "$public"
  says "/bin/hidden: not readable, left as it is"
  tree_is_converted
}

@test "RPM: a file that may not be read is passed over, with a note" {
  public_tree
  cp "$contrib/rpm/brp-sframe" "$public/brp-sframe"
  run as_user env PATH="$public:$PATH" RPM_BUILD_ROOT="$public/tree" \
    "$public/brp-sframe"
  all_but_the_hidden_file_converted
}

@test "Arch: a file that may not be read is passed over, with a note" {
  public_tree
  cp "$contrib/arch/45-sframe.sh" "$public"
  write_makepkg_stubs "$public"
  run as_user env PATH="$public:$PATH" HOOK="$public/45-sframe.sh" \
    bash -e "$public/run.sh"
  all_but_the_hidden_file_converted
}

@test "Debian: a file that may not be read is passed over, with a note" {
  needs dh
  public_tree
  (cd "$public" && debian_source)
  mkdir "$public/source/debian/hello-sframe"
  mv "$public/tree" "$public/source/debian/hello-sframe/usr"
  ln -s source/debian/hello-sframe/usr "$public/tree"
  cp "$contrib/debian/dh_sframe" "$public/dh_sframe"
  [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$public/source"
  cd "$public/source"
  run as_user env PATH="$public:$PATH" dh_sframe
  cd - >/dev/null
  all_but_the_hidden_file_converted
}

# Nothing would be converted, and the build would go on.
@test "RPM: an exclusion that is not a regular expression ends the build" {
  tree_to_convert
  SFRAME_EXCLUDE='^/usr/(lib' run_rpm
  [ "$status" -eq 1 ] || report
  says "brp-sframe: SFRAME_EXCLUDE is not a regular expression: ^/usr/(lib"
  diff -r before tree
}

# failing PROGRAM: in front of PATH, it reads its input and fails.
failing ()
{
  mkdir -p failing
  printf '#!/bin/sh\ncat >/dev/null\necho "%s: no space" >&2\nexit 2\n' "$1" \
    >"failing/$1"
  chmod +x "failing/$1"
  PATH=$PWD/failing:$PATH
}

# Nothing would be converted, and the build would go on.
@test "RPM, Cargo: a program that a hook calls fails" {
  program_in_path
  tree_to_convert
  failing sort
  run_rpm
  [ "$status" -eq 2 ] || report
  diff -r before tree
  failing awk
  echo 'int main (void) { return 0; }' >main.c
  run "$contrib/cargo/sframe-linker" main.c -o main </dev/null
  [ "$status" -eq 2 ] || report
  says "awk: no space"
}
