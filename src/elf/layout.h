/* Where .sframe goes in a linked file: a plan, computed without any I/O.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A plan says how the new file is made of the old one: extents copied from
   it, and patches (bytes that differ or are new).  Everything else (writing,
   undoing, checking) follows from these two lists, whatever the strategy.
   doc/injection tells the whole story.  */

#ifndef ELF_LAYOUT_H
#define ELF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

enum layout_strategy
{
  LAYOUT_SLACK,      /* A: .sframe in the padding behind a segment */
  LAYOUT_SPARE_SLOT, /* B1: new segment, table room was there */
  LAYOUT_EVICT,      /* B3: small sections moved to make table room */
  LAYOUT_GROW_DOWN,  /* B4: first segment of an ET_EXEC grows downwards */
  LAYOUT_MOVE_TABLE, /* B2: program header table moved (on request) */
  LAYOUT_REUSE       /* in the place of an older .sframe */
};

/* An .sframe in the file that the new one replaces.  */
struct layout_replaced
{
  size_t section; /* its index, or 0 */
  uint64_t offset, address, size;
};

struct layout_request
{
  uint64_t sframe_size;   /* bytes of the section to place */
  uint32_t section_type;  /* SHT_GNU_SFRAME, or SHT_PROGBITS for V1, 2.0 */
  bool allow_moved_table; /* --force-phdr-move */
  bool named_loader;      /* what layout_is_loader_name says of the file */
  const struct layout_replaced *replaced; /* NULL: there is none */
};

/* SIZE bytes of the old file at OLD_OFFSET appear at NEW_OFFSET.  */
struct layout_extent
{
  uint64_t old_offset, new_offset, size;
};

/* SIZE bytes at OFFSET of the new file are BYTES.  */
struct layout_patch
{
  uint64_t offset;
  size_t size;
  uint8_t *bytes; /* owned by the plan */
};

/* The new file is: zeros, then the extents, then the patches in order, then
   .sframe.  Hence a byte that none of them covers is zero (freed by an
   eviction, or a hole).  Extents are ascending and disjoint in the new file;
   no patch touches .sframe, no extent overlaps it.  An old byte may appear in
   no extent (it is lost, e.g. zero padding that .sframe fills), never in two.
   Evicted sections are extents from the old head to the new tail, and one of
   them may go to a new place inside the old head: whoever writes in place
   reads all extents whose offsets differ before writing anything.  */
struct layout_plan
{
  enum layout_strategy strategy;
  uint64_t new_size;       /* of the whole file */
  uint64_t sframe_offset;  /* in the new file */
  uint64_t sframe_address; /* its sh_addr and p_vaddr */
  uint64_t sframe_size;
  size_t replaced_section; /* that is now .sframe's, by index; 0 if none */
  struct layout_extent *extents;
  size_t n_extents;
  struct layout_patch *patches;
  size_t n_patches;
};

/* Whether IMAGE may be changed at all (elf-injection notes, section 2).
   Otherwise false with status CFI2SFRAME_NOTHING for files that have no
   contents to describe (debug files), CFI2SFRAME_UNSUPPORTED for file types
   and machines that this is not about, and CFI2SFRAME_REFUSED with the reason
   for files that a change would harm.  layout_plan_injection calls it; call
   it before converting to save the work.  */
bool layout_classify (const struct image *image, struct error *err);

/* Whether IMAGE is a dynamic loader (ld.so, musl's libc.so).  */
bool layout_is_loader (const struct image *image);

/* Whether the last part of PATH is the name of a dynamic loader.  Some are
   static PIEs (gcompat, nix-ld), which only the name gives away.  */
bool layout_is_loader_name (const char *path);

/* Plan the injection into IMAGE (ET_EXEC or ET_DYN).  The plan is freed with
   layout_plan_free also after failure.  Status CFI2SFRAME_REFUSED with the
   reason when no strategy applies.  */
bool layout_plan_injection (struct layout_plan *plan,
                            const struct image *image,
                            const struct layout_request *request,
                            struct error *err);

void layout_plan_free (struct layout_plan *plan);

/* Short name for reports: "slack", "spare-slot", "evict", "grow-down",
   "move-table", "reuse".  */
const char *layout_strategy_name (enum layout_strategy strategy);

#endif /* ELF_LAYOUT_H */
