/* Looking at an .sframe that is there: checking and printing it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "convert/archive_members.h"
#include "convert/fields.h"
#include "convert/input.h"
#include "convert/section_check.h"
#include "convert/thresholds.h"
#include "place/refusals.h"
#include "relocatable/object_audit.h"
#include "sframe/dump.h"

static bool
check_image (const struct image *image, const struct cfi_options *cfi_options,
             struct cfi2sframe_check_result *found, struct error *err)
{
  const char *useless;
  if (!section_compare (image, cfi_options, &useless, found, err))
    return false;
  if (useless != NULL)
    return refusals_check_debug_file (image, err)
           && error_set_word (err, CFI2SFRAME_MISMATCH, WORD_USELESS_SFRAME,
                              "its .sframe is of no use to any reader: %s",
                              useless);
  return found->bytes_wrong + found->bytes_extra == 0
         || error_set (err, CFI2SFRAME_MISMATCH, "%s", found->difference);
}

struct archive_check
{
  const struct cfi_options *cfi_options;
  struct cfi2sframe_check_result *sum; /* sum of the results of the members */
};

static bool
check_member (void *context, const char *name, const struct image *image,
              struct error *err)
{
  const struct archive_check *check = context;
  struct cfi2sframe_check_result *sum = check->sum, found = { 0 };
  (void)name;
  bool checked = check_image (image, check->cfi_options, &found, err);
  found.executable_bytes = image_executable_bytes (image);
  if (!checked && err->word == WORD_NO_SFRAME)
    object_described (image, &found.bytes_absent, err);
  if (sum->difference[0] == '\0')
    {
      sum->first_wrong = found.first_wrong;
      memcpy (sum->difference, found.difference, sizeof sum->difference);
    }
  check_sum_add (sum, &found);
  return checked;
}

bool
location_check (const struct file_location *input,
                const struct cfi2sframe_options *options,
                struct cfi2sframe_check_result *result, struct error *err)
{
  struct image image;
  const struct cfi_options cfi_options = options_cfi (options);
  struct archive_check archive
      = { .cfi_options = &cfi_options, .sum = result };
  bool checked;
  if (!image_open_or_archive (&image, input, err))
    return false;
  if (image_is_archive (&image))
    {
      checked = archive_visit (&image, check_member, &archive, err);
      /* No member has one: nothing was compared.  */
      if (!checked && err->word == WORD_NO_SFRAME)
        result->bytes_absent = 0;
    }
  else
    {
      checked = check_image (&image, &cfi_options, result, err);
      result->executable_bytes = image_executable_bytes (&image);
      bool left_out = result->bytes_absent + result->bytes_return_address > 0;
      checked = checked
                && section_check_readers (&image, options->readers, left_out,
                                          result->readers,
                                          sizeof result->readers, err);
    }
  image_close (&image);
  return checked && thresholds_check_section (options, result, err);
}

struct dump
{
  const char *path;
  FILE *out;
};

/* Dump the .sframe of IMAGE, in an archive its member NAME; readelf names
   members like this.  */
static bool
dump_image (void *context, const char *name, const struct image *image,
            struct error *err)
{
  const struct dump *dump = context;
  struct sframe_decoder decoder;
  if (!sframe_decoder_open_image (&decoder, image, err))
    return false;
  if (name != NULL)
    {
      fputs ("\nFile: ", dump->out);
      printable_put (dump->path, dump->out);
      fputc ('(', dump->out);
      printable_put (name, dump->out);
      fputs (")\n", dump->out);
    }
  return sframe_dump (&decoder, dump->out, err);
}

bool
location_dump (const struct file_location *input, FILE *out, struct error *err)
{
  struct image image;
  struct dump dump = { input->path, out };
  if (!image_open_or_archive (&image, input, err))
    return false;
  bool dumped = image_is_archive (&image)
                    ? archive_visit (&image, dump_image, &dump, err)
                    : dump_image (&dump, NULL, &image, err);
  image_close (&image);
  return dumped;
}
