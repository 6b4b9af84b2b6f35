/* A stretch of code: its functions on their way from CFI into an encoder.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/stretch.h"

#include <stdlib.h>
#include <string.h>

#include "cfi/cfa_program.h"
#include "sframe/compact.h"
#include "sframe/gnu.h"
#include "sframe/lower.h"

enum
{
  /* The PLT takes more bytes of the file than the rows made of it; small files
     may have it otherwise.  */
  REPEATED_FLOOR = 1 << 20,
  PLT_SECTIONS = 3,
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  FDES_TO_CUT = 4 /* fuzzers' inputs are small, and shall go both ways */
#else
  /* With fewer functions a second thread costs more than it gains.  */
  FDES_TO_CUT = 4096
#endif
};

/* What became of a program when it was executed first.  */
struct outcome
{
  uint32_t number; /* as of n_added; UINT32_MAX: not known */
  /* For functions larger than so many bytes it is the same (see
     cfa_machine_reach).  */
  uint32_t reach;
};

struct stretch
{
  struct stretch_source source;
  struct stretch_range range;
  struct cfi2sframe_report *report;
  struct cfa_machine *machine;
  struct outcome *outcomes;       /* one per program, or NULL */
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

/* Lowering's results.  */

static bool
take_piece (void *context, const struct sframe_function *piece,
            struct error *err)
{
  struct stretch *stretch = context;
  /* The stubs of a PLT are in the file.  Whoever reads the rows goes through
     their blocks one by one.  */
  stretch->repeated += piece->pcmask ? piece->size : 0;
  if (stretch->repeated > stretch->source.image->size + REPEATED_FLOOR)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "the CFI asks for unreasonably many rows");
  stretch->report->bytes_covered += piece->size;
  if (stretch->compactor != NULL)
    return compactor_add (stretch->compactor, piece, err);
  return sframe_encoder_add (stretch->encoder, piece, err);
}

/* Code with CFI follows that no row may cover.  */
static void
separate (struct stretch *stretch)
{
  if (stretch->compactor != NULL)
    compactor_separate (stretch->compactor);
}

static void
take_left_out (void *context, uint64_t address, uint32_t size,
               enum frame_reason reason)
{
  (void)address;
  struct stretch *stretch = context;
  separate (stretch);
  stretch->report->bytes_left_out += size;
  if (stretch->first_reason == REASON_NONE)
    stretch->first_reason = reason;
}

/* Count a whole FDE that is not used.  */
static void
leave_out_fde (struct stretch *stretch, const struct cfi_fde *fde,
               enum frame_reason reason)
{
  separate (stretch);
  stretch->report->left_out[reason]++;
  stretch->report->bytes_left_out += fde->size;
}

/* Whether the FDE's code lies in one executable segment.  FDEs come in address
   order, so the segment is nearly always that of the FDE before.  */
static bool
is_executable (struct stretch *stretch, const struct cfi_fde *fde)
{
  const struct image *image = stretch->source.image;
  while (stretch->segment < image->n_segments)
    {
      const GElf_Phdr *load = &image->segments[stretch->segment];
      uint64_t skip = fde->address - load->p_vaddr;
      if (load->p_type == PT_LOAD && (load->p_flags & PF_X)
          && fde->address >= load->p_vaddr && skip < load->p_memsz)
        return fde->size <= load->p_memsz - skip;
      if (load->p_type == PT_LOAD && load->p_vaddr > fde->address)
        return false; /* segments ascend: a later FDE may be in this one */
      stretch->segment++;
    }
  return false;
}

static enum frame_reason
fde_problem (struct stretch *stretch, const struct cfi_fde *fde)
{
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  if (!is_executable (stretch, fde))
    return REASON_NOT_EXECUTABLE;
  if (fde->address < stretch->covered_end)
    return REASON_OVERLAP;
  return REASON_NONE;
}

