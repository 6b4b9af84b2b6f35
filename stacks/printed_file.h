/* Files that are printed: each replaces what had its name as a whole, or not
   at all, where it can be replaced (write/output_file.h, rewrite).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PRINTED_FILE_H
#define STACKS_PRINTED_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Whether a file called NAME can be made, as far as can be told by making one
   beside it.  INPUT: what is read meanwhile and must stay, or NULL.  */
bool printed_file_check (const char *name, const char *input,
                         struct error *err);

/* Whether A and B, as far as both can be made, will be one file, however the
   two are spelt.  */
bool printed_file_is_one (const char *a, const char *b);

/* Have PRINT print the file NAME to OUT, which can be sought in, whatever NAME
   is: a pipe gets it at the end.  */
bool printed_file_make (const char *name,
                        bool (*print) (void *context, FILE *out,
                                       struct error *err),
                        void *context, struct error *err);

#endif /* STACKS_PRINTED_FILE_H */
