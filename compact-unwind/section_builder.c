/* The compact unwind section of an ELF image, FDE by FDE.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Most of it makes one encoding of a function's rows.  */

#include "compact-unwind/section_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cfi/fde.h"
#include "elf/encoded_pointer.h"

enum
{
  FRAME_CFA_OFFSET = 16, /* CFA - FP in a frame */
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

/* ---- Code that makes no calls */

/* Whether the SIZE bytes of CODE are instructions, up to the last byte, and
   none of them a call.  */
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

/* The work on one function.  */
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

/* Whether row INDEX is deeper in the function than row BEST.  */
static bool
is_deeper (const struct encoding_attempt *attempt, size_t index, size_t best)
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
same_or_absent (struct frame_rule rule, struct frame_rule body)
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

/* Whether the CFA of ROW is one of a frame that is not complete.  */
static bool
is_smaller_frame (const struct arch *arch, const struct frame_row *row,
                  const struct frame_row *body)
{
  if (frame_rule_equal (row->cfa, body->cfa))
    return true;
  return row->cfa.kind == RULE_REG && row->cfa.reg == arch->sp
         && (is_frame_cfa (arch, body) || row->cfa.offset < body->cfa.offset);
}

/* Whether the body's frame is being built or taken down at row INDEX: parts of
   it are there, nothing else is.  */
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
      || !same_or_absent (row->fp, body->fp)
      || !same_or_absent (row->ra, body->ra))
    return false;
  for (size_t i = 0; i < function->n_saved; i++)
    if (!same_or_absent (saved[i], body_saved[i]))
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

/* ---- From the body row to a frame */

