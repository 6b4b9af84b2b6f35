/* Which addresses of bytes that may move occur in code and data.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nothing is disassembled: at every position where an instruction could begin,
   the fields that it would have are looked at.  By chance, a range of some
   hundred bytes is met once in a hundred million bytes of code; then a section
   stays that could have moved.  */

#include "place/placing.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/dynamic_relocations.h"
#include "elf/symbols.h"

enum
{
  ADRP_WINDOW = 64 /* instructions between ADRP and what adds the rest */
};

/* Size of the range at most: struct amd64_search compares 32 bits.  */
#define RANGE_MAX (UINT32_MAX / 2)

/* Loaded bytes of the file.  */
struct view
{
  const uint8_t *bytes;
  uint64_t size, address;
};

static bool
is_little_endian_host (void)
{
  return htole16 (1) == 1;
}

static void
add_target (struct references *found, uint64_t target)
{
  if (target < found->begin || target >= found->end)
    return;
  if (found->n_targets == REFERENCES_MAX)
    found->unknown = true;
  else
    found->targets[found->n_targets++] = target;
}

/* ---- Code */

/* One-byte opcodes that a ModRM byte follows: bit N of word M for opcode
   16 * M + N (Intel SDM, volume 2, table A-2).  */
static const uint16_t amd64_modrm[16]
    = { 0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0x0000, 0x0000, 0x0a0c, 0x0000,
        0xffff, 0x0000, 0x0000, 0x0000, 0x00f3, 0xff0f, 0x0000, 0xc0c0 };

/* Whether the byte in front of AT may be a ModRM byte: the byte in front of
   that is such an opcode, or belongs to another opcode map.  */
static bool
amd64_is_modrm (const struct view *code, uint64_t at)
{
  uint8_t before[7] = { 0 }; /* [N]: N bytes in front of AT */
  for (uint64_t i = 1; i < sizeof before && i <= at; i++)
    before[i] = code->bytes[at - i];
  return (amd64_modrm[before[2] >> 4] >> (before[2] & 15) & 1)
         || before[3] == 0x0f || before[4] == 0x0f  /* 0F, 0F 38, 0F 3A */
         || before[4] == 0xc5 || before[5] == 0xc4  /* VEX */
         || before[5] == 0x8f || before[6] == 0x62; /* XOP, EVEX */
}

/* A 32-bit displacement follows a ModRM byte with mod 0 and r/m 5; the PC is
   that behind up to four bytes of immediate operands (Intel SDM, volume 2,
   section 2.2.1.6).  AT is that of the displacement.  */
static void
amd64_relative (struct references *found, const struct view *code, uint64_t at)
{
  if (at < 1 || (code->bytes[at - 1] & 0xc7) != 5
      || !amd64_is_modrm (code, at))
    return;
  uint64_t target = code->address + at + 4
                    + (uint64_t)(int32_t)load_u32 (code->bytes + at, false);
  add_target (found, target);
  add_target (found, target + 1);
  add_target (found, target + 2);
  add_target (found, target + 4);
}

/* The large code model adds 64-bit offsets to the address of the global
   offset table, at GOT (psABI, R_X86_64_GOTOFF64).  */
static void
amd64_got_relative (struct references *found, const struct view *code,
                    uint64_t at, uint64_t got)
{
  if (at >= 2 && at + 8 <= code->size && code->bytes[at - 2] >> 1 == 0x48 >> 1
      && (code->bytes[at - 1] & 0xf8) == 0xb8)
    add_target (found, got + load_u64 (code->bytes + at, false));
}

/* What a 32-bit field is compared with, all modulo 4 GiB: FIELD + RELATIVE +
   its place is less than SIZE + 4 if it may be a PC-relative displacement,
   FIELD - BEGIN less than SIZE if an address, FIELD + FROM_GOT if an offset
   from the global offset table.  */
struct amd64_search
{
  uint32_t begin, size, relative, from_got;
  bool absolute, has_got;
  uint64_t got;
  bool (*meets) (const uint8_t *fields, uint32_t first, uint32_t other,
                 uint64_t span);
};

enum
{
  BLOCK_HALVES = 128,
  BLOCK = 2 * BLOCK_HALVES
};

/* Halfwords at any address.  */
struct __attribute__ ((packed, may_alias)) halfwords
{
  uint16_t at[BLOCK_HALVES];
};

