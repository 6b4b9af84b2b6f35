/* Scanning CIEs: what the augmentation says.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/cie.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/encoded_pointer.h"

enum
{
  /* Real CIEs have about 30 bytes; without a limit a huge one would be copied
     again for every FDE that is not plain.  */
  CIE_SIZE_MAX = 4096
};

/* Look at the augmentation LETTERS of a CIE of .debug_frame, which stand at
   LETTERS_OFFSET of the entry.  GNU as writes those that need no augmentation
   data; libdwarf knows none of them.  */
static enum frame_reason
scan_plain_letters (struct cfi_cie *cie, const char *letters,
                    uint32_t letters_offset)
{
  for (const char *letter = letters; *letter != '\0'; letter++)
    if (*letter == 'S')
      cie->signal = true;
    else if (*letter == 'B')
      cie->b_key = true;
    else if (*letter != 'G')
      return REASON_AUGMENTATION;
  cie->hidden_letters = (uint32_t)strlen (letters);
  cie->hidden_letter = cie->hidden_letters > 0 ? letters_offset : 0;
  return REASON_NONE;
}

/* Look at the augmentation LETTERS of a CIE of .eh_frame.  */
static enum frame_reason
scan_letters (struct cfi_cie *cie, const char *letters,
              uint32_t letters_offset)
{
  for (uint32_t i = 0; letters[i] != '\0'; i++)
    switch (letters[i])
      {
      case 'z':
        if (i != 0)
          return REASON_AUGMENTATION;
        break;
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
        break;
      default:
        return REASON_AUGMENTATION;
      }
  cie->has_augmentation_data = letters[0] == 'z';
  return letters[0] == '\0' || letters[0] == 'z' ? REASON_NONE
                                                 : REASON_AUGMENTATION;
}

/* Find the pointer encodings and the personality in the augmentation data
   at ADDRESS.  */
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
        /* Of an aligned one no compiler says from where the bytes in front of
           it count, and readers differ.  */
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

/* Encodings of pc_begin that libdwarf evaluates rightly.  */
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

/* Read what stands between the augmentation letters and the instructions.  */
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
  enum frame_reason reason
      = input->kind == CFI_EH_FRAME
            ? scan_letters (cie, letters, letters_offset)
            : scan_plain_letters (cie, letters, letters_offset);
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
