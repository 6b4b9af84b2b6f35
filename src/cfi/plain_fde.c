/* Plain FDEs: those that need no library.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/plain_fde.h"

#include "base/bytes.h"
#include "elf/encoded_pointer.h"

/* Where the fields of a plain FDE are, in bytes from its start.  */
enum
{
  ADDRESS = ENTRY_HEAD,
  SIZE = ADDRESS + 4,
  DATA_SIZE = SIZE + 4,
  DATA = DATA_SIZE + 1
};

bool
plain_fde_allowed (const struct cfi_input *input, const struct cfi_cie *cie)
{
  return input->kind == CFI_EH_FRAME && cie->has_augmentation_data
         && cie->pointer_encoding == (PE_PCREL | PE_SDATA4);
}

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
