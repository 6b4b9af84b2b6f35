/* ends CASE: traces through calls that never return (ends.S), and from a
   SIGABRT handler.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <signal.h>

#include "here.h"

void die (void) __attribute__ ((noreturn));
extern void (*const die_pointer) (void);

/* Not abort: its own return address in here would be at an end, too.  */
void
die (void)
{
  here_catch (SIGABRT);
  for (;;)
    raise (SIGABRT);
}

void (*const die_pointer) (void) = die;
