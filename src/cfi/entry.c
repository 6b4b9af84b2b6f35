/* Reading the heads of entries in .eh_frame and .debug_frame, and the
   augmentations of CIEs, without libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/entry.h"

#include <string.h>

#include "elf/encoded_pointer.h"

/* ---- Heads of entries */

static struct entry
damaged (struct entry entry, uint64_t size, const char *why)
{
  entry.kind = ENTRY_DAMAGED;
  entry.size = size;
  entry.why = why;
  return entry;
}

/* Complete ENTRY, which has a length of 64 bits and begins LEFT bytes before
   the end of INPUT.  No toolchain writes such a length into .eh_frame.  */
static struct entry
entry_64 (const struct cfi_input *input, bool big_endian, uint64_t left,
          struct entry entry)
{
  const uint8_t *at = input->bytes + entry.offset;
  uint64_t length = left >= 12 ? load_u64 (at + 4, big_endian) : left;
  if (left < 12 || length > left - 12)
    return damaged (entry, left, "entry runs past the section's end");
  if (input->kind == CFI_EH_FRAME)
    return damaged (entry, 12 + length, "64-bit entry length");
  if (length < 8)
    return damaged (entry, 12 + length, "entry too short for its CIE pointer");
  entry.cie = load_u64 (at + 12, big_endian);
  entry.kind = entry.cie == UINT64_MAX ? ENTRY_CIE : ENTRY_FDE;
  entry.size = 12 + length;
  return entry;
}

struct entry
entry_at_odd (const struct cfi_input *input, bool big_endian, uint64_t offset)
{
  struct entry entry = { .offset = offset };
  uint64_t left = input->size - offset;
  if (left == 0)
    return entry; /* ENTRY_END */
  if (left < 4)
    return damaged (entry, left, "less than an entry at the section's end");
  uint32_t length = load_u32 (input->bytes + offset, big_endian);
  if (length == 0)
    {
      entry.kind = ENTRY_TERMINATOR;
      entry.size = 4;
      return entry;
    }
  if (length == (uint32_t)ENTRY_ESCAPE)
    return entry_64 (input, big_endian, left, entry);
  if (length > left - 4)
    return damaged (entry, left, "entry runs past the section's end");
  return damaged (entry, 4 + (uint64_t)length,
                  "entry too short for its CIE pointer");
}

/* ---- Augmentations of CIEs */

enum
{
  /* Real CIEs have about 30 bytes.  Without a limit a huge one would be copied
     again for every FDE that is not plain.  */
  CIE_SIZE_MAX = 4096
};

/* Set the fields of CIE that its augmentation LETTERS, at LETTERS_OFFSET of
   the entry, determine.  In .debug_frame GNU as writes letters without
   augmentation data.  libdwarf knows none of these, so all are removed.  */
static enum frame_reason
scan_letters (struct cfi_cie *cie, bool in_eh_frame, const char *letters,
              uint32_t letters_offset)
{
  if (in_eh_frame && letters[0] != '\0' && letters[0] != 'z')
    return REASON_AUGMENTATION;
  cie->has_augmentation_data = in_eh_frame && letters[0] == 'z';
  for (uint32_t i = cie->has_augmentation_data; letters[i] != '\0'; i++)
    switch (letters[i])
      {
      case 'S':
        cie->signal = true;
        break;
      case 'B':
      case 'G': /* aarch64 memory tagging: no influence on frames */
        cie->b_key |= letters[i] == 'B';
        if (cie->hidden_letter == 0)
          cie->hidden_letter = letters_offset + i;
        break;
      case 'R':
      case 'L':
      case 'P':
        if (cie->has_augmentation_data)
          break;
        return REASON_AUGMENTATION;
      default:
        return REASON_AUGMENTATION;
      }
  if (!in_eh_frame)
    {
      cie->hidden_letters = (uint32_t)strlen (letters);
      cie->hidden_letter = cie->hidden_letters > 0 ? letters_offset : 0;
    }
  return REASON_NONE;
}

/* Set the encodings and personality of CIE from the data at ADDRESS.  */
static void
scan_augmentation_data (struct cfi_cie *cie, const char *letters,
                        struct cursor *cursor, uint64_t address)
{
  const uint8_t *begin = cursor->at;
  for (const char *letter = letters; *letter != '\0'; letter++)
    if (*letter == 'R')
      cie->pointer_encoding = cursor_u8 (cursor);
    else if (*letter == 'L')
      cie->lsda_encoding = cursor_u8 (cursor);
    else if (*letter == 'P')
      {
        cie->personality_encoding = cursor_u8 (cursor);
        /* DW_EH_PE_aligned is refused.  No compiler uses it, and readers
           differ in where they count the alignment from.  */
        if ((cie->personality_encoding & PE_APPLICATION) == PE_ALIGNED
            || !encoded_pointer_read_nullable (
                cursor, cie->personality_encoding,
                address + (uint64_t)(cursor->at - begin), &cie->personality))
          cursor->failed = true;
        cie->absolute_pointers
            |= (cie->personality_encoding & PE_FORMAT) == PE_ABSPTR;
      }
  cie->absolute_pointers |= (cie->pointer_encoding & PE_FORMAT) == PE_ABSPTR;
}

