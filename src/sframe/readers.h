/* What known readers of SFrame make of a section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A section can be right and still be refused by a reader, or misread.  What
   readers do was found out by running them: each rule here names a vector of
   the conformance suite (conformance/README.md), and says what the reader was
   recorded to do with that vector (conformance/results.json).
   tests/conformance holds rules and records together, in both directions.  */

#ifndef SFRAME_READERS_H
#define SFRAME_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sframe/decode.h"

enum sframe_reader
{
  SFRAME_READER_LINUX,
  SFRAME_READER_GLIBC,
  SFRAME_READER_LIBSFRAME,
  SFRAME_READER_LIBSFRAME_2_44,
  SFRAME_READER_LIBSFRAME_2_40,
  SFRAME_N_READERS
};

/* What a section, or the file that it is in, can have that some reader does
   not take.  */
enum sframe_trait
{
  SFRAME_TRAIT_VERSION_1,
  SFRAME_TRAIT_VERSION_2,
  SFRAME_TRAIT_VERSION_3,
  SFRAME_TRAIT_PCREL,
  SFRAME_TRAIT_NOT_PCREL,
  SFRAME_TRAIT_UNSORTED,
  SFRAME_TRAIT_NO_FUNCTIONS,
  SFRAME_TRAIT_AUX_HEADER,
  SFRAME_TRAIT_AUX_HEADER_BIG_ENDIAN,
  SFRAME_TRAIT_GAP,
  SFRAME_TRAIT_REST_BIG_ENDIAN,
  SFRAME_TRAIT_NO_ROWS,
  SFRAME_TRAIT_NO_ROWS_SIGNAL,
  SFRAME_TRAIT_MORE_ROWS_THAN_BYTES,
  SFRAME_TRAIT_SHARED_BIG_ENDIAN,
  SFRAME_TRAIT_MASK_OF_ROWS,
  SFRAME_TRAIT_NO_WORDS,
  SFRAME_TRAIT_PADDING_LAST,
  SFRAME_TRAIT_WIDE_CFA,
  SFRAME_TRAIT_HIGH_REGISTER,
  SFRAME_TRAIT_CODE_SEGMENTS, /* of the file: several executable ones */
  SFRAME_TRAIT_CODE_LEFT_OUT, /* of the file: code with CFI has no row */
  SFRAME_N_TRAITS
};

struct sframe_traits
{
  uint32_t present; /* a bit for each */
  /* The address of the first function that has the trait, or 0 for a trait of
     the whole section or file.  */
  uint64_t first[SFRAME_N_TRAITS];
};

enum sframe_effect
{
  SFRAME_NO_RULE, /* the reader finds nothing, as if there were no row */
  SFRAME_REFUSES, /* the reader does not take the section */
  SFRAME_MISREADS /* the reader takes something else for right */
};

struct sframe_reader_rule
{
  enum sframe_reader reader;
  enum sframe_trait trait;
  enum sframe_effect effect;
  const char *vector; /* that shows it */
};

/* All rules, by reader.  */
const struct sframe_reader_rule *sframe_reader_rules (size_t *n);

/* "linux", as users write it.  */
const char *sframe_reader_name (enum sframe_reader reader);

/* Whether READER is made for ARCH.  */
bool sframe_reader_is_for (enum sframe_reader reader, const struct arch *arch);

static inline bool
sframe_traits_have (const struct sframe_traits *traits,
                    enum sframe_trait trait)
{
  return traits->present >> trait & 1;
}

/* Note that there is TRAIT, at the function of ADDRESS (or 0).  */
void sframe_traits_add (struct sframe_traits *traits, enum sframe_trait trait,
                        uint64_t address);

/* Note the traits that all sections of VARIANT have.  */
void sframe_traits_add_variant (struct sframe_traits *traits,
                                struct sframe_variant variant);

/* Note the traits of the section behind DECODER.  False if the section is
   broken, or when memory ran out.  */
bool sframe_traits_find (struct sframe_traits *traits,
                         const struct sframe_decoder *decoder,
                         struct error *err);

/* Whether RULE, which TRAITS have fulfilled, is about the section itself, and
   makes its reader refuse or misread the section.  Otherwise the reader finds
   less, and nothing wrong.  */
bool sframe_rule_forbids (const struct sframe_reader_rule *rule);

/* RULE as a sentence in the SIZE bytes of TEXT.  */
void sframe_rule_explain (const struct sframe_reader_rule *rule,
                          const struct sframe_traits *traits, char *text,
                          size_t size);

/* For tests/conformance/readers.c alone: the name of READER in
   conformance/results.json; and what TRAIT is, in words that follow a verb. */
const char *sframe_reader_record (enum sframe_reader reader);
const char *sframe_trait_text (enum sframe_trait trait);

#endif /* SFRAME_READERS_H */
