/* The instructions around a finding of --lint, with what holds at each.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/finding_steps.h"

#include <string.h>

#include "base/search.h"

/* The addresses to be shown, and where the walk over the function is.  */
struct choice
{
  const struct disproof *disproof;
  uint64_t list[STEPS_MAX];
  size_t n;
  size_t n_wrong, n_behind; /* seen */
};

static void
drop (struct choice *choice, size_t index)
{
  choice->n--;
  memmove (&choice->list[index], &choice->list[index + 1],
           (choice->n - index) * sizeof *choice->list);
}

/* Choose the instruction at ADDRESS, if it is to be shown, and drop what it
   takes the place of.  False behind the last one.  */
static bool
choose (struct choice *choice, uint64_t address)
{
  const struct disproof *disproof = choice->disproof;
  if (address < disproof->start && choice->n == STEPS_BEFORE)
    drop (choice, 0);
  else if (address >= disproof->end && choice->n_behind++ == STEPS_BEHIND)
    return false;
  else if (address >= disproof->start && address < disproof->end
           && choice->n_wrong++ > STEPS_WRONG)
    drop (choice, choice->n - 1);
  choice->list[choice->n++] = address;
  return true;
}

/* The size of the instruction at ADDRESS, of code that ends at END, or 0.  */
static unsigned
size_at (const struct insn_decoder *decoder, const struct image *image,
         uint64_t address, uint64_t end)
{
  struct insn insn;
  const uint8_t *bytes = image_bytes_at (image, address, end - address);
  return bytes && insn_decode (decoder, bytes, end - address, address, &insn)
             ? insn.size
             : 0;
}

/* Go over the instructions from AT to END, of a function.  Where the walk
   misses the wrong row, because of data among the code, the walk begins anew
   there.  */
static void
choose_all (struct choice *choice, uint64_t at, uint64_t end,
            const struct insn_decoder *decoder, const struct image *image)
{
  uint64_t start = choice->disproof->start;
  while (at < end)
    {
      unsigned size = size_at (decoder, image, at, end);
      if (at < start && (size == 0 || at + size > start))
        {
          choice->n = 0;
          at = start;
          continue;
        }
      if (size == 0 || !choose (choice, at))
        return;
      at += size;
    }
}

/* What the CFI says in FUNCTION of what DISPROOF is about, at ADDRESS.  */
static const char *
words_of_cfi (const struct frame_function *function,
              const struct disproof *disproof, const struct arch *arch,
              uint64_t address, struct code_row_words *words)
{
  uint64_t offset = address - function->address;
  size_t behind
      = SEARCH_FIRST (function->n_rows, i, function->rows[i].start > offset);
  if (behind == 0)
    return NULL;
  code_describe_row (&function->rows[behind - 1], arch, words);
  return disproof->kind == ROW_CFA  ? words->cfa
         : disproof->kind == ROW_RA ? words->ra
                                    : words->fp;
}

/* What the code has made of the frame at the address of STEP.  */
static void
add_state (struct cfi2sframe_step *step, const struct disproof *disproof,
           const struct row_map *map, const struct arch *arch,
           struct code_row_words *words)
{
  const struct row_range *range = row_map_find (map, step->address);
  if (!range || range->row == ROW_UNKNOWN)
    return;
  code_describe_row (&map->numbers.rows[range->row], arch, words);
  step->cfa = words->cfa;
  step->return_address = words->ra;
  step->frame_pointer = disproof->without_fp ? NULL : words->fp;
}

/* Add the instruction at ADDRESS, in FUNCTION, with what holds there.  */
static void
add_step (struct finding_steps *steps, const struct disproof *disproof,
          const struct frame_function *function, uint64_t address)
{
  const struct image *image = steps->request->image;
  uint64_t end = function->address + function->size;
  size_t i = steps->n++;
  struct cfi2sframe_step *step = &steps->list[i];
  *step = (struct cfi2sframe_step){
    .address = address,
    .instruction = image_bytes_at (image, address, end - address),
    .instruction_size = size_at (steps->decoder, image, address, end),
    .says = words_of_cfi (function, disproof, image->arch, address,
                          &steps->words[i].cfi),
    .wrong = address >= disproof->start && address < disproof->end,
  };
  if (insn_show (steps->decoder, step->instruction, end - address, address,
                 steps->words[i].text))
    step->instruction_text = steps->words[i].text;
  add_state (step, disproof, &steps->findings->row_map, image->arch,
             &steps->words[i].code);
}

void
finding_steps_find (struct finding_steps *steps,
                    const struct disproof *disproof)
{
  const struct code_request *request = steps->request;
  const struct frame_function *function = frame_functions_find (
      request->known, request->n_known, disproof->start);
  struct choice choice = { .disproof = disproof };
  steps->n = 0;
  if (!function)
    return;
  bool is_same
      = steps->resume >= function->address && steps->resume <= disproof->start;
  choose_all (&choice, is_same ? steps->resume : function->address,
              function->address + function->size, steps->decoder,
              request->image);
  steps->resume = choice.n > 0 ? choice.list[0] : disproof->start;
  for (size_t i = 0; i < choice.n; i++)
    add_step (steps, disproof, function, choice.list[i]);
}
