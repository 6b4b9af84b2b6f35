/* What a stack tracer makes of SFrame data.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Source: SFrame specification V3, sections 2.3.3 and appendix A.  */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "referee.h"
#include "rules.h"
#include "tracer.h"

static __attribute__ ((format (printf, 2, 3))) void
add_fault (struct tracer *tracer, const char *format, ...)
{
  if (tracer->n_faults++ == 0)
    {
      va_list arguments;
      va_start (arguments, format);
      /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
      vsnprintf (tracer->fault, sizeof tracer->fault, format, arguments);
      va_end (arguments);
    }
}

struct by_address
{
  uint64_t address;
  uint32_t index;
};

static int
compare_addresses (const void *a, const void *b)
{
  const struct by_address *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* The order of the functions by address.  */
static struct by_address *
sort_functions (struct tracer *tracer, uint32_t n)
{
  struct by_address *order = calloc (n + 1, sizeof *order);
  struct error err;
  bool sorted = true;
  for (uint32_t i = 0; order && i < n; i++)
    {
      struct sframe_fde function;
      error_clear (&err);
      if (!sframe_decoder_function (tracer->decoder, i, &function, &err))
        {
          add_fault (tracer, "function %u: %s", i, err.reason);
          function.address = UINT64_MAX;
        }
      order[i] = (struct by_address){ function.address, i };
      sorted &= i == 0 || order[i - 1].address < function.address;
    }
  if (!order)
    return NULL;
  if (!sorted && (tracer->decoder->flags & SFRAME_FLAG_SORTED))
    add_fault (tracer, "functions are not in the order the header claims");
  qsort (order, n, sizeof *order, compare_addresses);
  return order;
}

bool
tracer_open (struct tracer *tracer, const struct sframe_decoder *decoder,
             unsigned e_machine)
{
  uint32_t n = decoder->n_functions;
  *tracer = (struct tracer){ .decoder = decoder, .e_machine = e_machine };
  if (rules_machine (decoder) != e_machine)
    return false;
  struct by_address *order = sort_functions (tracer, n);
  tracer->functions = calloc ((size_t)n + 1, sizeof *tracer->functions);
  tracer->indices = calloc ((size_t)n + 1, sizeof *tracer->indices);
  if (!order || !tracer->functions || !tracer->indices)
    {
      free (order);
      tracer_close (tracer);
      return false;
    }
  struct error err;
  for (uint32_t i = 0; i < n; i++)
    {
      struct sframe_fde *function = &tracer->functions[tracer->n_functions];
      error_clear (&err);
      if (sframe_decoder_function (decoder, order[i].index, function, &err))
        tracer->indices[tracer->n_functions++] = order[i].index;
    }
  free (order);
  tracer->loaded = tracer->n_functions;
  return true;
}

void
tracer_close (struct tracer *tracer)
{
  free (tracer->functions);
  free (tracer->indices);
  free (tracer->rows);
}

static bool
append_row (struct tracer *tracer, const struct sframe_row *row)
{
  if (tracer->n_rows == tracer->rows_capacity)
    {
      size_t capacity = tracer->rows_capacity ? tracer->rows_capacity * 2 : 64;
      struct sframe_row *grown
          = reallocarray (tracer->rows, capacity, sizeof *grown);
      if (!grown)
        return false;
      tracer->rows = grown;
      tracer->rows_capacity = capacity;
    }
  tracer->rows[tracer->n_rows++] = *row;
  return true;
}

/* Decode the rows of function I.  */
static void
load_rows (struct tracer *tracer, size_t i)
{
  if (tracer->loaded == i)
    return;
  const struct sframe_fde *function = &tracer->functions[i];
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  struct error err;
  error_clear (&err);
  tracer->loaded = i;
  tracer->n_rows = 0;
  int more = sframe_decoder_rows (tracer->decoder, tracer->indices[i],
                                  function, &cursor, &err)
                 ? 1
                 : -1;
  while (more > 0 && (more = sframe_row_next (&cursor, &row, &err)) > 0)
    if (!append_row (tracer, &row))
      more = -1;
  tracer->rows_broken = more < 0;
  if (more < 0)
    add_fault (tracer, "rows of the function at %#lx: %s", function->address,
               err.reason);
}

static void
check_function (struct tracer *tracer, size_t i)
{
  const struct sframe_fde *function = &tracer->functions[i];
  uint64_t limit = function->pcmask ? function->repeat : function->size;
  if (i > 0)
    {
      const struct sframe_fde *before = function - 1;
      if (function->address - before->address < before->size
          || function->address == before->address)
        add_fault (tracer, "functions at %#lx and %#lx overlap",
                   before->address, function->address);
    }
  if (function->size == 0)
    add_fault (tracer, "function at %#lx has no bytes", function->address);
  if (function->pcmask && function->repeat == 0)
    add_fault (tracer, "function at %#lx repeats blocks of no bytes",
               function->address);
  for (size_t j = 0; j < tracer->n_rows; j++)
    if (tracer->rows[j].start >= limit
        || (j > 0 && tracer->rows[j].start <= tracer->rows[j - 1].start))
      {
        add_fault (tracer, "row %zu of the function at %#lx is out of place",
                   j, function->address);
        break;
      }
}

void
tracer_check_shape (struct tracer *tracer)
{
  uint64_t n_rows = 0;
  for (size_t i = 0; i < tracer->n_functions; i++)
    {
      load_rows (tracer, i);
      n_rows += tracer->n_rows;
      check_function (tracer, i);
    }
  tracer->n_rows_total = n_rows;
  if (n_rows != tracer->decoder->n_rows)
    add_fault (tracer, "the header claims %u rows, the functions have %lu",
               tracer->decoder->n_rows, n_rows);
}

/* The function at or before PC; n_functions when PC is before all of them.  */
static size_t
find_function (const struct tracer *tracer, uint64_t pc)
{
  const struct sframe_fde *functions = tracer->functions;
  size_t low = 0, high = tracer->n_functions, i = tracer->loaded;
  /* Callers walk upwards: the current function or the next one.  */
  for (size_t step = 0; step < 2 && i + step < high; step++)
    if (functions[i + step].address <= pc
        && (i + step + 1 == high || functions[i + step + 1].address > pc))
      return i + step;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (functions[middle].address <= pc)
        low = middle + 1;
      else
        high = middle;
    }
  return low == 0 ? tracer->n_functions : low - 1;
}