static int
compare_saved (const void *a, const void *b)
{
  const struct cunwind_saved *left = a, *right = b;
  return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Add REG to the frame's registers if RULE says that it was saved.  */
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
is_slot (struct frame_rule rule, int32_t offset)
{
  return rule.kind == RULE_DEREF_CFA && rule.offset == offset;
}

/* The mode, and whether FP and RA are where that mode has them.  */
static enum cunwind_reason
choose_mode (struct encoding_attempt *attempt)
{
  const struct arch *arch = attempt->arch;
  const struct frame_row *body = &attempt->function->rows[attempt->body];
  struct cunwind_frame *frame = &attempt->frame;
  bool ra_in_slot = is_slot (body->ra, -8);
  if (body->cfa.kind != RULE_REG)
    return CUNWIND_CFA_RULE;
  if (body->cfa.reg == arch->fp)
    {
      frame->mode = CUNWIND_FRAME;
      if (body->cfa.offset != FRAME_CFA_OFFSET
          || !is_slot (body->fp, -FRAME_CFA_OFFSET))
        return CUNWIND_CFA_RULE;
      return ra_in_slot ? CUNWIND_EXPRESSED : CUNWIND_RA_RULE;
    }
  if (body->cfa.reg != arch->sp || body->cfa.offset < 0)
    return CUNWIND_CFA_RULE;
  frame->mode = CUNWIND_FRAMELESS;
  frame->stack_size = (uint32_t)body->cfa.offset;
  bool ra_fits
      = arch_tracks_ra (arch) ? body->ra.kind == RULE_SAME : ra_in_slot;
  return ra_fits ? CUNWIND_EXPRESSED : CUNWIND_RA_RULE;
}

/* Large frames: the prologue's `sub $n,%rsp` (48 81 ec, a 32-bit immediate)
   ends where a row begins, and that row's CFA is n farther from SP.  */
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

/* Encode the frame, and check that a reader decodes the same frame.  */
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
  enum cunwind_reason reason = choose_mode (attempt);
  if (reason == CUNWIND_EXPRESSED)
    reason = collect_saved (attempt);
  if (reason != CUNWIND_EXPRESSED || encode_exactly (attempt, encoding))
    return reason;
  if (frame->mode != CUNWIND_FRAMELESS)
    return CUNWIND_SAVED_PLACE;
  /* Find out whether the size or the registers are the reason.  */
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
    if (is_deeper (&attempt, i, attempt.body))
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

/* ---- The section */

static bool
gap_is_padding (const void *context, uint64_t address, uint64_t size)
{
  return padding_finder_is_padding (context, address, size);
}

bool
cunwind_section_init (struct cunwind_section *section,
                      const struct image *image, const struct cfi_section *cfi,
                      const struct padding_finder *padding, struct error *err)
{
  struct cunwind_gaps gaps = { padding, gap_is_padding };
  /* Where the image begins in memory: the format's base, on Apple's systems
     the address of the Mach header.  */
  const GElf_Phdr *first = image_find_segment (image, PT_LOAD);
  uint64_t base = first != NULL ? first->p_vaddr : 0;
  *section = (struct cunwind_section){ .image = image, .cfi = cfi };
  cunwind_info_init (&section->info, image->arch, base, gaps);
  section->cie_kept = calloc (cfi->n_cies + 1, sizeof *section->cie_kept);
  return section->cie_kept != NULL || error_set_no_memory (err);
}

void
cunwind_section_free (struct cunwind_section *section)
{
  cunwind_info_free (&section->info);
  free (section->cie_kept);
  section->cie_kept = NULL;
}

/* The personality of FDE's CIE as bits of an encoding.  The format has the
   place of a pointer to the personality, so the CIE must have a pointer,
   too.  */
static enum cunwind_reason
find_personality (struct cunwind_section *section, const struct cfi_fde *fde,
                  uint32_t *bits)
{
  const struct cfi_cie *cie = &section->cfi->cies[fde->cie];
  uint8_t encoding = cie->personality_encoding;
  uint8_t application = encoding & PE_APPLICATION;
  *bits = 0;
  if (encoding == PE_OMIT || cie->personality == 0)
    return CUNWIND_EXPRESSED;
  if (!(encoding & PE_INDIRECT)
      || (application != 0 && application != PE_PCREL)
      || !cunwind_info_reaches (&section->info, cie->personality))
    return CUNWIND_LSDA;
  unsigned number
      = cunwind_info_personality (&section->info, cie->personality);
  *bits = (uint32_t)number << CUNWIND_PERSONALITY_SHIFT;
  return number != 0 ? CUNWIND_EXPRESSED : CUNWIND_PERSONALITY;
}

/* Encode FUNCTION, with personality and LSDA of FDE.  */
static struct cunwind_encoded
encode_fde (struct cunwind_section *section, const struct cfi_fde *fde,
            const struct frame_function *function, uint64_t *lsda)
{
  struct cunwind_encoded encoded = { .reason = CUNWIND_UNREADABLE };
  uint32_t personality;
  *lsda = 0;
  if (function != NULL)
    encoded = cunwind_encode_function (section->image, function);
  if (encoded.reason != CUNWIND_EXPRESSED)
    return encoded;
  if (!fde_lsda (section->cfi, fde, lsda)
      || (*lsda != 0 && !cunwind_info_reaches (&section->info, *lsda)))
    encoded.reason = CUNWIND_LSDA;
  else
    encoded.reason = find_personality (section, fde, &personality);
  if (encoded.reason == CUNWIND_EXPRESSED)
    encoded.encoding |= personality | (*lsda != 0 ? CUNWIND_HAS_LSDA : 0);
  return encoded;
}

/* The encoding that sends readers to FDE, where personality and LSDA are as
   well.  An offset too large for it is 0: readers search .eh_frame then.  */
static uint32_t
escape (struct cunwind_section *section, const struct cfi_fde *fde)
{
  uint32_t encoding;
  struct cunwind_frame frame = { .mode = CUNWIND_DWARF };
  if (fde->offset <= CUNWIND_DWARF_OFFSET_MAX)
    frame.dwarf_offset = (uint32_t)fde->offset;
  cunwind_encode (section->info.arch, &frame, &encoding);
  section->bytes_kept += (uint64_t)fde->head_size + fde->instructions_size;
  if (!section->cie_kept[fde->cie])
    section->bytes_kept += section->cfi->cies[fde->cie].entry_size;
  section->cie_kept[fde->cie] = true;
  return encoding;
}

bool
cunwind_section_add (struct cunwind_section *section,
                     const struct cfi_fde *fde,
                     const struct frame_function *function, struct error *err)
{
  uint64_t lsda;
  struct cunwind_encoded encoded = encode_fde (section, fde, function, &lsda);
  section->by_reason[encoded.reason]++;
  if (encoded.reason == CUNWIND_EXPRESSED)
    section->n_asynchronous += encoded.asynchronous;
  else
    encoded.encoding = escape (section, fde);
  return cunwind_info_add (&section->info, fde->address, fde->size,
                           encoded.encoding, lsda, err);
}
