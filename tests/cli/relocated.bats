#!/usr/bin/env bats
# CFI that the dynamic linker fills in when the file is loaded.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# A function whose FDE holds its address as an absolute one: 0 in the file, with
# a relocation.  FILLER bytes lie in front of it.  $1 is the CIE's RA column,
# $2 the register of its CFA, $3 what makes .eh_frame writable.
absolute_source ()
{
  cat <<END
	.text
	.skip 64
	.globl f
	.type f,%function
f:	.skip 64
	.size f,.-f
	.globl e
e:	.skip 16
	.section .eh_frame,"a$3",%progbits
cie:	.long cie_end-cie_id
cie_id:	.long 0
	.byte 1
	.asciz ""
	.uleb128 1
	.sleb128 -8
	.byte $1
	.byte 0x0c,$2,8
	.balign 8
cie_end:
	.long fde_end-fde
fde:	.long fde-cie
	.quad f
	.quad 64
	.byte 0x41,0x0e,16
	.balign 8
fde_end:
END
}

# Link $1.o so that address 0 is in the executable segment.  LLVM 21 takes no
# relocations of a read-only .eh_frame any more.
link_shared ()
{
  if ! ld.lld -shared -z notext --no-rosegment "$1.o" -o "$1.so" 2>log; then
    cat log
    ! grep -q 'recompile with -fPIC' log \
      || skip "this ld.lld makes no text relocations here"
    return 1
  fi
  readelf -rW "$1.so" | grep -q 'f + 0'
}

# Without the FDE there is nothing to describe.
no_rows_for ()
{
  tool -n --stats=json "$1"
  [ "$(jq .left_out.relocated <<<"$output")" -eq 1 ] || report
  [ "$(jq .functions_covered <<<"$output")" -eq 0 ] || report
}

@test "text relocations fill in the FDE: no row at address 0" {
  needs as ld.lld jq readelf
  absolute_source 16 7 '' >text.s
  as -o text.o text.s
  link_shared text
  no_rows_for text.so
}

@test "relocations of a writable .eh_frame fill in the FDE" {
  needs as ld.lld jq readelf
  absolute_source 16 7 w >writable.s
  as -o writable.o writable.s
  link_shared writable
  no_rows_for writable.so
}

@test "text relocations fill in the FDE: aarch64" {
  needs aarch64-linux-gnu-as ld.lld jq readelf
  absolute_source 30 31 '' >aarch64.s
  aarch64-linux-gnu-as -o aarch64.o aarch64.s
  link_shared aarch64
  no_rows_for aarch64.so
}

@test "relative relocations in packed form (RELR) fill in the FDE" {
  needs as ld.lld jq readelf
  absolute_source 16 7 w | sed 's/^\t.globl f$/\t.hidden f/' >relr.s
  as -o relr.o relr.s
  ld.lld -shared -z notext --no-rosegment --pack-dyn-relocs=relr relr.o \
    -o relr.so || skip "this ld.lld has no RELR"
  readelf -dW relr.so | grep -q RELR
  no_rows_for relr.so
}

@test "relocations of language-specific data leave the FDE as it is" {
  needs g++ ld.lld jq
  cat >throws.cc <<'END'
void g (int);
void f (int n) { try { g (n); } catch (int) { g (0); } }
END
  # -fno-pic: the pointer to the LSDA is absolute, that to the code is not.
  g++ -O1 -fno-pic -mcmodel=large -c throws.cc
  g++ -shared -fuse-ld=lld -Wl,-z,notext throws.o -o throws.so \
    || skip "cannot be linked here"
  tool -n --stats=json throws.so
  [ "$(jq .functions_covered <<<"$output")" -gt 0 ] || report
}
