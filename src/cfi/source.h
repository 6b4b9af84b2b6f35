/* Where the frame rows of an ELF file come from: its FDEs and PLT stubs.
   SPDX-License-Identifier: LGPL-2.1-or-later

   FDEs are those of .eh_frame, of a .debug_frame of the file's own, and of
   that of its separate debug file.  A .debug_frame is for debuggers.  No
   program needs it to run, so tools that change code leave it as it was, and
   some compilers leave rules out of it that debuggers do without.  A
   .debug_frame that is known to be outdated, or to lack rules, is not used. */

#ifndef CFI_SOURCE_H
#define CFI_SOURCE_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "analysis/code.h"
#include "elf/debug_file.h"
#include "elf/dynamic.h"
#include "elf/image.h"
#include "frame/frame.h"

/* Which CFI to read besides .eh_frame.  */
struct cfi_options
{
  enum cfi2sframe_debug_info debug_info;
  const char *debug_file; /* or NULL */
  bool no_plain;          /* as in struct cfi_section */
  bool without_fp; /* CFI that never tells of FP is taken, less its FP */
};

/* What was read besides .eh_frame, or why it was not.  */
struct debug_source
{
  struct debug_file file;           /* if one is used */
  struct section_data own, outside; /* what was read of both */
  char note[200]; /* why CFI that is there is not used, or "" */
};

struct cfi_source
{
  struct cfi_section cfi;
  struct frame_functions stubs;      /* of PLTs, without CFI */
  struct frame_functions found;      /* in the code, where there is neither */
  const struct disproofs *disproofs; /* rows that it contradicts, or NULL */
  /* Why FDE, whatever its instructions say, describes no code or cannot be
     taken as it is; REASON_NONE: nothing is wrong.  */
  enum frame_reason (*problem) (const void *context,
                                const struct cfi_fde *fde);
  const void *context; /* for `problem'; not owned */
  bool without_fp;     /* as in struct cfi_options */
  /* Of a linked file.  */
  const struct image *image;
  struct image_eh_frame eh_frame;    /* what was read */
  struct dynamic_places relocations; /* that change it when it is loaded */
  struct debug_source debug;         /* what else was read */
};

/* Read the CFI that CFI_OPTIONS asks for and find the PLT stubs of IMAGE, a
   linked file, which must outlive SOURCE, which must stay where it is.  Status
   CFI2SFRAME_UNSUPPORTED for a machine without SFrame ABI, CFI2SFRAME_NOTHING
   without CFI.  SOURCE is to be closed also after failure.  */
bool cfi_source_open (struct cfi_source *source, const struct image *image,
                      const struct cfi_options *cfi_options,
                      struct error *err);

/* SOURCE may be all zero.  */
void cfi_source_close (struct cfi_source *source);

#endif /* CFI_SOURCE_H */
