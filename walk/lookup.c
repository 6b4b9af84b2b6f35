/* The rules for an address, read directly from the bytes of a section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The section may be damaged or hostile: a byte is read only after a check
   that it lies inside.  The format is that of the SFrame specification V3,
   sections 2 and 3.2.  */

#include "walk/lookup.h"

#include "base/bytes.h"
#include "base/search.h"
#include "sframe/format.h"
#include "sframe/row_words.h"

static bool
section_identity (struct unwind_section *section, const uint8_t *bytes)
{
  section->big_endian = load_u16 (bytes, true) == SFRAME_MAGIC;
  if (load_u16 (bytes, section->big_endian) != SFRAME_MAGIC)
    return false;
  section->version = bytes[SFRAME_HEADER_VERSION];
  if (section->version < 1 || section->version > 3
      || bytes[SFRAME_HEADER_FLAGS] & ~sframe_known_flags (section->version))
    return false;
  section->arch = arch_of_sframe_abi (bytes[SFRAME_HEADER_ABI]);
  return section->arch != NULL
         && section->arch->big_endian == section->big_endian
         && bytes[SFRAME_HEADER_FIXED_FP] == 0
         && (int8_t)bytes[SFRAME_HEADER_FIXED_RA]
                == section->arch->fixed_ra_offset;
}

bool
unwind_section_open (struct unwind_section *section, const void *bytes,
                     uint64_t size, uint64_t address)
{
  const uint8_t *at = bytes;
  if (size < SFRAME_HEADER_SIZE || !section_identity (section, at))
    return false;
  bool big_endian = section->big_endian;
  section->n_fdes = load_u32 (at + SFRAME_HEADER_N_FDES, big_endian);
  section->fre_size = load_u32 (at + SFRAME_HEADER_FRE_SIZE, big_endian);
  section->fde_size = (uint8_t)sframe_fde_size (section->version);
  section->sorted = at[SFRAME_HEADER_FLAGS] & SFRAME_FLAG_SORTED;
  /* Sums of 32-bit numbers cannot overflow 64 bits.  */
  uint64_t start = SFRAME_HEADER_SIZE + (uint64_t)at[SFRAME_HEADER_AUX_SIZE];
  uint64_t fdes = start + load_u32 (at + SFRAME_HEADER_FDE_OFFSET, big_endian);
  uint64_t fres = start + load_u32 (at + SFRAME_HEADER_FRE_OFFSET, big_endian);
  uint64_t fdes_end = fdes + (uint64_t)section->n_fdes * section->fde_size;
  if (fdes_end > fres || fres > size || section->fre_size > size - fres)
    return false;
  bool pcrel = at[SFRAME_HEADER_FLAGS] & SFRAME_FLAG_PCREL;
  section->fdes = at + fdes;
  section->fres = at + fres;
  section->base = pcrel ? address + fdes : address;
  section->step = pcrel ? section->fde_size : 0;
  return true;
}

/* Inline, with constant arguments, so that the search does not test the
   version and the byte order for each FDE.  */
static inline uint64_t
start_of (const struct unwind_section *section, uint32_t index,
          unsigned version, bool big_endian)
{
  const uint8_t *at
      = section->fdes + (uint64_t)index * sframe_fde_size (version);
  uint64_t base = section->base + index * section->step;
  return version >= 3 ? base + load_u64 (at, big_endian)
                      : base + (uint64_t)(int32_t)load_u32 (at, big_endian);
}

uint64_t
unwind_section_start (const struct unwind_section *section, uint32_t index)
{
  return start_of (section, index, section->version, section->big_endian);
}

bool
unwind_section_is_sorted (const struct unwind_section *section)
{
  for (uint32_t i = 1; i < section->n_fdes; i++)
    if (unwind_section_start (section, i)
        < unwind_section_start (section, i - 1))
      return false;
  return section->sorted;
}

static inline uint32_t
count_up_to (const struct unwind_section *section, uint64_t pc, uint32_t low,
             uint32_t high, unsigned version, bool big_endian)
{
  return low
         + (uint32_t)SEARCH_FIRST (
             high - low, i,
             start_of (section, low + (uint32_t)i, version, big_endian) > pc);
}

uint32_t
unwind_section_count (const struct unwind_section *section, uint64_t pc,
                      uint32_t low, uint32_t high)
{
  unsigned version = section->version;
  return section->big_endian
             ? count_up_to (section, pc, low, high, version, true)
         : version == 3 ? count_up_to (section, pc, low, high, 3, false)
         : version == 2 ? count_up_to (section, pc, low, high, 2, false)
                        : count_up_to (section, pc, low, high, 1, false);
}

