/* The layout of the new file: its headers and its plan, as far as they are
   made, and the steps that all strategies take with them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A strategy works in two phases.  First it decides whether it applies.  In
   this phase it changes nothing of the layout but the reason why it does not
   apply, has_unaccounted_bytes, and references, where it keeps what a search
   has found.  Then it commits: it changes the headers and the plan.  A commit
   cannot be undone.  So a failure in the second phase ends the search for a
   strategy, and the half-made plan is only freed.  Such failures are: memory
   runs out, or the new address of a moved section cannot be written.

   Words of this folder:

     table      the program header table, unless another one is named
     entry      an Elf64_Phdr of the table.  An entry that readers do without
                can be dropped.  The strategy "spare-slot" has its name from
                such entries
     chunk      a section behind the table, with all sections and segments that
                overlap it.  It moves as a whole (eviction.h)
     eviction   moving chunks away to make room for a longer table
     placement  where .sframe goes, and all that moves for it
                (choose_strategy.c)
     slack      the padding between the end of a segment and the next page
     filler     bytes that have no meaning (byte_is_filler), or a note that has
                none (elf/notes.h)
     extent     old bytes at a new offset; patch: other bytes (plan.h)  */

#ifndef PLACE_LAYOUT_H
#define PLACE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/sframe_place.h"
#include "place/facts.h"
#include "place/plan.h"
#include "place/references.h"

enum
{
  NOTE_SECTIONS_MAX = 16,   /* sections, and segments, of notes that a
                               strategy looks at; a handful is usual */
  NEW_SECTIONS_MAX = 24,    /* grow-down adds most: .sframe, a section for each
                               note that it copies, and two more */
  NEW_HEADERS_MAX = 3,      /* PT_GNU_SFRAME, PT_LOAD and PT_NOTE */
  SEGMENTS_DROPPED_MAX = 8, /* headers that are taken out of the table */
  FIRST_PAGE = 4096,        /* bytes of the file's first page.  Kernels before
                               6.12 look for the build-id there, and core files
                               have no other page of the file */
  REASON_SIZE = 192,
  GROWTH_MAX = 1 << 26 /* bytes of padding that a strategy may add; headers of
                          a hostile file may ask for any number */
};

struct layout
{
  const struct image *image; /* the old file.  It has a PT_LOAD when a strategy
                                is tried (refusals_check) */
  const struct plan_request *request;
  struct plan *plan;
  struct error *err;
  uint64_t page; /* image_page */
  bool loader;   /* the old file is a dynamic loader */

  /* The headers of the new file.  */
  GElf_Ehdr header;
  GElf_Phdr *segments; /* NEW_HEADERS_MAX elements more than the image has */
  size_t n_segments;
  GElf_Shdr *sections; /* layout_finish sets sh_name of new sections */
  size_t n_sections;
  const char *new_names[NEW_SECTIONS_MAX];
  size_t n_new_sections;

  struct references references; /* to sections that may move */

  size_t n_evicted; /* chunks that have moved */
  uint64_t *moved;  /* by index of an old section: new address - old address */
  uint64_t end;     /* size of the new file so far */
  char *reason; /* REASON_SIZE bytes: why the last strategy did not apply */
  bool has_unaccounted_bytes; /* the last strategy did not apply because bytes
                                 of no known owner would move
                                 (layout_may_shift) */
};

/* Begin with the headers of layout->image, and with a plan that copies the
   whole file.  The caller sets image, plan and err, and always frees
   LAYOUT.  */
bool layout_init (struct layout *layout);
void layout_free (struct layout *layout);

/* Some of the old file's segments, by their indices.  */
struct segment_set
{
  size_t indices[SEGMENTS_DROPPED_MAX];
  size_t n;
};

bool segment_set_has (const struct segment_set *set, size_t index);

/* Add segments of TYPE that IMAGE has, until SET has LIMIT segments.  */
void segment_set_add_type (const struct image *image, struct segment_set *set,
                           size_t limit, uint32_t type);

/* Result of trying a strategy.  */
enum attempt
{
  DOES_NOT_APPLY = 0, /* with layout->reason; nothing was changed */
  PLANNED,
  FAILED /* with layout->err; no other strategy is tried */
};

/* Set why a strategy does not apply.  Returns DOES_NOT_APPLY, false.  */
bool layout_reject (const struct layout *layout, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Whether all bytes of the old file from offset FROM on may move.  Bytes that
   nothing accounts for may not (owners_account_for_all).  A strategy asks this
   last: when the answer is no, this is the only reason against it.  */
bool layout_may_shift (struct layout *layout, uint64_t from);

/* Try the strategy of grow_down.c: .sframe and a longer program header table
   in front of a program at a fixed address.  */
enum attempt grow_down_try (struct layout *layout);

/* ---- New headers */

/* Return the header of a new read-only segment of TYPE, BYTES at ADDRESS.  */
GElf_Phdr layout_new_segment (const struct layout *layout, uint32_t type,
                              struct interval bytes, uint64_t address,
                              uint64_t align);

/* Return the PT_GNU_SFRAME for plan->sframe_*.  */
GElf_Phdr layout_sframe_segment (const struct layout *layout);

/* Take the segments DROPPED out of the table.  Add PT_GNU_SFRAME for
   plan->sframe_*, and LOAD, unless it is NULL, behind the last PT_LOAD.  */
void layout_add_segments (struct layout *layout,
                          const struct segment_set *dropped,
                          const GElf_Phdr *load);

/* Append the header of a new section; NAME must outlive LAYOUT.  */
void layout_add_section (struct layout *layout, const char *name,
                         const GElf_Shdr *header);

/* Append the header of a new section of TYPE.  BYTES are bytes of the new file
   that a segment of LAYOUT loads.  */
void layout_add_loaded_section (struct layout *layout, const char *name,
                                uint32_t type, struct interval bytes,
                                uint64_t align);

/* Append or replace the header of .sframe, for plan->sframe_*.  */
void layout_add_sframe_section (struct layout *layout);

/* ---- Addresses of moved sections

   Patch the dynamic entries, or the symbols, that have the address of a
   section that has moved (layout->moved).  The plan's extents must already
   have all of .dynamic and of the symbol tables.  False with layout->err.  */
bool layout_patch_dynamic (struct layout *layout);
bool layout_patch_symbols (struct layout *layout);

/* ---- Writing the headers */

/* Patch OFFSET of the new file with the libelf structures of TYPE at SOURCE;
   SIZE counts their bytes in the file.  */
bool layout_write (struct layout *layout, Elf_Type type, const void *source,
                   size_t size, uint64_t offset);

/* Write all headers: the last step of every strategy.  A new table of section
   names and a new section header table are appended at layout->end.  With
   IN_PLACE, where no section was added, both stay where they are.  */
bool layout_finish (struct layout *layout, bool in_place);

#endif /* PLACE_LAYOUT_H */
