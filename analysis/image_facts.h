/* Facts about an image's addresses: code, relocated words, what code names.
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
  uint64_t value;   /* address in the image; 0: in another one */
  bool is_got;      /* of the GOT: the program itself never changes it */
  bool is_fixed;    /* always `value': relative, and read-only from then on */
  bool exits;       /* is_got: another image's function, which never returns */
  bool may_exit;    /* the same if its first argument is not 0 */
  bool is_for_pads; /* called only where an exception has landed */
  bool frameless;   /* a function that is not entered by calls */
};

/* A stretch of code: a section, or, where there are none, a segment.  */
struct code_stretch
{
  uint64_t start, size; /* of what the file has of it */
  const uint8_t *bytes;
};

struct image_facts
{
  const struct image *image;
  /* Of its code; owned.  NULL: this build has none, or memory ran out.  */
  struct insn_decoder *decoder;
  struct code_stretch *stretches; /* owned; ascending */
  size_t n_stretches;
  struct relocated *relocated; /* owned; ascending place */
  size_t n_relocated;
  size_t relocated_capacity;
  struct address_list pointed;    /* values of those words */
  struct address_list referenced; /* addresses that code computes */
  size_t n_references_sorted;
  struct address_list table_ends; /* see facts_find_table_ends */
};

/* Read the relocations of IMAGE, which must outlive FACTS.  */
bool facts_read (struct image_facts *facts, const struct image *image,
                 struct error *err);
void facts_free (struct image_facts *facts);

/* The code at ADDRESS and how many bytes of it follow; NULL when there is
   none.  */
const uint8_t *facts_code (const struct image_facts *facts, uint64_t address,
                           uint64_t *size);

/* Decode the instruction at ADDRESS, as insn_decode and insn_decode_step do.
   False: there is none.  A walk by addresses goes on where the next section
   adjoins.  */
bool facts_insn (const struct image_facts *facts, uint64_t address,
                 struct insn *insn);
bool facts_step (const struct image_facts *facts, uint64_t address,
                 struct insn_step *step);

/* What is loaded into the word of WIDTH bytes at ADDRESS, if that is known.
   Words of 8 bytes are relocated, others extended as IS_SIGNED says; those are
   known only where the program cannot write.  */
bool facts_word (const struct image_facts *facts, uint64_t address,
                 unsigned width, bool is_signed, uint64_t *value);

/* What is in the word when the program starts, also if the program may write
   it.  */
bool facts_initial_word (const struct image_facts *facts, uint64_t address,
                         unsigned width, bool is_signed, uint64_t *value);

/* The relocation of the word at PLACE, or NULL: also for 0, which is no
   place.  */
const struct relocated *facts_relocated (const struct image_facts *facts,
                                         uint64_t place);

/* A jump or call, by FLOW (enum insn_flow), through the word at PLACE becomes
   a direct one to TARGET, if it is certain where the word leads.  */
void facts_resolve (const struct image_facts *facts, uint64_t place,
                    uint8_t *flow, uint64_t *target);

/* Whether a call of what the word at PLACE points to comes back, as far as the
   name of an imported function tells; true where nothing is known.  With
   ARGUMENT_IS_SET, the first argument is known not to be 0.  */
bool facts_call_returns (const struct image_facts *facts, uint64_t place,
                         bool argument_is_set);

/* Sort in what was added to `referenced'.  False when memory ran out.  */
bool facts_sort_references (struct image_facts *facts);

/* The lowest referenced address above ADDRESS, or UINT64_MAX.  */
uint64_t facts_next_reference (const struct image_facts *facts,
                               uint64_t address);

/* Find the table_ends of tables.  A jump table whose number of entries is not
   known ends where anything else begins.  Functions that were not found yet
   may be the only ones that name what else there is.  Therefore all code is
   searched, byte for byte, for what looks like an instruction that names an
   address.  Some of what is found is no instruction: such an address can end a
   table early, which leaves code without rows and makes no wrong one.  False
   when memory ran out.  */
bool facts_find_table_ends (struct image_facts *facts);

#endif /* ANALYSIS_IMAGE_FACTS_H */
