/* Printing an __unwind_info section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COMPACT_UNWIND_INFO_DUMP_H
#define COMPACT_UNWIND_INFO_DUMP_H

#include <stdio.h>

#include "arch/arch.h"
#include "compact-unwind/info_read.h"

/* Print the section behind READER to OUT the way llvm-objdump --unwind-info
   does.  With ARCH, which may be NULL because the section does not say for
   which machine it is, each encoding is explained behind a semicolon.  */
void cunwind_dump (const struct cunwind_reader *reader,
                   const struct arch *arch, FILE *out);

#endif /* COMPACT_UNWIND_INFO_DUMP_H */
