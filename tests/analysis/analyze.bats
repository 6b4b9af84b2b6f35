#!/usr/bin/env bats
# --analyze: rows from code without CFI, and how --check compares such rows.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load analysed

@test "--analyze makes rows for code without CFI, which --check compares" {
  wrong_library
  exits 0 --analyze --stats wrong.so
  [[ $output == *"from CFI 14 bytes, from code 24 bytes (2 functions)"* ]] \
    || report
  exits 0 --check wrong.so
  [[ $output == *"24 of these bytes have no CFI and were compared with their code"* ]] \
    || report
}

@test "--analyze works without any CFI" {
  wrong_library
  sed '/cfi_/s/[^:]*\.cfi_.*//' wrong.s >bare.s
  "${CC:-cc}" -nostdlib -shared -o bare.so bare.s
  tool bare.so
  [[ $output != *"converted"* ]] || report
  exits 0 --analyze --stats bare.so
  [[ $output == *" from CFI 0 bytes, from code "* ]] || report
  exits 0 --check bare.so
}

@test "a program runs as before with rows from its code" {
  wrong_library
  small_program small -fno-asynchronous-unwind-tables
  expected=$(./small)
  "$CFI2SFRAME" --analyze small
  [ "$(./small)" = "$expected" ]
  exits 0 --check small
}

# What hidden CFI cannot show: that the row is by another register than the CFI.
@test "--analyze finds no CFA by a variable in the frame pointer's register" {
  wrong_library
  cat >variable.s <<'END'
	.globl	variable
	.type	variable, @function
variable:
	push	%rbp
	sub	$32, %rsp
	lea	16(%rsp), %rax
	mov	%rax, 8(%rsp)
	lea	8(%rsp), %rdi
	call	change
	mov	8(%rsp), %rbp
	mov	%rbp, %rax
	add	$32, %rsp
	pop	%rbp
	ret
	.type	change, @function
change:	movq	$0, (%rdi)
	ret
	.section .note.GNU-stack, ""
END
  "${CC:-cc}" -nostdlib -shared -o variable.so wrong.s variable.s
  exits 0 --analyze -o rows.so variable.so
  exits 0 --dump rows.so
  [[ $output == *" sp+48 "* ]] || report
  [[ $output != *" fp"[+-]* ]] || report
}

# A pop whose address the stack pointer is in says nothing of SP that could be
# relied on; one to a frame's word overwrites what is there.
@test "a word popped over the caller's register is not that any more" {
  analysed_library popped <<'END'
	exported	popped
popped:	push	%rbp
	mov	%rsp, %rbp
	push	%rax
	pop	(%rbp)
	pop	%rbp
	ret
END
  tool --analyze --stats popped.so
  [[ $output != *"from code"[^,]*"functions"* ]] || report
}

# What is below the stack pointer and then in a new frame is not the caller's FP
# any more, though it was when it was pushed there.
@test "--analyze forgets what a popped register has left in the stack" {
  analysed_library twice <<'END'
	exported	twice
twice:	push	%rbp
	xor	%ebp, %ebp
	pop	%rbp
	sub	$24, %rsp
	mov	%rsp, %rdi
	call	*%rax
	add	$24, %rsp
	ret
END
  exits 0 --analyze twice.so
  tool --dump twice.so
  [[ $output == *sp+16*c-16* ]] || report
  [[ $output == *sp+32*u* && $output != *sp+32*c-16* ]] || report
}

# Code that is entered by jumps alone, with the frame of the function that the
# labels are in.
@test "--analyze takes no labels of threaded code for functions" {
  analysed_library threaded <<'END'
	exported	run
run:	sub	$264, %rsp
	mov	(%rdi), %rax
	jmp	*%rax
next:	add	$8, %rdi
	mov	(%rdi), %rax
	jmp	*%rax
stop:	add	$264, %rsp
	ret
	exported	other
other:	xor	%eax, %eax
	ret
	.data
	.quad	next, stop
END
  exits 0 --analyze threaded.so
  tool --dump threaded.so
  [[ $output == *"Num FDEs: 1"$'\n'* && $output == *"size = 3 bytes"* ]] \
    || report
}

