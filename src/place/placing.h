/* What all strategies share: a file and the plan that is being made for it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A strategy first looks: it reads the placing only, and says why it does not
   apply.  Then it commits: it changes the placing and its plan.  A commit is
   never undone, so behind one a strategy fails only for lack of memory.  */

#ifndef PLACE_PLACING_H
#define PLACE_PLACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/align.h"
#include "base/error.h"
#include "elf/dynamic.h"
#include "elf/image.h"
#include "place/facts.h"
#include "place/plan.h"

enum
{
  NOTE_SECTIONS_MAX = 16, /* a handful is usual */
  NOTE_FILLERS_MAX = 2,
  NEW_SECTIONS_MAX = 24, /* .sframe, and those of grow-down */
  NEW_HEADERS_MAX = 3,   /* PT_GNU_SFRAME, and a PT_LOAD or PT_NOTE */
  FIRST_PAGE = 4096,     /* of the file, where kernels before 6.12 look for the
                            build-id, and which is all of it in cores */
  GROWTH_MAX = 1 << 26,  /* bytes of padding at most, because headers may ask
                            for any number */
  UNITS_MAX = 32,        /* evicted units */
  SLOTS_TAKEN_MAX = 8,   /* headers that go away */
  REFERENCES_MAX = 8192 /* found in code and data, to sections that may move */
};

/* The addresses in a range that code or data may have.  */
struct references
{
  uint64_t begin, end; /* the range that was looked for */
  uint64_t targets[REFERENCES_MAX];
  size_t n_targets;
  bool unknown; /* there are more than fit, or in a form that is not read */
};

/* Bytes [BEGIN, END) of the old file that are at PLACE in the new one.  */
struct note_move
{
  uint64_t begin, end, place;
};

/* A way to have one PT_NOTE for all notes.  */
struct gathered_notes
{
  size_t kept; /* index of the PT_NOTE that gets all notes */
  /* What that header says then.  Size 0: notes are not gathered.  */
  uint64_t offset, address, physical, size, align;
  uint64_t fixed_begin, fixed_end; /* of the notes that keep their place */
  /* All notes; those that keep their place are moved to where they are.  */
  struct note_move moves[NOTE_SECTIONS_MAX];
  size_t n_moves;
  uint64_t fillers[NOTE_FILLERS_MAX]; /* offsets of notes that are new */
  size_t n_fillers;
};

struct placing
{
  const struct image *image;
  const struct layout_request *request;
  struct layout_plan *plan;
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
  bool gathers_notes; /* one PT_NOTE is made for all notes, so that a note
                         moves without the one that it is in */

  size_t n_evicted; /* units that have moved */
  uint64_t *moved;  /* per old section: what is added to its address */
  uint64_t end;     /* of the new file so far */
  char reason[192]; /* why the last strategy did not apply */
};

/* ---- placing.c: what all strategies need.  */

/* Begin: the headers of placing->image, and a plan that changes nothing.
   Close also after failure.  */
bool placing_open (struct placing *placing);
void placing_close (struct placing *placing);

