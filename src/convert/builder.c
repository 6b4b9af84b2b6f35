/* From an ELF image to the rows of its SFrame section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/builder.h"

#include <stdlib.h>
#include <string.h>

#include "cfi/cfa_program.h"
#include "cfi/padding.h"
#include "cfi/plt.h"
#include "cfi/program_memo.h"
#include "sframe/compact.h"
#include "sframe/gnu.h"
#include "sframe/lower.h"

_Static_assert((int)REASON_COUNT <= CFI2SFRAME_REASONS_MAX,
               "reasons do not fit the public report");

enum
{
  /* The CFI, and the PLT, take more bytes of the file than the rows made of
     them; small files may have it otherwise.  */
  ROWS_FLOOR = 1 << 20,
  PLT_SECTIONS = 3
};

struct builder
{
  const struct image *image;
  struct cfi2sframe_report *report;
  struct cfi_section cfi;
  struct plt_list plt;
  struct cfa_machine *machine;
  struct program_memo *memo; /* numbers in the encoder, or NULL */
  struct frame_function function; /* reused for every FDE */
  struct lower_options lower;
  struct lower_sink sink;
  struct sframe_encoder *encoder;
  struct compactor *compactor; /* between lowering and encoder, or NULL */
  struct padding_finder padding;
  struct gnu_translator *gnu; /* with --gnu, in lowering's place */
  bool gnu_bugs;
  const struct image_section *plt_sections[PLT_SECTIONS]; /* with --gnu */
  size_t segment;                 /* the executable segment found last */
  uint64_t covered_end;           /* code below has been described */
  uint64_t repeated;              /* bytes of code in repeated blocks */
  enum frame_reason first_reason; /* of the function at hand */
};

struct sframe_variant
builder_variant (enum cfi2sframe_format format)
{
  switch (format)
    {
    case CFI2SFRAME_V1:
      return (struct sframe_variant){ 1, false };
    case CFI2SFRAME_V2_0:
      return (struct sframe_variant){ 2, false };
    case CFI2SFRAME_V2:
      return (struct sframe_variant){ 2, true };
    default:
      return (struct sframe_variant){ 3, true };
    }
}

uint64_t
builder_rows_max (const struct image *image)
{
  return image->size + ROWS_FLOOR;
}

/* Lowering's results.  */

static bool
take_piece (void *context, const struct sframe_function *piece,
            struct error *err)
{
  struct builder *builder = context;
  /* The stubs of a PLT are in the file.  Whoever reads the rows goes through
     their blocks one by one.  */
  builder->repeated += piece->pcmask ? piece->size : 0;
  if (builder->repeated > builder->image->size + ROWS_FLOOR)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "the CFI asks for unreasonably many rows");
  builder->report->bytes_covered += piece->size;
  if (builder->compactor != NULL)
    return compactor_add (builder->compactor, piece, err);
  return sframe_encoder_add (builder->encoder, piece, err);
}

/* Code with CFI follows that no row may cover.  */
static void
separate (struct builder *builder)
{
  if (builder->compactor != NULL)
    compactor_separate (builder->compactor);
}

static void
take_left_out (void *context, uint64_t address, uint32_t size,
               enum frame_reason reason)
{
  (void)address;
  struct builder *builder = context;
  separate (builder);
  builder->report->bytes_left_out += size;
  if (builder->first_reason == REASON_NONE)
    builder->first_reason = reason;
}

/* Count a whole FDE that is not used.  */
static void
leave_out_fde (struct builder *builder, const struct cfi_fde *fde,
               enum frame_reason reason)
{
  separate (builder);
  builder->report->left_out[reason]++;
  builder->report->bytes_left_out += fde->size;
}

/* Whether the FDE's code lies in one executable segment.  FDEs come in address
   order, so the segment is nearly always that of the FDE before.  */
static bool
is_executable (struct builder *builder, const struct cfi_fde *fde)
{
  const struct image *image = builder->image;
  while (builder->segment < image->n_segments)
    {
      const GElf_Phdr *load = &image->segments[builder->segment];
      uint64_t skip = fde->address - load->p_vaddr;
      if (load->p_type == PT_LOAD && (load->p_flags & PF_X)
          && fde->address >= load->p_vaddr && skip < load->p_memsz)
        return fde->size <= load->p_memsz - skip;
      if (load->p_type == PT_LOAD && load->p_vaddr > fde->address)
        return false; /* segments ascend: a later FDE may be in this one */
      builder->segment++;
    }
  return false;
}

