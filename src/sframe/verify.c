/* Does an SFrame section say what the CFI says, PC by PC?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Both sides are walked in address order at once.  Each can tell what holds
   at a PC and up to where, so that only the places where one of them changes
   are looked at, and every byte between is accounted for.  */

#include "sframe/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/rule_text.h"
#include "cfi/finished_rows.h"
#include "sframe/lower_row.h"

/* What one side says from some PC up to `until`.  */
struct view
{
  bool covered;
  struct frame_row rules;
  uint64_t until; /* beyond the PC */
};

/* The SFrame side.  */

struct function_start
{
  uint64_t start;
  uint32_t index;
};

struct track
{
  const struct sframe_decoder *decoder;
  struct function_start
      *starts;   /* owned; functions by start, unless they are sorted */
  uint32_t next; /* the first function (in order) behind the PC */
  bool loaded;   /* the one before it is in `function' */
  struct frame_function function;
  size_t row; /* that of the latest PC */
  uint64_t rows_left;
};

static int
function_start_compare (const void *a, const void *b)
{
  const struct function_start *left = a, *right = b;
  if (left->start != right->start)
    return left->start < right->start ? -1 : 1;
  return left->index < right->index ? -1 : left->index > right->index;
}

/* Readers find functions in a sorted section by bisection, which overlapping
   ones lead astray.  The kernel refuses a section whose starts do not ascend
   (CONFIG_SFRAME_VALIDATION in kernel/unwind/sframe.c of the SFrame patches
   for Linux).  */
static bool
check_order (const struct sframe_decoder *decoder, struct error *err)
{
  for (uint32_t i = 1; i < decoder->n_functions; i++)
    {
      uint64_t before = sframe_decoder_start (decoder, i - 1);
      uint64_t start = sframe_decoder_start (decoder, i);
      if (start < before
          || start - before < sframe_decoder_size (decoder, i - 1))
        return error_set (err, CFI2SFRAME_MALFORMED,
                          "SFrame: function %" PRIu32
                          " is out of order or overlaps the one before",
                          i);
    }
  return true;
}

static bool
track_init (struct track *track, const struct sframe_decoder *decoder,
            struct error *err)
{
  *track = (struct track){ .decoder = decoder,
                           .rows_left = sframe_decoder_rows_max (decoder) };
  uint32_t n = decoder->n_functions;
  if (decoder->flags & SFRAME_FLAG_SORTED)
    return check_order (decoder, err);
  track->starts = reallocarray (NULL, n + (size_t)1, sizeof *track->starts);
  if (track->starts == NULL)
    return error_set_no_memory (err);
  for (uint32_t i = 0; i < n; i++)
    track->starts[i]
        = (struct function_start){ sframe_decoder_start (decoder, i), i };
  qsort (track->starts, n, sizeof *track->starts, function_start_compare);
  return true;
}

static void
track_free (struct track *track)
{
  free (track->starts);
  frame_function_free (&track->function);
}

static uint32_t
track_index (const struct track *track, uint32_t position)
{
  return track->starts != NULL ? track->starts[position].index : position;
}

static bool
track_covers (const struct track *track, uint64_t pc)
{
  const struct frame_function *function = &track->function;
  return track->loaded && pc - function->address < function->size;
}

/* Find the function for PC, which never descends: the last one that starts at
   or before it.  *UNTIL becomes where the answer may change.  */
static bool
track_seek (struct track *track, uint64_t pc, uint64_t *until,
            struct error *err)
{
  const struct sframe_decoder *decoder = track->decoder;
  const struct frame_function *function = &track->function;
  uint32_t before = track->next;
  *until = UINT64_MAX;
  for (; track->next < decoder->n_functions; track->next++)
    {
      uint64_t start
          = sframe_decoder_start (decoder, track_index (track, track->next));
      if (start > pc)
        {
          *until = start;
          break;
        }
    }
  if (track->next != before)
    {
      track->loaded = true;
      track->row = 0;
      if (!lower_undo_function (decoder, track_index (track, track->next - 1),
                                &track->rows_left, &track->function, err))
        return false;
    }
  uint64_t end = function->address + function->size;
  if (track_covers (track, pc) && end < *until && end > pc)
    *until = end; /* unless it wraps around */
  return true;
}

