/* CFI besides .eh_frame: a file's own .debug_frame, and that of its separate
   debug file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A .debug_frame is for debuggers.  No program needs it to run, so tools that
   change code leave it as it was, and some compilers leave rules out of it
   that debuggers do without.  A .debug_frame that is known to be outdated, or
   to lack rules, is not used.  */

#ifndef CFI_DEBUG_SOURCE_H
#define CFI_DEBUG_SOURCE_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "elf/debug_file.h"
#include "elf/image.h"

/* Which CFI to read besides .eh_frame.  */
struct cfi_options
{
  enum cfi2sframe_debug_info debug_info;
  const char *debug_file; /* or NULL */
  bool no_plain;          /* as in struct cfi_section */
  bool without_fp; /* CFI that never tells of FP is taken, less its FP */
};

struct debug_source
{
  struct debug_file file;           /* if one is used */
  struct section_data own, outside; /* what was read of both */
  char note[200]; /* why CFI that is there is not used, or "" */
};

/* Add the CFI that CFI_OPTIONS asks for to CFI, the .eh_frame of IMAGE so far.
   What cannot be used is noted.  It is a failure only of a file that
   CFI_OPTIONS names. DEBUG is to be closed also after failure.  */
bool debug_source_read (struct debug_source *debug, struct cfi_section *cfi,
                        const struct image *image,
                        const struct cfi_options *cfi_options,
                        struct error *err);

/* DEBUG may be all zero.  */
void debug_source_close (struct debug_source *debug);

#endif /* CFI_DEBUG_SOURCE_H */
