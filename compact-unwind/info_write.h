/* Writing an __unwind_info section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COMPACT_UNWIND_INFO_WRITE_H
#define COMPACT_UNWIND_INFO_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/buffer.h"
#include "base/error.h"
#include "compact-unwind/encoding.h"

struct cunwind_entry
{
  uint32_t function; /* from the image's base */
  uint32_t encoding; /* complete */
  uint32_t lsda;     /* from the image's base; with CUNWIND_HAS_LSDA */
};

/* What decides about the bytes between two functions.  */
struct cunwind_gaps
{
  const void *context;
  /* Whether the SIZE bytes at ADDRESS are never executed.  */
  bool (*is_padding) (const void *context, uint64_t address, uint64_t size);
};

struct cunwind_info
{
  const struct arch *arch;
  uint64_t base; /* address of the image */
  struct cunwind_gaps gaps;
  struct cunwind_entry *entries; /* owned; ascending */
  size_t n, capacity, n_lsdas;
  uint64_t end; /* of the last function, from the base */
  uint32_t personalities[CUNWIND_PERSONALITIES_MAX];
  unsigned n_personalities;
};

/* Start an empty section for an image of ARCH loaded at BASE.  */
void cunwind_info_init (struct cunwind_info *info, const struct arch *arch,
                        uint64_t base, struct cunwind_gaps gaps);
void cunwind_info_free (struct cunwind_info *info);

/* The number (from 1) of the personality to which there is a pointer at
   ADDRESS; 0 when there are three others already or it is too far away.  */
unsigned cunwind_info_personality (struct cunwind_info *info,
                                   uint64_t address);

/* Whether ADDRESS can be written as an offset from the base.  */
bool cunwind_info_reaches (const struct cunwind_info *info, uint64_t address);

/* Append the function of SIZE bytes at ADDRESS, in ascending order without
   overlaps.  ENCODING is complete; LSDA is an address that can be reached, or
   0 without CUNWIND_HAS_LSDA.  A function that says the same as the one
   before costs nothing; code between them that is not padding gets an entry
   with encoding 0.  CFI2SFRAME_UNSUPPORTED for code 4 GiB from the base.  */
bool cunwind_info_add (struct cunwind_info *info, uint64_t address,
                       uint64_t size, uint32_t encoding, uint64_t lsda,
                       struct error *err);

/* Append the section to OUT.  */
bool cunwind_info_write (const struct cunwind_info *info, struct buffer *out,
                         struct error *err);

#endif /* COMPACT_UNWIND_INFO_WRITE_H */
