/* SFrame on disk: names and numbers of versions 1, 2 and 3.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sources: SFrame specification V3 (binutils 2.47), sections 2.1 to 2.4 and
   3.2 (control words), and the specifications of V1 (binutils 2.40) and V2
   (binutils 2.45).  The on-disk structures are not declared as C structs,
   because they are unaligned and in target byte order.  The encoder and the
   decoder write and read them field by field.  */

#ifndef SFRAME_FORMAT_H
#define SFRAME_FORMAT_H

enum
{
  SFRAME_MAGIC = 0xdee2,

  /* Header flags.  */
  SFRAME_FLAG_SORTED = 0x1,
  SFRAME_FLAG_FRAME_POINTER = 0x2,
  SFRAME_FLAG_PCREL = 0x4, /* a start is relative to its own field */

  /* Offsets of the header's fields, and its size, the same in all versions.
     ABI identifiers are in arch/arch.h.  */
  SFRAME_HEADER_MAGIC = 0,
  SFRAME_HEADER_VERSION = 2,
  SFRAME_HEADER_FLAGS = 3,
  SFRAME_HEADER_ABI = 4,
  SFRAME_HEADER_FIXED_FP = 5,
  SFRAME_HEADER_FIXED_RA = 6,
  SFRAME_HEADER_AUX_SIZE = 7,
  SFRAME_HEADER_N_FDES = 8,
  SFRAME_HEADER_N_FRES = 12,
  SFRAME_HEADER_FRE_SIZE = 16,
  SFRAME_HEADER_FDE_OFFSET = 20,
  SFRAME_HEADER_FRE_OFFSET = 24,
  SFRAME_HEADER_SIZE = 28,

  /* An FDE of V1 and V2: i32 start, u32 size, u32 FRE offset, u32 number of
     FREs, u8 info; V2 adds u8 repeat size and u16 padding.  */
  SFRAME_V2_FDE_SIZE_FIELD = 4,
  SFRAME_V2_FDE_FRE_OFFSET = 8,
  SFRAME_V2_FDE_N_FRES = 12,
  SFRAME_V2_FDE_INFO = 16,
  SFRAME_V2_FDE_REPEAT = 17,
  SFRAME_V2_FDE_PADDING = 18,
  SFRAME_V1_FDE_SIZE = 17,
  SFRAME_V2_FDE_SIZE = 20,
  /* V3: index entry i64 start, u32 size, u32 FRE offset; attribute in front of
     the FREs: u16 number of FREs, u8 info, u8 info2, u8 repeat size.  */
  SFRAME_V3_INDEX_SIZE_FIELD = 8,
  SFRAME_V3_INDEX_FRE_OFFSET = 12,
  SFRAME_V3_INDEX_SIZE = 16,
  SFRAME_V3_ATTRIBUTE_N_FRES = 0,
  SFRAME_V3_ATTRIBUTE_INFO = 2,
  SFRAME_V3_ATTRIBUTE_INFO2 = 3,
  SFRAME_V3_ATTRIBUTE_REPEAT = 4,
  SFRAME_V3_ATTRIBUTE_SIZE = 5,
  SFRAME_V3_FRES_MAX = 65535,

  /* FDE info byte.  */
  SFRAME_FDE_FRE_TYPE = 0x0f, /* mask */
  SFRAME_FDE_PCMASK = 0x10,
  SFRAME_FDE_B_KEY = 0x20,  /* aarch64 */
  SFRAME_FDE_SIGNAL = 0x80, /* V3 */
  /* V3 second info byte.  */
  SFRAME_FDE_TYPE = 0x1f, /* mask */
  SFRAME_FDE_TYPE_DEFAULT = 0,
  SFRAME_FDE_TYPE_FLEX = 1,

  /* V1 does not store the size of the block that repeats.  Only GNU ld 2.40
     writes PCMASK functions in V1, for amd64 PLTs with 16-byte entries.  */
  SFRAME_V1_REPEAT = 16,

  /* FRE types: the width of the row's start.  */
  SFRAME_FRE_ADDR1 = 0,
  SFRAME_FRE_ADDR2 = 1,
  SFRAME_FRE_ADDR4 = 2,

  /* FRE info byte.  */
  SFRAME_FRE_BASE_SP = 0x01,
  SFRAME_FRE_COUNT_SHIFT = 1,
  SFRAME_FRE_COUNT = 0x0f, /* mask after the shift */
  SFRAME_FRE_WORD_SHIFT = 5,
  SFRAME_FRE_WORD = 0x03, /* mask after the shift; 1 << value bytes */
  SFRAME_FRE_RA_SIGNED = 0x80,

  /* Control word of a flexible row.  */
  SFRAME_CONTROL_REG = 0x1,
  SFRAME_CONTROL_DEREF = 0x2,
  SFRAME_CONTROL_REGNUM_SHIFT = 3,

  /* The longest row that the specification gives a meaning: three pairs.  */
  SFRAME_WORDS_MAX = 6
};

/* The size of an entry of the function table, in bytes.  */
static inline unsigned
sframe_fde_size (unsigned version)
{
  return version == 1   ? SFRAME_V1_FDE_SIZE
         : version == 2 ? SFRAME_V2_FDE_SIZE
                        : SFRAME_V3_INDEX_SIZE;
}

/* The flags that VERSION, 1 to 3, defines for the header.  */
static inline unsigned
sframe_known_flags (unsigned version)
{
  return SFRAME_FLAG_SORTED
         | (version <= 2 ? (unsigned)SFRAME_FLAG_FRAME_POINTER : 0)
         | (version >= 2 ? (unsigned)SFRAME_FLAG_PCREL : 0);
}

/* The bits that VERSION defines for the info byte of a function.  */
static inline unsigned
sframe_known_info (unsigned version)
{
  return SFRAME_FDE_FRE_TYPE | SFRAME_FDE_PCMASK | SFRAME_FDE_B_KEY
         | (version >= 3 ? (unsigned)SFRAME_FDE_SIGNAL : 0);
}

/* The size of the start in an entry of the function table, in bytes.  */
static inline unsigned
sframe_start_size (unsigned version)
{
  return version >= 3 ? 8 : 4;
}

#endif /* SFRAME_FORMAT_H */
