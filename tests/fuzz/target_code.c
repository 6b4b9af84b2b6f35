/* The analysis of code on a whole file: rows made of it, rows disproved by
   it.  Input: an ELF file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "fuzz.h"

#include "convert/code_evidence.h"

/* Rows as frame.h promises them; ones from code are complete.  */
static void
check_function (const struct frame_function *function, bool found)
{
  FUZZ_CHECK (function->n_rows > 0 && function->rows[0].start == 0);
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct frame_row *row = &function->rows[i];
      FUZZ_CHECK (row->start < function->size);
      FUZZ_CHECK (i == 0 || row->start > row[-1].start);
      FUZZ_CHECK (!found
                  || (row->cfa.kind != RULE_UNSUPPORTED
                      && row->fp.kind != RULE_UNSUPPORTED));
    }
}

static void
check_list (const struct cfi_source *source,
            const struct frame_functions *list)
{
  uint64_t reached = 0;
  for (size_t i = 0; i < list->n_functions; i++)
    {
      const struct frame_function *function = &list->functions[i];
      FUZZ_CHECK (function->address >= reached && function->size > 0);
      FUZZ_CHECK (image_is_executable (source->image, function->address,
                                       function->size));
      check_function (function, list == &source->found);
      reached = function->address + function->size;
    }
}

static void
check_source (const struct cfi_source *source)
{
  check_list (source, &source->stubs);
  check_list (source, &source->found);
}

static void
check_disproofs (const struct code_evidence *rows)
{
  for (size_t i = 0; i < rows->disproofs.n; i++)
    {
      const struct disproof *disproof = &rows->disproofs.list[i];
      FUZZ_CHECK (disproof->start < disproof->end);
      FUZZ_CHECK (i == 0 || disproof->start >= disproof[-1].end);
    }
}

void
fuzz_code (const uint8_t *bytes, size_t size)
{
  struct image image;
  struct cfi_source source = { 0 };
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN };
  struct code_evidence rows;
  struct error err = { 0 };
  if (!image_open_memory (&image, bytes, size, &err))
    return;
  if (code_analysis_exists (image.arch) && image.header.e_type != ET_REL
      && code_evidence_open_source (&source, &image, &cfi_options, &err))
    {
      /* The analysis has to prove what others describe, and may be told lies.
       */
      struct frame_row row
          = { .cfa
              = { .kind = RULE_REG, .reg = image.arch->sp, .offset = 8 } };
      struct frame_function functions[]
          = { { .address = image.header.e_entry, .size = size % 64 },
              { .address = image.header.e_entry + size % 64,
                .size = UINT32_MAX,
                .rows = &row,
                .n_rows = 1 } };
      const struct frame_functions described = { functions, 2, 2 };
      const struct code_evidence_request wanted
          = { .add = true, .verify = true, .described = &described };
      FUZZ_DONE (code_evidence_make (&rows, &source, &wanted, &err), &err);
      check_source (&source);
      check_disproofs (&rows);
      code_evidence_free (&rows);
    }
  cfi_source_close (&source);
  image_close (&image);
}
