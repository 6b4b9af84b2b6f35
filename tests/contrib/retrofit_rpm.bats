#!/usr/bin/env bats
# sframe-retrofit-rpm on packages made here: what changes and what must not.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load programs

retrofit ()
{
  capture program \
    "$srcdir/contrib/retrofit/sframe-retrofit-rpm" "$@"
}

# Packages with everything that could get lost, in old/: sample, sample-data
# (noarch), sample-libs; each kind is built once for all tests.  $1: how the payload
# is compressed; further arguments are rpmbuild's.
make_packages ()
{
  needs rpmbuild rpm2cpio python3 cc
  once new_packages "$@"
}

new_packages ()
{
  small_program
  cat >sample.spec <<'END'
Name: sample
Version: 1.0
Release: 1
Epoch: 2
Summary: A package with everything
License: None
Requires: sample-data = 2:1.0-1
Requires(post): /bin/sh
Provides: virtual = 7, virtual = 2:1.0-1
Conflicts: other < 2
Obsoletes: old-sample <= 2:1.0-1
Recommends: sample-libs%{_isa} = 2:1.0-1
%description
Text
in lines
%package data
Summary: Data
BuildArch: noarch
%description data
Data
%package libs
Summary: A library
%description libs
A library
%build
cc -g -O2 -Wl,--build-id -o sample %{here}/small.c
cc -g -O2 -shared -fPIC -o libsample.so.1 %{here}/small.c
%install
mkdir -p %{buildroot}/usr/bin %{buildroot}/usr/lib64 %{buildroot}/etc \
  %{buildroot}/usr/share/sample %{buildroot}/var/lib/sample
install -m 755 sample %{buildroot}/usr/bin/sample
ln %{buildroot}/usr/bin/sample %{buildroot}/usr/bin/sample-too
ln -s sample %{buildroot}/usr/bin/sample-link
install -m 755 sample %{buildroot}/usr/bin/sample-caps
install -m 755 sample %{buildroot}/usr/bin/sample-suid
install -m 755 libsample.so.1 %{buildroot}/usr/lib64
echo x >%{buildroot}/etc/sample.conf
echo y >%{buildroot}/etc/sample2.conf
echo z >"%{buildroot}/usr/share/sample/a b"
touch %{buildroot}/var/lib/sample/log
%pre
exit 0
%post -p /bin/sh
echo post
%postun -p <lua>
print ("gone")
%triggerin -- other > 1
echo trigger
%filetriggerin -- /usr/lib64
echo file trigger
%transfiletriggerpostun -- /usr/share
echo transaction
%files
/usr/bin/sample
/usr/bin/sample-too
/usr/bin/sample-link
%caps(cap_net_raw=ep) /usr/bin/sample-caps
%attr(4755, root, root) /usr/bin/sample-suid
%config(noreplace) %attr(640, root, root) /etc/sample.conf
%config /etc/sample2.conf
%dir /var/lib/sample
%ghost /var/lib/sample/log
%files data
/usr/share/sample
%files libs
/usr/lib64/libsample.so.1
%changelog
* Sat Nov 21 2026 Nobody <nobody@localhost.invalid> - 1.0-1
- Second
* Fri Nov 20 2026 Nobody <nobody@localhost.invalid> - 0.9-1
- First
END
  mkdir -p old build/BUILD
  rpmbuild -bb --quiet --define "_topdir $PWD/build" --define "here $PWD" --define "_rpmformat 4" \
    --define "_rpmdir $PWD/old" --define '_build_name_fmt %%{NAME}.rpm' \
    --define "_binary_payload ${1:-w6.zstdio}" \
    --define 'debug_package %{nil}' --define '__os_install_post %{nil}' \
    "${@:2}" sample.spec >build.log 2>&1 || { cat build.log; return 1; }
}

# Whether size and digest of the archive that rpm2cpio takes out of $1 are those
# of its header.
says_payload ()
{
  rpm2cpio "$1" >payload
  [ "$(rpm -qp --nosignature --qf '%{ARCHIVESIZE} %{PAYLOADDIGESTALT}' "$1")" \
    = "$(stat -c %s payload) $(sha256sum <payload | cut -d ' ' -f 1)" ]
}

# The header of a package, a line per tag, without those that have to change.
tags ()
{
  rpm -qp --nosignature --nodigest --xml "$1" | tr '\n' ' ' \
    | sed 's/<rpmTag /\n&/g' \
    | grep -vE 'name="(Sig(md5|size)|Sha1header|Sha256header|Payload(digest|sha256)(alt)?|(Long)?(Archive|File)?[Ss]izes?|Release|Filedigests|(Provide|Require|Recommend)version)"'
}

