/* Where the frame rows of an ELF file come from: its FDEs and PLT stubs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/source.h"

#include <stdio.h>

#include "cfi/cfa_opcode.h"
#include "cfi/fde.h"
#include "cfi/plt.h"
#include "cfi/precedence.h"

/* ---- .debug_frame */

enum
{
  /* Compilers for C and C++ save the frame pointer in about every third
     function that moves the CFA.  So many functions that move the CFA and none
     that saves the frame pointer are no accident.  */
  MOVING_MIN = 32
};

/* Sections that tell which tool made or changed a file.  */
static const struct
{
  const char *section;
  const char *problem; /* NULL: no rule tells where FP is saved */
} marks[] = {
  /* BOLT moves functions and writes .eh_frame for them anew, but leaves
     .debug_frame as it was (LLVM, bolt/lib/Rewrite/RewriteInstance.cpp).  */
  { ".note.bolt_info", "rewritten by BOLT, which leaves .debug_frame behind" },
  { ".bolt.org.text", "rewritten by BOLT, which leaves .debug_frame behind" },
  /* Go's functions save rbp and give no rule for it (Go's linker,
     cmd/link/internal/ld/dwarf.go, writeframes).  */
  { ".note.go.buildid", NULL },
  { ".go.buildinfo", NULL },
  { ".gopclntab", NULL },
  { ".data.rel.ro.gopclntab", NULL },
  /* GraalVM: rbp is a register like any other, without rules.  */
  { ".svm_heap", NULL },
};

/* Why the .debug_frame of IMAGE cannot be used, or NULL.  *FP_UNKNOWN is set
   when it can, but does not tell where FP is saved.  */
static const char *
find_mark (const struct image *image, bool *fp_unknown)
{
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
    {
      if (image_find_section (image, marks[i].section) == NULL)
        continue;
      if (marks[i].problem != NULL)
        return marks[i].problem;
      *fp_unknown = true;
    }
  return NULL;
}

static bool
is_rule_of (const struct cfa_instruction *instruction, uint64_t reg)
{
  switch (instruction->opcode)
    {
    case CFA_OFFSET:
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
    case CFA_UNDEFINED:
    case CFA_SAME_VALUE:
    case CFA_REGISTER:
    case CFA_EXPRESSION:
    case CFA_VAL_OFFSET:
    case CFA_VAL_EXPRESSION:
      return instruction->reg == reg;
    default:
      return false;
    }
}

/* Whether SIZE bytes of INSTRUCTIONS, of CIE or an FDE of it, have a rule for
   FP.  *MOVES is set when they define a CFA.  */
static bool
have_rule_of_fp (const struct cfi_section *cfi, const struct cfi_cie *cie,
                 const uint8_t *instructions, uint64_t size, bool *moves)
{
  struct cursor cursor
      = cursor_over (instructions, size, cfi->arch->big_endian);
  struct cfa_instruction instruction;
  while (cursor_left (&cursor) > 0
         && cfa_instruction_read (&cursor, cfi, cie, &instruction))
    {
      if (is_rule_of (&instruction, cfi->arch->fp))
        return true;
      *moves |= instruction.opcode >= CFA_DEF_CFA
                && instruction.opcode <= CFA_DEF_CFA_EXPRESSION;
    }
  return false;
}

/* Whether the input INDEX is a compiler's that leaves rules for FP out: many
   functions move the CFA, but none has a rule for FP.  Elsewhere one of the
   first functions has one.  */
static bool
never_tells_of_fp (const struct cfi_section *cfi, uint32_t index)
{
  size_t n_moving = 0;
  bool moves = false;
  for (size_t i = 0; i < cfi->n_cies; i++)
    if (cfi->cies[i].input == index && cfi->cies[i].instructions != NULL
        && have_rule_of_fp (cfi, &cfi->cies[i], cfi->cies[i].instructions,
                            cfi->cies[i].instructions_size, &moves))
      return false;
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      moves = false;
      if (fde->input == index
          && have_rule_of_fp (cfi, &cfi->cies[fde->cie],
                              cfi_fde_instructions (cfi, fde),
                              fde->instructions_size, &moves))
        return false;
      n_moving += moves;
    }
  return n_moving >= MOVING_MIN;
}

