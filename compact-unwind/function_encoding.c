/* Encoding one function as a compact unwind word, if its rows allow it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "compact-unwind/function_encoding.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "compact-unwind/encoding.h"

enum
{
  FRAME_CFA_OFFSET = 16, /* CFA - FP, if the CFA is based on FP */
  SIZE_OFFSET_MAX = 255  /* of the immediate in the function */
};

static const struct
{
  const char *name, *text;
} reasons[CUNWIND_REASON_COUNT] = {
  [CUNWIND_EXPRESSED] = { "expressed", "expressed" },
  [CUNWIND_UNREADABLE] = { "unreadable", "CFI that cannot be executed" },
  [CUNWIND_SIGNAL_FRAME] = { "signal-frame", "signal frame" },
  [CUNWIND_CFA_RULE] = { "cfa-rule", "CFA neither FP + 16 nor SP + n" },
  [CUNWIND_RA_RULE] = { "ra-rule", "RA not where the format expects it" },
  [CUNWIND_RA_SIGNED] = { "ra-signed", "signed return address" },
  [CUNWIND_SAVED_RULE] = { "saved-rule", "register not saved on the stack" },
  [CUNWIND_SAVED_PLACE]
  = { "saved-place", "registers saved in an order without encoding" },
  [CUNWIND_STACK_SIZE] = { "stack-size", "stack size without encoding" },
  [CUNWIND_BODY_CHANGES]
  = { "body-changes", "rules change between prologue and epilogue" },
  [CUNWIND_CALL_OUTSIDE]
  = { "call-outside", "call where the frame is not complete" },
  [CUNWIND_LSDA] = { "lsda", "LSDA or personality that no index can hold" },
  [CUNWIND_PERSONALITY]
  = { "personality", "more than three personality functions" },
  [CUNWIND_RANGE]
  = { "range", "range empty, outside code, or overlapping another" },
};

const char *
cunwind_reason_name (enum cunwind_reason reason)
{
  return reasons[reason].name;
}

const char *
cunwind_reason_text (enum cunwind_reason reason)
{
  return reasons[reason].text;
}

/* ---- Finding calls */

/* Whether all SIZE bytes of CODE decode to instructions other than calls.  */
static bool
decodes_without_call (const struct arch *arch, const uint8_t *code,
                      uint64_t size)
{
  for (uint64_t i = 0; i < size;)
    {
      bool is_call;
      unsigned step = arch->instruction_size (code + i, size - i, &is_call);
      if (step == 0 || is_call)
        return false;
      i += step;
    }
  return true;
}

bool
cunwind_code_has_no_call (const struct image *image, uint64_t address,
                          uint64_t size)
{
  const struct arch *arch = image->arch;
  const uint64_t step = arch->smallest_instruction;
  const uint8_t *code = image_bytes_at (image, address, size);
  if (code == NULL || size % step != 0)
    return false;
  if (arch->instruction_size != NULL
      && decodes_without_call (arch, code, size))
    return true;
  uint64_t target;
  for (uint64_t end = step; end <= size; end += step)
    if (image_may_end_call (image, code, end, address, &target))
      return false;
  return true;
}

/* The state of encoding one function.  */
struct encoding_attempt
{
  const struct image *image;
  const struct arch *arch;
  const struct frame_function *function;
  size_t body; /* index of the body row */
  struct cunwind_frame frame;
};

/* ---- Finding the body row */

static bool
is_saved (struct frame_rule rule)
{
  return rule.kind != RULE_SAME;
}

static unsigned
count_saved (const struct frame_function *function, size_t index)
{
  const struct frame_row *row = &function->rows[index];
  const struct frame_rule *saved = frame_function_saved (function, index);
  unsigned n = is_saved (row->fp) + is_saved (row->ra);
  for (size_t i = 0; i < function->n_saved; i++)
    n += is_saved (saved[i]);
  return n;
}