@test "programs are converted; every other tag stays" {
  make_packages
  gives 0 retrofit -o new old/*.rpm
  silent
  [ "$(ls new)" = "sample-1.0-1.A~sframe1.x86_64.rpm
sample-data-1.0-1.noarch.rpm
sample-libs-1.0-1.A~sframe1.x86_64.rpm" ] \
    || [ "$(ls new)" = "sample-1.0-1.A~sframe1.x86_64.rpm
sample-data.rpm
sample-libs-1.0-1.A~sframe1.x86_64.rpm" ] || { ls new; return 1; }
  for name in sample sample-libs; do
    new=$(echo new/$name-1*.rpm)
    rpm -K --nosignature "$new"
    tags old/$name.rpm >old.tags
    [ "$(wc -l <old.tags)" -ge 40 ]
    tags "$new" | diff old.tags -
  done
  # Nobody but a delta package looks at these.  rpm2cpio of rpm 4.20 writes the
  # archive anew.
  new=$(echo new/sample-1*.rpm)
  if says_payload old/sample.rpm; then
    says_payload "$new"
  fi
  # What had to change did, and only where it had to.
  query='[%{FILENAMES} %{FILEMODES:perms} %{FILEFLAGS} %{FILECAPS} %{FILELINKTOS} %{FILEINODES} %{FILEMTIMES}\n]'
  diff <(rpm -qp --nosignature --qf "$query" old/sample.rpm) \
    <(rpm -qp --nosignature --qf "$query" new/sample-1*.rpm)
  query='[%{FILENAMES} %{FILESIZES} %{FILEDIGESTS}\n]'
  diff <(rpm -qp --nosignature --qf "$query" old/sample.rpm) \
    <(rpm -qp --nosignature --qf "$query" new/sample-1*.rpm) >changes || true
  [ "$(grep -c '^>' changes)" -eq 4 ]
  grep '^>' changes | grep -vq "/usr/bin/sample" && return 1
  rpm -qp --nosignature --provides new/sample-1*.rpm | grep -Fx "virtual = 7"
  rpm -qp --nosignature --provides new/sample-1*.rpm \
    | grep -Fx "sample = 2:1.0-1.A~sframe1"
}

@test "the packages install, and rpm -V finds nothing" {
  make_packages
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  gives 0 retrofit -o new old/*.rpm
  mkdir root
  rpm --root "$PWD/root" --dbpath /rpm --initdb
  rpm --root "$PWD/root" --dbpath /rpm -i --nodeps --noscripts --notriggers \
    --nosignature --ignorearch --ignoreos new/*.rpm
  rpm --root "$PWD/root" --dbpath /rpm -V --nodeps --noscripts -a
  [ "$(root/usr/bin/sample)" = "$(./small)" ]
  for name in bin/sample bin/sample-caps bin/sample-suid lib64/libsample.so.1; do
    has_sframe root/usr/$name
  done
  [ root/usr/bin/sample -ef root/usr/bin/sample-too ]
  [ "$(stat -c %a root/usr/bin/sample-suid)" = 4755 ]
  if command -v getcap; then
    getcap root/usr/bin/sample-caps | grep cap_net_raw
  fi
  # -V would have found a change.
  echo >>root/usr/bin/sample-suid
  run ! rpm --root "$PWD/root" --dbpath /rpm -V --nodeps --noscripts -a
}

@test "relations between packages of one call follow" {
  make_packages w1.gzdio
  gives 0 retrofit -o new old/sample.rpm old/sample-libs.rpm
  rpm -qp --nosignature --recommends new/sample-1*.rpm \
    | grep -x "sample-libs(x86-64) = 2:1.0-1.A~sframe1"
  # Not given: it stays what it is.
  rpm -qp --nosignature --requires new/sample-1*.rpm \
    | grep -x "sample-data = 2:1.0-1"
  retrofit -o other old/sample.rpm
  rpm -qp --nosignature --recommends other/sample-1*.rpm \
    | grep -x "sample-libs(x86-64) = 2:1.0-1"
}

@test "the new release sorts above the old one and below any later one" {
  needs rpm
  for later in 1.1 2 1.fc43 1.el9_2.1 1.a 1.B 1_1 1+1; do
    run rpm --eval "%{lua: print (rpm.vercmp ('1', '1.A~sframe1'), rpm.vercmp ('1.A~sframe1', '$later'))}"
    [ "$output" = "-1	-1" ] || { echo "$later: $output"; return 1; }
  done
}

@test "every kind of compression is kept" {
  needs xz zstd gzip bzip2
  for kind in w9.gzdio w9.bzdio w6.xzdio w6.lzdio w3.zstdio; do
    rm -rf old new
    make_packages $kind
    gives 0 retrofit -o new old/sample-libs.rpm
    rpm -K --nosignature new/*.rpm
    query='%{PAYLOADCOMPRESSOR} %{PAYLOADFLAGS}'
    [ "$(rpm -qp --qf "$query" new/*.rpm)" = "$(rpm -qp --qf "$query" old/sample-libs.rpm)" ]
    rpm2cpio new/*.rpm | cpio -id --quiet
    has_sframe usr/lib64/libsample.so.1
    rm -rf usr
  done
}

@test "the same input gives the same output, in any number of threads" {
  make_packages w6.xzdio
  retrofit -o a --threads-max=1 old/sample.rpm
  gives 0 retrofit -o b --threads-max=4 old/sample.rpm
  cmp a/*.rpm b/*.rpm
}

@test "packages without machine code and source packages are copied" {
  make_packages
  rpmbuild -bs --quiet --define "_topdir $PWD/build" --define "here $PWD" --define "_rpmformat 4" \
    --define "_srcrpmdir $PWD/old" sample.spec
  gives 0 retrofit -v -o new old/sample-data.rpm old/*.src.rpm
  [[ $output == *"nothing to convert: copied"*"nothing to convert: copied" ]] || report
  cmp old/sample-data.rpm new/sample-data.rpm
  cmp old/*.src.rpm new/*.src.rpm
}

@test "packages with debug files: these follow" {
  needs rpmbuild rpm2cpio python3 cpio gdb find-debuginfo
  small_program
  cat >debug.spec <<'END'
Name: sample
Version: 1.0
Release: 1
Summary: A program with a debug file
License: None
%description
Text
%debug_package
%build
cc -g -O2 -Wl,--build-id -o sample %{here}/small.c
%install
mkdir -p %{buildroot}/usr/bin
install -m 755 sample %{buildroot}/usr/bin
%files
/usr/bin/sample
END
  mkdir -p old build/BUILD
  rpmbuild -bb --quiet --define "_topdir $PWD/build" --define "here $PWD" --define "_rpmformat 4" \
    --define "_rpmdir $PWD/old" --define '_build_name_fmt %%{NAME}.rpm' \
    debug.spec >build.log 2>&1 || { cat build.log; return 1; }
  [ -e old/sample-debuginfo.rpm ]
  gives 0 retrofit -o new old/sample-debuginfo.rpm old/sample.rpm
  silent
  for package in new/*A~sframe1*.rpm; do
    rpm -K --nosignature "$package"
    rpm2cpio "$package" | cpio -id --quiet
  done
  has_sframe usr/bin/sample
  gdb -nx -batch -iex "set debug-file-directory $PWD/usr/lib/debug" \
    -ex "info line leaf" usr/bin/sample >said 2>&1
  grep '^Line .*<leaf>' said
  grep -i warning said && return 1
  # Links to programs by their build-ids stay right.
  rpm -qp --nosignature -l new/sample-1*.rpm | grep /usr/lib/.build-id/
}

@test "a signature is dropped with a note" {
  needs rpmsign gpg gpg-agent
  make_packages
  export GNUPGHOME=$PWD/gpg
  mkdir -m 700 gpg
  gpg --batch --quiet --passphrase '' --quick-gen-key nobody rsa2048 sign never \
    2>/dev/null || skip "no key could be made"
  rpmsign --define '_gpg_name nobody' --define "__gpg $(command -v gpg)" --addsign old/sample-libs.rpm >/dev/null 2>&1
  gpgconf --kill all
  rpm -qp --nosignature --xml old/sample-libs.rpm | grep -i 'name="\(Rsaheader\|Sigpgp\)"'
  gives 0 retrofit -o new old/sample-libs.rpm
  [[ $stderr == *"signatures inside are dropped"* ]] || report
  rpm -K new/*.rpm
  run ! grep -i 'name="\(Rsaheader\|Sigpgp\)"' <(rpm -qp --xml new/*.rpm)
}

add_unknown_tag ()
{
  python3 - "$1" <<'END'
import struct, sys
with open (sys.argv[1], "r+b") as file:
    data = file.read ()
    n_entries, = struct.unpack_from (">I", data, 96 + 8)
    at = next (at for at in range (112, 112 + 16 * n_entries, 16)
               if data[at:at + 4] == struct.pack (">I", 1008))
    file.seek (at)
    file.write (struct.pack (">I", 1999))
END
}

@test "a package of an unknown signature in which nothing changes is copied" {
  make_packages
  add_unknown_tag old/sample-data.rpm
  gives 0 retrofit -o new old/*.rpm
  silent
  cmp old/sample-data.rpm new/sample-data.rpm
}

# It was refused in the second pass, when another package had got a dependency on
# the version that nobody wrote.
@test "a package of an unknown signature is refused before others follow it" {
  make_packages
  add_unknown_tag old/sample-libs.rpm
  gives 1 retrofit -o new old/*.rpm
  [ "$stderr" = "sframe-retrofit-rpm: old/sample-libs.rpm: unknown tag 1999 beside the signatures" ] \
    || report
  [ "$(cd new && echo *)" = "sample-1.0-1.A~sframe1.$(uname -m).rpm sample-data.rpm" ] || report
  run -0 rpm -qp --nosignature --recommends new/sample-1*.rpm
  [[ $output != *sframe1* ]] || report
  # Nor is it converted alone.
  gives 1 retrofit -o again old/sample-libs.rpm
  gives 1 retrofit --list old/sample-libs.rpm
}

@test "--list says what would happen and writes nothing; options are passed on" {
  make_packages
  gives 0 retrofit --list old/sample.rpm
  [[ $output == *"/usr/bin/sample-suid: would be converted"* ]] || report
  [ ! -e new ]
  retrofit -o new old/sample-libs.rpm -- --format=2
  rpm2cpio new/*.rpm | cpio -id --quiet
  [ "$(version_of usr/lib64/libsample.so.1)" = 2 ]
}

@test "converted packages, damaged ones and other files are refused" {
  make_packages
  retrofit -o new old/sample-libs.rpm
  gives 1 retrofit -o again new/*.rpm
  [[ $stderr == *"converted before"* ]] || report
  echo text >text.rpm
  for size in 50 100 300 1000 4000; do
    head -c $size old/sample.rpm >cut-$size.rpm
  done
  # A count of 2^32 - 1 tags, and a length.
  cp old/sample.rpm count.rpm && chmod u+w count.rpm
  printf '\377\377\377\377' | dd of=count.rpm bs=1 seek=104 conv=notrunc status=none
  cp old/sample.rpm length.rpm && chmod u+w length.rpm
  printf '\377\377\377\377' | dd of=length.rpm bs=1 seek=108 conv=notrunc status=none
  local files=(text.rpm cut-*.rpm count.rpm length.rpm)
  gives 1 retrofit -o again "${files[@]}"
  refuses_each sframe-retrofit-rpm "${files[@]}"
  [ -z "$(ls -A again)" ]
  gives 2 retrofit old/sample.rpm
}

@test "a checksum in another package of the run keeps a library as it is" {
  needs rpmbuild rpm2cpio python3 cc
  small_program libx.so.1.2 -shared -fPIC -Wl,-soname,libx.so.1
  cat >x.spec <<'END'
Name: x
Version: 1.0
Release: 1
Summary: A library
License: None
%description
A library
%package hmac
Summary: Its checksum
%description hmac
Its checksum
%install
mkdir -p %{buildroot}/usr/lib64
install -m 755 %{here}/libx.so.1.2 %{buildroot}/usr/lib64
install -m 755 %{here}/libx.so.1.2 %{buildroot}/usr/lib64/liby.so.1
ln -s liby.so.1 %{buildroot}/usr/lib64/liby-link.so
echo 0 >%{buildroot}/usr/lib64/.libx.so.1.hmac
echo 0 >%{buildroot}/usr/lib64/liby-link.so.hmac
%files
/usr/lib64/lib*.so*
%exclude /usr/lib64/*.hmac
%files hmac
/usr/lib64/.libx.so.1.hmac
/usr/lib64/liby-link.so.hmac
END
  mkdir -p old build/BUILD
  rpmbuild -bb --quiet --define "_topdir $PWD/build" --define "here $PWD" \
    --define "_rpmformat 4" --define "_rpmdir $PWD/old" \
    --define '_build_name_fmt %%{NAME}.rpm' --define 'debug_package %{nil}' \
    --define '__os_install_post %{nil}' x.spec >build.log 2>&1 \
    || { cat build.log; return 1; }
  gives 0 retrofit -o new old/x.rpm old/x-hmac.rpm
  [[ $stderr == *"x.rpm: usr/lib64/libx.so.1.2: note: skipped: .libx.so.1.hmac has"* ]] || report
  [[ $stderr == *"x.rpm: usr/lib64/liby.so.1: note: skipped: liby-link.so.hmac has"* ]] || report
  cmp new/x.rpm old/x.rpm
  retrofit -o alone old/x.rpm
  [ -e alone/x-1.0-1.A~sframe1.x86_64.rpm ]
}

# 60,000 tags with the same 64 KiB took 4 GB.
@test "header entries that overlap are refused, and paths that are too long" {
  needs python3 rpm2cpio
  python3 - <<'END'
import struct

def header(region, entries, store):
    index = struct.pack(">4I", region, 7, len(store), 16) \
        + b"".join(struct.pack(">4I", *entry) for entry in entries)
    store += struct.pack(">IIiI", region, 7, -len(index), 16)
    return b"\x8e\xad\xe8\x01\0\0\0\0" \
        + struct.pack(">II", len(entries) + 1, len(store)) + index + store

def write(name, entries, store):
    with open(name, "wb") as file:
        file.write(b"\xed\xab\xee\xdb" + bytes(92) + header(62, [], b"")
                   + header(63, entries, store))

write("same.rpm", [(1000 + i, 7, 0, 65536) for i in range(60000)],
      bytes(65536))
write("half.rpm", [(1000, 7, 0, 3), (1001, 7, 2, 2)], bytes(4))
write("strings.rpm", [(1000, 8, 0, 2), (1001, 6, 3, 1)], b"ab\0cd\0\0\0")
write("many.rpm", [(i, 7, 0, 0) for i in range(65535)], bytes(4))
END
  local file
  for file in same half strings many; do
    ulimit -v 2000000
    gives 1 retrofit -o new $file.rpm
    [ "$stderr" = "sframe-retrofit-rpm: $file.rpm: damaged header" ] || report
  done
  # 100,000 files in a folder whose name has 100 KB: 10 GB of names.
  python3 - "$srcdir/contrib/retrofit/sframe-retrofit-rpm" <<'END'
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1].rsplit("/", 1)[0])
loader = SourceFileLoader("rpm", sys.argv[1])
rpm = module_from_spec(spec_from_loader("rpm", loader))
loader.exec_module(rpm)

class Header:
    def strings(self, tag):
        return ["/" * 100000] if tag == rpm.DIRECTORY_NAMES \
            else ["x"] * 100000

    def numbers(self, tag):
        return [0] * 100000

package = rpm.Package.__new__(rpm.Package)
package.header = Header()
try:
    package.file_paths()
except rpm.Refused:
    sys.exit(0)
sys.exit(1)
END
}

@test "nothing is written over what was made in the same run" {
  make_packages
  mkdir a b
  cp old/sample.rpm a/package.rpm
  cp old/sample.rpm b/other.rpm
  gives 1 retrofit -o new a/package.rpm b/other.rpm
  [[ $stderr == *"b/other.rpm: new/sample-1.0-1.A~sframe1.x86_64.rpm would be \
written over: it is of a/package.rpm" ]] || report
  [ "$(ls new)" = sample-1.0-1.A~sframe1.x86_64.rpm ]
}

@test "a package that unpacks to gigabytes stays as it was, with a line" {
  needs rpmbuild rpm2cpio python3
  cat >zeros.spec <<'END'
Name: zeros
Version: 1
Release: 1
Summary: Zeros
License: None
BuildArch: noarch
%description
Zeros
%install
mkdir -p %{buildroot}/usr
truncate -s 3M %{buildroot}/usr/zeros
%files
/usr/zeros
END
  rpmbuild --quiet -bb --define "_rpmformat 4" --define "_topdir $PWD/top" --define "_rpmdir $PWD/old" \
    --define "_rpmfilename zeros.rpm" --define "_build_id_links none" zeros.spec
  gives 1 retrofit -o new --unpacked-max=2 old/zeros.rpm
  [ "$stderr" = "sframe-retrofit-rpm: old/zeros.rpm: unpacks to more than 2 MiB (see --unpacked-max)" ] || report
  [ -z "$(ls -A new)" ]
  gives 0 retrofit -o new --unpacked-max=4 old/zeros.rpm
}