/* Whether the two middle bytes of a 32-bit field that begins in the BLOCK
   bytes at FIELDS are those of one of the values from FIRST to FIRST + SPAN,
   or from OTHER to OTHER + SPAN.  Those are few, unlike the fields that have
   the uppermost bytes in common with them, so that hardly any block meets
   them; and compilers make vector instructions of this.  Comparing whole
   fields is five times the work.  The minimum is one of signed numbers, as
   SSE2 has no other of halfwords.  */
static inline __attribute__ ((always_inline)) bool
block_meets (const uint8_t *fields, uint32_t first, uint32_t other,
             uint64_t span)
{
  const struct halfwords *even = (const struct halfwords *)(fields + 1);
  const struct halfwords *odd = (const struct halfwords *)(fields + 2);
  const uint32_t low = (first & 0xff) > (other & 0xff) ? first : other;
  const uint64_t others = ((low & 0xff) + span) >> 8;
  const uint16_t lowest = (uint16_t)((first >> 8) + 0x8000);
  const uint16_t other_lowest = (uint16_t)((other >> 8) + 0x8000);
  int16_t nearest = INT16_MAX; /* how far behind the first, less 32768 */
  for (unsigned i = 0; i < BLOCK_HALVES; i++)
    {
      int16_t a = (int16_t)(even->at[i] - lowest);
      int16_t b = (int16_t)(odd->at[i] - lowest);
      int16_t c = (int16_t)(even->at[i] - other_lowest);
      int16_t d = (int16_t)(odd->at[i] - other_lowest);
      a = a < b ? a : b;
      c = c < d ? c : d;
      a = a < c ? a : c;
      nearest = a < nearest ? a : nearest;
    }
  return (uint64_t)(nearest - INT16_MIN) <= others;
}

/* As may_meet, with vectors of 32 bytes, where the processor has them: half
   as many instructions, on all but the oldest machines.  */
static bool
block_meets_anywhere (const uint8_t *fields, uint32_t first, uint32_t other,
                      uint64_t span)
{
  return block_meets (fields, first, other, span);
}

#ifdef __x86_64__
static __attribute__ ((target ("avx2"))) bool
block_meets_avx2 (const uint8_t *fields, uint32_t first, uint32_t other,
                  uint64_t span)
{
  return block_meets (fields, first, other, span);
}
#endif

static bool (*choose_block_test (void)) (const uint8_t *, uint32_t, uint32_t,
                                         uint64_t)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    return block_meets_avx2;
#endif
  return block_meets_anywhere;
}

/* Whether a field of the block at AT may be what SEARCH looks for.  Two are
   looked for at once: hardly a file has all three.  */
static bool
amd64_may_meet (const struct amd64_search *search, const uint8_t *block,
                uint32_t at)
{
  uint32_t relative = -(search->relative + at + BLOCK - 1);
  uint32_t absolute = search->absolute ? search->begin : relative;
  uint32_t other = search->has_got ? -search->from_got : absolute;
  uint64_t span = BLOCK + (uint64_t)search->size + 2;
  return search->meets (block, relative, other, span)
         || (search->absolute && search->has_got
             && search->meets (block, absolute, absolute, span));
}

static void
amd64_look_at (struct references *found, const struct view *code,
               const struct amd64_search *search, uint64_t at)
{
  uint32_t value = load_u32 (code->bytes + at, false);
  if (value + (uint32_t)at + search->relative < search->size + 4)
    amd64_relative (found, code, at);
  if (search->absolute && value - search->begin < search->size)
    add_target (found, value);
  if (search->has_got && value + search->from_got < search->size)
    amd64_got_relative (found, code, at, search->got);
}

/* The fields from AT to END, as far as they lie in CODE.  */
static void
amd64_look_at_all (struct references *found, const struct view *code,
                   const struct amd64_search *search, uint64_t at,
                   uint64_t end)
{
  for (; at < end && at + 4 <= code->size; at++)
    amd64_look_at (found, code, search, at);
}

