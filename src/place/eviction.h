/* Eviction: moving sections from behind the program header table, to make room
   for a longer table.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sections and segments that overlap move together; such a set is a chunk.
   header_room.c finds chunks, one after the other, until their bytes suffice,
   and gives some of them new places.  A strategy then gives the others their
   places behind .sframe, and commits the move.  */

#ifndef PLACE_EVICTION_H
#define PLACE_EVICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/layout.h"

enum
{
  CHUNKS_MAX = 32 /* in an eviction */
};

/* A section, and all sections and segments that overlap it or each other.  */
struct chunk
{
  uint64_t offset, size; /* in the old file */
  uint64_t address;      /* old */
  uint64_t align;
  bool has_segment;      /* a PT_NOTE, PT_INTERP or PT_GNU_PROPERTY is part of
                            it.  Then the difference between address and offset
                            must not change: programs read notes in memory at
                            the ELF header's address + p_offset (profile runtime
                            of clang 12 to 19) */
  bool has_symbol_table; /* it has .dynsym, its strings or a hash table.
                            libunwind 1.8 looks for these tables in the file,
                            and takes their addresses for file offsets
                            (lookup_symbol_from_dynamic).  It crashes unless
                            address and offset differ by as much as for the
                            program header table */
  bool has_dynsym_alone; /* .dynsym is the only such table in it.  If libunwind
                            reads other bytes for .dynsym, it finds no names:
                            it follows the name of an entry only if the entry
                            is of a function at the address in question */
  bool without_pt_note;  /* its PT_NOTE is not part of it, because one PT_NOTE
                            is made for all notes */
  bool for_cores;    /* it has a note that readers of core files look for */
  bool placed;       /* new_offset is final.  It lies in the segment where
                        the chunk was, or in one with the same difference
                        between address and offset.  A chunk that is not
                        placed goes behind .sframe */
  uint64_t fallback; /* file offset for a chunk with a segment or a symbol
                        table that is not placed, in case it cannot go
                        behind .sframe; 0: none */
  uint64_t new_offset, new_address;
};

/* Find the chunk that begins at OFFSET, in the segment LOAD.  The caller has
   set without_pt_note.  False with layout->reason if it may not move.  */
bool chunk_find (const struct layout *layout, uint64_t offset,
                 const GElf_Phdr *load, struct chunk *chunk);

/* Find the chunk that begins at OFFSET, in the segment LOAD, to copy it.
   False unless it consists of notes that mean the same at another address, and
   one of these is for readers of core files.  References to the notes do not
   matter, because the old notes stay.  */
bool chunk_find_notes (const struct layout *layout, uint64_t offset,
                       const GElf_Phdr *load, struct chunk *chunk);

/* Place CHUNK at file offset NEW_OFFSET.  Its address changes by as much.  */
void chunk_place (struct chunk *chunk, uint64_t new_offset);

/* Whether layout->references has an address in CHUNK.  */
bool chunk_is_referenced (const struct layout *layout,
                          const struct chunk *chunk);

/* Return the end of the addresses in CHUNK to which code may refer.  */
uint64_t chunk_reference_end (const struct layout *layout,
                              const struct chunk *chunk);

/* Set the offsets and addresses in the headers of CHUNK's sections and
   segments, and layout->moved, for its new place.  */
void chunk_update_headers (struct layout *layout, const struct chunk *chunk);

/* Whether section INDEX may move, as far as itself is concerned.  */
bool section_may_move (const struct layout *layout, size_t index);

/* The chunks that move from behind the table, and their new places:

     old file   header  table  chunk  chunk  chunk  chunk  other bytes ...
     new file   header  longer table  [1]  [3]  ... notes  [2]  ...
                grown segment  [3]  ...  .sframe  [4]

   [1] right behind the new table (eviction_place_behind_table): chunks that
   readers of core files look for in the first page

   [2] next to notes that stay: notes, where one PT_NOTE is made for all

   [3] at the fallback, in freed bytes or in the slack of another segment,
   which grows: chunks with a segment or a symbol table, if their address and
   offset would not keep their difference behind .sframe, or if .sframe is
   behind padding (placement_align_for_symbols)

   [4] behind .sframe: all others

   header_room.c places chunks of kinds [1] and [2], and finds fallbacks.  The
   choice between [3] and [4] depends on the place of .sframe
   (eviction_place_rest).  */
struct eviction
{
  struct chunk chunks[CHUNKS_MAX];
  size_t n_chunks;
  struct interval freed[2]; /* file ranges that get free: behind the table, and
                               behind notes that stay */
  size_t grown_segment; /* index of the segment whose slack has fallbacks; 0:
                           none */
};

/* Place chunks behind offset BEGIN: those for cores or, if ALL, also those
   with a segment.  Set *END behind the last of them.  False if a chunk for
   cores would leave the first page.  */
bool eviction_place_behind_table (struct eviction *eviction, uint64_t begin,
                                  bool all, uint64_t *end);

/* Return the offset from which on the bytes freed behind the table are free:
   BEGIN, or behind the last chunk that is placed there.  */
uint64_t eviction_free_begin (const struct eviction *eviction, uint64_t begin);

/* Find fallbacks for all chunks with a segment that are not placed: in freed
   bytes behind BEGIN or NOTES_END, or in the slack of a segment.  False with
   layout->reason if one is missing.  Find fallbacks for the chunks with a
   symbol table, too: for all of them or for none.  SLACK_IS_FREE: .sframe goes
   into no slack, so that the others may go where symbol tables have room.  */
bool eviction_find_fallbacks (const struct layout *layout,
                              struct eviction *eviction, uint64_t begin,
                              uint64_t notes_end, bool slack_is_free);

/* Whether each chunk with a symbol table is placed or has a fallback.  */
bool eviction_has_symbol_fallbacks (const struct eviction *eviction);

/* Place all other chunks: behind file offset *END, which is loaded at ADDRESS,
   or at their fallbacks.  Move *END behind them.  False after an overflow.  */
bool eviction_place_rest (struct eviction *eviction, uint64_t *end,
                          uint64_t address);

/* Place all chunks that have a fallback there.  False if there are none.  */
bool eviction_use_fallbacks (struct eviction *eviction);

/* Move the chunks, and change all that has their addresses: headers, dynamic
   entries, symbols.  False with layout->err.  */
bool eviction_commit (struct layout *layout, const struct eviction *eviction);

#endif /* PLACE_EVICTION_H */
