/* Functions found in the code, and rows of the CFI that the code contradicts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/code_evidence.h"

#include "base/array.h"
#include "cfi/plt.h"

bool
code_evidence_open_source (struct cfi_source *source,
                           const struct image *image,
                           const struct cfi_options *cfi_options,
                           struct error *err)
{
  if (cfi_source_open (source, image, cfi_options, err))
    return true;
  if (err->status != CFI2SFRAME_NOTHING)
    return false;
  error_clear (err);
  source->cfi.arch = image->arch;
  return plt_stubs_find (&source->stubs, image, &source->cfi, err);
}

bool
code_facts_read (struct code_facts *facts, const struct cfi_source *source,
                 struct code_request *request, struct error *err)
{
  *facts = (struct code_facts){ 0 };
  *request = (struct code_request){ .image = source->image };
  bool ok
      = function_list_read (&facts->functions, source, err)
        && landing_pads_read (&facts->pads, source->image, &source->cfi, err);
  if (!ok)
    {
      code_facts_free (facts);
      return false;
    }
  request->known = facts->functions.functions;
  request->n_known = facts->functions.n_functions;
  request->pads = facts->pads.pads;
  request->n_pads = facts->pads.n;
  return true;
}

void
code_facts_free (struct code_facts *facts)
{
  frame_functions_free (&facts->functions);
  landing_pads_free (&facts->pads);
  *facts = (struct code_facts){ 0 };
}

/* Making functions of a row_map.  */
struct harvest
{
  const struct row_map *row_map;
  const struct code_request *request;
  struct frame_functions found; /* ascending, disjoint */
  size_t known, start;          /* the next ones */
  struct error *err;
};

static struct frame_function *
begin_function (struct harvest *harvest, uint64_t address)
{
  struct frame_functions *found = &harvest->found;
  if (!ARRAY_ROOM (found->functions, found->n_functions + 1, &found->capacity))
    return NULL;
  if (found->n_functions > 0)
    frame_function_trim (&found->functions[found->n_functions - 1]);
  struct frame_function *function = &found->functions[found->n_functions++];
  *function = (struct frame_function){ .address = address };
  return function;
}

/* Add ROW for the code from START to END.  A function may start at START, and
   none behind it.  */
static bool
add_piece (struct harvest *harvest, uint64_t start, uint64_t end,
           bool is_start, const struct frame_row *row)
{
  struct frame_functions *found = &harvest->found;
  struct frame_function *function
      = found->n_functions > 0 ? &found->functions[found->n_functions - 1]
                               : NULL;
  if (function == NULL || is_start
      || function->address + function->size != start
      || end - function->address > UINT32_MAX)
    function = begin_function (harvest, start);
  if (function == NULL)
    return false;
  struct frame_row next = *row;
  next.start = (uint32_t)(start - function->address);
  next.number = 0; /* it was one of the row map */
  function->size = (uint32_t)(end - function->address);
  return frame_function_append (function, &next);
}

/* Start INDEX of the functions; UINT64_MAX when there are not so many.  */
static uint64_t
start_of (const struct row_map *row_map, size_t index)
{
  return index < row_map->starts.n ? row_map->starts.list[index] : UINT64_MAX;
}

/* Add ROW for the code from START to END, cut where functions start.  */
static bool
add_range (struct harvest *harvest, uint64_t start, uint64_t end,
           const struct frame_row *row)
{
  const struct row_map *row_map = harvest->row_map;
  while (start < end)
    {
      while (start_of (row_map, harvest->start) < start)
        harvest->start++;
      size_t next = harvest->start;
      while (start_of (row_map, next) <= start)
        next++;
      uint64_t until = start_of (row_map, next);
      if (until > end)
        until = end;
      if (!add_piece (harvest, start, until, next > harvest->start, row))
        return false;
      start = until;
    }
  return true;
}

/* Add the row of ROW_RANGE, except for code that CFI or a known PLT stub
   describes.  */
static bool
add_row_range (struct harvest *harvest, const struct row_range *row_range)
{
  const struct code_request *request = harvest->request;
  const struct frame_row *row
      = &harvest->row_map->numbers.rows[row_range->row];
  uint64_t at = row_range->start, end = row_range->start + row_range->size;
  while (at < end)
    {
      while (harvest->known < request->n_known
             && request->known[harvest->known].address
                        + request->known[harvest->known].size
                    <= at)
        harvest->known++;
      const struct frame_function *known
          = harvest->known < request->n_known ? &request->known[harvest->known]
                                              : NULL;
      uint64_t until
          = known != NULL && known->address < end ? known->address : end;
      if (at < until && !add_range (harvest, at, until, row))
        return false;
      at = until < end ? known->address + known->size : end;
    }
  return true;
}

/* Whether the code of ROW_RANGE has a row, and one that can be written, unless
   others wrote it.  */
static bool
has_row (const struct harvest *harvest, const struct row_range *row_range)
{
  const struct row_map *row_map = harvest->row_map;
  if (row_range->row == ROW_UNKNOWN)
    return false;
  const struct frame_row *row = &row_map->numbers.rows[row_range->row];
  return row->cfa.kind != RULE_UNSUPPORTED
         && (harvest->request->n_described > 0
             || !code_row_reads_below_sp (row, harvest->request->image->arch));
}

static bool
harvest_rows (struct harvest *harvest)
{
  const struct row_map *row_map = harvest->row_map;
  for (size_t i = 0; i < row_map->n; i++)
    if (has_row (harvest, &row_map->ranges[i])
        && !add_row_range (harvest, &row_map->ranges[i]))
      return error_set_no_memory (harvest->err);
  return true;
}

static bool
add_functions (struct code_evidence *evidence, struct cfi_source *source,
               const struct code_request *request,
               const struct row_map *row_map, struct error *err)
{
  struct harvest harvest
      = { .row_map = row_map, .request = request, .err = err };
  bool ok = harvest_rows (&harvest);
  for (size_t i = 0; i < harvest.found.n_functions; i++)
    evidence->bytes += harvest.found.functions[i].size;
  evidence->functions = harvest.found.n_functions;
  source->found = harvest.found;
  return ok;
}

bool
code_evidence_make (struct code_evidence *evidence, struct cfi_source *source,
                    const struct code_evidence_request *wanted,
                    struct error *err)
{
  struct code_facts facts;
  struct code_request request;
  struct code_findings findings;
  *evidence = (struct code_evidence){ 0 };
  if (!code_analysis_expect (source->image->arch, err))
    return false;
  /* What an earlier analysis has found would be taken for CFI.  */
  frame_functions_free (&source->found);
  if (!code_facts_read (&facts, source, &request, err))
    return false;
  request.beyond_cfi = wanted->add;
  request.compares = wanted->verify;
  request.only_compares = !wanted->add;
  if (wanted->described != NULL)
    {
      request.described = wanted->described->functions;
      request.n_described = wanted->described->n_functions;
    }
  request.threads = wanted->threads;
  bool ok = code_analyse (&request, &findings, err)
            && (!wanted->add
                || add_functions (evidence, source, &request,
                                  &findings.row_map, err));
  evidence->functions_left = ok ? findings.functions_left : 0;
  if (ok)
    {
      evidence->disproofs = findings.disproofs;
      findings.disproofs = (struct disproofs){ 0 };
    }
  code_findings_free (&findings);
  code_facts_free (&facts);
  return ok;
}

void
code_evidence_free (struct code_evidence *evidence)
{
  disproofs_free (&evidence->disproofs);
}
