/* Checking an SFrame section against the CFI, address by address.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/verify.h"

#include <inttypes.h>
#include <stdio.h>

#include "arch/rule_text.h"
#include "cfi/finished_rows.h"
#include "sframe/sweep.h"

/* Check that function INDEX of a sorted section begins behind the function
   before it.  Readers search by bisection, which fails if functions overlap.
   The kernel refuses a section whose starts do not ascend (kernel/unwind/
   sframe.c of the SFrame patches for Linux, CONFIG_SFRAME_VALIDATION).  */
static bool
check_order (const struct sframe_decoder *decoder, uint32_t index,
             struct error *err)
{
  if (!(decoder->flags & SFRAME_FLAG_SORTED) || index == 0)
    return true;
  uint64_t before = sframe_decoder_start (decoder, index - 1);
  uint64_t start = sframe_decoder_start (decoder, index);
  return (start >= before
          && start - before >= sframe_decoder_size (decoder, index - 1))
         || error_set_word (err, CFI2SFRAME_MALFORMED, WORD_BAD_SFRAME,
                            "SFrame: function %" PRIu32
                            " is out of order or overlaps the one before",
                            index);
}

/* Check properties that no comparison of rows can show: the order, undefined
   bits, which may mean something to a later reader, and the number of rows in
   the header, by which readers allocate memory.  */
static bool
check_entries (const struct sframe_decoder *decoder, struct error *err)
{
  uint64_t n_rows = 0;
  for (uint32_t i = 0; i < decoder->n_functions; i++)
    {
      struct sframe_fde function;
      if (!check_order (decoder, i, err)
          || !sframe_decoder_function (decoder, i, &function, err))
        return false;
      if (function.has_unknown)
        return error_set_word (
            err, CFI2SFRAME_MALFORMED, WORD_BAD_SFRAME,
            "SFrame: function %" PRIu32 " has bits that are not defined", i);
      n_rows += function.n_rows;
    }
  return n_rows == decoder->n_rows
         || error_set_word (err, CFI2SFRAME_MALFORMED, WORD_BAD_SFRAME,
                            "SFrame: %" PRIu64 " rows, but %" PRIu32
                            " in the header",
                            n_rows, decoder->n_rows);
}

/* ---- The side of the CFI */

static const struct frame_row no_rules
    = { .cfa = { .kind = RULE_UNSUPPORTED, .reason = REASON_CFA_UNDEFINED } };

/* The CFI as a side of the sweep.  */
struct cfi_side
{
  struct sweep_side side;
  struct finished_rows *rows;
  const struct arch *arch;
  bool more;            /* CODE is valid; otherwise there is no more code */
  struct cfi_code code; /* the first code that ends behind the address */
  struct frame_function unknown;         /* for code that has no rows */
  const struct frame_function *function; /* that of CODE, or UNKNOWN */
  size_t row;                            /* index of the address's row */
  size_t next_place; /* the first return place of CODE not yet counted */
  uint64_t n_fdes;
  /* The end of the alignment behind the code before CODE, the flags of that
     code's function, and its last row.  */
  uint64_t padding_end;
  struct frame_function before;
  struct frame_row last;
};

/* Replace RULE_PLT in VIEW by the ordinary rule that it stands for at AT.  */
static void
resolve_plt (struct sweep_view *view, const struct arch *arch, uint64_t at)
{
  int64_t threshold = view->rules.cfa.offset;
  uint64_t phase = at % FRAME_PLT_BLOCK;
  bool beyond = (int64_t)phase >= threshold;
  uint64_t change
      = at - phase + (beyond ? FRAME_PLT_BLOCK : (uint64_t)threshold);
  /* If the threshold is not inside a block, one rule applies to all of it.  */
  if (threshold > 0 && threshold < FRAME_PLT_BLOCK && change < view->until
      && change > at)
    view->until = change;
  view->rules.cfa = (struct frame_rule){ .kind = RULE_REG,
                                         .reg = arch->sp,
                                         .offset = beyond ? 16 : 8 };
}

/* Keep flags, last row and alignment of the code that the sweep leaves.  */
static void
leave_code (struct cfi_side *cfi)
{
  const struct frame_function *function = cfi->function;
  if (function == NULL)
    return;
  cfi->padding_end = cfi->code.address + cfi->code.size;
  if (cfi->rows->options.at_sites)
    cfi->padding_end += cfi_walk_padding_at_most (&cfi->rows->walk, &cfi->code,
                                                  &cfi->rows->padding);
  cfi->before = (struct frame_function){ .signal = function->signal,
                                         .b_key = function->b_key };
  cfi->last
      = function->n_rows > 0 ? function->rows[function->n_rows - 1] : no_rules;
}

