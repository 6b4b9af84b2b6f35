/* Which sections the known readers of SFrame refuse or misread.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A reader can refuse a section that is right, or misread it.  The rules here
   were found by running the readers.  Each rule names a vector of the
   conformance suite (conformance/README.md), and says what the reader did with
   that vector (conformance/results.json).  tests/conformance checks that each
   rule has its record, and each record its rule.  */

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

/* A property of a section or its file that some reader does not support.  */
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
  SFRAME_TRAIT_CODE_SEGMENTS, /* of the file: several executable segments */
  SFRAME_TRAIT_CODE_LEFT_OUT, /* of the file: code with CFI has no row */
  SFRAME_N_TRAITS
};

struct sframe_traits
{
  uint32_t present; /* bit i is set: the trait with number i is present */
  /* The address of the first function with the trait; 0: the trait is that of
     the section or the file.  */
  uint64_t first[SFRAME_N_TRAITS];
};

enum sframe_effect
{
  SFRAME_NO_RULE, /* the reader behaves as if there were no row */
  SFRAME_REFUSES, /* the reader rejects the section */
  SFRAME_MISREADS /* the reader finds wrong rules */
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

/* The name of READER for users, like "linux".  */
const char *sframe_reader_name (enum sframe_reader reader);

/* Whether READER supports ARCH.  */
bool sframe_reader_is_for (enum sframe_reader reader, const struct arch *arch);

static inline bool
sframe_traits_have (const struct sframe_traits *traits,
                    enum sframe_trait trait)
{
  return traits->present >> trait & 1;
}

/* Add TRAIT to TRAITS, with the ADDRESS of the function that has it, or 0.  */
void sframe_traits_add (struct sframe_traits *traits, enum sframe_trait trait,
                        uint64_t address);

/* Add the traits that all sections of VARIANT have.  */
void sframe_traits_add_variant (struct sframe_traits *traits,
                                struct sframe_variant variant);

/* Add the traits of a section.  False if it is damaged, or memory ran out.  */
bool sframe_traits_find (struct sframe_traits *traits,
                         const struct sframe_decoder *decoder,
                         struct error *err);

/* Whether a section that has the trait of RULE must not be given to the rule's
   reader, because the reader refuses or misreads it.  Under any other rule the
   reader finds fewer rows, but no wrong ones.  */
bool sframe_rule_forbids (const struct sframe_reader_rule *rule);

/* Write RULE as a sentence to TEXT, which has SIZE bytes.  */
void sframe_rule_explain (const struct sframe_reader_rule *rule,
                          const struct sframe_traits *traits, char *text,
                          size_t size);

/* For tests/conformance/readers.c alone: the name of READER in
   conformance/results.json, and a noun phrase for TRAIT.  */
const char *sframe_reader_record (enum sframe_reader reader);
const char *sframe_trait_text (enum sframe_trait trait);

#endif /* SFRAME_READERS_H */
