/* Compact unwind: all formats from a file, and the reader of bare sections.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "fuzz.h"

#include <stdio.h>

#include "cfi/walk.h"
#include "compact-unwind/measure.h"
#include "compact-unwind/encoding.h"
#include "compact-unwind/info.h"
#include "tests/compact-unwind/cunwind_find.h"

/* Everything that READER gives is inside, ascending, and found again.  */
static void
check_section (const struct cunwind_reader *reader)
{
  for (uint32_t i = 0; i < cunwind_reader_n_pages (reader); i++)
    {
      struct cunwind_reader_page page;
      struct cunwind_found found;
      cunwind_reader_read_page (reader, i, &page);
      FUZZ_CHECK (page.function <= page.end);
      for (uint32_t j = 0; j < page.n_entries; j++)
        {
          struct cunwind_reader_entry entry
              = cunwind_reader_read_entry (reader, &page, j);
          FUZZ_CHECK (entry.function >= page.function
                      && entry.function <= page.end);
          if (cunwind_find (reader, entry.function, &found))
            FUZZ_CHECK (found.encoding != 0
                        && found.function <= entry.function);
        }
    }
}

static void
print_section (const struct cunwind_reader *reader)
{
  static FILE *null;
  if (null == NULL)
    null = fopen ("/dev/null", "w");
  if (null == NULL)
    return;
  cunwind_dump (reader, NULL, null);
  cunwind_dump (reader, &arch_amd64, null);
  cunwind_dump (reader, &arch_aarch64, null);
}

/* Input: a section.  */
void
fuzz_unwind_info (const uint8_t *bytes, size_t size)
{
  struct cunwind_reader reader;
  struct error err = { 0 };
  if (!cunwind_reader_open (&reader, bytes, size, &err))
    {
      FUZZ_CHECK (err.status == CFI2SFRAME_MALFORMED && err.reason[0] != 0);
      return;
    }
  check_section (&reader);
  print_section (&reader);
}

/* Each format has as many functions as the CFI, described or not.  */
static void
check_account (const struct measurement *result)
{
  for (unsigned i = 0; i < MEASURED_COUNT; i++)
    {
      const struct format_figures *format = &result->formats[i];
      uint64_t sum = format->synchronous;
      if (!format->available)
        continue;
      for (unsigned j = 0; j < CFI2SFRAME_REASONS_MAX; j++)
        sum += format->left_out[j];
      FUZZ_CHECK (sum == result->cfi_functions);
      FUZZ_CHECK (format->asynchronous <= format->synchronous);
    }
}

/* What the section says of a function that it expresses is what the CFI says
   where the function's frame is complete; elsewhere it sends to the FDE.  */
static void
check_functions (const struct image *image,
                 const struct cunwind_reader *reader)
{
  struct cfi_source source;
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_NONE };
  struct cfi_walk walk;
  struct cfi_code code;
  struct error err = { 0 };
  const GElf_Phdr *first = image_find_segment (image, PT_LOAD);
  FUZZ_DONE (cfi_source_open (&source, image, &cfi_options, &err)
                 && cfi_walk_begin (&walk, &source, &err),
             &err);
  while (cfi_walk_next (&walk, &code))
    {
      struct cunwind_found entry;
      struct cunwind_frame frame;
      if (code.fde == NULL || code.reason != REASON_NONE
          || cfi_code_is_disputed (&code))
        continue;
      FUZZ_CHECK (cunwind_find (
          reader, (uint32_t)(code.address - first->p_vaddr), &entry));
      FUZZ_CHECK (cunwind_decode (image->arch, entry.encoding, &frame));
      FUZZ_CHECK (frame.mode != CUNWIND_DWARF
                  || frame.dwarf_offset == code.fde->offset);
    }
  cfi_walk_end (&walk);
  cfi_source_close (&source);
}

/* Input: an ELF file.  */
void
fuzz_cunwind (const uint8_t *bytes, size_t size)
{
  struct image image;
  struct measurement result;
  struct cunwind_reader reader;
  struct buffer section;
  struct error err = { 0 };
  if (!image_open_memory (&image, bytes, size, &err))
    return;
  buffer_init (&section, false);
  if (measure_image (&image, MEASURE_ALL, &result, &section, &err))
    {
      check_account (&result);
      if (result.formats[MEASURED_COMPACT_UNWIND].available)
        {
          FUZZ_DONE (
              cunwind_reader_open (&reader, section.bytes, section.size, &err),
              &err);
          check_section (&reader);
          check_functions (&image, &reader);
        }
    }
  buffer_free (&section);
  image_close (&image);
}
