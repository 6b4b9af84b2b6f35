/* A just-in-time compiler registers rows for its code (x86-64).
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -o walk_jit walk_jit.c $(pkg-config --cflags --libs sframewalk)
   cfi2sframe walk_jit && ./walk_jit  */

#define _GNU_SOURCE
#include <sframewalk.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[]
    = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

/* SFrame V2: the header, an FDE for 8 bytes from the section's own address on,
   and its four rows: start, how many offsets from which register, offsets of
   CFA and FP.  */
static const unsigned char rows[]
    = { 0xe2, 0xde, 2,  1,    3, 0, 0xf8, 0, 1, 0, 0, 0, 4, 0, 0, 0, 14, 0,
        0,    0,    0,  0,    0, 0, 20,   0, 0, 0, 0, 0, 0, 0, 8, 0, 0,  0,
        0,    0,    0,  0,    4, 0, 0,    0, 0, 0, 0, 0, 0, 3, 8, /* SP + 8 */
        1,    5,    16, 0xf0, /* SP + 16, FP at CFA - 16 */
        4,    4,    16, 0xf0, /* FP + 16 */
        7,    3,    8 };

static struct sfw_walker *walker;

static void
show_stack (void)
{
  uint64_t addresses[64];
  enum sfw_end end;
  size_t n = sfw_here (walker, addresses, NULL, 64, &end);
  printf ("%zu frame%s: %s\n", n, n == 1 ? "" : "s", sfw_end_text (end));
}

int
main (void)
{
  void *jit = mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t start = (uintptr_t)memcpy (jit, code, sizeof code);
  struct sfw_section section = { rows, sizeof rows, start };
  struct sfw_modules *modules = sfw_modules_new ();
  void (*call) (void (*) (void)) = (void (*) (void (*) (void)))jit;
  sfw_modules_update (modules);
  walker = sfw_walker_new (modules);
  call (show_stack); /* ends in code that nothing describes */
  sfw_modules_add (modules, start, start + sizeof code, &section);
  call (show_stack); /* goes on to main, and beyond if libc has rows */
  return !sfw_modules_remove (modules, start);
}
