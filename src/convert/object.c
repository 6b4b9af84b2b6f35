/* Building the .sframe of a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/object.h"

#include <stdlib.h>
#include <string.h>

#include "cfi/cfa_program.h"
#include "cfi/eh_frame.h"
#include "sframe/encode.h"
#include "sframe/format.h"
#include "sframe/gnu.h"
#include "sframe/lower.h"

enum
{
  /* See builder.c.  */
  ROWS_FLOOR = 1 << 20
};

/* An FDE as it stands in .eh_frame.  */
struct object_fde
{
  uint64_t offset;
  size_t index; /* in cfi_section */
  bool overlap; /* begins inside an earlier function */
};

struct object_builder
{
  const struct relocatable *object;
  const struct object_options *options;
  const struct arch *arch;
  struct cfi_section cfi;
  struct object_fde *order; /* ascending offset, as GNU as writes them */
  struct gnu_translator *gnu;
  struct cfa_machine *machine;
  struct frame_function function;
  struct sframe_encoder *encoder;
  struct object_section *section;
  size_t fixes_capacity;
  object_left_out *left_out;
  void *context;
};

static bool
builder_open (struct object_builder *builder, struct error *err)
{
  const struct object_options *options = builder->options;
  const struct encode_options encode = {
    .arch = builder->arch,
    .variant = options->variant,
    .gnu_widths = options->gnu,
    .rows_max = builder->object->image->size + ROWS_FLOOR,
  };
  builder->encoder = sframe_encoder_new (&encode);
  if (options->gnu)
    {
      const struct gnu_options gnu = { .arch = builder->arch,
                                       .variant = options->variant,
                                       .bugs = options->bugs };
      builder->gnu = gnu_translator_new (&gnu);
    }
  else
    builder->machine = cfa_machine_new (&builder->cfi);
  if (builder->encoder == NULL
      || (builder->gnu == NULL && builder->machine == NULL))
    return error_set_no_memory (err);
  return true;
}

static void
builder_close (struct object_builder *builder)
{
  sframe_encoder_free (builder->encoder);
  gnu_translator_free (builder->gnu);
  cfa_machine_free (builder->machine);
  frame_function_free (&builder->function);
  free (builder->order);
  cfi_section_free (&builder->cfi);
}

static int
compare_by_offset (const void *a, const void *b)
{
  const struct object_fde *x = a, *y = b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The CFI reader sorts by address.  */
static bool
order_fdes (struct object_builder *builder, struct error *err)
{
  const struct cfi_section *cfi = &builder->cfi;
  builder->order = calloc (cfi->n_fdes + 1, sizeof *builder->order);
  if (builder->order == NULL)
    return error_set_no_memory (err);
  uint64_t end = 0;
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      builder->order[i] = (struct object_fde){
        .offset = fde->offset,
        .index = i,
        .overlap = fde->address < end,
      };
      if (!builder->order[i].overlap)
        end = fde->address + fde->size;
    }
  qsort (builder->order, cfi->n_fdes, sizeof *builder->order,
         compare_by_offset);
  return true;
}

/* --- One function.  */

static void
report (struct object_builder *builder, uint64_t address, uint64_t size,
        enum frame_reason reason)
{
  if (builder->left_out)
    builder->left_out (builder->context, address,
                       size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
                       reason);
}

/* Encode FUNCTION and note the relocation of its start.  */
static bool
add_function (void *context, const struct sframe_function *function,
              struct error *err)
{
  struct object_builder *builder = context;
  struct object_section *section = builder->section;
  size_t index = section->n_functions;
  if (index == builder->fixes_capacity)
    {
      size_t capacity = index ? 2 * index : 64;
      struct relocatable_fix *grown
          = reallocarray (section->fixes, capacity, sizeof *grown);
      if (grown == NULL)
        return error_set_no_memory (err);
      section->fixes = grown;
      builder->fixes_capacity = capacity;
    }
  struct relocatable_fix *fix = &section->fixes[index];
  if (!relocatable_locate (builder->object, function->address, function->size,
                           &fix->section, &fix->addend))
    return error_set (err, CFI2SFRAME_INVALID, "function outside its section");
  if (!sframe_encoder_add (builder->encoder, function, err))
    return false;
  section->n_functions++;
  section->bytes_covered += function->size;
  return true;
}

static void
piece_left_out (void *context, uint64_t address, uint32_t size,
                enum frame_reason reason)
{
  report (context, address, size, reason);
}

static bool
add_lowered (struct object_builder *builder, const struct cfi_fde *fde,
             struct error *err)
{
  const struct lower_options lower
      = { .arch = builder->arch,
          .variant = builder->options->variant,
          .flexible = builder->options->flexible };
  const struct lower_sink sink = { .context = builder,
                                   .piece = add_function,
                                   .left_out = piece_left_out };
  uint64_t failed_at;
  err->status = CFI2SFRAME_OK;
  enum frame_reason reason = cfa_machine_run (
      builder->machine, fde, &builder->function, &failed_at, err);
  if (err->status != CFI2SFRAME_OK)
    return false;
  if (reason == REASON_NONE)
    return lower_function (&lower, &builder->function, &sink, err);
  report (builder, fde->address, fde->size, reason);
  return true;
}

