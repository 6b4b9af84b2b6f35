/* The .sframe of a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Like converting a linked file, with three differences: addresses are our
   own (elf/relocatable.h), each function's start is a relocation, and nothing
   is shared or sorted because the linker takes the section apart again.  */

#ifndef CONVERT_OBJECT_H
#define CONVERT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/relocatable.h"
#include "frame/frame.h"
#include "sframe/model.h"

struct object_options
{
  struct sframe_variant variant;
  bool flexible; /* V3: flexible FDEs may be used; without meaning for gnu */
  bool gnu;      /* the functions and rows GNU as writes */
  bool bugs;     /* with gnu: including its mistakes */
};

/* Called for SIZE bytes of code of which no row is written; ADDRESS is the
   object's (relocatable_locate).  */
typedef void object_left_out (void *context, uint64_t address, uint32_t size,
                              enum frame_reason reason);

struct object_section
{
  struct buffer bytes;           /* owned */
  struct relocatable_fix *fixes; /* owned; one per function, in order */
  size_t n_functions, n_rows;
  size_t n_cfi_functions; /* FDEs in .eh_frame */
  size_t n_covered;       /* of which every byte is covered */
  uint64_t bytes_covered; /* of code */
  uint32_t section_type, relocation_type;
};

/* Build the section for OBJECT.  Status CFI2SFRAME_NOTHING when there is no
   CFI or no function of it can be expressed (GNU as then writes a section
   with nothing but a header, and so do we with `bugs`).  SECTION is freed
   with object_section_free also after failure.  LEFT_OUT may be NULL.  */
bool object_section_build (struct object_section *section,
                           const struct relocatable *object,
                           const struct object_options *options,
                           object_left_out *left_out, void *context,
                           struct error *err);

void object_section_free (struct object_section *section);

/* Write OBJECT's file with SECTION added (or in place of its old one) to the
   empty file OUT_FD.  */
bool object_section_write (const struct object_section *section,
                           const struct relocatable *object, int out_fd,
                           struct error *err);

#endif /* CONVERT_OBJECT_H */
