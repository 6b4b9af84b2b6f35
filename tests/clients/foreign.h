/* Rows as other readers of SFrame read them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The readers are the adapters of the conformance suite
   (conformance/adapters), loaded at run time, where a script found one: GNU's
   libsframe.so.3 (tools/maintainer/libsframe.sh), or the kernel's or glibc's
   (tools/maintainer/clients.sh); never needed otherwise.  */

#ifndef CLIENTS_FOREIGN_H
#define CLIENTS_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct foreign_section; /* opaque */
struct rule;            /* prove/rule.h */

/* A section, and what there is to know of its file.  */
struct foreign_input
{
  const uint8_t *bytes;
  size_t size;
  uint64_t address, code_start, code_end;
  unsigned sp, fp; /* DWARF numbers */
};

/* Load the reader at PATH, once: GNU's library, or an adapter that was
   compiled as a shared object.  */
bool foreign_load (const char *path);

/* Have it decode INPUT (only its bytes must outlive the result), or NULL.  */
struct foreign_section *foreign_open (const struct foreign_input *input);
void foreign_close (struct foreign_section *section);

/* The rule at PC.  1 found, 0 not covered, -1 the reader refuses a value that
   should be there.  */
int foreign_rules (const struct foreign_section *section, uint64_t pc,
                   struct rule *rule);

#endif /* CLIENTS_FOREIGN_H */
