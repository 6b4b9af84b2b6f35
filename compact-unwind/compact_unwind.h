/* Writing and printing an __unwind_info section: compact unwind.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For comparing the size of Apple's format with that of SFrame.  Not part of
   the public interface.  */

#ifndef COMPACT_UNWIND_COMPACT_UNWIND_H
#define COMPACT_UNWIND_COMPACT_UNWIND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "compact-unwind/measure.h"

/* Make an __unwind_info section, version 1, from the CFI of the linked x86-64
   or aarch64 file INPUT, and write it to OUTPUT, or with DRY_RUN nowhere.  Its
   offsets count from the first PT_LOAD.  Set RESULT for
   MEASURED_COMPACT_UNWIND only.  */
bool cunwind_write_file (const struct file_location *input, const char *output,
                         bool dry_run, struct measurement *result,
                         struct error *err);

/* Print INPUT to OUT as llvm-objdump --unwind-info does.  INPUT is a file that
   contains only an __unwind_info section, or an ELF file, of which the section
   that cunwind_write_file would make is printed.  MACHINE ("amd64", "aarch64")
   is that of the bare section; NULL: its encodings are not explained.  */
bool cunwind_dump_file (const struct file_location *input, const char *machine,
                        FILE *out, struct error *err);

#endif /* COMPACT_UNWIND_COMPACT_UNWIND_H */
