/* A plan: which bytes of the new file come from where.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A plan is two lists.  An extent copies a range of the old file to an offset
   of the new one.  A patch has bytes that are new, or differ from the old
   ones.  All strategies make such lists.  write/inject.c and write/undo.c see
   both lists as one sequence of pieces, which plan_cut makes.  */

#ifndef PLACE_PLAN_H
#define PLACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct references;   /* references.h */
struct sframe_place; /* elf/sframe_place.h */

/* The section to place, and what is known about the file.  */
struct plan_request
{
  uint64_t sframe_size;  /* bytes of the section to place */
  uint32_t section_type; /* SHT_GNU_SFRAME, or SHT_PROGBITS for V1, 2.0 */
  bool named_loader;     /* loader_is_name of the file's path */
  const struct sframe_place *replaced; /* the old .sframe, or NULL */
  const struct references *references; /* result of an earlier search, or
                                          NULL */
  const char *strategy; /* plan->strategy of the only strategy to try, where
                           "spare-slot" and "evict" are one; NULL: try all.
                           For tests of strategies that few files take */
};

/* Copies SIZE bytes at OLD_OFFSET of the old file to NEW_OFFSET.  */
struct plan_extent
{
  uint64_t old_offset, new_offset, size;
};

/* Sets SIZE bytes at OFFSET of the new file to BYTES.  */
struct plan_patch
{
  uint64_t offset;
  size_t size;
  uint8_t *bytes; /* owned by the plan */
};

/* The new file begins as zeros.  The extents are copied into it, then the
   patches in their order, then .sframe.  So a byte outside of all of these is
   zero: one that eviction has freed, or a hole.

   Extents are ascending and disjoint in the new file.  No extent and no patch
   overlaps .sframe.  An old byte may be in no extent; then it is lost, such as
   zero padding that .sframe fills.  In a strategy's plan no old byte is in two
   extents, so that plan_find has one answer; in others it may be.  */
struct plan
{
  const char *strategy;    /* name for reports: "slack", "spare-slot",
                              "evict", "grow-down", "grow-data", "reuse" */
  uint64_t new_size;       /* of the whole file */
  uint64_t sframe_offset;  /* in the new file */
  uint64_t sframe_address; /* its sh_addr and p_vaddr */
  uint64_t sframe_size;
  size_t replaced_section; /* index of the section whose header becomes that
                              of .sframe; 0: none */
  struct plan_extent *extents;
  size_t n_extents, extents_capacity;
  struct plan_patch *patches;
  size_t n_patches, patches_capacity;
};

void plan_free (struct plan *plan);

/* ---- Building a plan.  False, or NULL, when memory ran out */

/* Add an extent.  Older extents lose the bytes that it covers.  */
bool plan_copy (struct plan *plan, uint64_t old_offset, uint64_t new_offset,
                uint64_t size, struct error *err);

/* Take SIZE bytes at OFFSET of the new file out of all extents, so that they
   are zero, or .sframe.  A SIZE that reaches over the end of the address range
   means all bytes from OFFSET on.  */
bool plan_clear (struct plan *plan, uint64_t offset, uint64_t size,
                 struct error *err);

/* Add a patch of SIZE zero bytes, which the plan owns, and return these.  */
uint8_t *plan_add_patch (struct plan *plan, uint64_t offset, size_t size,
                         struct error *err);

/* Set *NEW_OFFSET to where an extent copies the SIZE bytes at OLD_OFFSET.
   False when no extent copies all of them.  */
bool plan_find (const struct plan *plan, uint64_t old_offset, uint64_t size,
                uint64_t *new_offset);

/* SIZE bytes of the new file at OFFSET.  */
struct plan_piece
{
  uint64_t offset, size;
  const uint8_t *bytes; /* NULL: zeros */
  const uint8_t *old;   /* the bytes of the old file that an extent copies to
                           OFFSET; BYTES differs if a patch or .sframe covers
                           them; NULL: no extent has the piece */
};

/* Cut the new file that PLAN makes of the bytes OLD into *N pieces, ascending
   and without gaps.  SFRAME is the contents of .sframe; NULL leaves zeros.
   Returns an array, which the caller frees, or NULL when memory ran out.  */
struct plan_piece *plan_cut (const struct plan *plan, const uint8_t *old,
                             const uint8_t *sframe, size_t *n);

#endif /* PLACE_PLAN_H */
