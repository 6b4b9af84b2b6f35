/* Output that is incomplete, because memory ran out or a file was cut off.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stack without a name, or a profile without a sample, is better than none.
   So a function for which there is no memory notes that, and the program goes
   on.  At its end the program prints a message and fails.  */

#ifndef STACKS_SHORTAGE_H
#define STACKS_SHORTAGE_H

#include <stdbool.h>

#include "base/error.h"

/* Note that memory ran out.  Returns false, with errno.  */
bool shortage_note (void);

/* Note that memory ran out, if ERR says so.  */
void shortage_note_error (const struct error *err);

/* Whether memory never ran out.  Otherwise print a message of PROGRAM on
   standard error.  */
bool shortage_is_none (const char *program);

/* Called by the handler of SIGBUS: if ADDRESS is in a file that a library has
   mapped, as libdw maps debug files, the file has been cut off.  Print its
   name and end the program with exit status 1.  */
void shortage_tell_lost_file (const void *address);

#endif /* STACKS_SHORTAGE_H */