static bool
track_view (struct track *track, uint64_t pc, struct view *view,
            struct error *err)
{
  const struct frame_function *function = &track->function;
  *view = (struct view){ .covered = false };
  if (!track_seek (track, pc, &view->until, err))
    return false;
  if (!track_covers (track, pc))
    return true;
  uint64_t end = view->until - function->address;
  const struct frame_row *row = frame_function_row_at (
      function, pc - function->address, &track->row, &end);
  view->until = function->address + end;
  view->covered = row != NULL;
  if (row != NULL)
    view->rules = *row;
  return true;
}

/* The CFI's side.  */

static const struct frame_row no_rules
    = { .cfa = { .kind = RULE_UNSUPPORTED, .reason = REASON_CFA_UNDEFINED } };

/* Make RULE_PLT an ordinary rule for PC.  */
static void
view_resolve_plt (struct view *view, const struct arch *arch, uint64_t pc)
{
  int64_t threshold = view->rules.cfa.offset;
  uint64_t block = pc & ~UINT64_C (15);
  bool beyond = (int64_t)(pc & 15) >= threshold;
  uint64_t change = block + (beyond ? 16 : (uint64_t)threshold);
  /* Otherwise all of a block is on one side of the threshold.  */
  if (threshold > 0 && threshold < 16 && change < view->until && change > pc)
    view->until = change;
  view->rules.cfa = (struct frame_rule){ .kind = RULE_REG,
                                         .reg = arch->sp,
                                         .offset = beyond ? 16 : 8 };
}

/* What FUNCTION says at PC, which it contains.  *ROW is where to search from
   and becomes the row found; it is 0 at first.  */
static struct view
source_view (const struct frame_function *function, const struct arch *arch,
             uint64_t pc, size_t *row)
{
  uint64_t end = function->size;
  const struct frame_row *found
      = frame_function_row_at (function, pc - function->address, row, &end);
  struct view view = { .covered = true,
                       .rules = found != NULL ? *found : no_rules,
                       .until = function->address + end };
  /* Without a caller the CFA does not matter (lower_row.h), and a damaged FDE
     can have a gigabyte of blocks.  */
  if (view.rules.cfa.kind == RULE_PLT && view.rules.ra.kind != RULE_UNDEFINED)
    view_resolve_plt (&view, arch, pc);
  return view;
}

/* Comparing.  */

struct verify
{
  const struct arch *arch;
  struct track track;
  struct verify_result *result;
  /* Of the code at hand, what readers would take for return addresses, or
     NULL; and the first of these places that is not behind the latest PC.  */
  const struct return_places *places;
  size_t next_place;
  uint64_t padding_end; /* of the alignment behind the latest code */
  uint64_t steps_left;
};

static void
verify_explain (struct verify *verify, uint64_t pc, const char *what,
                unsigned own, struct frame_rule cfi, struct frame_rule sframe)
{
  const struct arch *arch = verify->arch;
  char cfi_text[RULE_TEXT], sframe_text[RULE_TEXT];
  snprintf (verify->result->difference, sizeof verify->result->difference,
            "0x%" PRIx64 ": %s is %s in .eh_frame, %s in .sframe", pc, what,
            rule_text (arch, cfi, own, cfi_text),
            rule_text (arch, sframe, own, sframe_text));
}

/* Whether this is the first difference, which is the one explained.  */
static bool
verify_is_first (struct verify *verify, uint64_t pc)
{
  struct verify_result *result = verify->result;
  if (result->bytes_wrong != 0 || result->bytes_extra != 0)
    return false;
  result->first_wrong = pc;
  return true;
}

static void
verify_note (struct verify *verify, uint64_t pc, const char *what)
{
  if (verify_is_first (verify, pc))
    snprintf (verify->result->difference, sizeof verify->result->difference,
              "0x%" PRIx64 ": %s", pc, what);
}