static const struct image_section *
find_debug_frame (const struct image *image)
{
  const struct image_section *section
      = image_find_section (image, ".debug_frame");
  return section != NULL ? section
                         : image_find_section (image, ".zdebug_frame");
}

static void
set_note (struct debug_source *debug, const char *format, const char *text)
{
  if (debug->note[0] == '\0')
    snprintf (debug->note, sizeof debug->note, format, text);
}

/* Add SECTION of HOLDER, the image of SOURCE or its debug file.  */
static bool
add_section (struct cfi_source *source, struct section_data *data,
             const struct image *holder, const struct image_section *section,
             struct error *err)
{
  struct cfi_section *cfi = &source->cfi;
  struct debug_source *debug = &source->debug;
  struct cfi_input input = { .kind = CFI_DEBUG_FRAME };
  const char *problem = find_mark (source->image, &input.fp_unknown);
  if (problem != NULL)
    {
      set_note (debug, ".debug_frame is not used: %.120s", problem);
      return true;
    }
  if (!section_data_read (data, holder, section, err))
    {
      if (err->status == CFI2SFRAME_NO_MEMORY)
        return false;
      set_note (debug, ".debug_frame is not used: %.120s", err->reason);
      error_clear (err);
      return true;
    }
  input.bytes = data->bytes;
  input.size = data->size;
  if (data->size == 0)
    return true;
  if (!cfi_read (cfi, &input, err))
    return false;
  uint32_t index = cfi->n_inputs - 1;
  if (!input.fp_unknown && !never_tells_of_fp (cfi, index))
    return true;
  cfi->inputs[index].fp_unknown = true;
  set_note (debug, "%s",
            "its .debug_frame has no rules for the frame pointer");
  return true;
}

/* Open the debug file that CFI_OPTIONS ask for, if any.  */
static bool
open_file (struct cfi_source *source, const struct cfi_options *cfi_options,
           struct error *err)
{
  struct debug_source *debug = &source->debug;
  if (cfi_options->debug_file != NULL)
    return debug_file_open (&debug->file, cfi_options->debug_file,
                            source->image, err);
  const struct debug_places places = debug_places_usual ();
  debug_file_find (&debug->file, source->image, &places, err);
  if (err->status == CFI2SFRAME_NO_MEMORY)
    return false;
  if (err->status != CFI2SFRAME_OK)
    set_note (debug, "%.190s", err->reason);
  error_clear (err);
  return true;
}

/* Add the .debug_frame sections that CFI_OPTIONS ask for to the .eh_frame that
   SOURCE has.  What cannot be used is noted.  It is a failure only of a file
   that CFI_OPTIONS name.  */
static bool
add_debug_frames (struct cfi_source *source,
                  const struct cfi_options *cfi_options, struct error *err)
{
  struct debug_source *debug = &source->debug;
  const struct image *image = source->image, *outside = &debug->file.image;
  const struct image_section *section = find_debug_frame (image);
  bool named = cfi_options->debug_file != NULL;
  if (cfi_options->debug_info == CFI2SFRAME_DEBUG_INFO_NONE)
    return true;
  if (section != NULL
      && !add_section (source, &debug->own, image, section, err))
    return false;
  if (!named
      && (cfi_options->debug_info != CFI2SFRAME_DEBUG_INFO_AUTO
          || section != NULL))
    return true;
  if (!open_file (source, cfi_options, err))
    return false;
  if (outside->elf == NULL)
    return true;
  section = find_debug_frame (outside);
  if (section != NULL)
    return add_section (source, &debug->outside, outside, section, err);
  if (named)
    set_note (debug, "debug file %.120s has no .debug_frame",
              cfi_options->debug_file);
  debug_file_close (&debug->file);
  return true;
}

/* ---- Which FDEs are of use */

/* Whether the program loader fills in what the file says of FDE's code: the
   pointers to it, its instructions or those of its CIE.  The augmentation data
   between them do not matter.  */
