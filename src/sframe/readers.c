/* Which sections the known readers of SFrame refuse or misread.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/readers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/radix.h"
#include "sframe/row_words.h"

/* The machines that a reader supports: a bit for each of SFrame's ABIs.  */
enum
{
  AMD64 = 1 << SFRAME_ABI_AMD64_LE,
  OLD_ABIS = AMD64 | 1 << SFRAME_ABI_AARCH64_BE | 1 << SFRAME_ABI_AARCH64_LE,
  ALL_ABIS = OLD_ABIS | 1 << SFRAME_ABI_S390X_BE
};

/* Readers, their names in the conformance suite, and their machines.  */
static const struct
{
  const char *name, *record;
  unsigned abis;
} readers[SFRAME_N_READERS] = {
  [SFRAME_READER_LINUX] = { "linux", "linux-v14-validating", AMD64 },
  [SFRAME_READER_GLIBC] = { "glibc", "glibc-2.43", AMD64 },
  [SFRAME_READER_LIBSFRAME] = { "libsframe", "libsframe-2.47.50", ALL_ABIS },
  [SFRAME_READER_LIBSFRAME_2_44]
  = { "libsframe-2.44", "libsframe-2.44", OLD_ABIS },
  [SFRAME_READER_LIBSFRAME_2_40]
  = { "libsframe-2.40", "libsframe-2.40", OLD_ABIS },
};

static const char *const trait_texts[SFRAME_N_TRAITS] = {
  [SFRAME_TRAIT_VERSION_1] = "version 1",
  [SFRAME_TRAIT_VERSION_2] = "version 2",
  [SFRAME_TRAIT_VERSION_3] = "version 3",
  [SFRAME_TRAIT_PCREL] = "starts that count from themselves",
  [SFRAME_TRAIT_NOT_PCREL] = "starts that count from the section",
  [SFRAME_TRAIT_UNSORTED] = "functions that are not sorted",
  [SFRAME_TRAIT_NO_FUNCTIONS] = "a section without functions",
  [SFRAME_TRAIT_AUX_HEADER] = "an auxiliary header",
  [SFRAME_TRAIT_AUX_HEADER_BIG_ENDIAN]
  = "an auxiliary header in big-endian byte order",
  [SFRAME_TRAIT_GAP] = "a gap in front of the functions",
  [SFRAME_TRAIT_REST_BIG_ENDIAN]
  = "bytes behind the rows in big-endian byte order",
  [SFRAME_TRAIT_NO_ROWS] = "functions without rows",
  [SFRAME_TRAIT_NO_ROWS_SIGNAL] = "signal frames without rows",
  [SFRAME_TRAIT_MORE_ROWS_THAN_BYTES]
  = "functions that have more rows than bytes",
  [SFRAME_TRAIT_SHARED_BIG_ENDIAN]
  = "rows of several functions in big-endian byte order",
  [SFRAME_TRAIT_MASK_OF_ROWS] = "several rows that repeat",
  [SFRAME_TRAIT_NO_WORDS] = "rows without data words",
  [SFRAME_TRAIT_PADDING_LAST] = "rows that end in padding",
  [SFRAME_TRAIT_WIDE_CFA] = "CFA offsets of more than 32 bits",
  [SFRAME_TRAIT_HIGH_REGISTER] = "registers above 31",
  [SFRAME_TRAIT_CODE_SEGMENTS] = "a file with several executable segments",
  [SFRAME_TRAIT_CODE_LEFT_OUT]
  = "code without rows, for the end of the stack if FP is 0",
};

#define RULE(reader, trait, effect, vector)                               \
  {                                                                       \
    SFRAME_READER_##reader, SFRAME_TRAIT_##trait, SFRAME_##effect, vector \
  }