/* The rows of an FDE, and how they are encoded.  */
struct rows
{
  const uint8_t *at, *end;
  uint32_t n;
  uint8_t type, repeat;
  bool pcmask, flexible, signal;
};

/* Read the attribute that precedes the rows in V3.  */
static bool
rows_attribute (struct rows *rows, uint8_t *info, bool big_endian)
{
  const uint8_t *at = rows->at;
  unsigned type = at[SFRAME_V3_ATTRIBUTE_INFO2] & SFRAME_FDE_TYPE;
  rows->n = load_u16 (at + SFRAME_V3_ATTRIBUTE_N_FRES, big_endian);
  *info = at[SFRAME_V3_ATTRIBUTE_INFO];
  rows->flexible = type == SFRAME_FDE_TYPE_FLEX;
  rows->repeat = at[SFRAME_V3_ATTRIBUTE_REPEAT];
  rows->at += SFRAME_V3_ATTRIBUTE_SIZE;
  return type <= SFRAME_FDE_TYPE_FLEX;
}

static bool
rows_open (const struct unwind_section *section, const uint8_t *fde,
           struct rows *rows)
{
  unsigned version = section->version;
  bool big_endian = section->big_endian, v3 = version >= 3;
  uint32_t offset = load_u32 (
      fde + (v3 ? SFRAME_V3_INDEX_FRE_OFFSET : SFRAME_V2_FDE_FRE_OFFSET),
      big_endian);
  uint8_t info = v3 ? 0 : fde[SFRAME_V2_FDE_INFO];
  if (offset > section->fre_size
      || section->fre_size - offset < (v3 ? SFRAME_V3_ATTRIBUTE_SIZE : 0))
    return false;
  *rows = (struct rows){ .at = section->fres + offset,
                         .end = section->fres + section->fre_size };
  if (v3 && !rows_attribute (rows, &info, big_endian))
    return false;
  if (!v3)
    {
      rows->n = load_u32 (fde + SFRAME_V2_FDE_N_FRES, big_endian);
      rows->repeat
          = version == 2 ? fde[SFRAME_V2_FDE_REPEAT] : SFRAME_V1_REPEAT;
    }
  rows->type = info & SFRAME_FDE_FRE_TYPE;
  rows->pcmask = info & SFRAME_FDE_PCMASK;
  rows->signal = v3 && info & SFRAME_FDE_SIGNAL;
  /* No row is smaller than a one-byte start and an info byte.  */
  return rows->type <= SFRAME_FRE_ADDR4 && (!rows->pcmask || rows->repeat > 0)
         && rows->n <= (size_t)(rows->end - rows->at) / 2
         && rows->n <= FRAME_ROWS_MAX;
}

/* Return the size in bytes of the words that follow the info byte INFO.  */
static inline size_t
words_size (uint8_t info)
{
  size_t words = info >> SFRAME_FRE_COUNT_SHIFT & SFRAME_FRE_COUNT;
  return words << (info >> SFRAME_FRE_WORD_SHIFT & SFRAME_FRE_WORD);
}

/* Return the info byte of the last row that starts at or before OFFSET, or
   NULL if there is none.  All words of the row lie inside the section.
   *BROKEN: the rows leave the section or are not in ascending order.  */
static inline const uint8_t *
rows_seek (const struct rows *rows, uint64_t offset, unsigned type,
           bool big_endian, bool *broken)
{
  const size_t head = (1u << type) + 1;
  const uint8_t *at = rows->at, *found = NULL;
  uint32_t last = 0;
  for (uint32_t left = rows->n; left > 0; left--)
    {
      *broken = true;
      if ((size_t)(rows->end - at) < head)
        return NULL;
      uint32_t start = type == SFRAME_FRE_ADDR1   ? *at
                       : type == SFRAME_FRE_ADDR2 ? load_u16 (at, big_endian)
                                                  : load_u32 (at, big_endian);
      if (start < last)
        return NULL;
      *broken = false;
      if (start > offset)
        break;
      size_t size = head + words_size (at[head - 1]);
      *broken = (size_t)(rows->end - at) < size;
      if (*broken)
        return NULL;
      found = at + head - 1;
      last = start;
      at += size;
    }
  return found;
}

