/* CFI besides .eh_frame.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/debug_source.h"

#include <stdio.h>

#include "cfi/cfa_opcode.h"
#include "cfi/cfi_section.h"

enum
{
  /* Compilers for C and C++ save the frame pointer in about every third
     function that moves the CFA.  So many functions that move the CFA and none
     that saves the frame pointer are no accident.  */
  MOVING_MIN = 32
};

/* The tools that make a .debug_frame that is not used, or only in part.  */

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

/* Reading.  */

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

/* Add SECTION of HOLDER, a debug file of IMAGE or IMAGE itself.  */
static bool
add_section (struct debug_source *debug, struct section_data *data,
             struct cfi_section *cfi, const struct image *image,
             const struct image *holder, const struct image_section *section,
             struct error *err)
{
  struct cfi_input input = { .kind = CFI_DEBUG_FRAME };
  const char *problem = find_mark (image, &input.fp_unknown);
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
open_file (struct debug_source *debug, const struct image *image,
           const struct cfi_options *cfi_options, struct error *err)
{
  if (cfi_options->debug_file != NULL)
    return debug_file_open (&debug->file, cfi_options->debug_file, image, err);
  const struct debug_places places = debug_places_usual ();
  debug_file_find (&debug->file, image, &places, err);
  if (err->status == CFI2SFRAME_NO_MEMORY)
    return false;
  if (err->status != CFI2SFRAME_OK)
    set_note (debug, "%.190s", err->reason);
  error_clear (err);
  return true;
}

static bool
add_outside (struct debug_source *debug, struct cfi_section *cfi,
             const struct image *image, const struct cfi_options *cfi_options,
             struct error *err)
{
  if (!open_file (debug, image, cfi_options, err))
    return false;
  if (debug->file.image.elf == NULL)
    return true;
  const struct image_section *section = find_debug_frame (&debug->file.image);
  if (section != NULL)
    return add_section (debug, &debug->outside, cfi, image, &debug->file.image,
                        section, err);
  if (cfi_options->debug_file != NULL)
    set_note (debug, "debug file %.120s has no .debug_frame",
              cfi_options->debug_file);
  debug_file_close (&debug->file);
  return true;
}

bool
debug_source_read (struct debug_source *debug, struct cfi_section *cfi,
                   const struct image *image,
                   const struct cfi_options *cfi_options, struct error *err)
{
  const struct image_section *own = find_debug_frame (image);
  if (cfi_options->debug_info == CFI2SFRAME_DEBUG_INFO_NONE)
    return true;
  if (own != NULL
      && !add_section (debug, &debug->own, cfi, image, image, own, err))
    return false;
  bool outside = cfi_options->debug_file != NULL
                 || (cfi_options->debug_info == CFI2SFRAME_DEBUG_INFO_AUTO
                     && own == NULL);
  return !outside || add_outside (debug, cfi, image, cfi_options, err);
}

void
debug_source_close (struct debug_source *debug)
{
  section_data_free (&debug->own);
  section_data_free (&debug->outside);
  debug_file_close (&debug->file);
}