static enum frame_reason
fde_problem (struct builder *builder, const struct cfi_fde *fde)
{
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  if (!is_executable (builder, fde))
    return REASON_NOT_EXECUTABLE;
  if (fde->address < builder->covered_end)
    return REASON_OVERLAP;
  return REASON_NONE;
}

static bool
lower_one (struct builder *builder, const struct frame_function *function,
           struct error *err)
{
  builder->first_reason = REASON_NONE;
  builder->covered_end = function->address + function->size;
  /* Stubs are in a section of their own; what is between sections is not
     padding between functions.  */
  if (function->from_plt)
    separate (builder);
  if (!lower_function (&builder->lower, function, &builder->sink, err))
    return false;
  if (function->from_plt)
    {
      separate (builder);
      return true;
    }
  if (builder->first_reason == REASON_NONE)
    builder->report->functions_covered++;
  else
    builder->report->left_out[builder->first_reason]++;
  return true;
}

/* What GNU as would have written for FDE.  */
static bool
add_as_gnu (struct builder *builder, const struct cfi_fde *fde,
            struct error *err)
{
  struct sframe_function function;
  enum frame_reason reason;
  if (!gnu_translate (builder->gnu, &builder->cfi, fde, &function, &reason,
                      err))
    return false;
  if (reason != REASON_NONE)
    {
      leave_out_fde (builder, fde, reason);
      return true;
    }
  builder->covered_end = fde->address + fde->size;
  builder->report->functions_covered++;
  return take_piece (builder, &function, err);
}

/* GNU as never sees the PLT: the linker describes it.  */
static const struct image_section *
plt_section_of (const struct builder *builder, const struct cfi_fde *fde)
{
  for (size_t i = 0; i < PLT_SECTIONS; i++)
    {
      const struct image_section *section = builder->plt_sections[i];
      if (section != NULL
          && fde->address - section->header.sh_addr < section->header.sh_size)
        return section;
    }
  return NULL;
}

/* GNU ld's .plt.got, with the CFA it gives.  */
static bool
add_wrong_plt_got (struct builder *builder, const struct cfi_fde *fde,
                   const struct image_section *section, struct error *err)
{
  struct sframe_row row = { .base_sp = true, .n_words = 1, .words = { 16 } };
  uint64_t entry = section->header.sh_entsize;
  const struct sframe_function function = {
    .address = fde->address,
    .size = (uint32_t)fde->size,
    .pcmask = true,
    .repeat = entry == 16 ? 16 : 8,
    .rows = &row,
    .n_rows = 1,
  };
  builder->covered_end = fde->address + fde->size;
  builder->report->functions_covered++;
  return take_piece (builder, &function, err);
}

/* With --gnu: add FDE unless it is to be lowered as usual.  */
static bool
add_for_gnu (struct builder *builder, const struct cfi_fde *fde, bool *added,
             struct error *err)
{
  const struct image_section *plt = plt_section_of (builder, fde);
  *added = true;
  if (plt == NULL)
    return add_as_gnu (builder, fde, err);
  if (builder->gnu_bugs && builder->image->arch == &arch_amd64
      && strcmp (plt->name, ".plt.got") == 0 && fde->size <= UINT32_MAX)
    return add_wrong_plt_got (builder, fde, plt, err);
  *added = false;
  return true;
}

/* Whether FUNCTION has the same SFrame rows wherever it is.  */
static bool
is_position_independent (const struct frame_function *function)
{
  for (size_t i = 0; i < function->n_rows; i++)
    if (function->rows[i].cfa.kind == RULE_PLT)
      return false;
  return true;
}

/* Lower the function just executed, and keep what became of it.  */
static bool
lower_executed (struct builder *builder, struct error *err)
{
  const struct frame_function *function = &builder->function;
  size_t number = sframe_encoder_n_functions (builder->encoder);
  uint64_t covered = builder->report->bytes_covered;
  if (!lower_one (builder, function, err))
    return false;
  if (builder->memo != NULL
      && sframe_encoder_n_functions (builder->encoder) == number + 1
      && builder->report->bytes_covered - covered == function->size
      && number <= UINT32_MAX && is_position_independent (function))
    program_memo_keep (builder->memo, cfa_machine_reach (builder->machine),
                       (uint32_t)number);
  return true;
}

