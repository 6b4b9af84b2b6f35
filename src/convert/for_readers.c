/* Checks whether the readers that --for names accept a section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/for_readers.h"

#include <stdio.h>
#include <string.h>

#include "sframe/formats.h"
#include "sframe/readers.h"

enum
{
  LINE_MAX_SIZE = 200
};

_Static_assert((1u << SFRAME_READER_LINUX) == CFI2SFRAME_READER_LINUX
                   && (1u << SFRAME_READER_GLIBC) == CFI2SFRAME_READER_GLIBC
                   && (1u << SFRAME_READER_LIBSFRAME)
                          == CFI2SFRAME_READER_LIBSFRAME
                   && (1u << SFRAME_READER_LIBSFRAME_2_44)
                          == CFI2SFRAME_READER_LIBSFRAME_2_44
                   && (1u << SFRAME_READER_LIBSFRAME_2_40)
                          == CFI2SFRAME_READER_LIBSFRAME_2_40,
               "public numbers of readers are others");

const char *
for_readers_name (unsigned number)
{
  return number < SFRAME_N_READERS
             ? sframe_reader_name ((enum sframe_reader)number)
             : NULL;
}

/* Return the next rule of READERS, from index *AT on, that applies to TRAITS,
   and set *AT to the index after it.  NULL at the end.  */
static const struct sframe_reader_rule *
next_rule (unsigned readers, const struct sframe_traits *traits, size_t *at)
{
  size_t n;
  const struct sframe_reader_rule *rules = sframe_reader_rules (&n);
  while (*at < n)
    {
      const struct sframe_reader_rule *rule = &rules[(*at)++];
      if (readers >> rule->reader & 1
          && sframe_traits_have (traits, rule->trait))
        return rule;
    }
  return NULL;
}

/* Whether all READERS read the version of FORMAT.  */
static bool
all_read (unsigned readers, enum cfi2sframe_format format)
{
  struct sframe_traits traits = { 0 };
  size_t at = 0;
  sframe_traits_add_variant (&traits, format_variant (format));
  return next_rule (readers, &traits, &at) == NULL;
}

/* Write each reader's formats: "linux reads 3; glibc reads 2 and 2.0".  */
static void
list_formats (unsigned readers, char *text, size_t size)
{
  size_t at = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < SFRAME_N_READERS; i++)
    {
      const char *before = " reads ";
      if (!(readers >> i & 1))
        continue;
      at += (size_t)snprintf (text + at, size - at, "%s%s",
                              at == 0 ? "" : "; ", for_readers_name (i));
      for (unsigned j = 0; j < N_FORMATS && at < size; j++)
        if (all_read (1u << i, formats_by_age[j]))
          {
            at += (size_t)snprintf (text + at, size - at, "%s%s", before,
                                    format_name (formats_by_age[j]));
            before = " and ";
          }
      if (at >= size)
        return;
    }
}

bool
for_readers_are_known (unsigned readers)
{
  return readers >> SFRAME_N_READERS == 0;
}

bool
for_readers_format (unsigned readers, enum cfi2sframe_format *format,
                    struct error *err)
{
  char text[LINE_MAX_SIZE];
  if (readers == 0)
    return true;
  for (unsigned i = 0; i < N_FORMATS; i++)
    if (all_read (readers, formats_by_age[i]))
      {
        *format = formats_by_age[i];
        return true;
      }
  list_formats (readers, text, sizeof text);
  return error_set_word (err, CFI2SFRAME_INVALID, WORD_READER,
                         "no version is read by all of them: %s", text);
}

/* Add the traits of IMAGE that do not depend on its section.  */
static void
add_file_traits (struct sframe_traits *traits, const struct image *image)
{
  unsigned n = 0;
  FOR_EACH_LOAD (load, image)
    n += (load->p_flags & PF_X) != 0;
  if (n > 1)
    sframe_traits_add (traits, SFRAME_TRAIT_CODE_SEGMENTS, 0);
}

/* Fail with STATUS if one of READERS refuses or misreads TRAITS.  */
static bool
check_rules (unsigned readers, const struct sframe_traits *traits,
             enum cfi2sframe_status status, struct error *err)
{
  const struct sframe_reader_rule *rule;
  char text[LINE_MAX_SIZE];
  size_t at = 0;
  while ((rule = next_rule (readers, traits, &at)) != NULL)
    if (sframe_rule_forbids (rule))
      {
        sframe_rule_explain (rule, traits, text, sizeof text);
        return error_set_word (err, status, WORD_READER, "%s", text);
      }
  return true;
}

/* Fail if one of READERS does not support the machine of IMAGE.  Machines
   without SFrame are refused elsewhere.  */
static bool
check_machine (unsigned readers, const struct image *image, struct error *err)
{
  if (image->arch == NULL)
    return true;
  for (unsigned i = 0; i < SFRAME_N_READERS; i++)
    if (readers >> i & 1
        && !sframe_reader_is_for ((enum sframe_reader)i, image->arch))
      return error_set_word (err, CFI2SFRAME_REFUSED, WORD_READER,
                             "%s reads no SFrame of %s", for_readers_name (i),
                             image->arch->name);
  return true;
}

bool
for_readers_check_file (unsigned readers, const struct image *image,
                        struct error *err)
{
  struct sframe_traits traits = { 0 };
  if (!check_machine (readers, image, err))
    return false;
  add_file_traits (&traits, image);
  return check_rules (readers, &traits, CFI2SFRAME_REFUSED, err);
}

bool
for_readers_check_section (unsigned readers, const void *bytes, uint64_t size,
                           uint64_t address, struct error *err)
{
  struct sframe_decoder decoder;
  struct sframe_traits traits = { 0 };
  return readers == 0
         || (sframe_decoder_open (&decoder, bytes, size, address, err)
             && sframe_traits_find (&traits, &decoder, err)
             && check_rules (readers, &traits, CFI2SFRAME_REFUSED, err));
}

/* Append LINE to the lines in the SIZE bytes of TEXT, if it fits.  */
static void
add_line (char *text, size_t size, const char *line)
{
  size_t used = strlen (text);
  if (used + strlen (line) + 2 <= size)
    snprintf (text + used, size - used, "%s%s", used == 0 ? "" : "\n", line);
}

bool
for_readers_audit (unsigned readers, const struct image *image,
                   const struct sframe_decoder *decoder, bool left_out,
                   char *text, size_t size, struct error *err)
{
  const struct sframe_reader_rule *rule;
  struct sframe_traits traits = { 0 };
  char line[LINE_MAX_SIZE];
  size_t at = 0;
  text[0] = '\0';
  if (!check_machine (readers, image, err))
    add_line (text, size, err->reason);
  add_file_traits (&traits, image);
  if (left_out)
    sframe_traits_add (&traits, SFRAME_TRAIT_CODE_LEFT_OUT, 0);
  if (!sframe_traits_find (&traits, decoder, err))
    return false;
  while ((rule = next_rule (readers, &traits, &at)) != NULL)
    {
      sframe_rule_explain (rule, &traits, line, sizeof line);
      add_line (text, size, line);
    }
  if (err->status != CFI2SFRAME_OK)
    {
      err->status = CFI2SFRAME_MISMATCH;
      return false;
    }
  return check_rules (readers, &traits, CFI2SFRAME_MISMATCH, err);
}