/* The last row that starts at or before OFFSET, or NULL.  */
static const struct sframe_row *
find_row (const struct tracer *tracer, uint64_t offset)
{
  size_t low = 0, high = tracer->n_rows;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (tracer->rows[middle].start <= offset)
        low = middle + 1;
      else
        high = middle;
    }
  return low == 0 ? NULL : &tracer->rows[low - 1];
}

/* PC is inside FUNCTION, whose rows are loaded.  */
static void
state_inside (struct tracer *tracer, const struct sframe_fde *function,
              uint64_t pc, struct tracer_state *state)
{
  uint64_t offset = pc - function->address;
  state->broken = tracer->rows_broken;
  if (state->broken || tracer->n_rows == 0)
    {
      /* V3: a default function without rows is an outermost frame (section
         2.3.3.2); a signal trampoline states nothing about registers.  */
      static const struct sframe_row outermost;
      bool silent = function->signal || function->flexible
                    || tracer->decoder->variant.version != 3;
      state->function = state->broken || !silent ? function : NULL;
      state->row = state->other_row = silent ? NULL : &outermost;
      state->end = function->address + function->size;
      return;
    }
  state->function = function;
  if (function->pcmask)
    {
      state->end = pc + 1;
      state->broken = function->repeat == 0;
      if (state->broken)
        return;
      state->row = find_row (tracer, offset % function->repeat);
      state->other_row = find_row (tracer, pc % function->repeat);
    }
  else
    {
      state->row = state->other_row = find_row (tracer, offset);
      const struct sframe_row *next
          = state->row ? state->row + 1 : tracer->rows;
      state->end = function->address + function->size;
      if (next < tracer->rows + tracer->n_rows
          && function->address + next->start < state->end)
        state->end = function->address + next->start;
    }
  if (!state->row && !state->other_row)
    state->function = NULL;
}

void
tracer_state_at (struct tracer *tracer, uint64_t pc,
                 struct tracer_state *state)
{
  *state = (struct tracer_state){ .end = UINT64_MAX };
  if (tracer->n_functions == 0)
    return;
  size_t i = find_function (tracer, pc);
  if (i == tracer->n_functions)
    {
      state->end = tracer->functions[0].address;
      return;
    }
  const struct sframe_fde *function = &tracer->functions[i];
  if (pc - function->address >= function->size)
    {
      if (i + 1 < tracer->n_functions)
        state->end = tracer->functions[i + 1].address;
      return;
    }
  load_rows (tracer, i);
  state_inside (tracer, function, pc, state);
}

static struct answer
apply (const struct row_rule *rule, const struct machine *machine,
       uint64_t cfa)
{
  if (rule->base == ROW_RULE_BROKEN)
    return (struct answer){ .kind = ANSWER_BROKEN };
  uint64_t value = rule->base == ROW_RULE_CFA
                       ? cfa
                       : machine_register (machine, rule->reg);
  value += (uint64_t)rule->offset;
  return answer_of (rule->load ? machine_memory (machine, value) : value);
}

static void
apply_rules (const struct tracer *tracer, const struct row_rules *rules,
             const struct machine *machine, size_t i, struct verdict *verdict)
{
  int64_t caller_sp = referee_abi_of (tracer->e_machine)->caller_sp;
  if (rules->ra_undefined)
    {
      verdict->ra[i] = (struct answer){ .kind = ANSWER_UNDEFINED };
      return;
    }
  verdict->cfa[i] = apply (&rules->cfa, machine, 0);
  uint64_t cfa = verdict->cfa[i].value;
  verdict->ra[i] = apply (&rules->ra, machine, cfa);
  verdict->fp[i] = apply (&rules->fp, machine, cfa);
  verdict->sp[i] = verdict->cfa[i];
  verdict->sp[i].value += (uint64_t)caller_sp;
}

void
tracer_verdict (const struct tracer *tracer, const struct sframe_fde *function,
                const struct sframe_row *row, uint64_t pc,
                struct verdict *verdict)
{
  struct row_rules rules;
  rules_of_row (tracer->decoder, function, row, &rules);
  int pc_register = referee_abi_of (tracer->e_machine)->pc_register;
  *verdict = (struct verdict){ .ra_signed = row->ra_signed,
                               .b_key = function->b_key,
                               .signal = function->signal };
  for (size_t i = 0; i < MACHINE_SEEDS; i++)
    {
      struct machine machine = { i, pc, pc_register };
      apply_rules (tracer, &rules, &machine, i, verdict);
    }
}