/* Add FDE with the rows of an earlier one, if that is possible.  */
static bool
add_repeated (struct builder *builder, const struct cfi_fde *fde, bool *added,
              struct error *err)
{
  uint32_t number;
  *added = builder->memo != NULL && fde->size <= UINT32_MAX
           && program_memo_find (builder->memo,
                                 (size_t)(fde - builder->cfi.fdes), &number);
  if (!*added)
    return true;
  builder->covered_end = fde->address + fde->size;
  builder->report->functions_covered++;
  builder->report->bytes_covered += fde->size;
  return sframe_encoder_repeat (builder->encoder, number, fde->address,
                                (uint32_t)fde->size, err);
}

static bool
add_fde (struct builder *builder, const struct cfi_fde *fde, struct error *err)
{
  enum frame_reason reason = fde_problem (builder, fde);
  bool claims = reason == REASON_NONE;
  uint64_t failed_at;
  err->status = CFI2SFRAME_OK;
  if (reason == REASON_NONE)
    {
      bool added;
      if (!(builder->gnu != NULL ? add_for_gnu (builder, fde, &added, err)
                                 : add_repeated (builder, fde, &added, err)))
        return false;
      if (added)
        return true;
    }
  if (reason == REASON_NONE)
    reason = cfa_machine_run (builder->machine, fde, &builder->function,
                              &failed_at, err);
  if (err->status != CFI2SFRAME_OK)
    return false;
  if (reason == REASON_NONE)
    return lower_executed (builder, err);
  /* What its instructions would have said nobody knows, so another FDE for
     the same code is no better than a guess.  */
  uint64_t end = fde->address + fde->size;
  if ((claims || reason == REASON_OVERLAP) && end > builder->covered_end)
    builder->covered_end = end;
  leave_out_fde (builder, fde, reason);
  return true;
}

/* FDEs and PLT stubs, merged in address order.  */
static bool
add_functions (struct builder *builder, struct error *err)
{
  size_t stub = 0;
  for (size_t i = 0; i <= builder->cfi.n_fdes; i++)
    {
      uint64_t next = i < builder->cfi.n_fdes ? builder->cfi.fdes[i].address
                                              : UINT64_MAX;
      for (; stub < builder->plt.n_functions
             && builder->plt.functions[stub].address < next;
           stub++)
        if (builder->plt.functions[stub].address >= builder->covered_end
            && !lower_one (builder, &builder->plt.functions[stub], err))
          return false;
      if (i < builder->cfi.n_fdes
          && !add_fde (builder, &builder->cfi.fdes[i], err))
        return false;
    }
  return true;
}

static void
report_cfi (struct builder *builder)
{
  struct cfi2sframe_report *report = builder->report;
  const struct cfi_section *cfi = &builder->cfi;
  report->cfi_functions = cfi->n_fdes + cfi->n_damaged;
  for (size_t i = 0; i < cfi->n_damages; i++)
    report->left_out[cfi->damages[i].reason]++;
  report->left_out[REASON_BAD_ENTRY] += cfi->n_damaged - cfi->n_damages;
  if (cfi->n_damages > 0)
    {
      report->first_damage = cfi->damages[0].offset;
      memcpy (report->damage, cfi->damages[0].text, sizeof report->damage);
    }
}

static bool
read_cfi (struct builder *builder, struct error *err)
{
  const struct image *image = builder->image;
  struct cfi2sframe_report *report = builder->report;
  struct image_eh_frame found;
  if (image->arch == NULL)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "machine %u: SFrame has no ABI for it",
                      image->header.e_machine);
  report->machine = image->arch->name;
  if (!image_find_eh_frame (image, &found, err))
    return false;
  if (found.size == 0)
    return error_set (err, CFI2SFRAME_NOTHING, "no .eh_frame");
  report->eh_frame_bytes = found.size;
  report->eh_frame_hdr_bytes = found.header_size;
  if (!cfi_section_read (&builder->cfi, image->arch, found.bytes, found.size,
                         found.address, err)
      || !plt_list_find (&builder->plt, image, &builder->cfi, err))
    return false;
  report_cfi (builder);
  return true;
}