# Behind a call that does not return is the next function: "second", of which
# nothing else is known, with 24 bytes more than its entry would have.
@test "--analyze does not run on behind calls of what never comes back" {
  analysed_library behind <<'END'
	exported	enter
enter:	sub	$8, %rsp
	call	seen@plt
	test	%edi, %edi
	je	1f
	js	2f
	call	first
2:	call	third
1:	add	$8, %rsp
	ret
first:	sub	$24, %rsp
	call	never@plt
second:	sub	$40, %rsp
	mov	%rdi, (%rsp)
	call	never@plt
third:	sub	$56, %rsp
	call	seen@plt
	mov	%rdi, (%rsp)
	call	never@plt
	hlt
	exported	back
back:	sub	$8, %rsp
	call	seen@plt
	add	$8, %rsp
	ret
END
  exits 0 --analyze behind.so
  tool --dump behind.so
  # Up to the calls; "third" up to its second one.
  [[ $output == *sp+32* && $output == *sp+64* && $output != *sp+72* ]] || report
  [[ $output == *"size = 9 bytes"* && $output == *"size = 18 bytes"* ]] \
    || report
}

@test "bytes from code that are left out are not taken from the CFI's" {
  analysed_library last <<'END'
	exported	f, g
f:	test	%edi, %edi
	jne	1f
	ret
1:	push	%rax
	call	h
g:	mov	%rdi, %rax
	ret
h:	jmp	h
END
  exits 0 --analyze --stats last.so
  [[ $output == *"left out: 1 place (return-address)"* ]] || report
  [[ $output == *"from CFI 0 bytes, from code 16 bytes (3 functions)"* ]] \
    || report
}

@test "rows from code that a return address takes away are not counted" {
  analysed_library ends <<'END'
	exported	f
f:	test	%edi, %edi
	jne	1f
	ret
1:	push	%rbx
	call	abort@PLT
	exported	g
g:	sub	$24, %rsp
	add	$24, %rsp
	ret
END
  tool --analyze --stats ends.so
  [[ $output == *"left out: 1 place (return-address)"* ]] || report
  [[ $output == *"left out 1 bytes"*", from code 19 bytes (2 functions)"* ]] \
    || report
}

@test "rows from aarch64 code say the same as CFI" {
  for idiom in frame_record signed_return_address large_frame \
    vector_registers; do
    foreign_library $idiom
    "$CFI2SFRAME" --strict $idiom.so
    exits 0 --analyze --stats bare.so
    tool --compare $idiom.so bare.so
    [[ $output == *" 0 different"*" 0 only in A, 0 only in B"* ]] || report
    exits 0 --check bare.so
  done
}

@test "an aarch64 function with FP alone on the stack has rows in version 2" {
  foreign_library frame_pointer_alone
  tool --analyze --format=2 --stats bare.so
  [[ $output == *"code covered 16, left out 0 bytes"* ]] || report
}

# It failed, and what has CFI was not converted either.
@test "--analyze of a machine whose code is not analysed converts the CFI" {
  needs s390x-linux-gnu-gcc
  CC=s390x-linux-gnu-gcc small_program f
  cp f plain
  "$CFI2SFRAME" -o expected plain
  exits 0 -v --analyze f
  [[ $output == *"note: code of this machine is not analysed"* ]] || report
  [[ $output == *"from code 0 bytes"* ]] || report
  cmp f expected
  exits 0 --check f
  cp plain f
  refused f --verify-code
  # Without CFI there is nothing.
  s390x-linux-gnu-strip -R .eh_frame -R .eh_frame_hdr f
  skipped f --analyze
}

@test "--analyze and --verify-code of objects are wrong usage" {
  small_program f
  local option
  for option in --analyze --verify-code; do
    exits 2 --relocatable $option f
    [[ $stderr == *"$option is for linked files, not with --relocatable"* ]] || report
  done
}

# The alignment behind f is run, and its rows are the code's: f's last one is not.
@test "--check compares code between functions with the code, not with a wrong row in front" {
  needs_x86_64_compiler
  "${CC:-cc}" -shared -nostdlib -x assembler -o file - <<'END'
        .text
        .globl  f
        .type   f, @function
f:      .cfi_startproc
        .cfi_offset 6, -16
        nop
        .cfi_endproc
        .size   f, . - f
        .p2align 4
        .globl  g
        .type   g, @function
g:      .cfi_startproc
        ret
        .cfi_endproc
        .size   g, . - g
END
  convert --analyze file
  exits 0 --check -v file
  [[ $output == *"17 bytes of code equal, 0 wrong"* ]] || report
  skipped file --analyze --replace=auto
}

