/* Whole conversions, in memory.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: an ELF file and a byte of options.  */

#include <config.h>

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "sframe/emitter.h"
#include "sframe/formats.h"
#include "write/inject.h"

enum
{
  OPTION_FORMAT = 0x03,
  OPTION_NO_SHARE = 0x04,
  OPTION_STRICT = 0x10,
  OPTION_COMPACT = 0x40
};

struct converted
{
  void *section;
  size_t size;
  uint64_t address;
  struct plan plan;
};

static void
check_section (const struct converted *converted, const struct image *image,
               const struct cfi2sframe_report *report)
{
  struct sframe_decoder decoder;
  struct error err = { 0 };
  FUZZ_DONE (sframe_decoder_open (&decoder, converted->section,
                                  converted->size, converted->address, &err),
             &err);
  FUZZ_CHECK (decoder.arch == image->arch);
  FUZZ_CHECK (decoder.n_functions == report->sframe_fdes
              && decoder.n_rows == report->sframe_fres);
  fuzz_read_section (&decoder, true);
  fuzz_verify (&decoder, image, true);
}

/* The plan that cfi2sframe_build_section must have made for itself.  */
static void
plan_again (struct converted *converted, const struct image *image,
            const struct cfi2sframe_options *options)
{
  struct error err = { 0 };
  struct plan_request request
      = { .sframe_size = converted->size,
          .section_type = format_variant (options->format).pcrel
                              ? SHT_GNU_SFRAME
                              : SHT_PROGBITS };
  FUZZ_DONE (choose_strategy (&converted->plan, image, &request, &err), &err);
  FUZZ_CHECK (converted->plan.sframe_address == converted->address);
}

void
fuzz_convert (const uint8_t *bytes, size_t size)
{
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct converted converted = { 0 };
  struct error err = { 0 };
  struct image image;
  if (size == 0)
    return;
  uint8_t choice = bytes[--size];
  uint64_t digest = hash_digest (bytes, size);
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  options.format = choice & OPTION_FORMAT;
  options.no_share = choice & OPTION_NO_SHARE;
  options.compact = choice & OPTION_COMPACT;
  options.strict = choice & OPTION_STRICT;
  bool done = cfi2sframe_build_section (bytes, size, &options,
                                        &converted.section, &converted.size,
                                        &converted.address, &report, &err);
  FUZZ_CHECK (hash_digest (bytes, size) == digest);
  FUZZ_CHECK (done || err.reason[0] != '\0');
  if (!done)
    return;
  struct error again = { 0 };
  FUZZ_DONE (image_open_memory (&image, bytes, size, &again), &again);
  plan_again (&converted, &image, &options);
  check_section (&converted, &image, &report);
  fuzz_check_plan (&converted.plan, &image);
  fuzz_check_file (&converted.plan, &image, converted.section);
  plan_free (&converted.plan);
  image_close (&image);
  free (converted.section);
}
