/* A small library without C++, for any C library: tests/kernel/pages.c loads
   it. SPDX-License-Identifier: LGPL-2.1-or-later

   With TEXT_RELOCATION the dynamic linker has to change the code's segment. */

static int zero[20000];
static int *pointer = &zero[19999];
static int constructed;

__attribute__ ((constructor)) static void
construct (void)
{
  constructed = 1;
}

#ifdef TEXT_RELOCATION
extern int *const relocated;
__asm__(".text\n"
        ".balign 8\n"
        ".hidden relocated\n"
        ".globl relocated\n"
        "relocated: .xword relocated_target\n"
        ".data\n"
        ".balign 4\n"
        ".globl relocated_target\n"
        "relocated_target: .word 7\n"
        ".text\n");
#endif

int
matrix_library_check (void)
{
#ifdef TEXT_RELOCATION
  if (*relocated != 7)
    return 1;
#endif
  return !constructed || *pointer != 0;
}
