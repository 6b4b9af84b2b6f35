/* Making, writing and printing an __unwind_info section: compact unwind.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For measuring what the format of Apple's linker would cost compared with
   SFrame; not part of the public interface.  */

#ifndef COMPACT_UNWIND_COMPACT_UNWIND_H
#define COMPACT_UNWIND_COMPACT_UNWIND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "compact-unwind/measure.h"

/* Write an __unwind_info section, version 1, made from the CFI of the linked
   x86-64 or aarch64 file INPUT, to OUTPUT, or with DRY_RUN nowhere.  Its
   offsets count from the lowest PT_LOAD.  RESULT is filled in for
   MEASURED_COMPACT_UNWIND alone.  */
bool cunwind_write_file (const struct file_location *input, const char *output,
                         bool dry_run, struct measurement *result,
                         struct error *err);

/* Print INPUT to OUT as llvm-objdump --unwind-info does: a file with nothing
   but an __unwind_info section or, if it is an ELF file, the section that
   cunwind_write_file would make.  MACHINE ("amd64", "aarch64") explains a
   bare section's encodings; NULL: they are not explained.  */
bool cunwind_dump_file (const struct file_location *input, const char *machine,
                        FILE *out, struct error *err);

#endif /* COMPACT_UNWIND_COMPACT_UNWIND_H */
