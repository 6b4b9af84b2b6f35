/* FDEs: plain ones are read here, odd ones by libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/fde.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "cfi/libdwarf_pair.h"
#include "elf/encoded_pointer.h"

/* ---- Plain FDEs */

/* Where the fields of a plain FDE are, in bytes from its start.  */
enum
{
  ADDRESS = ENTRY_HEAD,
  SIZE = ADDRESS + 4,
  DATA_SIZE = SIZE + 4,
  DATA = DATA_SIZE + 1
};

bool
plain_fde_read (const struct cfi_section *section, const struct entry *entry,
                size_t cie, struct cfi_fde *fde)
{
  const struct cfi_cie *known = &section->cies[cie];
  const struct cfi_input *input = &section->inputs[section->n_inputs - 1];
  const uint8_t *bytes = input->bytes + entry->offset;
  bool big_endian = section->arch->big_endian;
  /* A CIE has instructions once libdwarf has read it.  */
  if (!known->plain || known->instructions == NULL || section->no_plain
      || entry->size < DATA)
    return false;
  uint32_t size = load_u32 (bytes + SIZE, big_endian);
  uint32_t head_size = DATA + bytes[DATA_SIZE];
  /* A size is signed, and so is the first byte of a longer ULEB128.  */
  if (size > INT32_MAX || bytes[DATA_SIZE] > 0x7f || head_size > entry->size
      || entry->size > UINT32_MAX)
    return false;
  int32_t distance = (int32_t)load_u32 (bytes + ADDRESS, big_endian);
  *fde = (struct cfi_fde){
    .address
    = input->address + entry->offset + ADDRESS + (uint64_t)(int64_t)distance,
    .size = size,
    .offset = entry->offset,
    .head_size = head_size,
    .instructions_size = (uint32_t)entry->size - head_size,
    .cie = (uint32_t)cie,
    .input = (uint8_t)(section->n_inputs - 1),
  };
  return true;
}

/* ---- Odd FDEs

   libdwarf gives up on a whole section for one bad entry, stops at a zero
   terminator, and becomes slow with thousands of CIEs.  libdwarf is therefore
   shown one FDE at a time: a copy of it behind a copy of its CIE.  That takes
   about a microsecond more than to show libdwarf many at once.  */

/* Copy CIE's entry to TO, without what libdwarf would fail for.  */
static void
show_cie (const struct cfi_cie *cie, const struct cfi_section *section,
          uint8_t *to)
{
  memcpy (to, section->inputs[cie->input].bytes + cie->offset,
          cie->entry_size);
  size_t n = cie->hidden_letters;
  /* Without the letters; nops at the end make up for them.  */
  if (n > 0)
    {
      uint8_t *letters = to + cie->hidden_letter, *end = to + cie->entry_size;
      memmove (letters, letters + n, (size_t)(end - letters) - n);
      memset (end - n, CFA_NOP, n);
    }
  /* A letter that libdwarf skips in the same way as those that it does not
     know.  */
  else if (cie->hidden_letter != 0)
    for (uint8_t *letter = to + cie->hidden_letter; *letter != '\0'; letter++)
      if (*letter == 'B' || *letter == 'G')
        *letter = 'S';
}

/* Copy CIE to SHOWN, and behind it ENTRY, an FDE of INPUT, with a pointer to
   the copy of CIE.  False when memory ran out.  */
static bool
show (const struct cfi_section *section, const struct cfi_input *input,
      const struct cfi_cie *cie, const struct entry *entry,
      struct buffer *shown)
{
  shown->size = 0;
  bool big_endian = section->arch->big_endian;
  uint8_t *to = buffer_extend (shown, cie->entry_size + entry->size);
  if (to == NULL)
    return false;
  show_cie (cie, section, to);
  to += cie->entry_size;
  memcpy (to, input->bytes + entry->offset, entry->size);
  /* The CIE is at offset 0.  */
  if (input->kind == CFI_EH_FRAME)
    store_u32 (to + 4, (uint32_t)(cie->entry_size + 4), big_endian);
  else if (entry_head (to, big_endian) == ENTRY_HEAD)
    store_u32 (to + 4, 0, big_endian);
  else
    store_u64 (to + 12, 0, big_endian);
  /* libdwarf 0.11 refuses an FDE without instructions at the very end.  */
  buffer_u32 (shown, 0);
  return !shown->failed;
}

/* Fill in the rest of CIE from what libdwarf says in FROM of the COPY.  CIE
   may turn out unusable.  */