static bool
lower_one (struct stretch *stretch, const struct frame_function *function,
           struct error *err)
{
  stretch->first_reason = REASON_NONE;
  stretch->covered_end = function->address + function->size;
  /* Stubs are in a section of their own; what is between sections is not
     padding between functions.  */
  if (function->from_plt)
    separate (stretch);
  if (!lower_function (&stretch->lower, function, &stretch->sink, err))
    return false;
  if (function->from_plt)
    {
      separate (stretch);
      return true;
    }
  if (stretch->first_reason == REASON_NONE)
    stretch->report->functions_covered++;
  else
    stretch->report->left_out[stretch->first_reason]++;
  return true;
}

/* What GNU as would have written for FDE.  */
static bool
add_as_gnu (struct stretch *stretch, const struct cfi_fde *fde,
            struct error *err)
{
  struct sframe_function function;
  enum frame_reason reason;
  if (!gnu_translate (stretch->gnu, stretch->source.cfi, fde, &function,
                      &reason, err))
    return false;
  if (reason != REASON_NONE)
    {
      leave_out_fde (stretch, fde, reason);
      return true;
    }
  stretch->covered_end = fde->address + fde->size;
  stretch->report->functions_covered++;
  return take_piece (stretch, &function, err);
}

/* GNU as never sees the PLT: the linker describes it.  */
static const struct image_section *
plt_section_of (const struct stretch *stretch, const struct cfi_fde *fde)
{
  for (size_t i = 0; i < PLT_SECTIONS; i++)
    {
      const struct image_section *section = stretch->plt_sections[i];
      if (section != NULL
          && fde->address - section->header.sh_addr < section->header.sh_size)
        return section;
    }
  return NULL;
}

/* GNU ld's .plt.got, with the CFA it gives.  */
static bool
add_wrong_plt_got (struct stretch *stretch, const struct cfi_fde *fde,
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
  stretch->covered_end = fde->address + fde->size;
  stretch->report->functions_covered++;
  return take_piece (stretch, &function, err);
}