static const struct sframe_reader_rule rules[] = {
  RULE (LINUX, VERSION_1, REFUSES, "rows/v1-amd64-addr1-word1-sp-1"),
  RULE (LINUX, VERSION_2, REFUSES, "rows/v2-amd64-addr1-word1-sp-1"),
  RULE (LINUX, NOT_PCREL, REFUSES, "entries/v3-amd64-flags1-behind"),
  RULE (LINUX, UNSORTED, REFUSES, "entries/v3-amd64-unsorted"),
  RULE (LINUX, NO_FUNCTIONS, REFUSES, "header/v3-amd64-empty"),
  RULE (LINUX, AUX_HEADER, REFUSES, "header/v3-amd64-aux-8"),
  RULE (LINUX, NO_ROWS, NO_RULE, "outermost/v3-amd64-fde-without-rows"),
  RULE (LINUX, NO_ROWS_SIGNAL, NO_RULE,
        "outermost/v3-amd64-signal-without-rows"),
  RULE (LINUX, MORE_ROWS_THAN_BYTES, REFUSES, "lies/v3-amd64-fde1.size-0"),
  RULE (LINUX, PADDING_LAST, REFUSES, "flexible/amd64-ra-padding-word1"),
  RULE (LINUX, HIGH_REGISTER, MISREADS, "flexible/amd64-register-8191"),
  RULE (LINUX, CODE_SEGMENTS, REFUSES, "segments/v3-amd64-2"),

  RULE (GLIBC, VERSION_1, REFUSES, "rows/v1-amd64-addr1-word1-sp-1"),
  RULE (GLIBC, VERSION_3, REFUSES, "rows/v3-amd64-addr1-word1-sp-1"),
  RULE (GLIBC, UNSORTED, NO_RULE, "entries/v2-amd64-unsorted"),
  RULE (GLIBC, GAP, MISREADS, "header/v2-amd64-gap-before-entries"),
  RULE (GLIBC, NO_WORDS, NO_RULE, "outermost/v2-amd64-row-without-words"),
  RULE (GLIBC, CODE_LEFT_OUT, MISREADS, "outermost/v2-amd64-no-row-fp-0"),

  RULE (LIBSFRAME, VERSION_1, REFUSES, "rows/v1-amd64-addr1-word1-sp-1"),
  RULE (LIBSFRAME, NOT_PCREL, MISREADS, "entries/v2-amd64-flags1-behind"),
  RULE (LIBSFRAME, UNSORTED, NO_RULE, "entries/v3-amd64-unsorted"),
  RULE (LIBSFRAME, AUX_HEADER_BIG_ENDIAN, REFUSES, "header/v3-s390x-aux-8"),
  RULE (LIBSFRAME, GAP, MISREADS, "header/v3-amd64-gap-before-entries"),
  RULE (LIBSFRAME, REST_BIG_ENDIAN, REFUSES, "header/v3-s390x-bytes-behind"),
  RULE (LIBSFRAME, NO_ROWS, NO_RULE, "outermost/v3-amd64-fde-without-rows"),
  RULE (LIBSFRAME, NO_ROWS_SIGNAL, NO_RULE,
        "outermost/v3-amd64-signal-without-rows"),
  RULE (LIBSFRAME, SHARED_BIG_ENDIAN, REFUSES, "entries/v3-s390x-shared-rows"),
  RULE (LIBSFRAME, WIDE_CFA, MISREADS, "words/v3-s390x-cfa32-high"),

  RULE (LIBSFRAME_2_44, VERSION_1, NO_RULE, "rows/v1-amd64-addr1-word1-sp-1"),
  RULE (LIBSFRAME_2_44, VERSION_3, REFUSES, "rows/v3-amd64-addr1-word1-sp-1"),
  RULE (LIBSFRAME_2_44, PCREL, REFUSES, "rows/v2-amd64-addr1-word1-sp-1"),
  RULE (LIBSFRAME_2_44, UNSORTED, NO_RULE, "entries/v2-amd64-flags0-behind"),

  RULE (LIBSFRAME_2_40, VERSION_2, REFUSES, "rows/v2-amd64-addr1-word1-sp-1"),
  RULE (LIBSFRAME_2_40, VERSION_3, REFUSES, "rows/v3-amd64-addr1-word1-sp-1"),
  RULE (LIBSFRAME_2_40, UNSORTED, NO_RULE, "entries/v1-amd64-unsorted"),
  RULE (LIBSFRAME_2_40, GAP, NO_RULE, "header/v1-amd64-gap-before-entries"),
  RULE (LIBSFRAME_2_40, GAP, REFUSES,
        "header/v1-aarch64be-gap-before-entries"),
  RULE (LIBSFRAME_2_40, NO_WORDS, NO_RULE, "lies/v1-amd64-fde0.fre0.info-1"),
  RULE (LIBSFRAME_2_40, REST_BIG_ENDIAN, REFUSES,
        "header/v1-aarch64be-bytes-behind"),
  RULE (LIBSFRAME_2_40, SHARED_BIG_ENDIAN, REFUSES,
        "entries/v1-aarch64be-shared-rows"),
  RULE (LIBSFRAME_2_40, MASK_OF_ROWS, MISREADS,
        "search/v1-amd64-mask-two-rows"),
};