static bool
next_code (struct cfi_side *cfi, struct error *err)
{
  int more;
  leave_code (cfi);
  do
    more = finished_rows_next (cfi->rows, &cfi->code, err);
  while (more > 0 && !cfi->code.is_code);
  cfi->more = more > 0;
  cfi->function = NULL;
  if (more <= 0)
    return more == 0;
  cfi->n_fdes += cfi->code.kind == CODE_OF_FDE;
  if (!finished_rows_execute (cfi->rows, &cfi->code, err))
    return false;
  uint64_t size = cfi->code.size;
  cfi->unknown
      = (struct frame_function){ .address = cfi->code.address,
                                 .size = size < UINT32_MAX ? (uint32_t)size
                                                           : UINT32_MAX };
  cfi->function
      = cfi->code.reason == REASON_NONE ? cfi->code.function : &cfi->unknown;
  cfi->row = 0;
  cfi->next_place = 0;
  return true;
}

static bool
view_cfi (struct sweep_side *side, uint64_t at, struct sweep_view *view,
          struct error *err)
{
  struct cfi_side *cfi = (struct cfi_side *)side;
  *view = (struct sweep_view){ .until = UINT64_MAX, .end = UINT64_MAX };
  while (cfi->more && cfi->function->address + cfi->function->size <= at)
    if (!next_code (cfi, err))
      return false;
  const struct frame_function *function = cfi->function;
  if (!cfi->more)
    return true;
  if (at < function->address)
    {
      view->until = view->end = function->address;
      return true;
    }
  uint64_t end = function->size;
  const struct frame_row *found = frame_function_row_at (
      function, at - function->address, &cfi->row, &end);
  view->function = function;
  view->covered = true;
  view->rules = found != NULL ? *found : no_rules;
  view->until = function->address + end;
  view->end = function->address + function->size;
  /* The CFA does not matter in an outermost frame (sframe_row_rules).  A
     damaged FDE can have a gigabyte of blocks, each a stretch.  */
  if (view->rules.cfa.kind == RULE_PLT
      && view->rules.ra.kind != RULE_UNDEFINED)
    resolve_plt (view, cfi->arch, at);
  return true;
}

/* ---- Comparing */

struct verify
{
  struct cfi_side cfi;
  struct sweep_section section;
  struct cfi2sframe_check_result *result;
};

/* Whether the difference at PC is the first one.  Only that is explained.  */
static bool
verify_is_first (struct verify *verify, uint64_t pc)
{
  struct cfi2sframe_check_result *result = verify->result;
  if (result->bytes_wrong != 0 || result->bytes_extra != 0)
    return false;
  result->first_wrong = pc;
  return true;
}

/* Explain the difference at PC by WHAT, if it is the first one.  Returns false
   always, as the result of verify_rules.  */
static bool
verify_note (struct verify *verify, uint64_t pc, const char *what)
{
  if (verify_is_first (verify, pc))
    snprintf (verify->result->difference, sizeof verify->result->difference,
              "0x%" PRIx64 ": %s", pc, what);
  return false;
}

/* Explain that the rules for WHAT, whose register is OWN, differ at PC, if
   this is the first difference.  Returns false always.  */
static bool
verify_explain (struct verify *verify, uint64_t pc, const char *what,
                unsigned own, struct frame_rule cfi, struct frame_rule sframe)
{
  char texts[2][RULE_TEXT];
  if (verify_is_first (verify, pc))
    snprintf (verify->result->difference, sizeof verify->result->difference,
              "0x%" PRIx64 ": %s is %s in .eh_frame, %s in .sframe", pc, what,
              rule_text (verify->cfi.arch, cfi, own, texts[0]),
              rule_text (verify->cfi.arch, sframe, own, texts[1]));
  return false;
}

/* Whether the rules at PC are equal: CFI in FUNCTION, and THEIRS.  */
static bool
verify_rules (struct verify *verify, uint64_t pc,
              const struct frame_function *function,
              const struct frame_row *cfi, const struct sweep_view *theirs)
{
  const struct frame_row *sframe = &theirs->rules;
  const struct arch *arch = verify->cfi.arch;
  /* CFA and FP do not matter where the RA is undefined (sframe_row_rules).  In
     an SFrame row all rules are undefined, or none.  */
  if (cfi->ra.kind != RULE_UNDEFINED || sframe->cfa.kind != RULE_UNDEFINED)
    {
      if (!frame_rule_equal (cfi->cfa, sframe->cfa))
        return verify_explain (verify, pc, "CFA", arch->sp, cfi->cfa,
                               sframe->cfa);
      if (!frame_rule_equal (cfi->ra, sframe->ra))
        return verify_explain (verify, pc, "RA", arch->ra, cfi->ra,
                               sframe->ra);
      if (!frame_rule_equal (cfi->fp, sframe->fp))
        return verify_explain (verify, pc, "FP", arch->fp, cfi->fp,
                               sframe->fp);
      if (cfi->ra_signed != sframe->ra_signed)
        return verify_note (verify, pc,
                            "the RA is signed in one of both only");
      /* Equal, but no reader can use them.  */
      if (cfi->cfa.kind == RULE_UNSUPPORTED || cfi->ra.kind == RULE_UNSUPPORTED
          || cfi->fp.kind == RULE_UNSUPPORTED)
        return verify_note (verify, pc, "row for code without usable CFI");
    }
  if (theirs->function->signal != function->signal)
    return verify_note (verify, pc, "signal frame in one of both only");
  if (arch->ra_signing && theirs->function->b_key != function->b_key)
    return verify_note (verify, pc, "RA signing keys differ");
  return true;
}

