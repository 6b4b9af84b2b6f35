/* What may move, sections and segments behind the table, and where it goes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_EVICTION_H
#define PLACE_EVICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/layout.h"

enum
{
  CHUNKS_MAX = 32 /* evicted chunks */
};

/* Some sections and segments that move as one.  */
struct chunk
{
  uint64_t offset, size; /* in the old file */
  uint64_t address;
  uint64_t align;
  bool has_segment; /* by a program header.  Its offset stays as far from its
                 address as it was: programs read notes, in memory, at the
                 ELF header's address + p_offset (profile runtime of clang
                 12 to 19) */
  bool without_pt_note; /* the PT_NOTE that it is in does not move with it,
                          because one is made for all notes */
  bool for_cores;       /* what readers of core files look for is in it */
  bool placed; /* new_offset is chosen, in the segment where the chunk was or
                   in one that agrees with that; otherwise the chunk goes
                   behind .sframe */
  uint64_t fallback; /* file offset for a chunk that is named and not settled,
                        if it cannot go there; 0: none */
  uint64_t new_offset, new_address;
};

/* Let CHUNK be the chunk that begins at OFFSET, in the segment LOAD.
   chunk->without_pt_note is to be set.  False with layout->reason when it may
   not move.  */
bool chunk_find (const struct layout *layout, uint64_t offset,
                 const GElf_Phdr *load, struct chunk *chunk);

/* Do the same for notes.  False unless it is notes that mean the same
   elsewhere, among them one that readers of cores look for.  Who knows the
   address of the notes does not matter: the caller leaves there what is
   there.  */
bool chunk_find_notes (const struct layout *layout, uint64_t offset,
                       const GElf_Phdr *load, struct chunk *chunk);

/* Let CHUNK move to file offset NEW_OFFSET, in the segment where it is.  */
void chunk_place (struct chunk *chunk, uint64_t new_offset);

/* Whether layout->references has an address in CHUNK.  */
bool chunk_is_referenced (const struct layout *layout,
                          const struct chunk *chunk);

/* Code may have the addresses of CHUNK up to this one.  */
uint64_t chunk_reference_end (const struct layout *layout,
                              const struct chunk *chunk);

/* Give the headers of what is in CHUNK its new place.  */
void chunk_update_headers (struct layout *layout, const struct chunk *chunk);

/* Whether section INDEX may move on its own.  */
bool section_may_move (const struct layout *layout, size_t index);

/* What becomes of the chunks that stood behind the table:

     old file   header  table  chunk  chunk  chunk  chunk  what stays ...
     new file   header  table, longer  [1]  [3]  ... notes  [2]  ...
                segment HOME  [3]  ...  .sframe  [4]

   [1]: settled behind the table, by eviction_place_behind_table: what readers
   of cores want in the first page.

   [2]: settled among the notes, where one PT_NOTE is made for all.

   [3]: settled at its fallback, in freed bytes or in the padding behind HOME,
   which grows: a chunk that a program header names, if its address and its
   offset would not be as far from each other behind .sframe as they were.

   [4]: behind .sframe, all others.

   While header_room.c looks for room it has [1] and [2] settled and fallbacks
   found. Only eviction_place_rest knows where .sframe is, and chooses between
   [3] and [4].  */
struct eviction
{
  struct chunk chunks[CHUNKS_MAX];
  size_t n_chunks;
  struct interval freed[2]; /* the bytes: behind the table, and behind notes
                               that stay */
  size_t grown_segment; /* the segment that grows by chunks at their fallback
                  places, if there are any behind it */
};

/* Put chunks back behind BEGIN: those for cores, and with ALL whatever a
   header names.  *END: behind them.  False if what is for cores would leave
   the first page.  */
bool eviction_place_behind_table (struct eviction *eviction, uint64_t begin,
                                  bool all, uint64_t *end);

/* From where on the bytes are free that were freed behind the table: BEGIN, or
   behind the last chunk that was settled there.  */
uint64_t eviction_free_begin (const struct eviction *eviction, uint64_t begin);

/* Find places for the chunks that headers name, for the case that they cannot
   be behind .sframe: in the bytes that were freed, behind BEGIN and behind
   NOTES_END, or in the padding behind another segment.  */
bool eviction_find_fallbacks (const struct layout *layout,
                              struct eviction *eviction, uint64_t begin,
                              uint64_t notes_end);

/* Give the chunks that have none places behind file offset *END, which is
   loaded at ADDRESS, and move *END behind them; or the places they fall back
   to.  */
bool eviction_place_rest (struct eviction *eviction, uint64_t *end,
                          uint64_t address);

/* Have the chunks that have a place to fall back to go there, wherever .sframe
   is.  False if there are none.  */
bool eviction_use_fallbacks (struct eviction *eviction);

/* Have the chunks at their places, and rewrite everything that names them:
   headers, dynamic entries, symbols.  False with layout->err, also where an
   address that must change cannot.  */
bool eviction_commit (struct layout *layout, const struct eviction *eviction);

#endif /* PLACE_EVICTION_H */
