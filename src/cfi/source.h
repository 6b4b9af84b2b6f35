/* The sources of an ELF file's frame rows: its FDEs and PLT stubs.
   SPDX-License-Identifier: LGPL-2.1-or-later

   FDEs come from .eh_frame, from the file's own .debug_frame, and from that of
   its separate debug file.  Only debuggers need a .debug_frame.  So tools that
   change code do not update it, and some compilers leave out rules that
   debuggers do not need.  A .debug_frame that is known to be outdated, or to
   lack rules, is not used.  */

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
  bool without_fp; /* use CFI without rules for FP: its rows have no FP */
};

/* The CFI besides .eh_frame.  */
struct debug_source
{
  struct debug_file file; /* if one is used */
  /* The .debug_frame of the file itself, and of the debug file.  */
  struct section_data own, outside;
  char note[200]; /* why existing CFI is not used, or "" */
};

struct cfi_source
{
  struct cfi_section cfi;
  struct frame_functions stubs;      /* PLT stubs without CFI */
  struct frame_functions found;      /* by analysis of code that has neither */
  const struct disproofs *disproofs; /* rows that code contradicts, or NULL */
  /* Why FDE cannot be used, whatever its instructions, or REASON_NONE.  */
  enum frame_reason (*problem) (const void *context,
                                const struct cfi_fde *fde);
  const void *context; /* for `problem'; not owned */
  bool without_fp;     /* as in struct cfi_options */
  /* In a linked file only.  */
  const struct image *image;
  struct image_eh_frame eh_frame;
  struct dynamic_places relocations; /* those that change .eh_frame */
  struct debug_source debug;
};

/* Read the CFI that CFI_OPTIONS asks for, and find the PLT stubs, of IMAGE, a
   linked file.  IMAGE must outlive SOURCE, and SOURCE must not move in memory.
   Fails with CFI2SFRAME_UNSUPPORTED for a machine without SFrame ABI, and with
   CFI2SFRAME_NOTHING without CFI.  SOURCE is to be closed in any case.  */
bool cfi_source_open (struct cfi_source *source, const struct image *image,
                      const struct cfi_options *cfi_options,
                      struct error *err);

/* Close SOURCE, which may be all zero.  */
void cfi_source_close (struct cfi_source *source);

#endif /* CFI_SOURCE_H */
