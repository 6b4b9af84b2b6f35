/* The layout of a new file: its headers and its plan, as far as they are made,
   and what all strategies do with them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A strategy first looks, mostly at a layout that is const: it says in
   layout->reason why it does not apply, and changes nothing else but
   layout->has_unaccounted_bytes and layout->references, which grow by what a
   search has found.  Then it commits: it changes the headers and the plan.  A
   commit is never undone.  So whatever fails behind one ends the search for a
   strategy: memory runs out, or a symbol or a dynamic entry cannot follow what
   has moved.  What is left is a plan made by half, which is only freed.  */

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
  NOTE_SECTIONS_MAX = 16,   /* sections and segments of notes that are looked
                               at; a handful is usual */
  NEW_SECTIONS_MAX = 24,    /* grow-down adds most: .sframe, one for each note
                               that it copies, and two more */
  NEW_HEADERS_MAX = 3,      /* PT_GNU_SFRAME, PT_LOAD and PT_NOTE */
  SEGMENTS_DROPPED_MAX = 8, /* headers that go away */
  FIRST_PAGE = 4096, /* of the file, where kernels before 6.12 look for the
                        build-id, and which is all of it in cores */
  REASON_SIZE = 192,
  GROWTH_MAX = 1 << 26 /* bytes of padding at most, because headers may ask
                          for any number */
};

struct layout
{
  const struct image *image; /* the old file; for a strategy it has a PT_LOAD
                                (refusals_check) */
  const struct plan_request *request;
  struct plan *plan;
  struct error *err;
  uint64_t page; /* P of doc/formats/injection */
  bool loader;   /* the image is a dynamic loader */

  /* The headers of the new file.  */
  GElf_Ehdr header;
  GElf_Phdr *segments; /* room for NEW_HEADERS_MAX more than the image has */
  size_t n_segments;
  GElf_Shdr *sections; /* sh_name of new sections is set at the end */
  size_t n_sections;
  const char *new_names[NEW_SECTIONS_MAX];
  size_t n_new_sections;

  struct references references; /* to what may move */

  size_t n_evicted; /* chunks that have moved */
  uint64_t *moved;  /* per old section: what is added to its address */
  uint64_t end;     /* of the new file so far */
  char *reason; /* REASON_SIZE bytes: why the last strategy did not apply */
  bool has_unaccounted_bytes; /* the strategy would apply, but for bytes that
                       nothing accounts for (layout_may_shift) */
};

/* Begin: the headers of layout->image, and a plan that changes nothing.  Close
   also after failure.  */
bool layout_init (struct layout *layout);
void layout_free (struct layout *layout);

/* Some of the image's segments, by their indices.  */
struct segment_set
{
  size_t indices[SEGMENTS_DROPPED_MAX];
  size_t n;
};

bool segment_set_has (const struct segment_set *set, size_t index);

/* Add the segments of TYPE that IMAGE has, as long as there are less than
   LIMIT in SET.  */
void segment_set_add_type (const struct image *image, struct segment_set *set,
                           size_t limit, uint32_t type);

/* What came of the attempt of a strategy.  */
enum attempt
{
  DOES_NOT_APPLY = 0, /* layout->reason says why; nothing was changed */
  PLANNED,
  FAILED /* layout->err says why; no other strategy is tried */
};

/* Set the reason why a strategy does not apply.  Returns false, which is
   DOES_NOT_APPLY.  */
bool layout_reject (const struct layout *layout, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Whether all that is at and behind file offset FROM may move.  Bytes that
   nothing accounts for may not.  A strategy asks this last, so that the reason
   is the only one that the strategy has.  */
bool layout_may_shift (struct layout *layout, uint64_t from);

/* The strategy that has a file of its own, grow_down.c: .sframe and a longer
   program header table in front of a program at a fixed address.  */
enum attempt grow_down_try (struct layout *layout);

/* ---- New headers */

/* The header of a new read-only segment of TYPE that has these bytes, at
   ADDRESS.  */
GElf_Phdr layout_new_segment (const struct layout *layout, uint32_t type,
                              struct interval bytes, uint64_t address,
                              uint64_t align);

/* PT_GNU_SFRAME for plan->sframe_*.  */
GElf_Phdr layout_sframe_segment (const struct layout *layout);

/* Drop the segments DROPPED, add PT_GNU_SFRAME (for plan->sframe_*) and, if
   LOAD is given, that behind the last PT_LOAD.  */
void layout_add_segments (struct layout *layout,
                          const struct segment_set *dropped,
                          const GElf_Phdr *load);

/* Append a section header.  */
void layout_add_section (struct layout *layout, const char *name,
                         const GElf_Shdr *header);

/* Append the header of a section of TYPE that has these bytes, which a segment
   of the layout loads.  */
void layout_add_loaded_section (struct layout *layout, const char *name,
                                uint32_t type, struct interval bytes,
                                uint64_t align);

/* Append or replace the header of .sframe, for plan->sframe_*.  */
void layout_add_sframe_section (struct layout *layout);

/* ---- What names sections by their address */

/* Patch the dynamic entries and symbols of the sections that layout->moved
   says have moved.  Offsets in the new file are found through the plan's
   extents, which must be complete for .dynamic and .symtab.  */
bool layout_patch_dynamic (struct layout *layout);
bool layout_patch_symbols (struct layout *layout);

/* ---- Writing the headers */

/* Write libelf structures of TYPE, SIZE bytes of the file, to OFFSET.  */
bool layout_write (struct layout *layout, Elf_Type type, const void *source,
                   size_t size, uint64_t offset);

/* Write all headers: the last step of every strategy.  A string table with the
   new names and the section header table go to layout->end.  IN_PLACE: no
   section was added, and the section header table stays where it is.  */
bool layout_finish (struct layout *layout, bool in_place);

#endif /* PLACE_LAYOUT_H */