static bool
is_padding (const void *context, uint64_t address, uint64_t size)
{
  return padding_finder_is_padding (context, address, size);
}

static bool
prepare_compactor (struct builder *builder,
                   const struct encode_options *encode, struct error *err)
{
  if (!padding_finder_init (&builder->padding, builder->image, err))
    return false;
  builder->compactor = compactor_new (
      encode, (struct compact_gaps){ &builder->padding, is_padding });
  return builder->compactor != NULL || error_set_no_memory (err);
}

static bool
prepare (struct builder *builder, const struct cfi2sframe_options *options,
         struct error *err)
{
  const struct arch *arch = builder->image->arch;
  struct sframe_variant variant = builder_variant (options->format);
  if (arch->sframe_abi == SFRAME_ABI_S390X_BE && !variant.pcrel)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "this SFrame version does not know s390x");
  builder->lower = (struct lower_options){ .arch = arch,
                                           .variant = variant,
                                           .flexible = arch->flexible_fdes };
  builder->sink = (struct lower_sink){ .context = builder,
                                       .piece = take_piece,
                                       .left_out = take_left_out };
  /* libsframe's byte-swapping reader would swap shared rows twice.  */
  struct encode_options encode
      = { .arch = arch,
          .variant = variant,
          .sorted = true,
          .share = !options->no_share && !arch->big_endian && !options->gnu,
          .gnu_widths = options->gnu,
          .rows_max = builder_rows_max (builder->image),
          .n_expected = options->compact
                            ? 0
                            : builder->cfi.n_fdes + builder->plt.n_functions };
  const struct gnu_options gnu
      = { .arch = arch, .variant = variant, .bugs = options->gnu_bugs };
  builder->gnu_bugs = options->gnu_bugs;
  static const char *const plt[] = { ".plt", ".plt.sec", ".plt.got" };
  for (size_t i = 0; options->gnu && i < PLT_SECTIONS; i++)
    builder->plt_sections[i] = image_find_section (builder->image, plt[i]);
  if (options->gnu && (builder->gnu = gnu_translator_new (&gnu)) == NULL)
    return error_set_no_memory (err);
  builder->encoder = sframe_encoder_new (&encode);
  builder->machine = cfa_machine_new (&builder->cfi);
  if (builder->encoder == NULL || builder->machine == NULL)
    return error_set_no_memory (err);
  if (options->compact && !options->gnu)
    return prepare_compactor (builder, &encode, err);
  /* Only what is shared anyway may be repeated.  */
  if (encode.share)
    builder->memo = program_memo_new (&builder->cfi);
  return !encode.share || builder->memo != NULL || error_set_no_memory (err);
}

static void
builder_free (struct builder *builder)
{
  gnu_translator_free (builder->gnu);
  compactor_free (builder->compactor);
  padding_finder_free (&builder->padding);
  program_memo_free (builder->memo);
  cfa_machine_free (builder->machine);
  frame_function_free (&builder->function);
  plt_list_free (&builder->plt);
  cfi_section_free (&builder->cfi);
}

struct sframe_encoder *
builder_build (const struct image *image,
               const struct cfi2sframe_options *options,
               struct cfi2sframe_report *report, struct error *err)
{
  struct builder builder = { .image = image, .report = report };
  bool built
      = read_cfi (&builder, err) && prepare (&builder, options, err)
        && add_functions (&builder, err)
        && (builder.compactor == NULL
            || compactor_finish (builder.compactor, builder.encoder, err));
  struct sframe_encoder *encoder = builder.encoder;
  if (built)
    {
      sframe_encoder_finish (encoder);
      report->sframe_fdes = sframe_encoder_n_functions (encoder);
      report->sframe_fres = sframe_encoder_n_rows (encoder);
      report->sframe_bytes = sframe_encoder_size (encoder);
      /* The kernel refuses a section without functions or rows.  */
      if (report->sframe_fdes == 0 || report->sframe_fres == 0)
        built = error_set (err, CFI2SFRAME_NOTHING,
                           "no function that SFrame can describe");
    }
  builder_free (&builder);
  if (built)
    return encoder;
  sframe_encoder_free (encoder);
  return NULL;
}