static void
take_cie (struct cfi_cie *cie, const struct cfi_section *section,
          const struct libdwarf_cie *from, const uint8_t *copy)
{
  uint64_t hidden = cie->hidden_letters;
  uint64_t skip = (uint64_t)(from->instructions - copy) + hidden;
  uint64_t size = from->instructions_size - hidden;
  /* libdwarf 20210528 keeps the low eight bits of both factors.  */
  if (from->instructions < copy || skip > cie->entry_size
      || from->instructions_size < hidden || size > cie->entry_size - skip
      || from->code_alignment != cie->code_alignment
      || from->data_alignment != cie->data_alignment)
    {
      cie->unusable = REASON_BAD_ENTRY;
      return;
    }
  cie->instructions = section->inputs[cie->input].bytes + cie->offset + skip;
  cie->instructions_size = size;
  cie->ra_column = from->ra_column;
}

/* Take over into *FDE what libdwarf says in FROM of ENTRY's copy at TO.
   False where that cannot be.  */
static bool
take_fde (struct cfi_fde *fde, const struct entry *entry,
          const struct libdwarf_fde *from, const uint8_t *to)
{
  uint64_t head = (uint64_t)(from->instructions - to);
  if (from->entry_size != entry->size || head > entry->size
      || from->instructions_size > entry->size - head)
    return false;
  fde->address = from->address;
  fde->size = from->size;
  fde->head_size = (uint32_t)head;
  fde->instructions_size = (uint32_t)from->instructions_size;
  return true;
}

enum frame_reason
odd_fde_read (struct cfi_section *section, const struct entry *entry,
              size_t index, struct buffer *shown, struct cfi_fde *fde,
              char *text, size_t text_size)
{
  const struct cfi_input *input = &section->inputs[section->n_inputs - 1];
  struct cfi_cie *cie = &section->cies[index];
  uint64_t at = cie->entry_size; /* of the FDE's copy, which keeps its place */
  struct libdwarf_cie cie_says;
  struct libdwarf_fde fde_says;
  if (!show (section, input, cie, entry, shown))
    return REASON_BAD_ENTRY;
  const struct cfi_input pair
      = { .kind = input->kind,
          .bytes = shown->bytes,
          .size = shown->size,
          .address = input->address + entry->offset - at };
  /* With an address size of 8 libdwarf makes a costly message for every entry
     with a size that is not a multiple of 8.  */
  if (!libdwarf_pair_read (&pair, section->arch->big_endian,
                           cie->absolute_pointers ? 8 : 4, &cie_says,
                           &fde_says, text, text_size))
    {
      shown->failed = errno == ENOMEM;
      return REASON_BAD_ENTRY;
    }
  if (cie->instructions == NULL)
    take_cie (cie, section, &cie_says, shown->bytes);
  *fde = (struct cfi_fde){ .offset = entry->offset,
                           .cie = (uint32_t)index,
                           .input = (uint8_t)(section->n_inputs - 1) };
  enum frame_reason reason = cie->unusable;
  if (reason == REASON_NONE
      && !take_fde (fde, entry, &fde_says, shown->bytes + at))
    reason = REASON_BAD_ENTRY;
  snprintf (text, text_size, "%s", frame_reason_text (reason));
  return reason;
}

/* ---- What else an FDE says */

/* FDE's entry, read up to the end of the pointers to its code, which are as
   wide as its CIE says.  */
static struct cursor
skip_pointers (const struct cfi_section *section, const struct cfi_fde *fde)
{
  uint8_t encoding = section->cies[fde->cie].pointer_encoding & PE_FORMAT;
  const uint8_t *entry = section->inputs[fde->input].bytes + fde->offset;
  struct cursor cursor
      = cursor_over (entry, fde->head_size, section->arch->big_endian);
  uint64_t ignored;
  cursor_take (&cursor, ENTRY_HEAD);
  for (unsigned i = 0; i < 2; i++) /* start and size */
    if (!encoded_pointer_read (&cursor, encoding, 0, &ignored))
      cursor.failed = true;
  return cursor;
}

uint64_t
fde_pointers_end (const struct cfi_section *section, const struct cfi_fde *fde)
{
  struct cursor cursor = skip_pointers (section, fde);
  return fde->head_size - cursor_left (&cursor);
}

bool
fde_lsda (const struct cfi_section *section, const struct cfi_fde *fde,
          uint64_t *lsda)
{
  const struct cfi_input *input = &section->inputs[fde->input];
  uint8_t encoding = section->cies[fde->cie].lsda_encoding;
  uint8_t application = encoding & (PE_APPLICATION | PE_INDIRECT);
  *lsda = 0;
  if (encoding == PE_OMIT)
    return true;
  if (application != 0 && application != PE_PCREL)
    return false;
  /* Behind the pointers to the code come the size of the augmentation data and
     the data.  */
  struct cursor data = skip_pointers (section, fde);
  uint64_t size = cursor_uleb (&data);
  const uint8_t *begin = cursor_take (&data, size);
  if (data.failed)
    return false;
  data = cursor_over (begin, size, data.big_endian);
  uint64_t place = input->address + (uint64_t)(begin - input->bytes);
  return encoded_pointer_read_nullable (&data, encoding, place, lsda);
}
