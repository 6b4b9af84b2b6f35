/* An .sframe that a file has already: finding, replacing, removing it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_EXISTING_H
#define WRITE_EXISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"
#include "write/undo.h"

struct existing
{
  bool present;     /* there is one with contents */
  bool has_segment; /* PT_GNU_SFRAME says where it is */
  bool has_record;  /* this program made it and can undo that */
  bool disagrees;   /* section and segment are at different places */
  size_t n_sections, n_segments; /* how many there are; empty PT_GNU_SFRAMEs
                                    do not count */
  struct layout_replaced place;  /* the section's if there is one */
  struct undo_record record;     /* if has_record */
};

/* Look for sections of type SHT_GNU_SFRAME or name .sframe, for PT_GNU_SFRAME
   with contents, and for an undo record.  A record without .sframe is what
   an interrupted in-place conversion leaves.  */
struct existing existing_find (const struct image *image);

/* The bytes of it, or NULL when it has none in the file.  */
const uint8_t *existing_bytes (const struct existing *existing,
                               const struct image *image);

/* Whether a new .sframe can take its place with layout_plan_injection and
   request.replaced = &existing->place.  False with CFI2SFRAME_REFUSED if
   there are several, headers that contradict each other, or if it has bytes
   in common with something else.  */
bool existing_check_replaceable (const struct existing *existing,
                                 const struct image *image, struct error *err);

/* Cut a record that is of no use any more (undo_plan has refused it) off
   IMAGE, as if the file ended before it.  */
void existing_forget_record (struct existing *existing, struct image *image);

/* Plan to remove it without a record: PT_GNU_SFRAME becomes PT_NULL, section
   headers SHT_NULL (dropping them would renumber the others), the bytes stay.
   Fails with CFI2SFRAME_NOTHING if there is none.  */
bool existing_plan_removal (struct layout_plan *plan,
                            const struct existing *existing,
                            const struct image *image, struct error *err);

/* Whether these SIZE bytes, made by such a plan from IMAGE, have lost their
   .sframe and nothing else.  */
bool existing_check_removed (const struct layout_plan *plan,
                             const struct image *image, const void *bytes,
                             size_t size, struct error *err);

#endif /* WRITE_EXISTING_H */