static bool
is_frame_cfa (const struct arch *arch, const struct frame_row *row)
{
  return row->cfa.kind == RULE_REG && row->cfa.reg == arch->fp;
}

/* Whether row INDEX precedes row BEST in the order of function_encoding.h.  */
static bool
is_better_body (const struct encoding_attempt *attempt, size_t index,
                size_t best)
{
  const struct frame_function *function = attempt->function;
  unsigned saved = count_saved (function, index);
  unsigned best_saved = count_saved (function, best);
  if (saved != best_saved)
    return saved > best_saved;
  const struct frame_row *row = &function->rows[index];
  const struct frame_row *best_row = &function->rows[best];
  bool framed = is_frame_cfa (attempt->arch, row);
  bool best_framed = is_frame_cfa (attempt->arch, best_row);
  if (framed != best_framed)
    return framed;
  return !framed && row->cfa.offset > best_row->cfa.offset;
}

/* ---- Checking the other rows */

static bool
is_same_or_unsaved (struct frame_rule rule, struct frame_rule body)
{
  return rule.kind == RULE_SAME || frame_rule_equal (rule, body);
}

static bool
same_rules_and_saved (const struct frame_function *function, size_t a,
                      size_t b)
{
  const struct frame_rule *left = frame_function_saved (function, a);
  const struct frame_rule *right = frame_function_saved (function, b);
  if (!frame_row_same_rules (&function->rows[a], &function->rows[b]))
    return false;
  for (size_t i = 0; i < function->n_saved; i++)
    if (!frame_rule_equal (left[i], right[i]))
      return false;
  return true;
}

/* Whether the CFA of ROW may be that of an incomplete frame: it is BODY's, or
   based on SP and, unless BODY's is based on FP, nearer to SP than BODY's.  */
static bool
is_smaller_frame (const struct arch *arch, const struct frame_row *row,
                  const struct frame_row *body)
{
  if (frame_rule_equal (row->cfa, body->cfa))
    return true;
  return row->cfa.kind == RULE_REG && row->cfa.reg == arch->sp
         && (is_frame_cfa (arch, body) || row->cfa.offset < body->cfa.offset);
}

/* Whether row INDEX belongs to a prologue or epilogue: each of its rules is
   that of the body row, or that of a register that is not saved yet or is
   restored already.  */
static bool
is_partial (const struct encoding_attempt *attempt, size_t index)
{
  const struct frame_function *function = attempt->function;
  const struct frame_row *row = &function->rows[index];
  const struct frame_row *body = &function->rows[attempt->body];
  const struct frame_rule *saved = frame_function_saved (function, index);
  const struct frame_rule *body_saved
      = frame_function_saved (function, attempt->body);
  if (row->ra_signed != body->ra_signed
      || !is_smaller_frame (attempt->arch, row, body)
      || !is_same_or_unsaved (row->fp, body->fp)
      || !is_same_or_unsaved (row->ra, body->ra))
    return false;
  for (size_t i = 0; i < function->n_saved; i++)
    if (!is_same_or_unsaved (saved[i], body_saved[i]))
      return false;
  return true;
}

static enum cunwind_reason
check_other_rows (const struct encoding_attempt *attempt)
{
  const struct frame_function *function = attempt->function;
  enum cunwind_reason reason = CUNWIND_EXPRESSED;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      uint32_t start = function->rows[i].start, end = function->size;
      if (i == attempt->body
          || same_rules_and_saved (function, i, attempt->body))
        continue;
      if (!is_partial (attempt, i))
        return CUNWIND_BODY_CHANGES;
      if (i + 1 < function->n_rows)
        end = function->rows[i + 1].start;
      if (!cunwind_code_has_no_call (attempt->image, function->address + start,
                                     end - start))
        reason = CUNWIND_CALL_OUTSIDE;
    }
  return reason;
}

/* ---- Encoding the body row */

