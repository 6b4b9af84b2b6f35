/* A dynamic loader that needs no library and exports nothing, as those of
   gcompat or nix-ld: a static PIE.  Only its file name says what it is.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Link with -nostdlib -static-pie; use as the interpreter of any program.  */

#include <sys/syscall.h>

static unsigned char bss[9001];

static long
system_call (long number, long first, const void *second, long third)
{
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(first), "S"(second), "d"(third)
                   : "rcx", "r11", "memory");
  return result;
}

__attribute__ ((noinline)) static int
sum (void)
{
  volatile unsigned char *bytes = bss;
  int found = 0;
  for (unsigned i = 0; i < sizeof bss; i++)
    found |= bytes[i];
  bytes[sizeof bss - 1] = 1;
  return found;
}

void
_start (void)
{
  static const char good[] = "all good\n";
  int bad = sum ();
  if (!bad)
    system_call (SYS_write, 1, good, sizeof good - 1);
  system_call (SYS_exit_group, bad, (void *)0, 0);
  __builtin_unreachable ();
}
