/* What tests/analysis/deleted.sh takes lines of CFI out of, as assembly:
     gcc-12 -O2 -fPIC -S, for x86-64 and aarch64.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

extern long next (long *values, long n);
extern void __attribute__ ((cold, noreturn)) refuse (long n, const char *why);
extern void __attribute__ ((cold)) warn (long n);
extern void use (void *memory, long n);

/* Registers saved, calls, a loop.  */
long
sum (long *values, long n, long factor)
{
  long total = 0;
  for (long i = 0; i < n; i++)
    total += next (values, i) * factor;
  return total;
}

/* An argument in FP, which is saved on one path only.  */
long
early (long *values, long n)
{
  if (!values)
    return -1;
  long first = next (values, n);
  return next (values, first) + first + n + values[0];
}

/* A part that is elsewhere and never returns, and one that does.  */
long
checked (long *values, long n)
{
  long a = next (values, n), b = next (values, a);
  if (__builtin_expect (a > b, 0))
    refuse (a, "above");
  if (__builtin_expect (a == b, 0))
    warn (b);
  return next (values, a - b) + a + b;
}

/* A frame of a size that is not known.  */
void
variable (long n)
{
  char memory[n];
  use (memory, n);
  use (memory, n + 1);
}
