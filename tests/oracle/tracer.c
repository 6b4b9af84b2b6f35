/* What a stack tracer makes of SFrame data.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "prove/prove.h"

static bool
append_span (struct tracer *tracer, const struct span *span)
{
  if (tracer->n_spans == tracer->capacity)
    {
      size_t capacity = tracer->capacity ? tracer->capacity * 2 : 1024;
      struct span *grown
          = reallocarray (tracer->spans, capacity, sizeof *grown);
      if (!grown)
        return false;
      tracer->spans = grown;
      tracer->capacity = capacity;
    }
  tracer->spans[tracer->n_spans++] = *span;
  return true;
}

/* Readers differ in what they take modulo the size of a block: the PC, or its
   distance from the function's start.  */
static bool
has_two_readings (const struct section *section)
{
  return section->info & 0x10 && section->start % section->repeat != 0
         && section->rows_of_function > 1;
}

static void
note_faults (struct tracer *tracer, const struct section *section,
             uint64_t two_readings)
{
  if (section->wrong)
    snprintf (tracer->fault, sizeof tracer->fault, "at %#zx: %s",
              section->wrong_at, section->wrong);
  else if (section->n_rows != section->n_rows_said)
    snprintf (tracer->fault, sizeof tracer->fault,
              "the header claims %" PRIu64
              " rows, the functions have %" PRIu64,
              section->n_rows_said, section->n_rows);
  else if (section->n_idle > 0)
    snprintf (tracer->fault, sizeof tracer->fault,
              "%" PRIu64 " rows begin where their function or block ends",
              section->n_idle);
  else if (two_readings > 0)
    snprintf (tracer->fault, sizeof tracer->fault,
              "the blocks at %#" PRIx64 " can be read in two ways",
              two_readings);
}

bool
tracer_open (struct tracer *tracer, const struct oracle_section *from)
{
  struct section section = { .bytes = from->bytes,
                             .size = from->size,
                             .address = from->address,
                             .abi = abi_of (from->e_machine),
                             .code_start = from->code_start,
                             .code_end = from->code_end };
  struct span span;
  uint64_t two_readings = 0;
  bool enough = true;
  *tracer = (struct tracer){ 0 };
  if (section_begin (&section))
    while (enough && section_next (&section, &span))
      {
        if (has_two_readings (&section))
          two_readings = section.start;
        /* A signal frame without rows says nothing of registers.  */
        if (!(span.rule.no_rows && span.rule.signal))
          enough = append_span (tracer, &span);
      }
  tracer->n_functions = section.n_fdes;
  tracer->n_rows = section.n_rows;
  note_faults (tracer, &section, two_readings);
  if (!enough)
    tracer_close (tracer);
  return enough;
}

void
tracer_close (struct tracer *tracer)
{
  free (tracer->spans);
}

/* The first span that ends behind PC.  */
static size_t
find_span (const struct tracer *tracer, uint64_t pc)
{
  size_t low = 0, high = tracer->n_spans;
  if (tracer->last < high && tracer->spans[tracer->last].start <= pc)
    low = tracer->last;
  /* Callers walk upwards: the last span or the next one.  */
  for (size_t step = 0; step < 2 && low + step < high; step++)
    if (low == tracer->last && tracer->spans[low + step].end > pc)
      return low + step;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (tracer->spans[middle].end <= pc)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
tracer_state_at (struct tracer *tracer, uint64_t pc,
                 struct tracer_state *state)
{
  *state = (struct tracer_state){ .end = UINT64_MAX };
  size_t i = find_span (tracer, pc);
  if (i == tracer->n_spans)
    return;
  const struct span *span = &tracer->spans[i];
  tracer->last = i;
  if (span->start > pc)
    {
      state->end = span->start;
      return;
    }
  state->rule = &span->rule;
  state->end = span->end;
}

/* What is found at PLACE; OWN is the register that keeps the value if none
   else does.  */
static struct answer
apply (const struct place *place, int own, const struct machine *machine,
       uint64_t cfa)
{
  if (place->kind == PLACE_SAME)
    return answer_of (machine_register (machine, (unsigned)own));
  uint64_t value
      = place->from_cfa ? cfa : machine_register (machine, place->reg);
  value += (uint64_t)place->offset;
  return answer_of (
      place->kind == PLACE_MEMORY ? machine_memory (machine, value) : value);
}

void
tracer_verdict (const struct referee_abi *abi, const struct rule *rule,
                uint64_t pc, struct verdict *verdict)
{
  *verdict = (struct verdict){ .ra_signed = rule->signature >= SIGNATURE_A,
                               .b_key = rule->signature == SIGNATURE_B,
                               .signal = rule->signal };
  for (size_t i = 0; i < MACHINE_SEEDS; i++)
    {
      struct machine machine = { i, pc, abi->pc_register };
      if (rule->outermost)
        {
          verdict->ra[i] = (struct answer){ .kind = ANSWER_UNDEFINED };
          continue;
        }
      verdict->cfa[i] = apply (&rule->cfa, abi->sp, &machine, 0);
      uint64_t cfa = verdict->cfa[i].value;
      verdict->ra[i] = apply (&rule->ra, abi->ra, &machine, cfa);
      verdict->fp[i] = apply (&rule->fp, abi->fp, &machine, cfa);
      verdict->sp[i] = answer_of (cfa + (uint64_t)abi->caller_sp);
    }
}
