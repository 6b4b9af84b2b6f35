/* Calls that never return, in every position and before every neighbour.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each case is a function that puts a number into rbp, which is not a frame
   pointer then, and calls another one whose last instruction is a call of
   `die' (ends.c), or one that is followed by instructions with other rules.
   The return address of that call is the address of what comes next:

     KIND       the call is in a function with a CFA from SP; from FP; in the
                cold part of a function; inside, before instructions with a
                CFA from SP; inside, before such with a CFA from FP
     NEIGHBOUR  what comes next: aligned by no-ops; by int3; one no-op and a
                cold part whose CFA comes from FP; a function; a cold part
                with a CFA from SP; one from FP; a part with the same rules;
                code without CFI
     HOW        the call: relative, by memory, by register  */

        .macro  saved_frame
        .cfi_def_cfa rbp, 16
        .cfi_offset rbp, -16
        .endm

        .macro  calls how
        .ifc    \how, relative
        call    die
        .endif
        .ifc    \how, memory
        call    *die_pointer(%rip)
        .endif
        .ifc    \how, register
        mov     die_pointer(%rip), %rax
        call    *%rax
        .endif
        .endm

        /* What comes behind the call, in the same section.  */
        .macro  neighbour what
        .ifc    \what, nops
        .p2align 4
        .endif
        .ifc    \what, traps
        .p2align 4, 0xcc
        .endif
        .ifc    \what, nop_then_fp
        nop
        .endif
        .ifc    \what, unknown
        ret
        .else
        .cfi_startproc
        .ifc    \what, sp
        .cfi_def_cfa_offset 64
        .endif
        .ifc    \what, same
        .cfi_def_cfa_offset 32
        .endif
        .ifc    \what, fp
        saved_frame
        .endif
        .ifc    \what, nop_then_fp
        saved_frame
        .endif
        ud2
        .cfi_endproc
        .endif
        .endm

        .macro  body_sp what, how
        .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        calls   \how
        .cfi_endproc
        neighbour \what
        .endm

        .macro  body_fp what, how
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register rbp
        sub     $16, %rsp
        calls   \how
        .cfi_endproc
        neighbour \what
        .endm

        .macro  body_cold what, how
        .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        jmp     1f
        .cfi_endproc
        .pushsection .text.cold_parts, "ax", @progbits
        .cfi_startproc
        .cfi_def_cfa_offset 32
1:      calls   \how
        .cfi_endproc
        neighbour \what
        .popsection
        .endm

        .macro  body_inside_sp what, how
        .cfi_startproc
        test    %edi, %edi
        jnz     1f
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        calls   \how
        .cfi_def_cfa_offset 8
1:      ret
        .cfi_endproc
        .endm

        .macro  body_inside_fp what, how
        .cfi_startproc
        test    %edi, %edi
        jnz     2f
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        calls   \how
        saved_frame
1:      leave
        .cfi_def_cfa rsp, 8
        .cfi_restore rbp
        ret
2:      push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register rbp
        jmp     1b
        .cfi_endproc
        .endm

        .macro  end_case kind, what, how, fp
        .pushsection .rodata.str, "aMS", @progbits, 1
8:      .asciz  "abort-\kind-before-\what-\how-rbp-\fp"
        .popsection
        .pushsection here_cases, "aw"
        .quad   8b, 9f
        .popsection
        .p2align 4
9:      .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        xor     %edi, %edi
        mov     $\fp, %ebp
        call    7f
        pop     %rbp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .p2align 4
7:      body_\kind \what, \how
        .endm

        .macro  end_cases kind, how, neighbours:vararg
        .irp    what, \neighbours
        end_case \kind, \what, \how, 1
        end_case \kind, \what, \how, 0
        .endr
        .endm

        .text
        .p2align 4
        end_cases sp, relative, nops, traps, nop_then_fp, entry, sp, fp, \
                same, unknown
        end_cases fp, relative, nops, traps, nop_then_fp, entry, sp, fp, \
                unknown
        end_cases cold, relative, nops, traps, nop_then_fp, entry, sp, fp, \
                same, unknown
        end_cases sp, memory, nops, entry, fp
        end_cases sp, register, nops, entry, fp
        end_cases inside_sp, relative, inside
        end_cases inside_fp, relative, inside
        end_cases inside_fp, memory, inside
        end_cases inside_fp, register, inside
        .section .note.GNU-stack, "", @progbits