static void
amd64_scan (struct references *found, const struct view *code, bool absolute,
            uint64_t got)
{
  const struct amd64_search search
      = { .begin = (uint32_t)found->begin,
          .size = (uint32_t)(found->end - found->begin),
          .relative = (uint32_t)code->address + 8 - (uint32_t)found->begin,
          .from_got = (uint32_t)got - (uint32_t)found->begin,
          .absolute = absolute,
          .has_got = got != 0,
          .got = got,
          .meets = choose_block_test () };
  uint64_t at = 0;
  for (; is_little_endian_host () && at + BLOCK + 4 <= code->size; at += BLOCK)
    if (amd64_may_meet (&search, code->bytes + at, (uint32_t)at))
      amd64_look_at_all (found, code, &search, at, at + BLOCK);
  amd64_look_at_all (found, code, &search, at, code->size);
}

static int64_t
sign_extend (uint64_t value, unsigned bits)
{
  uint64_t sign = 1ull << (bits - 1);
  return (int64_t)((value & (2 * sign - 1)) ^ sign) - (int64_t)sign;
}

static uint32_t
aarch64_word (const struct view *code, uint64_t at)
{
  return load_u32 (code->bytes + at, false); /* in both byte orders */
}

/* What ADD and loads or stores with an unsigned offset add to register BASE
   (Arm ARM, C4.1); false for other instructions.  */
static bool
aarch64_offset (uint32_t word, uint32_t base, uint64_t *offset)
{
  if ((word >> 5 & 31) != base)
    return false;
  *offset = word >> 10 & 0xfff;
  if ((word & 0xff800000) == 0x91000000)
    {
      if (word & 1u << 22)
        *offset <<= 12;
      return true;
    }
  if ((word & 0x3b000000) != 0x39000000)
    return false;
  bool wide = (word & 1u << 26) && (word & 1u << 23);
  *offset <<= wide ? 4 : word >> 30;
  return true;
}

/* ADRP gives a page; an instruction soon behind it adds the rest.  If there is
   no such instruction, the address may be any in that page.  */
static void
aarch64_page (struct references *found, const struct view *code, uint64_t at,
              uint64_t page)
{
  uint32_t base = aarch64_word (code, at) & 31;
  bool used = false;
  if (page >= found->end || page + 0xfff < found->begin)
    return;
  for (uint64_t i = 1; i <= ADRP_WINDOW && at + 4 * i + 4 <= code->size; i++)
    {
      uint32_t word = aarch64_word (code, at + 4 * i);
      uint64_t offset;
      if (!aarch64_offset (word, base, &offset))
        continue;
      used = true;
      add_target (found, page + offset);
      if ((word & 31) == base)
        break;
    }
  if (!used)
    found->unknown = true;
}

static void
aarch64_scan (struct references *found, const struct view *code)
{
  for (uint64_t at = -code->address & 3; at + 4 <= code->size; at += 4)
    {
      uint32_t word = aarch64_word (code, at);
      uint64_t pc = code->address + at;
      uint64_t immediate = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
      if ((word & 0x9f000000) == 0x90000000)
        aarch64_page (found, code, at,
                      (pc & ~0xfffull)
                          + ((uint64_t)sign_extend (immediate, 21) << 12));
      else if ((word & 0x9f000000) == 0x10000000)
        add_target (found, pc + (uint64_t)sign_extend (immediate, 21));
      else if ((word & 0x3b000000) == 0x18000000)
        add_target (found, pc + (uint64_t)sign_extend (immediate & ~3ull, 21));
    }
}

/* The RIL formats that address storage relative to the PC: LARL, LGRL, EXRL
   and their like (z/Architecture Principles of Operation, "Relative-immediate
   addressing").  */
static void
s390_scan (struct references *found, const struct view *code)
{
  for (uint64_t at = code->address & 1; at + 6 <= code->size; at += 2)
    {
      uint8_t opcode = code->bytes[at];
      if (opcode != 0xc0 && opcode != 0xc4 && opcode != 0xc6)
        continue;
      int64_t halfwords = (int32_t)load_u32 (code->bytes + at + 2, true);
      add_target (found, code->address + at + 2 * (uint64_t)halfwords);
    }
}

/* ---- Data */

static void
scan_words (struct references *found, const struct view *data, bool big_endian)
{
  for (uint64_t at = -data->address & 3; at + 8 <= data->size; at += 4)
    add_target (found, load_u64 (data->bytes + at, big_endian));
}

