/* Functions as GNU as and GNU ld would have described them (--gnu).
   SPDX-License-Identifier: LGPL-2.1-or-later

   The linker makes the PLT and its rows, so GNU as is not imitated there.  */

#include "sframe/gnu_functions.h"

#include <stdlib.h>
#include <string.h>

#include "elf/dynamic.h"
#include "sframe/decode.h"
#include "sframe/gnu.h"

struct gnu_functions
{
  const struct cfi_section *cfi;
  struct gnu_options options;
  struct gnu_translator *translator;
  struct plt_sections plt; /* empty in an object file */
};

struct gnu_functions *
gnu_functions_new (const struct image *image, const struct cfi_section *cfi,
                   struct sframe_variant variant, bool bugs)
{
  struct gnu_functions *gnu = calloc (1, sizeof *gnu);
  if (gnu == NULL)
    return NULL;
  gnu->cfi = cfi;
  gnu->options = (struct gnu_options){ .arch = image->arch,
                                       .variant = variant,
                                       .bugs = bugs };
  if (image->header.e_type != ET_REL)
    plt_sections_find (&gnu->plt, image);
  gnu->translator = gnu_translator_new (&gnu->options);
  if (gnu->translator != NULL)
    return gnu;
  free (gnu);
  return NULL;
}

void
gnu_functions_free (struct gnu_functions *gnu)
{
  if (gnu == NULL)
    return;
  gnu_translator_free (gnu->translator);
  free (gnu);
}

/* Add .plt.got with the wrong CFA that GNU ld gives it.  V1 cannot store the
   size of a repeated block, but one row for all of it means the same.  */
static bool
add_wrong_plt_got (const struct gnu_functions *gnu, const struct cfi_fde *fde,
                   const struct image_section *section,
                   struct emitter *emitter, struct error *err)
{
  struct sframe_row row = { .base_sp = true, .n_words = 1, .words = { 16 } };
  uint8_t entry = section->header.sh_entsize == 16 ? 16 : 8;
  bool repeated = gnu->options.variant.version > 1;
  const struct sframe_fde function = {
    .address = fde->address,
    .size = (uint32_t)fde->size,
    .repeat = repeated ? entry : 0,
    .rows = &row,
    .n_rows = 1,
  };
  return emitter_add_lowered (emitter, &function, err);
}

/* Whether READ, from a row of GNU as, has the rules of CFI, a row or NULL.  */
static bool
row_is_exact (const struct frame_row *read, const struct frame_row *cfi)
{
  if (cfi == NULL)
    return false;
  if (cfi->ra.kind == RULE_UNDEFINED)
    return read->ra.kind == RULE_UNDEFINED; /* the rest does not matter */
  return frame_row_same_rules (read, cfi) && cfi->cfa.kind != RULE_UNSUPPORTED
         && cfi->ra.kind != RULE_UNSUPPORTED
         && cfi->fp.kind != RULE_UNSUPPORTED;
}

/* Whether MADE, the function of GNU as, has the same rules as CFI, the
   function of the CFI, wherever it has rows.  */
static bool
is_exact (const struct gnu_functions *gnu, const struct sframe_fde *made,
          const struct frame_function *cfi)
{
  size_t index = 0;
  if (made->b_key != cfi->b_key || made->signal != cfi->signal)
    return false;
  for (size_t i = 0; i < made->n_rows; i++)
    {
      struct frame_row read;
      uint64_t end
          = i + 1 < made->n_rows ? made->rows[i + 1].start : cfi->size;
      if (end > cfi->size)
        end = cfi->size;
      sframe_row_rules (gnu->options.arch, gnu->options.variant, made,
                        &made->rows[i], &read);
      for (uint64_t at = made->rows[i].start, next; at < end; at = next)
        {
          next = end;
          if (!row_is_exact (&read,
                             frame_function_row_at (cfi, at, &index, &next)))
            return false;
        }
    }
  return true;
}

/* Add the function that GNU as would have written for CODE's FDE.  */
static bool
add_translated (struct gnu_functions *gnu, struct finished_rows *rows,
                struct cfi_code *code, struct emitter *emitter,
                struct error *err)
{
  struct sframe_fde function;
  if (!gnu_translate (gnu->translator, gnu->cfi, code->fde, &function,
                      &code->reason, err))
    return false;
  if (!gnu->options.bugs && !finished_rows_execute (rows, code, err))
    return false;
  if (!gnu->options.bugs && code->reason == REASON_NONE
      && !is_exact (gnu, &function, code->function))
    code->reason = REASON_GNU_DIFFERS;
  return code->reason == REASON_NONE
             ? emitter_add_lowered (emitter, &function, err)
             : emitter_add (emitter, rows, code, err);
}

bool
gnu_functions_add (struct gnu_functions *gnu, struct finished_rows *rows,
                   struct cfi_code *code, struct emitter *emitter,
                   struct error *err)
{
  const struct cfi_fde *fde = code->fde;
  if (code->kind != CODE_OF_FDE || code->reason != REASON_NONE)
    return emitter_add (emitter, rows, code, err);
  const struct image_section *plt = plt_sections_at (&gnu->plt, fde->address);
  if (cfi_code_is_disputed (code))
    code->reason = REASON_OVERLAP; /* GNU as sees no FDEs of the linker */
  else if (plt == NULL)
    return add_translated (gnu, rows, code, emitter, err);
  else if (gnu->options.bugs && gnu->options.arch->plt_got_defect
           && strcmp (plt->name, ".plt.got") == 0 && fde->size <= UINT32_MAX)
    return add_wrong_plt_got (gnu, fde, plt, emitter, err);
  return emitter_add (emitter, rows, code, err);
}