@test "--check counts no return address as compared with its code" {
  needs jq
  analysed_library skipped <<'END'
	exported	f
f:	test	%edi, %edi
	jne	1f
	push	%rbx
	call	stop
1:	ret
	.size	f, . - f
	.type	stop, @function
stop:	jmp	stop
	.size	stop, . - stop
END
  exits 0 --analyze skipped.so
  exits 0 --check --stats=json skipped.so
  [ "$(jq -c '[.bytes_equal, .bytes_from_code, .bytes_return_address]' \
    <<<"$output")" = "[12,12,1]" ] || report
}

@test "rows from code are checked as well when the symbols are gone" {
  small_program f
  convert --analyze f
  tool --check f
  [[ $output == *"0 wrong"*"0 without CFI"* ]] || report
  local from_code
  from_code=$(grep -o '[0-9]* of these bytes' <<<"$output")
  strip f
  exits 0 --check f
  [[ $output == *" 0 without CFI"*"$from_code"* ]] || report
}

# A function that leaves by a jump, known by a symbol, and by a pointer when the
# symbol is gone.
@test "rows of functions that leave by a jump are checked without symbols" {
  analysed_library leaves <<'END'
	functions	leaves, calls
leaves:	mov	(%rdi), %rax
	jmp	*16(%rax)
calls:	push	%rax
	call	leaves
	pop	%rdx
	ret
	.data
	.quad	calls
END
  exits 0 --analyze leaves.so
  tool --check leaves.so
  [[ $output == *" 0 wrong"*" 0 without CFI"* ]] || report
  strip leaves.so
  tool --check leaves.so
  [[ $output == *" 0 wrong"*" 0 without CFI"* ]] || report
}

# The first analysis finds one of two functions without CFI.  What it had found
# was taken for CFI by the second one, then forgotten: --check found rows for
# code without CFI.
@test "rows of a function that only a symbol named are checked without symbols" {
  analysed_library named <<'END'
	exported	described
	functions	called, named
described: .cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	called
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.p2align 4
called:	push	%rbx
	mov	%rdi, %rbx
	mov	%rbx, %rax
	pop	%rbx
	ret
	.p2align 4
named:	push	%rbx
	mov	%rdi, %rbx
	lea	4(%rbx), %rax
	pop	%rbx
	ret
END
  convert --analyze named.so
  tool --check named.so
  [[ $output == *" 0 without CFI"*"  19 of these bytes have no CFI"* ]] || report
  strip named.so
  tool --check named.so
  [[ $output == *" 0 without CFI"*"  19 of these bytes have no CFI"* ]] || report
}

# A part that several jump to looks like a function by itself when its rows tell
# that something begins there; what is left of its function is proven by nothing.
@test "--check analyses code as --analyze did" {
  analysed_library parts <<'END'
	.globl	f, g
	.type	f, @function
f:	xor	%eax, %eax
	ret
	.p2align 5
start:	test	%edi, %edi
	je	rest
	push	%rax
	call	stop@PLT
2:	jmp	2b
	.p2align 5
	.type	g, @function
g:	mov	%edi, %eax
	ret
	.p2align 5
rest:	inc	%esi
	ret
	.data
	.quad	start
END
  exits 0 --analyze --replace parts.so
  exits 0 --check parts.so
  [[ $output == *" 0 wrong"*" 0 without CFI"* ]] || report
  local before
  before=$(sha256sum <parts.so)
  exits 0 --analyze --replace=auto parts.so
  [ "$(sha256sum <parts.so)" = "$before" ] || report
}

# In every other folder all of them were skipped: the build's config.h tells
# whether there is a decoder, and that was looked for where one stood.
@test "tests of code idioms are not skipped for being run in another folder" {
  for script in idioms system; do
    run sh "$srcdir/tests/analysis/$script.sh"
    [ "$status" -ne 0 ] || report
    [[ $output == "Bail out! no config.h in "* ]] || report
    [[ $output != *SKIP* ]] || report
  done
}