/* Whether libdwarf evaluates a pc_begin in ENCODING correctly.  */
static bool
encoding_is_understood (uint8_t encoding)
{
  uint8_t format = encoding & PE_FORMAT;
  uint8_t application = encoding & (PE_APPLICATION | PE_INDIRECT);
  return (application == 0 || application == PE_PCREL)
         && (format == PE_ABSPTR || format == PE_UDATA2 || format == PE_UDATA4
             || format == PE_UDATA8 || format == PE_SDATA2
             || format == PE_SDATA4 || format == PE_SDATA8);
}

/* Read the fields between the augmentation letters and the instructions.
   END_ADDRESS is the address of the entry's end.  */
static enum frame_reason
scan_fields (struct cfi_cie *cie, const char *letters, uint8_t version,
             struct cursor *cursor, uint64_t end_address)
{
  uint8_t address_size = version == 4 ? cursor_u8 (cursor) : 8;
  uint8_t segment_selector_size = version == 4 ? cursor_u8 (cursor) : 0;
  if (address_size != 8 || segment_selector_size != 0)
    return REASON_BAD_ENTRY;
  cie->code_alignment = cursor_uleb (cursor);
  cie->data_alignment = cursor_sleb (cursor);
  if (version == 1)
    cursor_u8 (cursor); /* RA column: libdwarf reads it */
  else
    cursor_uleb (cursor);
  uint64_t size = cie->has_augmentation_data ? cursor_uleb (cursor) : 0;
  uint64_t address = end_address - cursor_left (cursor);
  const uint8_t *data = cursor_take (cursor, size);
  if (cursor->failed)
    return REASON_BAD_ENTRY;
  struct cursor augmentation = cursor_over (data, size, cursor->big_endian);
  scan_augmentation_data (cie, letters, &augmentation, address);
  if (augmentation.failed)
    return REASON_BAD_ENTRY;
  return encoding_is_understood (cie->pointer_encoding)
             ? REASON_NONE
             : REASON_POINTER_ENCODING;
}

/* Read CIE up to its instructions.  REASON_NONE, or why it is unusable.  */
static enum frame_reason
scan (struct cfi_cie *cie, const struct cfi_section *section)
{
  const struct cfi_input *input = &section->inputs[cie->input];
  const uint8_t *bytes = input->bytes + cie->offset;
  bool big_endian = section->arch->big_endian;
  struct cursor cursor = cursor_over (bytes, cie->entry_size, big_endian);
  if (cie->entry_size > CIE_SIZE_MAX)
    return REASON_BAD_ENTRY;
  cursor_take (&cursor, entry_head (bytes, big_endian));
  uint8_t version = cursor_u8 (&cursor);
  const uint8_t *nul = memchr (cursor.at, '\0', cursor_left (&cursor));
  if (nul == NULL || (version != 1 && version != 3 && version != 4))
    return REASON_BAD_ENTRY;
  const char *letters = (const char *)cursor.at;
  uint32_t letters_offset = (uint32_t)(cursor.at - bytes);
  enum frame_reason reason = scan_letters (cie, input->kind == CFI_EH_FRAME,
                                           letters, letters_offset);
  if (reason != REASON_NONE)
    return reason;
  cursor_take (&cursor, (uint64_t)(nul - cursor.at) + 1);
  return scan_fields (cie, letters, version, &cursor,
                      input->address + cie->offset + cie->entry_size);
}

void
cie_scan (struct cfi_cie *cie, const struct cfi_section *section,
          const struct entry *entry)
{
  *cie = (struct cfi_cie){ .offset = entry->offset,
                           .entry_size = entry->size,
                           .input = section->n_inputs - 1,
                           .pointer_encoding = PE_ABSPTR,
                           .lsda_encoding = PE_OMIT,
                           .personality_encoding = PE_OMIT };
  cie->unusable = scan (cie, section);
  cie->plain = section->inputs[cie->input].kind == CFI_EH_FRAME
               && cie->has_augmentation_data
               && cie->pointer_encoding == (PE_PCREL | PE_SDATA4);
}