static bool
is_relocated (const struct cfi_source *source, const struct cfi_fde *fde)
{
  const struct dynamic_places *places = &source->relocations;
  const struct cfi_section *cfi = &source->cfi;
  const struct cfi_cie *cie = &cfi->cies[fde->cie];
  const struct cfi_input *input = &cfi->inputs[fde->input];
  uint64_t entry = input->address + fde->offset;
  uint64_t cie_instructions
      = input->address + (uint64_t)(cie->instructions - input->bytes);
  return dynamic_places_touch (places, entry, fde_pointers_end (cfi, fde))
         || dynamic_places_touch (places, entry + fde->head_size,
                                  fde->instructions_size)
         || dynamic_places_touch (places, cie_instructions,
                                  cie->instructions_size);
}

static enum frame_reason
problem_in_image (const void *context, const struct cfi_fde *fde)
{
  const struct cfi_source *source = context;
  const struct cfi_input *input = &source->cfi.inputs[fde->input];
  if (input->kind == CFI_DEBUG_FRAME)
    return input->fp_unknown && !source->without_fp ? REASON_FP_UNKNOWN
                                                    : REASON_NONE;
  if ((source->relocations.n > 0 || source->relocations.unknown)
      && is_relocated (source, fde))
    return REASON_RELOCATED;
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  if (!image_is_executable (source->image, fde->address, fde->size))
    return REASON_NOT_EXECUTABLE;
  return REASON_NONE;
}

/* Whether FDE's range is code of the file, even if its rows are of no use.
   (What walk.c asks is whether the FDE claims its code.)  */
static bool
is_of_code (const void *context, const struct cfi_fde *fde)
{
  enum frame_reason reason = problem_in_image (context, fde);
  return reason == REASON_NONE || reason == REASON_FP_UNKNOWN;
}

/* ---- Reading */

static bool
read_eh_frame (struct cfi_source *source, struct error *err)
{
  struct image_eh_frame *found = &source->eh_frame;
  if (!image_find_eh_frame (source->image, found, err))
    return false;
  const struct cfi_input input = { .kind = CFI_EH_FRAME,
                                   .bytes = found->bytes,
                                   .size = found->size,
                                   .address = found->address };
  return found->size == 0
         || (cfi_read (&source->cfi, &input, err)
             && dynamic_places_find (&source->relocations, source->image,
                                     found->address, found->size, err));
}

/* Read the CFI that there is besides .eh_frame, and settle which of it
   counts.  */
static bool
read_debug (struct cfi_source *source, const struct cfi_options *cfi_options,
            struct error *err)
{
  struct cfi_section *cfi = &source->cfi;
  if (!add_debug_frames (source, cfi_options, err))
    return false;
  if (cfi->n_inputs == 0
      || cfi->inputs[cfi->n_inputs - 1].kind == CFI_EH_FRAME)
    return true;
  const struct image *debug_file = &source->debug.file.image;
  return dropped_functions_forget (cfi, source->image,
                                   debug_file->elf != NULL ? debug_file : NULL,
                                   err)
         && precedence_settle (cfi, is_of_code, source, err);
}

bool
cfi_source_open (struct cfi_source *source, const struct image *image,
                 const struct cfi_options *cfi_options, struct error *err)
{
  *source = (struct cfi_source){ .cfi = { .arch = image->arch,
                                          .no_plain = cfi_options->no_plain },
                                 .problem = problem_in_image,
                                 .context = source,
                                 .without_fp = cfi_options->without_fp,
                                 .image = image };
  if (!image_expect_machine (image, err) || !read_eh_frame (source, err)
      || !read_debug (source, cfi_options, err))
    return false;
  if (source->cfi.n_inputs == 0)
    return error_set_word (
        err, CFI2SFRAME_NOTHING, WORD_NO_CFI, "no .eh_frame%s%s",
        source->debug.note[0] != '\0' ? "; " : "", source->debug.note);
  return plt_stubs_find (&source->stubs, image, &source->cfi, err);
}

void
cfi_source_close (struct cfi_source *source)
{
  frame_functions_free (&source->stubs);
  frame_functions_free (&source->found);
  dynamic_places_free (&source->relocations);
  cfi_section_free (&source->cfi);
  section_data_free (&source->debug.own);
  section_data_free (&source->debug.outside);
  debug_file_close (&source->debug.file);
}
