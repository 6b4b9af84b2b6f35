/* How often the analysis of code and CFI agree where the analysis has not
   seen the CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

     hidden_cfi [-a] [-e] [-g] [-s] [-v] FILE...

   One line per FILE: bytes of code with CFI (without padding), and the share
   for which the analysis says the same, nothing, or something else.  The
   analysis is told the ranges of the FDEs and the landing pads of exceptions,
   but no row; with -e it is told nothing at all (and .symtab is hidden, too),
   with -s only of symbols. With -a, code without CFI is analysed, too; with
   -g, it is what counts: the share of all executable bytes, without padding,
   that rows can be made for. -v lists what differs, and gaps.  Fails when
   anything differs.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/analyser.h"
#include "convert/code_evidence.h"

static bool everything_hidden, symbols_seen, everywhere, count_gaps, verbose;

/* PLT stubs, with or without CFI, have rules of their own.  */
static bool
is_plt (const struct frame_function *function)
{
  return function->from_plt || function->n_rows == 0
         || function->rows[function->n_rows - 1].cfa.kind == RULE_PLT;
}

struct count
{
  uint64_t total, equal, cfa_differs, ra_differs, fp_differs;
  uint64_t incomparable; /* CFI by expressions and the like */
  uint64_t unknown;
};

struct subject_file
{
  const struct arch *arch;
  const struct code_machine *machine;
  struct frame_functions functions;
  struct code_findings findings;
  uint64_t failures[ROUTINE_FAILURE_COUNT]; /* a function may fail twice */
  struct count count;
  uint64_t last_entry; /* of the function seen last */
  uint64_t trusted;    /* functions whose rows may be set against CFI */
  struct range *ranges;
};

static const char *
failure_name (enum routine_failure failure)
{
  static const char *const names[ROUTINE_FAILURE_COUNT] = {
    [ROUTINE_SOUND] = "sound",
    [ROUTINE_DECODE] = "not-code",
    [ROUTINE_RETURN] = "return",
    [ROUTINE_TAIL_CALL] = "tail-call",
    [ROUTINE_RUNS_INTO] = "runs-into",
    [ROUTINE_SAVED_USED] = "saved-register-used",
    [ROUTINE_UNWINDS] = "unwinds",
    [ROUTINE_SIGNAL] = "signal",
    [ROUTINE_SYSTEM_CALL] = "system-call",
    [ROUTINE_CALLEE] = "callee-moves-stack",
    [ROUTINE_UNRESOLVED] = "unresolved-jump",
    [ROUTINE_GO_DIFFERS] = "differs-from-pclntab",
    [ROUTINE_UNPROVEN] = "unproven",
    [ROUTINE_DOUBTFUL] = "doubtful",
    [ROUTINE_TOO_MUCH] = "too-much",
  };
  return names[failure];
}

static const struct frame_row *
row_at (const struct frame_function *function, uint64_t address)
{
  const struct frame_row *row = NULL;
  for (size_t i = 0; i < function->n_rows
                     && function->address + function->rows[i].start <= address;
       i++)
    row = &function->rows[i];
  return row;
}

static const struct frame_function *
function_at (const struct frame_functions *list, uint64_t address)
{
  return frame_functions_find (list->functions, list->n_functions, address);
}

struct verdicts
{
  uint64_t entry, start, end;
  enum verdict cfa, ra, fp;
  struct frame_row row;
};

/* Whether there is nothing to compare with: SFrame cannot say it, or nobody
   believes it.  */
static bool
is_no_measure (const struct frame_row *row, const struct arch *arch)
{
  return row->cfa.kind == RULE_UNSUPPORTED || row->ra.kind == RULE_UNSUPPORTED
         || row->fp.kind == RULE_UNSUPPORTED
         || frame_row_fp_may_be_stale (row, arch->fp);
}

/* Verdicts of each instruction, to be counted when all functions agree.  */
static struct verdicts *seen;
static size_t n_seen, seen_capacity;

