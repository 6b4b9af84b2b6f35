/* What is shown lacks a part, because memory ran out or a file was cut off.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stack without a name, or a profile without a sample, is better than none:
   whoever cannot have memory notes it and goes on.  The program says so at its
   end, and fails.  */

#ifndef STACKS_SHORTAGE_H
#define STACKS_SHORTAGE_H

#include <stdbool.h>

#include "base/error.h"

/* Note that memory ran out.  Always false, with errno.  */
bool shortage_note (void);

/* Note it if that is what ERR says.  */
void shortage_note_error (const struct error *err);

/* Whether memory ran out for nothing.  If not, a line on stderr says so for
   PROGRAM.  */
bool shortage_is_none (const char *program);

/* For a handler: if a library has mapped a file at ADDRESS, as libdw maps
   debug files, and what was there is lost, say which file and end the program,
   exit status 1.  */
void shortage_tell_lost_file (const void *address);

#endif /* STACKS_SHORTAGE_H */