static void
add_relocation (void *data, const struct dynamic_relocation *relocation)
{
  struct references *found = data;
  add_target (found, relocation->place);
  if (relocation->symbol != 0 || relocation->is_tls)
    return;
  if (relocation->has_addend)
    add_target (found, relocation->addend);
  else
    found->unknown = true;
}

/* Symbols that are constants, or offsets of thread-local variables, do not
   count.  */
static void
scan_dynamic_symbols (struct references *found, const struct image *image)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      struct symbols symbols;
      struct symbol symbol;
      if (image->sections[i].header.sh_type != SHT_DYNSYM
          || !symbols_at (&symbols, image, i))
        continue;
      for (size_t k = 0; symbols_get (&symbols, k, &symbol); k++)
        if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS
            && ELF64_ST_TYPE (symbol.info) != STT_TLS)
          add_target (found, symbol.value);
    }
}

/* ---- All of it */

static void
scan_code (struct references *found, const struct image *image,
           const struct view *code, bool absolute)
{
  uint64_t got = 0;
  switch (image->header.e_machine)
    {
    case EM_X86_64:
      dynamic_find (image, DT_PLTGOT, &got);
      amd64_scan (found, code, absolute, got);
      break;
    case EM_AARCH64:
      aarch64_scan (found, code);
      break;
    case EM_S390:
      s390_scan (found, code);
      break;
    default:
      found->unknown = true;
    }
}

/* Where the headers at the start of the file end in SEGMENT.  They hold
   addresses, but do not count, because they are made anew.  */
static uint64_t
headers_end (const struct image *image, const GElf_Phdr *segment)
{
  uint64_t end = image->header.e_phoff
                 + image->n_segments * (uint64_t)sizeof (Elf64_Phdr);
  if (end <= segment->p_offset)
    return 0;
  end -= segment->p_offset;
  return end < segment->p_filesz ? end : segment->p_filesz;
}

/* Search the words of SEGMENT in front of the dynamic section and behind it.
   The dynamic section does not count, because its entries are patched.  */
static void
scan_data (struct references *found, const struct image *image,
           const GElf_Phdr *segment)
{
  const GElf_Phdr *dynamic = image_find_segment (image, PT_DYNAMIC);
  uint64_t at = headers_end (image, segment), end = segment->p_filesz;
  if (dynamic != NULL && dynamic->p_offset >= segment->p_offset
      && dynamic->p_offset - segment->p_offset >= at
      && dynamic->p_offset - segment->p_offset <= end)
    {
      uint64_t gap = dynamic->p_offset - segment->p_offset;
      struct view front = { image->bytes + segment->p_offset + at, gap - at,
                            segment->p_vaddr + at };
      scan_words (found, &front, image->big_endian);
      at = gap + dynamic->p_filesz < end ? gap + dynamic->p_filesz : end;
    }
  struct view rest = { image->bytes + segment->p_offset + at, end - at,
                       segment->p_vaddr + at };
  scan_words (found, &rest, image->big_endian);
}

void
references_find (struct references *found, const struct image *image,
                 uint64_t begin, uint64_t end)
{
  bool absolute = image->header.e_type == ET_EXEC;
  /* Not all of FOUND is cleared: zeroing 64 KiB is a hundredth of the work on
     a small file.  */
  found->begin = begin;
  found->end = end;
  found->n_targets = 0;
  found->unknown = end - begin > RANGE_MAX;
  if (found->unknown)
    return;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const struct image_section *section = &image->sections[i];
      struct view code = { image_section_bytes (image, section),
                           section->header.sh_size, section->header.sh_addr };
      if ((section->header.sh_flags & SHF_EXECINSTR) && code.bytes != NULL)
        scan_code (found, image, &code, absolute);
    }
  for (size_t i = 0; i < image->n_segments && absolute; i++)
    if (image->segments[i].p_type == PT_LOAD)
      scan_data (found, image, &image->segments[i]);
  found->unknown |= !dynamic_relocations_walk (image, add_relocation, found);
  scan_dynamic_symbols (found, image);
}

bool
references_meet (const struct references *found, uint64_t begin, uint64_t end)
{
  for (size_t i = 0; i < found->n_targets; i++)
    if (found->targets[i] >= begin && found->targets[i] < end)
      return true;
  return found->unknown && begin < found->end && end > found->begin;
}