/* Compare what both say at PC; false when they differ.  */
static bool
verify_rules (struct verify *verify, const struct frame_function *function,
              uint64_t pc, const struct frame_row *cfi,
              const struct frame_row *sframe)
{
  const struct arch *arch = verify->arch;
  const struct frame_function *theirs = &verify->track.function;
  /* Where the RA is undefined a stack tracer ends; CFA and FP do not matter
     (lower_row.h).  In a row of SFrame either all rules are undefined or
     none.  */
  bool outermost
      = cfi->ra.kind == RULE_UNDEFINED && sframe->cfa.kind == RULE_UNDEFINED;
  if (!outermost && !frame_row_same_rules (cfi, sframe))
    {
      if (!verify_is_first (verify, pc))
        return false;
      if (!frame_rule_equal (cfi->cfa, sframe->cfa))
        verify_explain (verify, pc, "CFA", arch->sp, cfi->cfa, sframe->cfa);
      else if (!frame_rule_equal (cfi->ra, sframe->ra))
        verify_explain (verify, pc, "RA", arch->ra, cfi->ra, sframe->ra);
      else if (!frame_rule_equal (cfi->fp, sframe->fp))
        verify_explain (verify, pc, "FP", arch->fp, cfi->fp, sframe->fp);
      else
        verify_note (verify, pc, "the RA is signed in one of both only");
      return false;
    }
  /* Equal, but no reader can use them.  */
  if (!outermost
      && (cfi->cfa.kind == RULE_UNSUPPORTED || cfi->ra.kind == RULE_UNSUPPORTED
          || cfi->fp.kind == RULE_UNSUPPORTED))
    {
      verify_note (verify, pc, "row for code without usable CFI");
      return false;
    }
  if (verify->track.decoder->variant.version >= 3
      && theirs->signal != function->signal)
    {
      verify_note (verify, pc, "signal frame in one of both only");
      return false;
    }
  if (arch->ra_signing && theirs->b_key != function->b_key)
    {
      verify_note (verify, pc, "RA signing keys differ");
      return false;
    }
  return true;
}

/* How many of the bytes of FUNCTION from PC to END may be left out as return
   addresses.  */
static uint64_t
return_address_bytes (struct verify *verify,
                      const struct frame_function *function, uint64_t pc,
                      uint64_t end)
{
  const struct return_places *places = verify->places;
  uint64_t bytes = 0;
  for (; places != NULL && verify->next_place < places->n;
       verify->next_place++)
    {
      uint64_t from = function->address + places->offsets[verify->next_place];
      uint64_t to = from + verify->arch->smallest_instruction;
      if (from >= end)
        break;
      if (to > pc)
        bytes += (to < end ? to : end) - (from > pc ? from : pc);
      if (to > end)
        break;
    }
  return bytes;
}

/* The section has no row from PC to END, for which FUNCTION has.  */
static void
verify_absent (struct verify *verify, const struct frame_function *function,
               uint64_t pc, uint64_t end)
{
  uint64_t meant = return_address_bytes (verify, function, pc, end);
  verify->result->bytes_return_address += meant;
  verify->result->bytes_absent += function->from_plt ? 0 : end - pc - meant;
}

/* Compare FUNCTION with the section from PC to END.  */
static bool
verify_function (struct verify *verify, const struct frame_function *function,
                 uint64_t pc, uint64_t end, struct error *err)
{
  struct verify_result *result = verify->result;
  size_t row = 0;
  while (pc < end)
    {
      struct view ours = source_view (function, verify->arch, pc, &row);
      struct view theirs;
      if (!track_view (&verify->track, pc, &theirs, err))
        return false;
      if (verify->steps_left-- == 0)
        return error_set (err, CFI2SFRAME_MALFORMED,
                          "SFrame: blocks repeated too often");
      /* Where the section has no row, those of the CFI need no look one by
         one: a damaged FDE can have a row for every few bytes of a
         gigabyte.  */
      uint64_t until = theirs.covered && ours.until < theirs.until
                           ? ours.until
                           : theirs.until;
      if (until > end)
        until = end;
      if (!theirs.covered)
        verify_absent (verify, function, pc, until);
      else if (verify_rules (verify, function, pc, &ours.rules, &theirs.rules))
        result->bytes_equal += until - pc;
      else
        result->bytes_wrong += until - pc;
      pc = until;
    }
  return true;
}

