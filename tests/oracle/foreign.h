/* Rows as other readers of SFrame read them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The readers are the adapters of the conformance suite
   (conformance/adapters), loaded at run time, where a script found one: GNU's
   libsframe.so.3 (tools/maintainer/libsframe.sh), or the kernel's or glibc's
   (tools/maintainer/clients.sh); never needed otherwise.  */

#ifndef ORACLE_FOREIGN_H
#define ORACLE_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "rules.h"

struct foreign_section; /* opaque */

/* Load the reader at PATH, once: GNU's library, or an adapter that was
   compiled as a shared object.  */
bool foreign_load (const char *path);

/* Have it decode the section behind DECODER (only its bytes must outlive the
   result), or NULL.  Code of the section's module is in [CODE_START,
   CODE_END).  */
struct foreign_section *foreign_open (const struct sframe_decoder *decoder,
                                      uint64_t code_start, uint64_t code_end);
void foreign_close (struct foreign_section *section);

/* The rules at PC.  1 found, 0 not covered, -1 the reader refuses a value that
   should be there.  */
int foreign_rules (const struct foreign_section *section, uint64_t pc,
                   struct row_rules *rules);

#endif /* ORACLE_FOREIGN_H */
