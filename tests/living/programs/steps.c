/* A program that goes through a good part of a C library, with callbacks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static jmp_buf back;

static int
compare (const void *a, const void *b)
{
  const int *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

static __attribute__ ((noinline)) double
deep (int n, double x)
{
  double pad[8] = { x };
  if (n == 0)
    longjmp (back, 1);
  return deep (n - 1, x / 2) + pad[n % 8];
}

static int
round_trip (int k)
{
  int numbers[100];
  char text[200];
  time_t day = k * 86400L;
  for (int i = 0; i < 100; i++)
    numbers[i] = (i * 7919 + k) % 1000;
  qsort (numbers, 100, sizeof *numbers, compare);
  snprintf (text, sizeof text, "%g %d %s %a", sin (k), numbers[k % 100],
            "text", exp (k));
  char *copy = strdup (text);
  double number = copy ? strtod (copy, NULL) : 0;
  strftime (text, sizeof text, "%c", gmtime (&day));
  printf ("%s: %s %g\n", text, copy ? copy : "", number);
  free (copy);
  return numbers[0];
}

int
main (void)
{
  int sum = 0;
  for (volatile int k = 0; k < 50; k++)
    {
      sum += round_trip (k);
      if (setjmp (back) == 0)
        sum += (int)deep (k % 20, k);
    }
  return sum == 0;
}