/* The reason why a strategy does not apply.  Returns false.  */
bool placing_impossible (struct placing *placing, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* The lowest and the highest PT_LOAD; the image has at least one.  */
const GElf_Phdr *placing_first_load (const struct placing *placing);
const GElf_Phdr *placing_last_load (const struct placing *placing);

/* ---- payload.c: data that the program looks for in its file.  */

/* Whether IMAGE has none.  Otherwise false with CFI2SFRAME_REFUSED.  */
bool payload_check (const struct image *image, struct error *err);

/* ---- references.c: whether code knows where something is.  */

/* Look for everything that may hold or form an address in [BEGIN, END), which
   are bytes that IMAGE loads: instructions that address data relative to the
   PC, words with such an address in programs at a fixed one, dynamic
   relocations and dynamic symbols.  Errs on the side of finding too much.
   What headers and dynamic entries say does not count.  */
void references_find (struct references *found, const struct image *image,
                      uint64_t begin, uint64_t end);

/* Whether FOUND has an address in [BEGIN, END), or may lack some.  */
bool references_meet (const struct references *found, uint64_t begin,
                      uint64_t end);

/* ---- reference_search.c: references_find ahead of time.  */

/* What SEARCH found.  */
void reference_search_take (const struct reference_search *search,
                            struct references *references);

/* ---- evict.c: what may move.  */

/* Some sections and segments that move as one.  */
struct unit
{
  uint64_t offset, size; /* in the old file */
  uint64_t address;
  uint64_t align;
  bool named;        /* by a program header.  Its offset stays as far from its
                        address as it was: programs read notes, in memory, at the
                        ELF header's address + p_offset (profile runtime of clang
                        12 to 19) */
  bool for_cores;    /* what readers of core files look for is in it */
  bool placed;       /* in the segment it was in, or one that agrees with that;
                        else behind .sframe */
  uint64_t fallback; /* file offset of a place for a unit that is named and not
                        placed; 0: none */
  uint64_t new_offset, new_address;
};

/* The unit whose first byte is at OFFSET, in the segment LOAD.  False with
   placing->reason when it may not move.  */
bool unit_find (struct placing *placing, uint64_t offset,
                const GElf_Phdr *load, struct unit *unit);

/* Whether the unit whose first byte is at OFFSET, in LOAD, is notes that mean
   the same elsewhere, among them one that readers of cores look for.  Whoever
   knows the address of the notes is not asked: what is there has to stay.  */
bool unit_find_notes (const struct placing *placing, uint64_t offset,
                      const GElf_Phdr *load, struct unit *unit);

/* Whether placing->references has an address in UNIT.  */
bool unit_is_referenced (const struct placing *placing,
                         const struct unit *unit);

/* Where the bytes of UNIT end whose addresses code may have.  */
uint64_t unit_known_end (const struct placing *placing,
                         const struct unit *unit);

/* Whether section INDEX may move on its own.  */
bool section_may_move (const struct placing *placing, size_t index);

/* Give the headers of what is in UNIT its new place.  */
void unit_commit (struct placing *placing, const struct unit *unit);

/* ---- slack.c: padding behind segments.  */

/* Whether the bytes of the file up to END, behind the segment INDEX, are free,
   and so are the addresses that they would have.  */
bool slack_reaches (const struct placing *placing, size_t index, uint64_t end);

/* The first read-only segment behind INDEX that may grow; n_segments: none.
   Begin with INDEX 0.  With EXECUTABLE, one of code.  */
size_t slack_next (const struct placing *placing, size_t index,
                   bool executable);

/* ---- slots.c: room for program headers.  */

struct header_slots
{
  size_t taken[SLOTS_TAKEN_MAX]; /* indices of headers that go away */
  size_t n_taken;
  struct gathered_notes notes;
  size_t n_added;     /* new headers, including those in taken slots */
  uint64_t table_end; /* of the new table, in the file */
  struct unit units[UNITS_MAX];
  size_t n_units;
  struct interval freed[2]; /* bytes that eviction freed: behind the table, and
                            behind notes that stay */
  size_t home; /* the segment that grows by units at their fallback
                  places, if there are any behind it */
};

/* Find room for N more program headers without moving the table.  Code and
   data are searched for references to what would move.  False with
   placing->reason when there is none.  */
bool slots_find (struct placing *placing, size_t n,
                 struct header_slots *slots);

/* Take a PT_GNU_SFRAME that is there already, if SLOTS has room for it: the
   header is empty, or that of the .sframe to be replaced.  */
void slots_take_old (const struct image *image, struct header_slots *slots,
                     size_t n);

/* Do as slots_find does, but search nothing: only references that are in
   placing->references already keep a section from moving.  */
bool slots_find_unproven (struct placing *placing, size_t n,
                          struct header_slots *slots);

/* From the first to the last address in what SLOTS evicts that code may have.
   False when there is none.  */
bool slots_moved_addresses (const struct placing *placing,
                            const struct header_slots *slots,
                            struct interval *addresses);

/* Give the units that have none places behind file offset *END, which is
   loaded at ADDRESS, and move *END behind them; or the places they fall back
   to.  */
bool slots_place_units (struct header_slots *slots, uint64_t *end,
                        uint64_t address);

/* Rewrite everything that names the moved sections: headers, dynamic entries,
   symbols.  The units have places.  */
bool slots_commit (struct placing *placing, struct header_slots *slots);

/* Add sections for new notes, and for bytes that eviction freed and nothing
   uses.  */
void slots_add_sections (struct placing *placing,
                         const struct header_slots *slots);

/* ---- redundant_header.c: headers that say nothing new.  */

/* Take PT_PHDR into SLOTS, if there is one and no reader needs it.  */
void slots_take_table_header (const struct placing *placing,
                              struct header_slots *slots, size_t n);

/* ---- one_note.c: one PT_NOTE for several.  */

/* Take all PT_NOTEs but one into SLOTS, compute table_end, and find places in
   LOAD for all notes, so that the remaining one can have them.  BEHIND_TOO:
   also for notes that stand behind those that must stay, and could keep their
   places.  */
bool notes_gather (struct placing *placing, struct header_slots *slots,
                   const GElf_Phdr *load, bool behind_too);

/* ---- bss_in_file.c: a BSS with bytes in the file.  */

/* How the end of the file shifts when the BSS gets bytes in it.  */
struct bss_fill
{
  size_t load;      /* index of the last segment, which has the BSS */
  uint64_t old_end; /* of the segment's bytes in the file */
  uint64_t new_end; /* with those of the BSS, up to the page's end */
  uint64_t shift;   /* of what follows the segment in the file */
};

/* Whether the BSS can have bytes in the file; 0 with placing->reason if
   not.  */
int bss_fill_measure (struct placing *placing, struct bss_fill *fill);

/* Let the segment end at file offset NEW_END.  */
void bss_fill_extend (struct bss_fill *fill, uint64_t new_end);

/* Give the BSS bytes in the file, and shift what follows there.  */
bool bss_fill_commit (struct placing *placing, const struct bss_fill *fill);

/* ---- dynamic_addresses.c: what names sections by address.  */

/* Patch the dynamic entries and symbols of the sections that placing->moved
   says have moved.  Offsets in the new file are found through the plan's
   extents, which must be complete for .dynamic and .symtab.  */
bool dynamic_patch (struct placing *placing);
bool symbols_patch (struct placing *placing);

/* Whether a symbol that code may use has the address of section INDEX.  */
bool section_has_symbol (const struct image *image, size_t index);

/* Whether the dynamic symbol NAME is defined in IMAGE.  True also where there
   is not a section of dynamic symbols.  */
bool dynamic_may_define (const struct image *image, const char *name);

/* ---- headers.c: the new headers.  */

/* Whether header INDEX goes away.  */
bool slots_have_taken (const struct header_slots *slots, size_t index);

/* Where the program header table of the old file ends.  */
uint64_t table_old_end (const struct placing *placing);

/* Compute slots->table_end.  */
void slots_set_table_end (const struct placing *placing,
                          struct header_slots *slots);

/* Drop the taken slots, add PT_GNU_SFRAME (for plan->sframe_*) and, if LOAD is
   given, that behind the last PT_LOAD.  */
void table_add_headers (struct placing *placing,
                        const struct header_slots *slots,
                        const GElf_Phdr *load);

/* Write the N program headers SEGMENTS at file offset OFFSET.  */
bool table_write (struct placing *placing, const GElf_Phdr *segments, size_t n,
                  uint64_t offset);

/* Append a section header.  */
void table_add_section (struct placing *placing, const char *name,
                        const GElf_Shdr *header);
void table_add_sframe_section (struct placing *placing);

/* Append string table and section header table at placing->end, write the
   headers: the last step of every strategy.  */
bool table_finish (struct placing *placing);

/* Do as table_finish does, but leave the section header table where it was:
   for plans that add no section.  */
bool table_finish_in_place (struct placing *placing);

/* ---- place.c: what strategies that leave the table where it is share.  */

/* A place for .sframe.  END is set by place_fill.  */
struct place
{
  uint64_t offset, address; /* of .sframe; 0 modulo 8 */
  uint64_t end;  /* of .sframe and what is evicted, in the file; 0: no byte and
                    no section is added */
  bool new_load; /* for all this there is a new segment, up to load_end */
  uint64_t load_end; /* a page's end behind END; 0: END */
  size_t load;       /* else the index of the segment, which grows up to END */
  struct header_slots slots; /* for the new headers, and what is evicted */
};

/* Put what is evicted behind .sframe and set place->end.  False when the
   address space is full.  */
bool place_fill (const struct placing *placing, struct place *place);

/* Make the plan.  1, or -1 with placing->err when memory ran out.  */
int place_take (struct placing *placing, struct place *place);

/* ---- Strategies.  */

/* strategy_loader.c: whether IMAGE has what every loader has: ET_DYN, an
   entry, no PT_INTERP.  Other programs have that, too: layout_is_loader asks
   for more.  Where the file's name is a loader's, this is enough.  */
bool layout_may_be_loader (const struct image *image);

enum strategy_files
{
  ALL_FILES,
  LOADERS, /* dynamic loaders */
  OTHERS   /* other files */
};

/* A way to give .sframe a place.  The file strategy_*.c that defines it says
   for which files it is, and why.  */
struct strategy
{
  const char *name;          /* for reports */
  const char *evicting;      /* its name when sections have moved, if that is
                                another */
  enum strategy_files files; /* that it is tried for */
  bool explains; /* if no strategy applies, its reason is given, because it is
                    the most general one */

  /* 1: done, 0: does not apply (placing->reason), -1: failed
     (placing->err).  */
  int (*plan) (struct placing *placing);
};

/* All strategies, in the order in which they are tried.  */
#define STRATEGIES(STRATEGY) \
  STRATEGY (reuse)           \
  STRATEGY (slack)           \
  STRATEGY (loader)          \
  STRATEGY (append)          \
  STRATEGY (grow_down)       \
  STRATEGY (grow_data)

#define STRATEGY_DECLARE(name) extern const struct strategy strategy_##name;
STRATEGIES (STRATEGY_DECLARE)

#endif /* PLACE_PLACING_H */