static bool
add_as_gnu (struct object_builder *builder, const struct cfi_fde *fde,
            struct error *err)
{
  struct sframe_function function;
  enum frame_reason reason;
  if (!gnu_translate (builder->gnu, &builder->cfi, fde, &function, &reason,
                      err))
    return false;
  if (reason == REASON_NONE)
    return add_function (builder, &function, err);
  report (builder, fde->address, fde->size, reason);
  return true;
}

/* Why FDE cannot be converted at all.  */
static enum frame_reason
check_fde (const struct object_builder *builder,
           const struct object_fde *place)
{
  const struct cfi_fde *fde = &builder->cfi.fdes[place->index];
  size_t section;
  uint64_t offset;
  if (relocatable_touches (builder->object, fde->offset + fde->head_size,
                           fde->instructions_size))
    return REASON_BAD_INSTRUCTION;
  if (!relocatable_locate (builder->object, fde->address, fde->size, &section,
                           &offset))
    return REASON_NOT_EXECUTABLE;
  if (builder->options->gnu && builder->options->bugs)
    return REASON_NONE;
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  return place->overlap ? REASON_OVERLAP : REASON_NONE;
}

static bool
add_functions (struct object_builder *builder, struct error *err)
{
  for (size_t i = 0; i < builder->cfi.n_fdes; i++)
    {
      const struct object_fde *place = &builder->order[i];
      const struct cfi_fde *fde = &builder->cfi.fdes[place->index];
      enum frame_reason reason = check_fde (builder, place);
      uint64_t covered = builder->section->bytes_covered;
      if (reason)
        report (builder, fde->address, fde->size, reason);
      else if (builder->gnu ? !add_as_gnu (builder, fde, err)
                            : !add_lowered (builder, fde, err))
        return false;
      builder->section->n_covered
          += builder->section->bytes_covered - covered == fde->size;
    }
  return true;
}

/* --- The section.  */

/* Starts are left to the relocations, like everything RELA fills in.  */
static void
clear_starts (struct object_builder *builder)
{
  struct object_section *section = builder->section;
  unsigned version = builder->options->variant.version;
  size_t entry = version == 1   ? SFRAME_V1_FDE_SIZE
                 : version == 2 ? SFRAME_V2_FDE_SIZE
                                : SFRAME_V3_INDEX_SIZE;
  size_t width = version == 3 ? 8 : 4;
  for (size_t i = 0; i < section->n_functions; i++)
    {
      size_t offset = SFRAME_HEADER_SIZE + i * entry;
      section->fixes[i].offset = offset;
      memset (section->bytes.bytes + offset, 0, width);
    }
}

static bool
finish_section (struct object_builder *builder, struct error *err)
{
  struct object_section *section = builder->section;
  const struct object_options *options = builder->options;
  bool header_only = options->gnu && options->bugs && builder->cfi.n_fdes > 0;
  if (section->n_functions == 0 && !header_only)
    return error_set (err, CFI2SFRAME_NOTHING,
                      builder->cfi.n_fdes
                          ? "no function can be expressed in SFrame"
                          : "no CFI");
  if (!sframe_encoder_write (builder->encoder,
                             builder->object->eh_frame_address,
                             &section->bytes, err))
    return false;
  clear_starts (builder);
  /* GNU as fills up to the alignment on s390x only.  */
  if (options->gnu && builder->arch->cfa_scale != 1)
    buffer_fill (&section->bytes, 0, -section->bytes.size & 7);
  section->n_rows = sframe_encoder_n_rows (builder->encoder);
  bool typed = options->variant.version == 3
               || (options->variant.version == 2 && options->variant.pcrel);
  section->section_type = typed ? SHT_GNU_SFRAME : SHT_PROGBITS;
  section->relocation_type = options->variant.version == 3
                                 ? builder->arch->reloc_pcrel64
                                 : builder->arch->reloc_pcrel32;
  return !section->bytes.failed || error_set_no_memory (err);
}

bool
object_section_build (struct object_section *section,
                      const struct relocatable *object,
                      const struct object_options *options,
                      object_left_out *left_out, void *context,
                      struct error *err)
{
  struct object_builder builder = { .object = object,
                                    .options = options,
                                    .arch = object->image->arch,
                                    .section = section,
                                    .left_out = left_out,
                                    .context = context };
  *section = (struct object_section){ .fixes = NULL };
  buffer_init (&section->bytes, object->image->big_endian);
  bool built = cfi_section_read (&builder.cfi, builder.arch, object->eh_frame,
                                 object->eh_frame_size,
                                 object->eh_frame_address, err);
  section->n_cfi_functions = builder.cfi.n_fdes + builder.cfi.n_damaged;
  built = built && builder_open (&builder, err) && order_fdes (&builder, err)
          && add_functions (&builder, err) && finish_section (&builder, err);
  builder_close (&builder);
  return built;
}

void
object_section_free (struct object_section *section)
{
  buffer_free (&section->bytes);
  free (section->fixes);
  section->fixes = NULL;
}

bool
object_section_write (const struct object_section *section,
                      const struct relocatable *object, int out_fd,
                      struct error *err)
{
  const struct relocatable_output output = {
    .bytes = section->bytes.bytes,
    .size = section->bytes.size,
    .section_type = section->section_type,
    .relocation_type = section->relocation_type,
    .fixes = section->fixes,
    .n_fixes = section->n_functions,
  };
  return relocatable_write (object->image, &output, out_fd, err);
}
