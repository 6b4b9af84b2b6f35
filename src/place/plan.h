/* A plan: how a new file is made of an old one.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Extents are copied from the old file, patches are bytes that differ or are
   new.  Whatever the strategy that made these two lists, writing and undoing
   go by what plan_cut makes of them.  */

#ifndef PLACE_PLAN_H
#define PLACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct references;   /* references.h */
struct sframe_place; /* elf/sframe_place.h */

/* What is to be placed.  */
struct plan_request
{
  uint64_t sframe_size;  /* bytes of the section to place */
  uint32_t section_type; /* SHT_GNU_SFRAME, or SHT_PROGBITS for V1, 2.0 */
  bool named_loader;     /* what loader_is_name says of the file */
  const struct sframe_place *replaced; /* the old one, or NULL */
  const struct references *references; /* found already; or NULL */
  const char *strategy; /* the only one to be tried, by its name in the plan;
                           "spare-slot" and "evict" are one.  NULL: all.  Tests
                           need that for strategies that few files take */
};

/* SIZE bytes of the old file at OLD_OFFSET appear at NEW_OFFSET.  */
struct plan_extent
{
  uint64_t old_offset, new_offset, size;
};

/* SIZE bytes at OFFSET of the new file are BYTES.  */
struct plan_patch
{
  uint64_t offset;
  size_t size;
  uint8_t *bytes; /* owned by the plan */
};

/* The new file is: zeros, then the extents, then the patches in order, then
   .sframe.  Hence a byte that none of them covers is zero (freed by an
   eviction, or a hole).  Extents are ascending and disjoint in the new file;
   no patch touches .sframe, no extent overlaps it.  An old byte may appear in
   no extent (it is lost, e.g. zero padding that .sframe fills), and in a
   strategy's plan never in two, so that plan_find has one answer; an undo
   record may copy bytes twice.  Evicted sections are extents from the old head
   to freed bytes of it, to padding, or to the new tail.  */
struct plan
{
  const char *strategy;    /* its name, for reports: "slack", "spare-slot",
                              "evict", "grow-down", "grow-data", "reuse" */
  uint64_t new_size;       /* of the whole file */
  uint64_t sframe_offset;  /* in the new file */
  uint64_t sframe_address; /* its sh_addr and p_vaddr */
  uint64_t sframe_size;
  size_t replaced_section; /* index of the section that becomes .sframe; 0:
                              none */
  struct plan_extent *extents;
  size_t n_extents, extents_capacity;
  struct plan_patch *patches;
  size_t n_patches, patches_capacity;
};

void plan_free (struct plan *plan);

/* ---- Building a plan: false, or NULL, when memory ran out */

/* Cover [NEW_OFFSET, + SIZE) with old bytes, in place of what covered it.  */
bool plan_copy (struct plan *plan, uint64_t old_offset, uint64_t new_offset,
                uint64_t size, struct error *err);

/* Cover [OFFSET, + SIZE) with nothing (zeros, or .sframe).  A SIZE that no
   file has means all behind OFFSET.  */
bool plan_clear (struct plan *plan, uint64_t offset, uint64_t size,
                 struct error *err);

/* A new patch of SIZE zero bytes to be filled in, or NULL.  */
uint8_t *plan_add_patch (struct plan *plan, uint64_t offset, size_t size,
                         struct error *err);

/* Where the extents put the SIZE bytes at OLD_OFFSET.  */
bool plan_find (const struct plan *plan, uint64_t old_offset, uint64_t size,
                uint64_t *new_offset);

/* SIZE bytes of the new file at OFFSET: BYTES, or zeros if that is NULL.  */
struct plan_piece
{
  uint64_t offset, size;
  const uint8_t *bytes;
  const uint8_t *old; /* the bytes of the old file that an extent has there:
                         BYTES, unless a patch covers them; NULL: none */
};

/* The new file that PLAN makes of the bytes OLD, with SFRAME in it unless that
   is NULL: all *N pieces, ascending, one at the end of the other; allocated.
   NULL when memory ran out.  */
struct plan_piece *plan_cut (const struct plan *plan, const uint8_t *old,
                             const uint8_t *sframe, size_t *n);

#endif /* PLACE_PLAN_H */