static void
see (void *argument, uint64_t entry, enum routine_trust trust,
     const struct insn *insn, const struct state *state)
{
  const uint64_t address = insn->address;
  struct subject_file *file = argument;
  file->trusted += entry != file->last_entry && trust != TRUST_CFI_ALONE;
  file->last_entry = entry;
  const struct frame_function *function
      = function_at (&file->functions, address);
  const struct frame_row *row = function ? row_at (function, address) : NULL;
  if (!row || is_plt (function))
    return;
  if (n_seen == seen_capacity)
    {
      seen_capacity = seen_capacity ? 2 * seen_capacity : 4096;
      seen = reallocarray (seen, seen_capacity, sizeof *seen);
      if (!seen)
        abort ();
    }
  seen[n_seen++] = (struct verdicts){
    entry,
    address,
    address + insn->size,
    state_check (state, ROW_CFA, row),
    state_check (state, ROW_RA, row),
    state_check (state, ROW_FP, row),
    *row,
  };
}

static void
reject (void *argument, uint64_t entry, enum routine_failure failure,
        uint64_t failed_at)
{
  struct subject_file *file = argument;
  file->failures[failure]++;
  if (verbose)
    printf ("  rejected: %#lx %s at %#lx\n", entry, failure_name (failure),
            failed_at);
}

static int
compare_seen (const void *a, const void *b)
{
  const struct verdicts *left = a, *right = b;
  return (left->start > right->start) - (left->start < right->start);
}

/* VERDICT on the rule that CFI has, unless the analysis makes of what it knows
   a RULE that names another place.  */
static enum verdict
judge (enum verdict verdict, const struct frame_rule *cfi,
       const struct frame_rule *rule)
{
  bool elsewhere = cfi->kind == RULE_DEREF_CFA && rule->kind == RULE_DEREF_CFA
                   && cfi->offset != rule->offset;
  return elsewhere ? VERDICT_CONTRADICTS : verdict;
}

static void
count_seen (struct subject_file *file)
{
  uint64_t reached = 0, entry = 0;
  if (n_seen > 0)
    qsort (seen, n_seen, sizeof *seen, compare_seen);
  for (size_t i = 0; i < n_seen; i++)
    {
      struct verdicts *v = &seen[i];
      const struct row_range *row_range
          = row_map_find (&file->findings.row_map, v->start);
      uint64_t from = v->start > reached ? v->start : reached;
      if (v->end <= from || !row_range || row_range->row == ROW_UNKNOWN)
        continue;
      uint64_t size = v->end - from;
      const struct frame_row *own
          = &file->findings.row_map.numbers.rows[row_range->row];
      reached = v->end;
      v->ra = judge (v->ra, &v->row.ra, &own->ra);
      v->fp = judge (v->fp, &v->row.fp, &own->fp);
      if (is_no_measure (&v->row, file->arch))
        file->count.incomparable += size;
      else if (v->cfa == VERDICT_AGREES && v->ra == VERDICT_AGREES
               && v->fp == VERDICT_AGREES)
        file->count.equal += size;
      else if (v->cfa == VERDICT_CONTRADICTS)
        file->count.cfa_differs += size;
      else if (v->ra == VERDICT_CONTRADICTS)
        file->count.ra_differs += size;
      else if (v->fp == VERDICT_CONTRADICTS)
        file->count.fp_differs += size;
      else
        file->count.unknown += size;
      if (verbose && !is_no_measure (&v->row, file->arch) && v->entry != entry
          && (v->cfa != VERDICT_AGREES || v->ra != VERDICT_AGREES
              || v->fp != VERDICT_AGREES))
        {
          const struct frame_row *row = own;
          printf ("  %#lx in %#lx: CFA %d/%u%+d ra %u%+d fp %u%+d, code CFA "
                  "%d/%u%+d ra %u%+d fp %u%+d (cfa %d ra %d fp %d)\n",
                  v->start, v->entry, v->row.cfa.kind, v->row.cfa.reg,
                  v->row.cfa.offset, v->row.ra.kind, v->row.ra.offset,
                  v->row.fp.kind, v->row.fp.offset, row->cfa.kind,
                  row->cfa.reg, row->cfa.offset, row->ra.kind, row->ra.offset,
                  row->fp.kind, row->fp.offset, (int)v->cfa, (int)v->ra,
                  (int)v->fp);
          entry = v->entry;
        }
    }
}

