/* Reading FDEs: plain ones directly, odd ones by libdwarf.
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

/* The offsets of the fields of a plain FDE.  */
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
  /* CIEs have instructions only after libdwarf has read them.  */
  if (!known->plain || known->instructions == NULL || section->no_plain
      || entry->size < DATA)
    return false;
  uint32_t size = load_u32 (bytes + SIZE, big_endian);
  uint32_t head_size = DATA + bytes[DATA_SIZE];
  /* The size of the code is signed.  The highest bit of the other size says
     that more bytes of a ULEB128 follow.  */
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

   libdwarf refuses a whole section for one bad entry, stops at a zero
   terminator, and becomes slow with thousands of CIEs.  It is therefore given
   one FDE at a time: a copy of the FDE behind a copy of its CIE.  This takes
   about a microsecond more for each FDE than one section of many.  */

/* Copy CIE's entry to TO, without the letters that libdwarf does not know.  */
static void
copy_cie (const struct cfi_cie *cie, const struct cfi_section *section,
          uint8_t *to)
{
  memcpy (to, section->inputs[cie->input].bytes + cie->offset,
          cie->entry_size);
  size_t n = cie->hidden_letters;
  /* Remove all letters.  Nops at the end keep the size.  */
  if (n > 0)
    {
      uint8_t *letters = to + cie->hidden_letter, *end = to + cie->entry_size;
      memmove (letters, letters + n, (size_t)(end - letters) - n);
      memset (end - n, CFA_NOP, n);
    }
  /* libdwarf knows letter S, which has no augmentation data, either.  */
  else if (cie->hidden_letter != 0)
    for (uint8_t *letter = to + cie->hidden_letter; *letter != '\0'; letter++)
      if (*letter == 'B' || *letter == 'G')
        *letter = 'S';
}

/* Copy CIE to COPY, and behind it ENTRY, an FDE of INPUT, with a CIE pointer
   to the copy of CIE.  False when memory ran out.  */
static bool
copy_pair (const struct cfi_section *section, const struct cfi_input *input,
           const struct cfi_cie *cie, const struct entry *entry,
           struct buffer *copy)
{
  copy->size = 0;
  bool big_endian = section->arch->big_endian;
  uint8_t *to = buffer_extend (copy, cie->entry_size + entry->size);
  if (to == NULL)
    return false;
  copy_cie (cie, section, to);
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
  buffer_u32 (copy, 0);
  return !copy->failed;
}

/* Fill in the rest of CIE from FROM, which libdwarf has read in COPY, or set
   CIE's `unusable' if FROM cannot be right.  */
static void
complete_cie (struct cfi_cie *cie, const struct cfi_section *section,
              const struct libdwarf_cie *from, const uint8_t *copy)
{
  uint64_t hidden = cie->hidden_letters;
  uint64_t skip = (uint64_t)(from->instructions - copy) + hidden;
  uint64_t size = from->instructions_size - hidden;
  /* libdwarf 20210528 keeps only eight bits of both alignment factors.  */
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

/* Fill in *FDE from FROM, read in COPY of ENTRY.  False if FROM is wrong.  */
static bool
complete_fde (struct cfi_fde *fde, const struct entry *entry,
              const struct libdwarf_fde *from, const uint8_t *copy)
{
  uint64_t head = (uint64_t)(from->instructions - copy);
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
              size_t index, struct buffer *copy, struct cfi_fde *fde,
              char *text, size_t text_size)
{
  const struct cfi_input *input = &section->inputs[section->n_inputs - 1];
  struct cfi_cie *cie = &section->cies[index];
  /* The FDE's copy keeps the FDE's address, which its pointers count from.  */
  uint64_t at = cie->entry_size;
  struct libdwarf_cie cie_read;
  struct libdwarf_fde fde_read;
  if (!copy_pair (section, input, cie, entry, copy))
    return REASON_BAD_ENTRY;
  const struct cfi_input pair
      = { .kind = input->kind,
          .bytes = copy->bytes,
          .size = copy->size,
          .address = input->address + entry->offset - at };
  /* With an address size of 8 libdwarf formats a message for every entry whose
     size is not a multiple of 8, which takes long.  */
  if (!libdwarf_pair_read (&pair, section->arch->big_endian,
                           cie->absolute_pointers ? 8 : 4, &cie_read,
                           &fde_read, text, text_size))
    {
      copy->failed = errno == ENOMEM;
      return REASON_BAD_ENTRY;
    }
  if (cie->instructions == NULL)
    complete_cie (cie, section, &cie_read, copy->bytes);
  *fde = (struct cfi_fde){ .offset = entry->offset,
                           .cie = (uint32_t)index,
                           .input = (uint8_t)(section->n_inputs - 1) };
  enum frame_reason reason = cie->unusable;
  if (reason == REASON_NONE
      && !complete_fde (fde, entry, &fde_read, copy->bytes + at))
    reason = REASON_BAD_ENTRY;
  snprintf (text, text_size, "%s", frame_reason_text (reason));
  return reason;
}

/* ---- Other fields of FDEs */

/* A cursor over FDE's entry, behind the address and size fields.  */
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
  /* The size of the augmentation data follows, and then the data.  */
  struct cursor data = skip_pointers (section, fde);
  uint64_t size = cursor_uleb (&data);
  const uint8_t *begin = cursor_take (&data, size);
  if (data.failed)
    return false;
  data = cursor_over (begin, size, data.big_endian);
  uint64_t place = input->address + (uint64_t)(begin - input->bytes);
  return encoded_pointer_read_nullable (&data, encoding, place, lsda);
}