/* There is no CFI from PC to END, so there should be no rows, unless it is the
   alignment between two functions.  */
static bool
verify_gap (struct verify *verify, uint64_t pc, uint64_t end,
            struct error *err)
{
  while (pc < end)
    {
      uint64_t until;
      if (!track_seek (&verify->track, pc, &until, err))
        return false;
      if (until > end)
        until = end;
      if (pc < verify->padding_end && until > verify->padding_end)
        until = verify->padding_end;
      if (track_covers (&verify->track, pc) && pc >= verify->padding_end)
        {
          verify_note (verify, pc, "row for code without CFI");
          verify->result->bytes_extra += until - pc;
        }
      pc = until;
    }
  return true;
}

/* Walking over the code.  */

/* Compare the section with FUNCTION from the end of what has been looked at,
 *DONE, on.  */
static bool
verify_code (struct verify *verify, const struct frame_function *function,
             uint64_t *done, struct error *err)
{
  uint64_t start = function->address;
  uint64_t end = start + function->size;
  if (start < *done)
    start = *done;
  if (end <= start)
    return true;
  if (!verify_gap (verify, *done, start, err)
      || !verify_function (verify, function, start, end, err))
    return false;
  *done = end;
  return true;
}

/* CODE as a function of which nothing is known.  */
static struct frame_function
unknown_code (const struct cfi_code *code)
{
  return (struct frame_function){ .address = code->address,
                                  .size = code->size < UINT32_MAX
                                              ? (uint32_t)code->size
                                              : UINT32_MAX };
}

static bool
verify_all (struct verify *verify, struct finished_rows *rows,
            struct error *err)
{
  struct cfi_code code;
  uint64_t done = 0;
  int more;
  while ((more = finished_rows_next (rows, &code, err)) > 0)
    {
      if (!code.is_code)
        continue;
      verify->result->functions += code.kind == CODE_OF_FDE;
      if (!finished_rows_execute (rows, &code, err))
        return false;
      const struct frame_function unknown = unknown_code (&code);
      const struct frame_function *function
          = code.reason == REASON_NONE ? code.function : &unknown;
      verify->places = code.places;
      verify->next_place = 0;
      if (!verify_code (verify, function, &done, err))
        return false;
      verify->padding_end = code.address + code.size;
      if (rows->flags & ROWS_AT_SITES)
        verify->padding_end
            += cfi_walk_padding_once (&rows->walk, &code, &rows->padding);
    }
  return more == 0 && verify_gap (verify, done, UINT64_MAX, err);
}

bool
sframe_verify (const struct sframe_decoder *decoder,
               const struct cfi_source *source, struct verify_result *result,
               struct error *err)
{
  const struct cfi_section *cfi = &source->cfi;
  /* Each FDE is executed: what conversion spares itself is checked.  */
  const unsigned flags = source->image != NULL ? ROWS_AT_SITES : 0;
  struct finished_rows rows = { 0 };
  *result = (struct verify_result){ 0 };
  if (decoder->arch != cfi->arch)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "SFrame: section for machine %s", decoder->arch->name);
  struct verify verify = { .arch = decoder->arch, .result = result };
  /* Far beyond the places where either side changes in real files.  */
  verify.steps_left
      = (1u << 20) + 16 * (cfi_section_size (cfi) + decoder->size);
  bool done = finished_rows_open (&rows, source, flags, err)
              && track_init (&verify.track, decoder, err)
              && verify_all (&verify, &rows, err);
  track_free (&verify.track);
  finished_rows_close (&rows);
  return done;
}