const struct sframe_reader_rule *
sframe_reader_rules (size_t *n)
{
  *n = sizeof rules / sizeof *rules;
  return rules;
}

const char *
sframe_reader_name (enum sframe_reader reader)
{
  return readers[reader].name;
}

const char *
sframe_reader_record (enum sframe_reader reader)
{
  return readers[reader].record;
}

bool
sframe_reader_is_for (enum sframe_reader reader, const struct arch *arch)
{
  return readers[reader].abis >> arch->sframe_abi & 1;
}

const char *
sframe_trait_text (enum sframe_trait trait)
{
  return trait_texts[trait];
}

bool
sframe_rule_forbids (const struct sframe_reader_rule *rule)
{
  return rule->effect != SFRAME_NO_RULE
         && rule->trait != SFRAME_TRAIT_CODE_LEFT_OUT;
}

void
sframe_rule_explain (const struct sframe_reader_rule *rule,
                     const struct sframe_traits *traits, char *text,
                     size_t size)
{
  static const char *const verbs[] = { [SFRAME_NO_RULE] = "finds no rule in",
                                       [SFRAME_REFUSES] = "refuses",
                                       [SFRAME_MISREADS] = "misreads" };
  const char *verb = rule->trait == SFRAME_TRAIT_CODE_LEFT_OUT
                         ? "takes"
                         : verbs[rule->effect];
  uint64_t first = traits->first[rule->trait];
  int n = snprintf (text, size, "%s %s %s", readers[rule->reader].name, verb,
                    trait_texts[rule->trait]);
  if (first != 0 && n > 0 && (size_t)n < size)
    snprintf (text + n, size - (size_t)n, ", first at 0x%" PRIx64, first);
}

/* ---- Traits: one pass over all functions and rows */

void
sframe_traits_add (struct sframe_traits *traits, enum sframe_trait trait,
                   uint64_t address)
{
  if (!sframe_traits_have (traits, trait))
    traits->first[trait] = address;
  traits->present |= 1u << trait;
}

void
sframe_traits_add_variant (struct sframe_traits *traits,
                           struct sframe_variant variant)
{
  sframe_traits_add (traits,
                     variant.version == 1   ? SFRAME_TRAIT_VERSION_1
                     : variant.version == 2 ? SFRAME_TRAIT_VERSION_2
                                            : SFRAME_TRAIT_VERSION_3,
                     0);
  if (variant.version > 1)
    sframe_traits_add (
        traits, variant.pcrel ? SFRAME_TRAIT_PCREL : SFRAME_TRAIT_NOT_PCREL,
        0);
}

static void
add_if (struct sframe_traits *traits, enum sframe_trait trait, bool there,
        uint64_t address)
{
  if (there)
    sframe_traits_add (traits, trait, address);
}

