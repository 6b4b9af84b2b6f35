/* The sources of an ELF file's frame rows: its FDEs and PLT stubs.
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
     function that defines the CFA anew.  It is no accident if this many
     functions define the CFA, and none saves the frame pointer.  */
  DEFINING_MIN = 32
};

/* Sections by which a tool that made or changed a file is recognised.  */
static const struct
{
  const char *section;
  const char *problem; /* NULL: there are no rules for FP */
} producers[] = {
  /* BOLT moves functions and writes a new .eh_frame for them, but does not
     update .debug_frame (LLVM, bolt/lib/Rewrite/RewriteInstance.cpp).  */
  { ".note.bolt_info", "rewritten by BOLT, which leaves .debug_frame behind" },
  { ".bolt.org.text", "rewritten by BOLT, which leaves .debug_frame behind" },
  /* Go's functions save rbp, but have no rule for it (Go's linker,
     cmd/link/internal/ld/dwarf.go, writeframes).  */
  { ".note.go.buildid", NULL },
  { ".go.buildinfo", NULL },
  { ".gopclntab", NULL },
  { ".data.rel.ro.gopclntab", NULL },
  /* GraalVM: rbp is a register like any other, without rules.  */
  { ".svm_heap", NULL },
};

/* Why the .debug_frame of IMAGE cannot be used, or NULL.  *FP_UNKNOWN is set
   if it can be used, but lacks rules for FP.  */
static const char *
find_producer_problem (const struct image *image, bool *fp_unknown)
{
  for (size_t i = 0; i < sizeof producers / sizeof producers[0]; i++)
    {
      if (image_find_section (image, producers[i].section) == NULL)
        continue;
      if (producers[i].problem != NULL)
        return producers[i].problem;
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

/* Whether SIZE bytes of INSTRUCTIONS, of CIE or one of its FDEs, have a rule
   for FP.  *DEFINES_CFA is set if they define a CFA.  */
static bool
have_fp_rule (const struct cfi_section *cfi, const struct cfi_cie *cie,
              const uint8_t *instructions, uint64_t size, bool *defines_cfa)
{
  struct cursor cursor
      = cursor_over (instructions, size, cfi->arch->big_endian);
  struct cfa_instruction instruction;
  while (cursor_left (&cursor) > 0
         && cfa_instruction_read (&cursor, cfi, cie, &instruction))
    {
      if (is_rule_of (&instruction, cfi->arch->fp))
        return true;
      *defines_cfa |= instruction.opcode >= CFA_DEF_CFA
                      && instruction.opcode <= CFA_DEF_CFA_EXPRESSION;
    }
  return false;
}

/* Whether the compiler of input INDEX leaves out rules for FP: many functions
   define the CFA anew, but none has a rule for FP.  In any other input the
   loop ends soon, because one of the first functions has such a rule.  */
static bool
lacks_fp_rules (const struct cfi_section *cfi, uint32_t index)
{
  size_t n_defining = 0;
  bool defines_cfa = false;
  for (size_t i = 0; i < cfi->n_cies; i++)
    if (cfi->cies[i].input == index && cfi->cies[i].instructions != NULL
        && have_fp_rule (cfi, &cfi->cies[i], cfi->cies[i].instructions,
                         cfi->cies[i].instructions_size, &defines_cfa))
      return false;
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      defines_cfa = false;
      if (fde->input == index
          && have_fp_rule (cfi, &cfi->cies[fde->cie],
                           cfi_fde_instructions (cfi, fde),
                           fde->instructions_size, &defines_cfa))
        return false;
      n_defining += defines_cfa;
    }
  return n_defining >= DEFINING_MIN;
}

static const struct image_section *
find_debug_frame (const struct image *image)
{
  const struct image_section *section
      = image_find_section (image, ".debug_frame");
  return section != NULL ? section
                         : image_find_section (image, ".zdebug_frame");
}

/* Set the note to FORMAT with TEXT, if there is none yet.  */
static void
set_note (struct debug_source *debug, const char *format, const char *text)
{
  if (debug->note[0] == '\0')
    snprintf (debug->note, sizeof debug->note, format, text);
}

/* Read SECTION of HOLDER, the image of SOURCE or its debug file, into DATA,
   and add its CFI.  False when cfi_read fails, or memory ran out.  */
static bool
add_section (struct cfi_source *source, struct section_data *data,
             const struct image *holder, const struct image_section *section,
             struct error *err)
{
  struct cfi_section *cfi = &source->cfi;
  struct debug_source *debug = &source->debug;
  struct cfi_input input = { .kind = CFI_DEBUG_FRAME };
  const char *problem
      = find_producer_problem (source->image, &input.fp_unknown);
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
  if (!input.fp_unknown && !lacks_fp_rules (cfi, index))
    return true;
  cfi->inputs[index].fp_unknown = true;
  set_note (debug, "%s",
            "its .debug_frame has no rules for the frame pointer");
  return true;
}

/* Open the debug file that CFI_OPTIONS name, or look for one.  */
static bool
open_debug_file (struct cfi_source *source,
                 const struct cfi_options *cfi_options, struct error *err)
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

/* Add the CFI of the .debug_frame sections that CFI_OPTIONS ask for to that of
   .eh_frame.  A section that cannot be used is noted.  A debug file that
   cannot be used is a failure only if CFI_OPTIONS name it.  */
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
  if (!open_debug_file (source, cfi_options, err))
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

/* ---- Which FDEs can be used */

/* Whether relocation by the program loader changes FDE: its address and size,
   its instructions, or those of its CIE.  Augmentation data do not matter.  */
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

/* Why FDE, one of a linked file, cannot be used, or REASON_NONE.  */
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

/* Whether FDE's range is code of the file, even if its rows cannot be used.
   (walk.c has another condition: whether the FDE claims its code.)  */
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

/* Read the CFI besides .eh_frame, and remove FDEs that are not used.  */
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
  return remove_dropped_functions (cfi, source->image,
                                   debug_file->elf != NULL ? debug_file : NULL,
                                   err)
         && remove_superseded_fdes (cfi, is_of_code, source, err);
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
