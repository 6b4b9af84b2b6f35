/* Facts about an image: its code, its relocated words, and the addresses that
   its code references.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_IMAGE_FACTS_H
#define ANALYSIS_IMAGE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "analysis/addresses.h"
#include "analysis/insn.h"
#include "elf/image.h"

/* A word that the dynamic linker fills in.  */
struct relocated
{
  uint64_t place;
  uint64_t value; /* an address in the image; 0: in another image */
  bool is_got;    /* in the GOT: the program itself never changes it */
  bool is_fixed; /* relative, and read-only after relocation: always `value' */
  bool exits;    /* is_got: a function that never returns, by its name */
  bool may_exit; /* the same if the first argument is not 0 */
  bool is_for_pads; /* a function that only landing pads call */
  bool frameless;   /* a function that is not entered by a call */
};

/* A range of code: a section or, in files without sections, a segment.  */
struct code_stretch
{
  uint64_t start, size; /* only bytes that are in the file */
  const uint8_t *bytes;
};

struct image_facts
{
  const struct image *image;
  /* Owned.  NULL: this build has no decoder, or memory ran out.  */
  struct insn_decoder *decoder;
  struct code_stretch *stretches; /* owned; ascending */
  size_t n_stretches;
  struct relocated *relocated; /* owned; ascending place */
  size_t n_relocated;
  size_t relocated_capacity;
  struct address_list pointed;    /* values of these words */
  struct address_list referenced; /* addresses that code computes */
  size_t n_references_sorted;
  struct address_list table_ends; /* see facts_find_table_ends */
};

/* Read the code and the relocations of IMAGE, which must outlive FACTS.  */
bool facts_read (struct image_facts *facts, const struct image *image,
                 struct error *err);
void facts_free (struct image_facts *facts);

/* Return the code at ADDRESS, and set *SIZE to the number of bytes up to the
   end of its range.  NULL: no code.  */
const uint8_t *facts_code (const struct image_facts *facts, uint64_t address,
                           uint64_t *size);

/* Decode the instruction at ADDRESS with insn_decode or insn_decode_step.
   False: there is none.  A loop that calls them for one address after the
   other goes on from a section into the next one if that adjoins.  */
bool facts_insn (const struct image_facts *facts, uint64_t address,
                 struct insn *insn);
bool facts_step (const struct image_facts *facts, uint64_t address,
                 struct insn_step *step);

/* Read the initial value of the word of WIDTH bytes at ADDRESS.  Words of 8
   bytes have their relocations applied.  Narrower words are extended as
   IS_SIGNED says, and are read only from memory that is not writable.  */
bool facts_word (const struct image_facts *facts, uint64_t address,
                 unsigned width, bool is_signed, uint64_t *value);

/* The same, also for narrower words that the program may overwrite.  */
bool facts_initial_word (const struct image_facts *facts, uint64_t address,
                         unsigned width, bool is_signed, uint64_t *value);

/* Return the relocation of the word at PLACE, or NULL.  0 is no place.  */
const struct relocated *facts_relocated (const struct image_facts *facts,
                                         uint64_t place);

/* Turn an indirect jump or call (*FLOW, enum insn_flow) through the word at
   PLACE into a direct one to *TARGET, if the word never changes.  */
void facts_resolve (const struct image_facts *facts, uint64_t place,
                    uint8_t *flow, uint64_t *target);

/* Whether a call through the word at PLACE returns, as far as the name of an
   imported function tells; true if nothing is known.  ARGUMENT_IS_SET: the
   first argument is known not to be 0.  */
bool facts_call_returns (const struct image_facts *facts, uint64_t place,
                         bool argument_is_set);

/* Sort `referenced' after additions.  False if memory ran out.  */
bool facts_sort_references (struct image_facts *facts);

/* Return the lowest referenced address above ADDRESS, or UINT64_MAX.  */
uint64_t facts_next_reference (const struct image_facts *facts,
                               uint64_t address);

/* Find where jump tables may end.  A jump table of unknown length ends where
   other data or code begins.  That may be referenced only by functions that
   are not found yet, so all code is searched, at each byte, for what looks
   like an instruction that computes an address.  A match inside of another
   instruction may end a table too early, which leaves code without rows but
   makes no wrong row.  False if memory ran out.  */
bool facts_find_table_ends (struct image_facts *facts);

#endif /* ANALYSIS_IMAGE_FACTS_H */
