/* Building the .sframe of a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later

   finished_rows walks over the code by addresses, as in linked files.  The
   section has functions in the order of their FDEs, as GNU as writes.  */

#include "relocatable/object_section.h"

#include <stdlib.h>
#include <string.h>

#include "cfi/finished_rows.h"
#include "sframe/emitter.h"
#include "sframe/format.h"
#include "sframe/formats.h"
#include "sframe/gnu_functions.h"

struct object_builder
{
  const struct object *object;
  const struct cfi2sframe_options *options;
  struct sframe_variant variant;
  struct cfi_source source;
  struct finished_rows rows;
  struct cfi_code *codes; /* owned; ascending offset of the FDEs */
  size_t n_codes;
  struct gnu_functions *gnu; /* with --gnu */
  struct emitter *emitter;
  struct cfi2sframe_report *report;
  struct object_section *section;
};

/* Whether to describe functions of overlapping or empty ranges, as GNU as
   does, although no reader can use their rows.  */
static bool
accepts_odd_ranges (const struct object_builder *builder)
{
  return builder->options->gnu && builder->options->gnu_bugs;
}

/* ---- Opening */

static int
compare_by_offset (const void *a, const void *b)
{
  const struct cfi_code *x = a, *y = b;
  return (x->fde->offset > y->fde->offset) - (x->fde->offset < y->fde->offset);
}

/* Collect all functions, and sort them by their FDEs.  */
static bool
order_codes (struct object_builder *builder, struct error *err)
{
  size_t n_fdes = builder->source.cfi.n_fdes;
  builder->codes = calloc (n_fdes + 1, sizeof *builder->codes);
  if (builder->codes == NULL)
    return error_set_no_memory (err);
  int more = 1;
  while (builder->n_codes < n_fdes
         && (more = finished_rows_next (
                 &builder->rows, &builder->codes[builder->n_codes], err))
                > 0)
    builder->n_codes++;
  qsort (builder->codes, builder->n_codes, sizeof *builder->codes,
         compare_by_offset);
  return more >= 0;
}

static bool
open_emitter (struct object_builder *builder, struct error *err)
{
  const struct image *image = builder->object->image;
  const struct emitter_options options = {
    .image = image,
    .variant = builder->variant,
    .gnu_widths = builder->options->gnu,
    .report = builder->report,
  };
  builder->emitter = emitter_new (&options, err);
  if (builder->emitter == NULL || !builder->options->gnu)
    return builder->emitter != NULL;
  builder->gnu
      = gnu_functions_new (image, &builder->source.cfi, builder->variant,
                           builder->options->gnu_bugs);
  return builder->gnu != NULL || error_set_no_memory (err);
}

/* ---- Functions */

/* Leave out rows with a PLT expression, which looks at the lowest bits of
   addresses, unless the alignment of CODE's section keeps these bits.  */
static void
leave_out_plt_rules (struct object_builder *builder,
                     const struct cfi_code *code)
{
  struct frame_function *function = &builder->rows.walk.function;
  const struct image_section *sections = builder->object->image->sections;
  size_t section;
  uint64_t offset, align = 0;
  if (code->function != function)
    return;
  if (object_locate (builder->object, code->address, code->size, &section,
                     &offset))
    align = sections[section].header.sh_addralign;
  if (align != 0 && align % FRAME_PLT_BLOCK == 0)
    return;
  for (size_t i = 0; i < function->n_rows; i++)
    if (function->rows[i].cfa.kind == RULE_PLT)
      frame_row_leave_out (&function->rows[i], REASON_CFA_EXPRESSION);
}

static bool
add_code (struct object_builder *builder, struct cfi_code *code,
          struct error *err)
{
  if (accepts_odd_ranges (builder)
      && (code->reason == REASON_OVERLAP
          || code->reason == REASON_EMPTY_RANGE))
    code->reason = REASON_NONE;
  if (builder->gnu != NULL)
    return gnu_functions_add (builder->gnu, &builder->rows, code,
                              builder->emitter, err);
  if (!finished_rows_execute (&builder->rows, code, err))
    return false;
  leave_out_plt_rules (builder, code);
  return emitter_add (builder->emitter, &builder->rows, code, err);
}

/* Make the relocation of each function's start, but for its offset.  */
static bool
add_start_relocations (struct object_builder *builder, struct error *err)
{
  struct object_section *section = builder->section;
  const struct sframe_encoder *encoder = emitter_encoder (builder->emitter);
  size_t n = sframe_encoder_n_functions (encoder);
  section->starts = calloc (n + 1, sizeof *section->starts);
  if (section->starts == NULL)
    return error_set_no_memory (err);
  for (; section->n_functions < n; section->n_functions++)
    {
      struct start_relocation *start = &section->starts[section->n_functions];
      uint32_t size;
      uint64_t address
          = sframe_encoder_range (encoder, section->n_functions, &size);
      if (!object_locate (builder->object, address, size, &start->section,
                          &start->addend))
        return error_set (err, CFI2SFRAME_INVALID,
                          "function outside its section");
    }
  return true;
}

