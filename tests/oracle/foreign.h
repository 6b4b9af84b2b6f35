/* Rows as other readers of SFrame read them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Loaded at run time, where a script found one: GNU's libsframe.so.3
   (tools/libsframe.sh), or the kernel's or glibc's (tools/clients.sh); never
   needed otherwise.  libsframe's header is not shipped by distributions, so
   the few functions are declared in foreign.c.  */

#ifndef ORACLE_FOREIGN_H
#define ORACLE_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "rules.h"

struct foreign_section; /* opaque */

/* Load the reader at PATH, once.  */
bool foreign_load (const char *path);

/* Have it decode the section behind DECODER (only its bytes must outlive the
   result), or NULL.  Code of the section's module is in [CODE_START,
   CODE_END).  */
struct foreign_section *foreign_open (const struct sframe_decoder *decoder,
                                      uint64_t code_start, uint64_t code_end);
void foreign_close (struct foreign_section *section);

/* The rules at PC, of FUNCTION as our own decoder found it (libsframe's lookup
   does not say what kind of function it is).  1 found, 0 not covered, -1 the
   reader refuses a value that should be there.  */
int foreign_rules (const struct foreign_section *section,
                   const struct sframe_fde *function, uint64_t pc,
                   struct row_rules *rules);

#endif /* ORACLE_FOREIGN_H */