/* How many bytes from PC to END may be left out as return addresses.  */
static uint64_t
return_address_bytes (struct cfi_side *cfi, uint64_t pc, uint64_t end)
{
  const struct return_places *places = cfi->code.places;
  uint64_t bytes = 0;
  for (; places != NULL && cfi->next_place < places->n; cfi->next_place++)
    {
      uint64_t from
          = cfi->function->address + places->offsets[cfi->next_place];
      uint64_t to = from + cfi->arch->smallest_instruction;
      if (from >= end)
        break;
      if (to > pc)
        bytes += (to < end ? to : end) - (from > pc ? from : pc);
      if (to > end)
        break;
    }
  return bytes;
}

/* Check the stretch from PC to END, which has no CFI.  It should have no rows.
   The one exception is alignment between two functions, where rows may go on
   with the rules at the end of the first function.  */
static void
verify_gap (struct verify *verify, const struct sweep_view *theirs,
            uint64_t pc, uint64_t end)
{
  const struct cfi_side *cfi = &verify->cfi;
  uint64_t padding_end = cfi->padding_end > pc ? cfi->padding_end : pc;
  if (padding_end > end)
    padding_end = end;
  if (theirs->covered && padding_end > pc
      && !verify_rules (verify, pc, &cfi->before, &cfi->last, theirs))
    verify->result->bytes_wrong += padding_end - pc;
  if (theirs->function != NULL && end > padding_end)
    {
      verify_note (verify, padding_end, "row for code without CFI");
      verify->result->bytes_extra += end - padding_end;
    }
}

static bool
verify_stretch (void *context, const struct sweep_view *cfi,
                const struct sweep_view *theirs, uint64_t pc, uint64_t end,
                struct error *err)
{
  struct verify *verify = context;
  struct cfi2sframe_check_result *result = verify->result;
  (void)err;
  if (!cfi->covered)
    verify_gap (verify, theirs, pc, end);
  else if (!theirs->covered)
    {
      uint64_t meant = return_address_bytes (&verify->cfi, pc, end);
      result->bytes_return_address += meant;
      if (!verify->cfi.function->from_plt)
        result->bytes_absent += end - pc - meant;
    }
  else
    {
      bool equal
          = verify_rules (verify, pc, cfi->function, &cfi->rules, theirs);
      *(equal ? &result->bytes_equal : &result->bytes_wrong) += end - pc;
      if (verify->cfi.code.kind == CODE_FOUND)
        result->bytes_from_code += end - pc;
    }
  return true;
}

bool
sframe_verify (const struct sframe_decoder *decoder,
               const struct cfi_source *source,
               struct cfi2sframe_check_result *result, struct error *err)
{
  const struct cfi_section *cfi = &source->cfi;
  /* Without a table of programs each FDE is executed, so the check does not
     rely on the reuse of rows that conversion makes.  */
  const struct rows_options options = { .at_sites = source->image != NULL };
  struct finished_rows rows = { 0 };
  *result = (struct cfi2sframe_check_result){ 0 };
  if (decoder->arch != cfi->arch)
    return error_set_word (err, CFI2SFRAME_MALFORMED, WORD_BAD_SFRAME,
                           "SFrame: section for machine %s",
                           decoder->arch->name);
  struct verify verify
      = { .cfi
          = { .side = { view_cfi }, .rows = &rows, .arch = decoder->arch },
          .result = result };
  /* In real files the sides change at far fewer addresses.  */
  uint64_t steps = (1u << 20) + 16 * (cfi_section_size (cfi) + decoder->size);
  bool done = check_entries (decoder, err)
              && finished_rows_open (&rows, source, &options, err)
              && next_code (&verify.cfi, err)
              && sweep_section_open (&verify.section, decoder, err)
              && sweep (&verify.cfi.side, &verify.section.side, false, steps,
                        verify_stretch, &verify, err);
  result->functions = verify.cfi.n_fdes;
  sweep_section_close (&verify.section);
  finished_rows_close (&rows);
  return done;
}