/* Whether SIZE BYTES are instructions that do nothing.  */
static bool
is_padding (const uint8_t *bytes, uint64_t size, uint64_t address,
            const struct insn_decoder *decoder)
{
  struct insn_step step;
  for (; size > 0; bytes += step.size, size -= step.size)
    if (!insn_decode_step (decoder, bytes, size, address, &step)
        || !(step.is_nop || step.flow == FLOW_STOP))
      return false;
  return true;
}

/* Whether FUNCTION has no rules at ADDRESS that anything could be compared
   with.  *END is lowered to where that may change.  */
static bool
is_incomparable (const struct frame_function *function,
                 const struct arch *arch, uint64_t address, uint64_t *end)
{
  const struct frame_row *row = row_at (function, address);
  const struct frame_row *next = row ? row + 1 : function->rows;
  if (next < function->rows + function->n_rows
      && function->address + next->start < *end)
    *end = function->address + next->start;
  return !row || is_no_measure (row, arch);
}

/* Bytes without padding.  Where the analysis is silent, so are some that could
   not be compared.  */
static uint64_t
bytes_of_code (const struct image *image, struct subject_file *file)
{
  uint64_t total = 0;
  struct insn_decoder *decoder = insn_decoder_new (image->arch);
  for (size_t i = 0; i < file->functions.n_functions; i++)
    {
      const struct frame_function *function = &file->functions.functions[i];
      uint64_t at = function->address, end = at + function->size;
      while (at < end && !is_plt (function))
        {
          const struct row_range *row_range
              = row_map_find (&file->findings.row_map, at);
          uint64_t next = at + 1;
          if (row_range)
            next = row_range->start + row_range->size;
          else
            while (next < end && !row_map_find (&file->findings.row_map, next))
              next++;
          if (next > end)
            next = end;
          const uint8_t *bytes = image_bytes_at (image, at, next - at);
          bool silent = !row_range || row_range->row == ROW_UNKNOWN;
          if (!bytes || !silent || !is_padding (bytes, next - at, at, decoder))
            {
              bool incomparable
                  = silent
                    && is_incomparable (function, file->arch, at, &next);
              total += next - at;
              file->count.incomparable += incomparable ? next - at : 0;
              if (verbose && silent && !incomparable)
                printf ("  silent: %#lx-%#lx of %#lx%s\n", at, next,
                        function->address, row_range ? " (disputed)" : "");
            }
          at = next;
        }
    }
  insn_decoder_free (decoder);
  return total;
}

static bool
is_zero (const uint8_t *bytes, uint64_t size)
{
  for (uint64_t i = 0; i < size; i++)
    if (bytes[i] != 0)
      return false;
  return true;
}

/* Whether CLAIM says how to unwind.  */
static bool
makes_row (const struct row_map *row_map, const struct row_range *row_range)
{
  return row_range && row_range->row != ROW_UNKNOWN
         && row_map->numbers.rows[row_range->row].cfa.kind != RULE_UNSUPPORTED;
}

/* Bytes of a section of code from START to END, without padding, and how many
   of them have a row, by their code or as a stub of a PLT.  */
static void
count_section (const struct image *image, const struct subject_file *file,
               uint64_t start, uint64_t end, uint64_t *total, uint64_t *rows)
{
  struct insn_decoder *decoder = insn_decoder_new (image->arch);
  for (uint64_t at = start, next; at < end; at = next)
    {
      const struct row_range *row_range
          = row_map_find (&file->findings.row_map, at);
      const struct frame_function *function
          = function_at (&file->functions, at);
      bool has_row = (function && is_plt (function))
                     || makes_row (&file->findings.row_map, row_range);
      next = row_range ? row_range->start + row_range->size : at + 1;
      while (!row_range && !has_row && next < end
             && !row_map_find (&file->findings.row_map, next))
        next++;
      next = next > end ? end : next;
      const uint8_t *bytes = image_bytes_at (image, at, next - at);
      if (!bytes || is_zero (bytes, next - at)
          || (!has_row && is_padding (bytes, next - at, at, decoder)))
        continue;
      *total += next - at;
      *rows += has_row ? next - at : 0;
      if (verbose && !has_row)
        printf ("  gap: %#lx-%#lx%s\n", at, next,
                row_range ? " (disputed)" : "");
    }
  insn_decoder_free (decoder);
}

