/* Facts about an image's addresses: code, relocated words, named places.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_PLACES_H
#define CODE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

/* A word that the dynamic linker fills in.  */
struct relocated
{
  uint64_t place;
  uint64_t value; /* address in the image; 0: in another one */
  bool is_got;    /* of the GOT: the program itself never changes it */
  bool exits;     /* is_got: another image's function, which never returns */
  bool may_exit;  /* the same if its first argument is not 0 */
  bool lands;     /* called only where an exception has landed */
};

/* A stretch of code: a section, or, where there are none, a segment.  */
struct code_segment
{
  uint64_t start, size; /* of what the file has of it */
  const uint8_t *bytes;
};

struct places
{
  const struct image *image;
  struct code_segment *segments; /* owned; ascending: executable ones */
  size_t n_segments;
  struct relocated *relocated; /* owned; ascending place */
  size_t n_relocated;
  uint64_t *named; /* owned; ascending: addresses that code computes */
  size_t n_named, named_capacity, n_named_sorted;
};

/* Read the relocations of IMAGE, which must outlive PLACES.  */
bool places_read (struct places *places, const struct image *image,
                  struct error *err);
void places_free (struct places *places);

/* The code at ADDRESS and how many bytes of it follow; NULL when there is
   none.  */
const uint8_t *places_code (const struct places *places, uint64_t address,
                            uint64_t *size);

/* What is loaded into the word of WIDTH bytes at ADDRESS, if that is known.
   Words of 8 bytes are relocated, others extended as IS_SIGNED says; those are
   known only where the program cannot write.  */
bool places_word (const struct places *places, uint64_t address,
                  unsigned width, bool is_signed, uint64_t *value);

/* The same of words that the program may write: what they begin with.  */
bool places_initial_word (const struct places *places, uint64_t address,
                          unsigned width, bool is_signed, uint64_t *value);

/* The relocation of the word at PLACE, or NULL.  */
const struct relocated *places_relocated (const struct places *places,
                                          uint64_t place);

/* Whether a call of what the word at PLACE points to comes back, as far as the
   name of an imported function tells; true where nothing is known.  With
   ARGUMENT_IS_SET, the first argument is known not to be 0.  */
bool places_call_returns (const struct places *places, uint64_t place,
                          bool argument_is_set);

/* Code computes ADDRESS.  Not sorted in until places_sort_named.  False when
   memory ran out.  */
bool places_name (struct places *places, uint64_t address);
void places_sort_named (struct places *places);

/* The lowest named address above ADDRESS, or UINT64_MAX.  */
uint64_t places_next_named (const struct places *places, uint64_t address);

#endif /* CODE_PLACES_H */
