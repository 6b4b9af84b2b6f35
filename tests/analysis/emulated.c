/* What emulate.sh has compiled in several ways: functions with all kinds of
   frames, for a program that needs no C library.
   SPDX-License-Identifier: LGPL-2.1-or-later */

#define NOINLINE __attribute__ ((noinline))

typedef unsigned long word;

static volatile word seen;
word (*volatile pointer) (word);

static NOINLINE word
leaf (word a)
{
  return a * 3 + seen;
}

static NOINLINE word
many (word a, word b, word c, word d, word e, word f, word g, word h)
{
  word x[8] = { a, b, c, d, e, f, g, h };
  for (int i = 0; i < 8; i++)
    x[i] += leaf (x[7 - i]) ^ x[(i + 3) & 7];
  return x[a & 7] + x[h & 7];
}

static NOINLINE word
dynamic (word n)
{
  volatile char *room = __builtin_alloca ((n & 63) + 1);
  room[n & 63] = (char)n;
  return leaf ((word)room[n & 63]) + many (n, 1, 2, 3, 4, 5, 6, 7);
}

static NOINLINE word
aligned (word n)
{
  volatile word room[8] __attribute__ ((aligned (64)));
  room[n & 7] = n;
  return room[n & 7] + leaf (n);
}

static NOINLINE word
chosen (word n, word m)
{
  switch (n)
    {
    case 0:
      return leaf (m);
    case 1:
      return dynamic (m) + 1;
    case 2:
      return aligned (m) + leaf (m);
    case 3:
      seen = m;
      return m;
    case 4:
      return many (m, m, m, n, n, n, m, n);
    case 5:
      return pointer (m) + 2;
    case 6:
      return pointer (n);
    default:
      return n;
    }
}

static NOINLINE void
never (word n)
{
  for (;;)
    seen += leaf (n);
}

static NOINLINE word
early (word n)
{
  if (n > 77)
    return 1;
  if (n == 76)
    never (n);
  word sum = 0;
  for (word i = 0; i < n; i++)
    sum += chosen (i, sum);
  return sum;
}

word NOINLINE
exported (word n)
{
  pointer = leaf;
  return n < 2 ? 1 : early (n) + exported (n - 1);
}

void
begin (void)
{
  seen = exported (9);
  never (seen);
}

#ifdef __x86_64__
__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n"
        " call begin\n hlt\n");
#else
__asm__(".globl _start\n_start: mov x29, #0\n mov x30, #0\n bl begin\n"
        " brk #0\n");
#endif