/* ---- The section */

static bool
write_section (struct object_builder *builder, struct error *err)
{
  struct object_section *section = builder->section;
  const struct arch *arch = builder->object->image->arch;
  struct sframe_variant variant = builder->variant;
  size_t n_fdes = builder->source.cfi.n_fdes;
  if (section->n_functions == 0
      && !(accepts_odd_ranges (builder) && n_fdes > 0))
    return error_set_word (
        err, CFI2SFRAME_NOTHING, WORD_NO_CFI,
        n_fdes > 0 ? "no function can be expressed in SFrame" : "no CFI");
  if (!sframe_encoder_write (emitter_encoder (builder->emitter),
                             builder->object->eh_frame_address,
                             &section->bytes, err))
    return false;
  /* The start fields are zero, like all fields with a RELA relocation.  */
  size_t start_size = sframe_start_size (variant.version);
  for (size_t i = 0; i < section->n_functions; i++)
    {
      size_t offset
          = SFRAME_HEADER_SIZE + i * sframe_fde_size (variant.version);
      section->starts[i].offset = offset;
      memset (section->bytes.bytes + offset, 0, start_size);
    }
  /* GNU as pads the section to its alignment on s390x only.  */
  if (builder->options->gnu && arch->cfa_scale != 1)
    buffer_fill (&section->bytes, 0, -section->bytes.size & 7);
  bool typed = variant.version > 1 && variant.pcrel;
  section->section_type = typed ? SHT_GNU_SFRAME : SHT_PROGBITS;
  section->relocation_type = start_size == 8 ? arch->relocations.pcrel64
                                             : arch->relocations.pcrel32;
  return !section->bytes.failed || error_set_no_memory (err);
}

static void
fill_in_report (const struct object_builder *builder)
{
  struct cfi2sframe_report *report = builder->report;
  const struct image *image = builder->object->image;
  report->machine = image->arch->name;
  report->strategy = "relocatable";
  report->eh_frame_bytes = builder->object->eh_frame_size;
  report->input_bytes = image->size;
  report->sframe_bytes = builder->section->bytes.size;
  report->executable_bytes = image_executable_bytes (image);
  cfi_report (&builder->source.cfi, report);
  if (builder->emitter == NULL)
    return;
  report->sframe_fdes = builder->section->n_functions;
  report->sframe_fres
      = sframe_encoder_n_rows (emitter_encoder (builder->emitter));
}

bool
object_section_build (struct object_section *section,
                      const struct object *object,
                      const struct cfi2sframe_options *options,
                      struct cfi2sframe_report *report, struct error *err)
{
  struct object_builder builder
      = { .object = object,
          .options = options,
          .variant = format_variant (options->format),
          .report = report,
          .section = section };
  *section = (struct object_section){ .starts = NULL };
  buffer_init (&section->bytes, object->image->big_endian);
  const struct rows_options rows
      = { .ignores_overlaps = accepts_odd_ranges (&builder) };
  bool built
      = object_source_open (&builder.source, object, false, err)
        && finished_rows_open (&builder.rows, &builder.source, &rows, err)
        && order_codes (&builder, err) && open_emitter (&builder, err);
  for (size_t i = 0; built && i < builder.n_codes; i++)
    built = add_code (&builder, &builder.codes[i], err);
  built = built && emitter_finish (builder.emitter, err)
          && add_start_relocations (&builder, err)
          && write_section (&builder, err);
  fill_in_report (&builder);
  emitter_free (builder.emitter);
  gnu_functions_free (builder.gnu);
  finished_rows_close (&builder.rows);
  free (builder.codes);
  cfi_source_close (&builder.source);
  return built;
}

void
object_section_free (struct object_section *section)
{
  buffer_free (&section->bytes);
  free (section->starts);
  section->starts = NULL;
}

bool
object_coverable (const struct image *image,
                  const struct cfi2sframe_options *options, uint64_t *covered,
                  struct error *err)
{
  struct cfi2sframe_report report = { 0 };
  struct object object = { 0 };
  struct object_section section = { 0 };
  bool built
      = object_open (&object, image, err)
        && object_section_build (&section, &object, options, &report, err);
  *covered = report.bytes_covered;
  object_section_free (&section);
  object_close (&object);
  return built;
}
