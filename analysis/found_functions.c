/* Making functions of the rows that were found.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/code.h"

#include "base/array.h"
#include "analysis/machine.h"

/* The functions made so far, and what comes next.  */
struct builder
{
  const struct row_map *row_map;
  const struct code_request *request;
  struct frame_functions found; /* ascending, disjoint */
  size_t covered, start;        /* next of request->covered, row_map->starts */
};

/* Add ROW for the code from START to END, which is in one function.  IS_START:
   a function starts at START.  */
static bool
add_piece (struct builder *builder, uint64_t start, uint64_t end,
           bool is_start, const struct frame_row *row)
{
  struct frame_functions *found = &builder->found;
  struct frame_function *last = found->n_functions > 0
                                    ? &found->functions[found->n_functions - 1]
                                    : NULL;
  if (last == NULL || is_start || last->address + last->size != start
      || end - last->address > UINT32_MAX)
    {
      if (!ARRAY_ROOM (found->functions, found->n_functions + 1,
                       &found->capacity))
        return false;
      last = &found->functions[found->n_functions++];
      if (found->n_functions > 1)
        frame_function_trim (last - 1);
      *last = (struct frame_function){ .address = start };
    }
  struct frame_row next = *row;
  next.start = (uint32_t)(start - last->address);
  next.number = 0; /* it was the row map's number */
  last->size = (uint32_t)(end - last->address);
  return frame_function_append (last, &next);
}

/* Return start INDEX of the row map, or UINT64_MAX behind the last one.  */
static uint64_t
start_of (const struct row_map *row_map, size_t index)
{
  return index < row_map->starts.n ? row_map->starts.list[index] : UINT64_MAX;
}

/* Add ROW for the code from START to END, split where functions start.  */
static bool
add_range (struct builder *builder, uint64_t start, uint64_t end,
           const struct frame_row *row)
{
  const struct row_map *row_map = builder->row_map;
  while (start < end)
    {
      while (start_of (row_map, builder->start) < start)
        builder->start++;
      size_t next = builder->start;
      while (start_of (row_map, next) <= start)
        next++;
      uint64_t until = start_of (row_map, next);
      if (until > end)
        until = end;
      if (!add_piece (builder, start, until, next > builder->start, row))
        return false;
      start = until;
    }
  return true;
}

/* Add the row of ROW_RANGE, except for code that has an FDE or a PLT stub.  */
static bool
add_row_range (struct builder *builder, const struct row_range *row_range)
{
  const struct code_request *request = builder->request;
  const struct frame_row *row
      = &builder->row_map->numbers.rows[row_range->row];
  uint64_t at = row_range->start, end = row_range->start + row_range->size;
  while (at < end)
    {
      while (builder->covered < request->n_covered
             && request->covered[builder->covered].address
                        + request->covered[builder->covered].size
                    <= at)
        builder->covered++;
      const struct frame_function *fde
          = builder->covered < request->n_covered
                ? &request->covered[builder->covered]
                : NULL;
      uint64_t until = fde != NULL && fde->address < end ? fde->address : end;
      if (at < until && !add_range (builder, at, until, row))
        return false;
      at = until < end ? fde->address + fde->size : end;
    }
  return true;
}

bool
code_row_reads_below_sp (const struct frame_row *row, const struct arch *arch)
{
  const struct code_machine *go = code_machine_with (arch, CONVENTIONS_GO);
  const struct frame_rule *rules[] = { &row->ra, &row->fp };
  int64_t kept = go ? go->kept_below : 0;
  if (row->cfa.kind != RULE_REG || row->cfa.reg != arch->sp)
    return false;
  for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i]->kind == RULE_DEREF_CFA
        && (int64_t)row->cfa.offset + rules[i]->offset < -kept)
      return true;
  return false;
}

bool
code_found_functions (const struct code_findings *findings,
                      const struct code_request *request,
                      struct frame_functions *found, struct error *err)
{
  const struct row_map *row_map = &findings->row_map;
  struct builder builder = { .row_map = row_map, .request = request };
  bool ok = true;
  for (size_t i = 0; ok && i < row_map->n; i++)
    {
      if (row_map->ranges[i].row == ROW_UNKNOWN)
        continue;
      const struct frame_row *row
          = &row_map->numbers.rows[row_map->ranges[i].row];
      if (row->cfa.kind != RULE_UNSUPPORTED
          && (request->n_described > 0
              || !code_row_reads_below_sp (row, request->image->arch)))
        ok = add_row_range (&builder, &row_map->ranges[i]);
    }
  *found = builder.found;
  return ok || error_set_no_memory (err);
}
