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

#include "file.h"

struct foreign_section; /* opaque */
struct rule;            /* prove/rule.h */

/* Load the reader at PATH, once: GNU's library, or an adapter that was
   compiled as a shared object.  */
bool foreign_load (const char *path);

/* Have it decode SECTION (only its bytes must outlive the result), or NULL. */
struct foreign_section *foreign_open (const struct oracle_section *section);
void foreign_close (struct foreign_section *section);

/* The rule at PC.  1 found, 0 not covered, -1 the reader refuses a value that
   should be there.  */
int foreign_rules (const struct foreign_section *section, uint64_t pc,
                   struct rule *rule);

#endif /* ORACLE_FOREIGN_H */