/* With --gnu: add FDE unless it is to be lowered as usual.  */
static bool
add_for_gnu (struct stretch *stretch, const struct cfi_fde *fde, bool *added,
             struct error *err)
{
  const struct image_section *plt = plt_section_of (stretch, fde);
  *added = true;
  if (plt == NULL)
    return add_as_gnu (stretch, fde, err);
  if (stretch->gnu_bugs && stretch->source.image->arch == &arch_amd64
      && strcmp (plt->name, ".plt.got") == 0 && fde->size <= UINT32_MAX)
    return add_wrong_plt_got (stretch, fde, plt, err);
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

/* How many functions were handed over.  */
static size_t
n_added (const struct stretch *stretch)
{
  return stretch->compactor != NULL
             ? compactor_n_functions (stretch->compactor)
             : sframe_encoder_n_functions (stretch->encoder);
}

/* Lower the function just executed and keep what became of its PROGRAM.  */
static bool
lower_executed (struct stretch *stretch, uint32_t program, struct error *err)
{
  const struct frame_function *function = &stretch->function;
  size_t number = n_added (stretch);
  uint64_t covered = stretch->report->bytes_covered;
  if (!lower_one (stretch, function, err))
    return false;
  uint64_t reach = cfa_machine_reach (stretch->machine);
  if (stretch->outcomes != NULL && n_added (stretch) == number + 1
      && stretch->report->bytes_covered - covered == function->size
      && number < UINT32_MAX && reach <= UINT32_MAX
      && is_position_independent (function))
    stretch->outcomes[program]
        = (struct outcome){ (uint32_t)number, (uint32_t)reach };
  return true;
}

/* Add FDE with the rows of an earlier one, if that is possible.  */
static bool
add_repeated (struct stretch *stretch, const struct cfi_fde *fde, bool *added,
              struct error *err)
{
  *added = false;
  if (stretch->outcomes == NULL || fde->size > UINT32_MAX)
    return true;
  const struct outcome *outcome = &stretch->outcomes[fde->program];
  if (outcome->number == UINT32_MAX || fde->size <= outcome->reach)
    return true;
  *added = true;
  stretch->covered_end = fde->address + fde->size;
  stretch->report->functions_covered++;
  stretch->report->bytes_covered += fde->size;
  if (stretch->compactor != NULL)
    return compactor_repeat (stretch->compactor, outcome->number, fde->address,
                             (uint32_t)fde->size, err);
  return sframe_encoder_repeat (stretch->encoder, outcome->number,
                                fde->address, (uint32_t)fde->size, err);
}

static bool
add_fde (struct stretch *stretch, const struct cfi_fde *fde, struct error *err)
{
  enum frame_reason reason = fde_problem (stretch, fde);
  bool claims = reason == REASON_NONE;
  uint64_t failed_at;
  err->status = CFI2SFRAME_OK;
  if (reason == REASON_NONE)
    {
      bool added;
      if (!(stretch->gnu != NULL ? add_for_gnu (stretch, fde, &added, err)
                                 : add_repeated (stretch, fde, &added, err)))
        return false;
      if (added)
        return true;
    }
  if (reason == REASON_NONE)
    reason = cfa_machine_run (stretch->machine, fde, &stretch->function,
                              &failed_at, err);
  if (err->status != CFI2SFRAME_OK)
    return false;
  if (reason == REASON_NONE)
    return lower_executed (stretch, fde->program, err);
  /* What its instructions would have said nobody knows, so another FDE for
     the same code is no better than a guess.  */
  uint64_t end = fde->address + fde->size;
  if ((claims || reason == REASON_OVERLAP) && end > stretch->covered_end)
    stretch->covered_end = end;
  leave_out_fde (stretch, fde, reason);
  return true;
}

/* FDEs and PLT stubs, merged in address order.  */
static bool
add_functions (struct stretch *stretch, struct error *err)
{
  const struct stretch_range *range = &stretch->range;
  const struct cfi_fde *fdes = stretch->source.cfi->fdes;
  const struct frame_function *stubs = stretch->source.plt->functions;
  size_t stub = range->first_stub;
  for (size_t i = range->first_fde; i <= range->end_fde; i++)
    {
      uint64_t next = i < range->end_fde ? fdes[i].address : UINT64_MAX;
      for (; stub < range->end_stub && stubs[stub].address < next; stub++)
        if (stubs[stub].address >= stretch->covered_end
            && !lower_one (stretch, &stubs[stub], err))
          return false;
      if (i < range->end_fde && !add_fde (stretch, &fdes[i], err))
        return false;
    }
  return true;
}

bool
stretch_build (struct stretch *stretch, struct error *err)
{
  return add_functions (stretch, err)
         && (stretch->compactor == NULL
             || compactor_finish (stretch->compactor, stretch->encoder, err));
}

/* Making one.  */

static bool
is_padding (const void *context, uint64_t address, uint64_t size)
{
  return padding_finder_is_padding (context, address, size);
}

static bool
prepare_compactor (struct stretch *stretch,
                   const struct encode_options *encode, struct error *err)
{
  if (!padding_finder_init (&stretch->padding, stretch->source.image, err))
    return false;
  stretch->compactor = compactor_new (
      encode, (struct compact_gaps){ &stretch->padding, is_padding });
  return stretch->compactor != NULL || error_set_no_memory (err);
}

static bool
prepare_gnu (struct stretch *stretch, const struct encode_options *encode,
             bool bugs, struct error *err)
{
  static const char *const plt[] = { ".plt", ".plt.sec", ".plt.got" };
  const struct gnu_options gnu
      = { .arch = encode->arch, .variant = encode->variant, .bugs = bugs };
  stretch->gnu_bugs = bugs;
  for (size_t i = 0; i < PLT_SECTIONS; i++)
    stretch->plt_sections[i]
        = image_find_section (stretch->source.image, plt[i]);
  stretch->gnu = gnu_translator_new (&gnu);
  return stretch->gnu != NULL || error_set_no_memory (err);
}

static bool
prepare_outcomes (struct stretch *stretch, struct error *err)
{
  size_t n = stretch->source.cfi->n_programs;
  stretch->outcomes = reallocarray (NULL, n + 1, sizeof *stretch->outcomes);
  if (stretch->outcomes == NULL)
    return error_set_no_memory (err);
  memset (stretch->outcomes, 0xff, n * sizeof *stretch->outcomes);
  return true;
}

/* What stands between CFI and encoder.  */
static bool
prepare (struct stretch *stretch, const struct cfi2sframe_options *options,
         const struct encode_options *encode, struct error *err)
{
  stretch->machine = cfa_machine_new (stretch->source.cfi);
  if (stretch->machine == NULL)
    return error_set_no_memory (err);
  if (options->gnu)
    return prepare_gnu (stretch, encode, options->gnu_bugs, err);
  if (options->compact && !prepare_compactor (stretch, encode, err))
    return false;
  /* The encoder repeats only what is stored once anyway.  */
  if (!options->compact && (options->no_share || encode->arch->big_endian))
    return true;
  return prepare_outcomes (stretch, err);
}

struct stretch *
stretch_new (const struct stretch_source *source,
             const struct stretch_range *range,
             const struct cfi2sframe_options *options,
             const struct encode_options *encode,
             struct sframe_encoder *encoder, struct cfi2sframe_report *report,
             struct error *err)
{
  struct stretch *stretch = calloc (1, sizeof *stretch);
  if (stretch == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  stretch->source = *source;
  stretch->range = *range;
  stretch->report = report;
  stretch->encoder = encoder;
  stretch->lower
      = (struct lower_options){ .arch = encode->arch,
                                .variant = encode->variant,
                                .flexible = encode->arch->flexible_fdes };
  stretch->sink = (struct lower_sink){ .context = stretch,
                                       .piece = take_piece,
                                       .left_out = take_left_out };
  if (prepare (stretch, options, encode, err))
    return stretch;
  stretch_free (stretch);
  return NULL;
}

void
stretch_free (struct stretch *stretch)
{
  if (stretch == NULL)
    return;
  gnu_translator_free (stretch->gnu);
  compactor_free (stretch->compactor);
  padding_finder_free (&stretch->padding);
  free (stretch->outcomes);
  cfa_machine_free (stretch->machine);
  frame_function_free (&stretch->function);
  free (stretch);
}

/* Cutting.  */

/* The number of stubs below ADDRESS; *END is at least their end.  */
static size_t
count_stubs (const struct plt_list *plt, uint64_t address, uint64_t *end)
{
  size_t n = 0;
  for (; n < plt->n_functions && plt->functions[n].address < address; n++)
    if (plt->functions[n].address + plt->functions[n].size > *end)
      *end = plt->functions[n].address + plt->functions[n].size;
  return n;
}

bool
stretch_cut (const struct stretch_source *source, struct stretch_range *first,
             struct stretch_range *second)
{
  const struct cfi_section *cfi = source->cfi;
  uint64_t end = 0; /* of the code of all FDEs so far */
  if (cfi->n_fdes < FDES_TO_CUT)
    return false;
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      uint64_t stubs_end = 0, fde_end;
      if (i >= cfi->n_fdes / 2 && end <= fde->address)
        {
          size_t n_stubs = count_stubs (source->plt, fde->address, &stubs_end);
          *first = (struct stretch_range){ 0, i, 0, n_stubs };
          *second = (struct stretch_range){ i, cfi->n_fdes, n_stubs,
                                            source->plt->n_functions };
          return stubs_end <= fde->address;
        }
      if (__builtin_add_overflow (fde->address, fde->size, &fde_end))
        return false;
      if (fde_end > end)
        end = fde_end;
    }
  return false;
}
