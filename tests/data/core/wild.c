/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that calls what is no code, as the first argument says, and the
   kernel writes its core.  */
volatile int sink;
static long data[2];
void (*volatile pointer) (void);

__attribute__ ((noinline)) void
caller (void)
{
  pointer ();
  sink++;
}

__attribute__ ((noinline)) void
between (void)
{
  caller ();
  sink++;
}

__attribute__ ((used, noreturn)) void
start (long *stack)
{
  if (stack[0] > 1)
    pointer = (void (*) (void))data;
  between ();
  for (;;)
    ;
}

__asm__ (".globl _start\n"
         ".type _start,@function\n"
         "_start:\n"
         ".cfi_startproc\n"
         ".cfi_undefined rip\n"
         "xor %ebp, %ebp\n"
         "mov %rsp, %rdi\n"
         "and $-16, %rsp\n"
         "call start\n"
         ".cfi_endproc\n"
         ".size _start,.-_start\n");