static void
report_gaps (const char *name, const struct image *image,
             const struct subject_file *file)
{
  uint64_t total = 0, rows = 0;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR)
        count_section (image, file, header->sh_addr,
                       header->sh_addr + header->sh_size, &total, &rows);
    }
  printf ("%-50s %9lu executable, rows for %.2f%%\n", name, total,
          total ? 100.0 * (double)rows / (double)total : 0);
}

static void
report (const char *name, const struct subject_file *file, double seconds)
{
  const struct count *count = &file->count;
  uint64_t said = count->equal + count->cfa_differs + count->ra_differs
                  + count->fp_differs + count->unknown + count->incomparable;
  printf ("%-50s %9lu equal %.3f%% cfa-differs %lu ra-differs %lu "
          "fp-differs %lu unknown %lu incomparable %lu silent %lu  functions "
          "%lu %.2fs",
          name, count->total,
          100.0 * (double)count->equal
              / (double)(count->total - count->incomparable),
          count->cfa_differs, count->ra_differs, count->fp_differs,
          count->unknown, count->incomparable, count->total - said,
          file->findings.functions, seconds);
  printf (" %s:%lu", failure_name (ROUTINE_SOUND),
          file->findings.functions_trusted);
  for (int i = ROUTINE_SOUND + 1; i < ROUTINE_FAILURE_COUNT; i++)
    if (file->failures[i])
      printf (" %s:%lu", failure_name ((enum routine_failure)i),
              file->failures[i]);
  printf (" trusted:%lu\n", file->trusted);
}

static double
seconds_now (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool
analyse (const char *name, const struct cfi_source *source, struct error *err)
{
  const struct image *image = source->image;
  struct subject_file file
      = { .arch = image->arch, .machine = code_machine_of (image->arch) };
  struct code_facts facts;
  struct code_request request;
  n_seen = 0;
  if (!code_facts_read (&facts, source, &request, err))
    return false;
  file.functions = facts.functions;
  const struct analysis_observer observer
      = { .see = see, .reject = reject, .argument = &file };
  request.observer = &observer;
  request.beyond_cfi = everywhere;
  if (everything_hidden)
    {
      request.n_covered = request.n_pads = 0;
      request.beyond_cfi = true;
      request.no_symbols = !symbols_seen;
    }
  double began = seconds_now ();
  bool ok = code_analyse (&request, &file.findings, err);
  double took = seconds_now () - began;
  if (ok)
    {
      count_seen (&file);
      if (count_gaps)
        report_gaps (name, image, &file);
      file.count.total = bytes_of_code (image, &file);
      report (name, &file, took);
      if (file.count.cfa_differs + file.count.ra_differs
              + file.count.fp_differs
          > 0)
        ok = error_set (err, CFI2SFRAME_MISMATCH, "CFI and code differ");
    }
  code_findings_free (&file.findings);
  code_facts_free (&facts);
  return ok;
}

static bool
open_and_analyse (const char *name, struct error *err)
{
  struct image image;
  struct cfi_source source = { 0 };
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN };
  if (!image_open (&image, name, err))
    return false;
  bool ok = code_evidence_open_source (&source, &image, &cfi_options, err)
            && analyse (name, &source, err);
  cfi_source_close (&source);
  image_close (&image);
  return ok;
}

int
main (int argc, char **argv)
{
  int status = 0;
  for (int i = 1; i < argc; i++)
    {
      struct error err = { 0 };
      if (strcmp (argv[i], "-e") == 0)
        everything_hidden = true;
      else if (strcmp (argv[i], "-s") == 0)
        everything_hidden = symbols_seen = true;
      else if (strcmp (argv[i], "-a") == 0)
        everywhere = true;
      else if (strcmp (argv[i], "-g") == 0)
        count_gaps = everywhere = true;
      else if (strcmp (argv[i], "-v") == 0)
        verbose = true;
      else if (!open_and_analyse (argv[i], &err))
        {
          printf ("%s: %s\n", argv[i], err.reason);
          status = 1;
        }
    }
  return status;
}
