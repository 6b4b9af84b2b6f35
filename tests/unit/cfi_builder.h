/* Building .eh_frame and .debug_frame sections by hand, for tests.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TESTS_CFI_BUILDER_H
#define TESTS_CFI_BUILDER_H

#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "cfi/cfi_section.h"

/* Read the SIZE BYTES of an .eh_frame loaded at ADDRESS.  */
static inline bool
eh_frame_read (struct cfi_section *section, const struct arch *arch,
               const uint8_t *bytes, uint64_t size, uint64_t address,
               struct error *err)
{
  const struct cfi_input input = { CFI_EH_FRAME, bytes, size, address, false };
  *section = (struct cfi_section){ .arch = arch };
  return cfi_read (section, &input, err);
}

/* Where the sections of these tests are loaded.  Above 4 GiB on purpose: no
   address may be cut to 32 bits on its way.  */
#define SECTION_ADDRESS UINT64_C (0x123400001000)

static inline void
put (struct buffer *section, const char *bytes, size_t size)
{
  buffer_append (section, bytes, size);
}

/* Fill in the length of the entry at START, padded with nops.  */
static inline void
end_entry (struct buffer *section, size_t start)
{
  while ((section->size - start) % 8 != 0)
    buffer_u8 (section, 0);
  store_u32 (section->bytes + start, (uint32_t)(section->size - start - 4),
             section->big_endian);
}

/* A CIE; AUGMENTATION_DATA does not hold its own length.  Returns its
   offset.  */
static inline size_t
put_cie (struct buffer *section, uint8_t version, const char *augmentation,
         const char *data, size_t data_size, uint8_t code_alignment,
         uint8_t data_alignment, uint8_t ra_column, const char *instructions,
         size_t size)
{
  size_t start = section->size;
  buffer_u32 (section, 0);
  buffer_u32 (section, 0);
  buffer_u8 (section, version);
  buffer_append (section, augmentation, strlen (augmentation) + 1);
  if (version == 4)
    {
      buffer_u8 (section, 8);
      buffer_u8 (section, 0);
    }
  buffer_u8 (section, code_alignment);
  buffer_u8 (section, data_alignment);
  buffer_u8 (section, ra_column);
  if (augmentation[0] == 'z')
    {
      buffer_u8 (section, (uint8_t)data_size);
      put (section, data, data_size);
    }
  put (section, instructions, size);
  end_entry (section, start);
  return start;
}

/* The CIE that gcc and clang use for x86-64.  */
static inline size_t
put_amd64_cie (struct buffer *section)
{
  return put_cie (section, 1, "zR", "\x1b", 1, 1, 0x78, 16,
                  "\x0c\x07\x08\x90\x01", 5);
}

/* An FDE of CIE with pcrel sdata4 pointers for [ADDRESS, ADDRESS + SIZE). */
static inline size_t
put_fde (struct buffer *section, size_t cie, uint64_t address, uint32_t size,
         const char *instructions, size_t instructions_size)
{
  size_t start = section->size;
  buffer_u32 (section, 0);
  buffer_u32 (section, (uint32_t)(start + 4 - cie));
  buffer_u32 (section, (uint32_t)(address - (SECTION_ADDRESS + start + 8)));
  buffer_u32 (section, size);
  buffer_u8 (section, 0);
  put (section, instructions, instructions_size);
  end_entry (section, start);
  return start;
}

/* Begin an entry of .debug_frame with the CIE pointer (or CIE id) ID; WIDE:
   with a length of 64 bits.  Returns its offset.  */
static inline size_t
begin_debug_entry (struct buffer *section, bool wide, uint64_t id)
{
  size_t start = section->size;
  buffer_u32 (section, wide ? 0xffffffff : 0);
  if (wide)
    {
      buffer_u64 (section, 0);
      buffer_u64 (section, id);
    }
  else
    buffer_u32 (section, (uint32_t)id);
  return start;
}

static inline void
end_debug_entry (struct buffer *section, size_t start, bool wide)
{
  if (!wide)
    {
      end_entry (section, start);
      return;
    }
  while ((section->size - start) % 8 != 0)
    buffer_u8 (section, 0);
  store_u64 (section->bytes + start + 4, section->size - start - 12,
             section->big_endian);
}

/* A CIE of .debug_frame as compilers write it for x86-64.  Returns its
   offset.  */
static inline size_t
put_debug_cie (struct buffer *section, bool wide, uint8_t version,
               const char *augmentation)
{
  size_t start = begin_debug_entry (section, wide, UINT64_MAX);
  buffer_u8 (section, version);
  buffer_append (section, augmentation, strlen (augmentation) + 1);
  if (version == 4)
    {
      buffer_u8 (section, 8);
      buffer_u8 (section, 0);
    }
  put (section, "\x01\x78\x10\x0c\x07\x08\x90\x01", 8);
  end_debug_entry (section, start, wide);
  return start;
}

/* An FDE of .debug_frame for [ADDRESS, ADDRESS + SIZE).  */
static inline size_t
put_debug_fde (struct buffer *section, bool wide, uint64_t cie,
               uint64_t address, uint64_t size, const char *instructions,
               size_t instructions_size)
{
  size_t start = begin_debug_entry (section, wide, cie);
  buffer_u64 (section, address);
  buffer_u64 (section, size);
  put (section, instructions, instructions_size);
  end_debug_entry (section, start, wide);
  return start;
}

#endif /* TESTS_CFI_BUILDER_H */