static const uint8_t *
rows_find (const struct rows *rows, uint64_t offset, bool big_endian,
           bool *broken)
{
  *broken = false;
  return big_endian ? rows_seek (rows, offset, rows->type, true, broken)
         : rows->type == SFRAME_FRE_ADDR1
             ? rows_seek (rows, offset, SFRAME_FRE_ADDR1, false, broken)
         : rows->type == SFRAME_FRE_ADDR2
             ? rows_seek (rows, offset, SFRAME_FRE_ADDR2, false, broken)
             : rows_seek (rows, offset, SFRAME_FRE_ADDR4, false, broken);
}

/* Return the start, in the function, of the row with info byte INFO.  */
static uint32_t
row_start (const struct rows *rows, const uint8_t *info, bool big_endian)
{
  return rows->type == SFRAME_FRE_ADDR1   ? info[-1]
         : rows->type == SFRAME_FRE_ADDR2 ? load_u16 (info - 2, big_endian)
                                          : load_u32 (info - 4, big_endian);
}

static bool
row_rules (const struct unwind_section *section, const uint8_t *info,
           bool flexible, struct frame_row *row)
{
  const struct row_words words
      = { .at = info + 1,
          .n = *info >> SFRAME_FRE_COUNT_SHIFT & SFRAME_FRE_COUNT,
          .width = *info >> SFRAME_FRE_WORD_SHIFT & SFRAME_FRE_WORD,
          .big_endian = section->big_endian };
  *row = (struct frame_row){ 0 };
  return words.width <= 2 && words.n <= SFRAME_WORDS_MAX
         && row_words_rules (section->arch, section->version, &words, flexible,
                             *info & SFRAME_FRE_BASE_SP,
                             *info & SFRAME_FRE_RA_SIGNED, row);
}

enum sfw_end
unwind_section_rules (const struct unwind_section *section, uint32_t index,
                      uint64_t pc, struct unwind_rules *rules)
{
  const uint8_t *fde = section->fdes + (uint64_t)index * section->fde_size;
  uint32_t size = load_u32 (fde + sframe_start_size (section->version),
                            section->big_endian);
  uint64_t offset = pc - unwind_section_start (section, index);
  struct rows rows;
  bool broken;
  if (offset >= size)
    return SFW_NO_ROW;
  if (!rows_open (section, fde, &rows))
    return SFW_BAD_SECTION;
  rules->arch = section->arch;
  rules->signal = rows.signal;
  if (rows.pcmask)
    offset %= rows.repeat;
  /* A function without rows is the outermost frame (section 1.2).  A signal
     trampoline without rows is not described.  */
  if (section->version >= 3 && rows.n == 0 && !rows.flexible && !rows.signal)
    {
      rules->row = (struct frame_row){ 0 };
      rules->starts_row = offset == 0;
      return SFW_MORE;
    }
  const uint8_t *info
      = rows_find (&rows, offset, section->big_endian, &broken);
  if (info == NULL)
    return broken ? SFW_BAD_SECTION : SFW_NO_ROW;
  rules->starts_row = row_start (&rows, info, section->big_endian) == offset;
  return row_rules (section, info, rows.flexible, &rules->row)
             ? SFW_MORE
             : SFW_BAD_SECTION;
}

enum sfw_end
unwind_section_lookup (const struct unwind_section *section, uint64_t pc,
                       struct unwind_rules *rules)
{
  /* In a sorted section: the last FDE that starts at or before PC, or
     UINT32_MAX.  In another one: the first FDE with PC, or n_fdes.  */
  uint32_t index = 0;
  if (section->sorted)
    index = unwind_section_count (section, pc, 0, section->n_fdes) - 1;
  else
    {
      const unsigned at = sframe_start_size (section->version);
      while (index < section->n_fdes
             && pc - unwind_section_start (section, index) >= load_u32 (
                    section->fdes + at + (uint64_t)index * section->fde_size,
                    section->big_endian))
        index++;
    }
  return index < section->n_fdes
             ? unwind_section_rules (section, index, pc, rules)
             : SFW_NO_ROW;
}

enum sfw_end
unwind_find_rules (const void *finder, uint64_t address,
                   struct unwind_rules *rules)
{
  const struct sfw_section *section = finder;
  struct unwind_section opened;
  if (section == NULL || section->bytes == NULL)
    return SFW_INVALID;
  if (!unwind_section_open (&opened, section->bytes, section->size,
                            section->address))
    return SFW_BAD_SECTION;
  rules->arch = opened.arch;
  return unwind_section_lookup (&opened, address, rules);
}