static int
compare_saved (const void *a, const void *b)
{
  const struct cunwind_saved *left = a, *right = b;
  return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Add REG to the frame's saved registers if RULE says that it was saved.
   False for rules that the format lacks.  */
static bool
add_saved (struct cunwind_frame *frame, uint16_t reg, struct frame_rule rule)
{
  if (rule.kind == RULE_SAME)
    return true;
  if (rule.kind != RULE_DEREF_CFA)
    return false;
  frame->saved[frame->n_saved++]
      = (struct cunwind_saved){ .reg = reg, .offset = rule.offset };
  return true;
}

static enum cunwind_reason
collect_saved (struct encoding_attempt *attempt)
{
  const struct frame_function *function = attempt->function;
  const struct arch *arch = attempt->arch;
  const struct frame_row *body = &function->rows[attempt->body];
  const struct frame_rule *saved
      = frame_function_saved (function, attempt->body);
  struct cunwind_frame *frame = &attempt->frame;
  for (size_t i = 0; i < function->n_saved; i++)
    if (!add_saved (frame, arch->saved_registers[i], saved[i]))
      return CUNWIND_SAVED_RULE;
  if (frame->mode != CUNWIND_FRAME && !add_saved (frame, arch->fp, body->fp))
    return CUNWIND_SAVED_RULE;
  qsort (frame->saved, frame->n_saved, sizeof frame->saved[0], compare_saved);
  return CUNWIND_EXPRESSED;
}

static bool
is_saved_at (struct frame_rule rule, int32_t offset)
{
  return rule.kind == RULE_DEREF_CFA && rule.offset == offset;
}

/* Set the frame's mode and stack size by the body row.  Check that FP and RA
   are where this mode has them.  */
static enum cunwind_reason
set_mode (struct encoding_attempt *attempt)
{
  const struct arch *arch = attempt->arch;
  const struct frame_row *body = &attempt->function->rows[attempt->body];
  struct cunwind_frame *frame = &attempt->frame;
  bool ra_on_stack = is_saved_at (body->ra, -8);
  if (body->cfa.kind != RULE_REG)
    return CUNWIND_CFA_RULE;
  if (body->cfa.reg == arch->fp)
    {
      frame->mode = CUNWIND_FRAME;
      if (body->cfa.offset != FRAME_CFA_OFFSET
          || !is_saved_at (body->fp, -FRAME_CFA_OFFSET))
        return CUNWIND_CFA_RULE;
      return ra_on_stack ? CUNWIND_EXPRESSED : CUNWIND_RA_RULE;
    }
  if (body->cfa.reg != arch->sp || body->cfa.offset < 0)
    return CUNWIND_CFA_RULE;
  frame->mode = CUNWIND_FRAMELESS;
  frame->stack_size = (uint32_t)body->cfa.offset;
  bool ra_fits
      = arch_tracks_ra (arch) ? body->ra.kind == RULE_SAME : ra_on_stack;
  return ra_fits ? CUNWIND_EXPRESSED : CUNWIND_RA_RULE;
}

/* For stack sizes too large for an encoding: find the prologue's `sub $n,%rsp`
   (48 81 ec and a 32-bit immediate), from which readers take the size.  A row
   begins after the instruction, and the CFA of that row is n farther from SP
   than before.  False if there is none.  */
static bool
find_immediate (struct encoding_attempt *attempt)
{
  enum
  {
    INSTRUCTION_SIZE = 7,
    IMMEDIATE_AT = 3
  };
  const struct frame_function *function = attempt->function;
  struct cunwind_frame *frame = &attempt->frame;
  for (size_t i = 1; i <= attempt->body; i++)
    {
      const struct frame_row *row = &function->rows[i];
      if (row->start < INSTRUCTION_SIZE || row->cfa.kind != RULE_REG
          || row[-1].cfa.kind != RULE_REG)
        continue;
      uint32_t at = row->start - INSTRUCTION_SIZE;
      const uint8_t *code = image_bytes_at (
          attempt->image, function->address + at, INSTRUCTION_SIZE);
      if (code == NULL || memcmp (code, "\x48\x81\xec", IMMEDIATE_AT) != 0)
        continue;
      uint32_t size = load_u32 (code + IMMEDIATE_AT, false);
      if (at + IMMEDIATE_AT > SIZE_OFFSET_MAX || size > frame->stack_size
          || (int64_t)row[-1].cfa.offset + size != row->cfa.offset)
        continue;
      frame->mode = CUNWIND_FRAMELESS_INDIRECT;
      frame->stack_size -= size;
      frame->size_offset = (uint8_t)(at + IMMEDIATE_AT);
      return true;
    }
  return false;
}

static bool
frames_equal (const struct cunwind_frame *a, const struct cunwind_frame *b)
{
  if (a->mode != b->mode || a->n_saved != b->n_saved
      || a->stack_size != b->stack_size || a->size_offset != b->size_offset)
    return false;
  for (unsigned i = 0; i < a->n_saved; i++)
    if (a->saved[i].reg != b->saved[i].reg
        || a->saved[i].offset != b->saved[i].offset)
      return false;
  return true;
}

/* Encode the frame.  False if a reader would decode another frame.  */
static bool
encode_exactly (const struct encoding_attempt *attempt, uint32_t *encoding)
{
  struct cunwind_frame decoded;
  return cunwind_encode (attempt->arch, &attempt->frame, encoding)
         && cunwind_decode (attempt->arch, *encoding, &decoded)
         && frames_equal (&attempt->frame, &decoded);
}

static enum cunwind_reason
encode_body (struct encoding_attempt *attempt, uint32_t *encoding)
{
  struct cunwind_frame *frame = &attempt->frame;
  enum cunwind_reason reason = set_mode (attempt);
  if (reason == CUNWIND_EXPRESSED)
    reason = collect_saved (attempt);
  if (reason != CUNWIND_EXPRESSED || encode_exactly (attempt, encoding))
    return reason;
  if (frame->mode != CUNWIND_FRAMELESS)
    return CUNWIND_SAVED_PLACE;
  /* Find out which is the reason: the stack size or the registers.  */
  uint32_t size = frame->stack_size;
  frame->stack_size = 8 * (frame->n_saved + 1u);
  bool registers_fit = cunwind_encode (attempt->arch, frame, encoding)
                       || attempt->arch != &arch_amd64;
  frame->stack_size = size;
  if (!registers_fit || (frame->n_saved > 0 && arch_tracks_ra (attempt->arch)))
    return CUNWIND_SAVED_PLACE;
  if (attempt->arch == &arch_amd64 && find_immediate (attempt)
      && encode_exactly (attempt, encoding))
    return CUNWIND_EXPRESSED;
  return CUNWIND_STACK_SIZE;
}

struct cunwind_encoded
cunwind_encode_function (const struct image *image,
                         const struct frame_function *function)
{
  struct encoding_attempt attempt
      = { .image = image, .arch = image->arch, .function = function };
  struct cunwind_encoded encoded = { .reason = CUNWIND_UNREADABLE };
  if (function->n_rows == 0 || function->rows[0].start != 0)
    return encoded;
  if (function->signal)
    {
      encoded.reason = CUNWIND_SIGNAL_FRAME;
      return encoded;
    }
  for (size_t i = 1; i < function->n_rows; i++)
    if (is_better_body (&attempt, i, attempt.body))
      attempt.body = i;
  if (function->rows[attempt.body].ra_signed)
    encoded.reason = CUNWIND_RA_SIGNED;
  else
    encoded.reason = encode_body (&attempt, &encoded.encoding);
  if (encoded.reason == CUNWIND_EXPRESSED)
    encoded.reason = check_other_rows (&attempt);
  if (encoded.reason != CUNWIND_EXPRESSED)
    encoded.encoding = 0;
  encoded.asynchronous
      = encoded.reason == CUNWIND_EXPRESSED && function->n_rows == 1;
  return encoded;
}