static void
add_header (struct sframe_traits *traits, const struct sframe_decoder *decoder)
{
  bool big = decoder->big_endian;
  sframe_traits_add_variant (traits, decoder->variant);
  add_if (traits, SFRAME_TRAIT_UNSORTED,
          !(decoder->flags & SFRAME_FLAG_SORTED), 0);
  add_if (traits, SFRAME_TRAIT_NO_FUNCTIONS, decoder->n_functions == 0, 0);
  add_if (traits, SFRAME_TRAIT_AUX_HEADER, decoder->aux_size > 0, 0);
  add_if (traits, SFRAME_TRAIT_AUX_HEADER_BIG_ENDIAN,
          decoder->aux_size > 0 && big, 0);
  add_if (traits, SFRAME_TRAIT_GAP,
          decoder->fde_offset
              > SFRAME_HEADER_SIZE + (uint64_t)decoder->aux_size,
          0);
  add_if (traits, SFRAME_TRAIT_REST_BIG_ENDIAN,
          big && decoder->fre_offset + decoder->fre_size < decoder->size, 0);
}

static void
add_row (struct sframe_traits *traits, const struct sframe_decoder *decoder,
         const struct sframe_fde *function, const struct sframe_row *row)
{
  if (row->n_words == 0)
    {
      sframe_traits_add (traits, SFRAME_TRAIT_NO_WORDS, function->address);
      return;
    }
  int32_t cfa = row->words[function->flexible ? 1 : 0], unused;
  add_if (traits, SFRAME_TRAIT_WIDE_CFA,
          !row_words_cfa_offset (decoder->arch, cfa, &unused),
          function->address);
  unsigned last = row->n_words - 1u;
  add_if (traits, SFRAME_TRAIT_PADDING_LAST,
          function->flexible && last > 0 && row->words[last] == 0
              && row->control >> last & 1,
          function->address);
  for (unsigned i = 0; function->flexible && i < row->n_words; i++)
    add_if (traits, SFRAME_TRAIT_HIGH_REGISTER,
            row->control >> i & 1 && row->words[i] & SFRAME_CONTROL_REG
                && (uint32_t)row->words[i] >> SFRAME_CONTROL_REGNUM_SHIFT > 31,
            function->address);
}

static bool
add_function (struct sframe_traits *traits,
              const struct sframe_decoder *decoder, uint32_t index,
              uint64_t *rows_left, struct error *err)
{
  struct sframe_fde function;
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  int read = 0;
  if (!sframe_decoder_walk (decoder, index, rows_left, &function, &cursor,
                            err))
    return false;
  add_if (traits, SFRAME_TRAIT_NO_ROWS,
          function.n_rows == 0 && !function.signal, function.address);
  add_if (traits, SFRAME_TRAIT_NO_ROWS_SIGNAL,
          function.n_rows == 0 && function.signal, function.address);
  add_if (traits, SFRAME_TRAIT_MORE_ROWS_THAN_BYTES,
          function.n_rows > function.size, function.address);
  add_if (traits, SFRAME_TRAIT_MASK_OF_ROWS,
          function.repeat != 0 && function.n_rows > 1, function.address);
  while ((read = sframe_row_next (&cursor, &row, err)) > 0)
    add_row (traits, decoder, &function, &row);
  return read == 0;
}

/* Add the trait of functions that share rows in big-endian byte order.  */
static bool
add_shared (struct sframe_traits *traits, const struct sframe_decoder *decoder,
            struct error *err)
{
  uint32_t n = decoder->n_functions;
  if (!decoder->big_endian || n < 2)
    return true;
  uint64_t *offsets = reallocarray (NULL, n, sizeof *offsets);
  for (uint32_t i = 0; offsets != NULL && i < n; i++)
    offsets[i] = sframe_decoder_rows_offset (decoder, i);
  bool sorted = offsets != NULL && RADIX_SORT (offsets, n);
  for (uint32_t i = 1; sorted && i < n; i++)
    add_if (traits, SFRAME_TRAIT_SHARED_BIG_ENDIAN,
            offsets[i] == offsets[i - 1], 0);
  free (offsets);
  return sorted || error_set_no_memory (err);
}

bool
sframe_traits_find (struct sframe_traits *traits,
                    const struct sframe_decoder *decoder, struct error *err)
{
  uint64_t rows_left = sframe_decoder_rows_max (decoder);
  add_header (traits, decoder);
  for (uint32_t i = 0; i < decoder->n_functions; i++)
    if (!add_function (traits, decoder, i, &rows_left, err))
      return false;
  return add_shared (traits, decoder, err);
}
