/* Where calls end.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/calls.h"

#include <elf.h>

#include "base/bytes.h"

bool
call_finder_init (struct call_finder *finder, const struct image *image,
                  struct error *err)
{
  *finder = (struct call_finder){ .image = image };
  if (!insn_decoder_exists (image->arch))
    return true;
  finder->decoder = insn_decoder_new (image->arch);
  return finder->decoder != NULL || error_set_no_memory (err);
}

void
call_finder_free (struct call_finder *finder)
{
  insn_decoder_free (finder->decoder);
}

/* Instructions from some address on.  */
struct code
{
  const struct call_finder *finder;
  const struct image *image;
  const uint8_t *bytes;
  uint64_t address, size;
};

/* x86-64.  Nearly all places are told apart by the bytes in front of them;
   the others have to be reached by decoding.  */

/* Whether a call may end at END: e8 and four bytes, or ff as one of the two to
   seven bytes in front (Intel SDM volume 2, CALL).  Eight bytes are looked at
   at once; 1 less than 0 in ~WORD makes a borrow.  */
static inline bool
amd64_may_end_call (const uint8_t *end)
{
  const uint64_t ones = UINT64_C (0x0101010101010101);
  uint64_t word = load_u64 (end - sizeof word, false);
  return (word >> 24 & 0xff) == 0xe8
         || ((~word - ones) & word & ones << 7) != 0;
}

/* The size of an instruction with an opcode of one byte, MODRM and no
   immediate (Intel SDM volume 2, tables 2-2 and 2-3).  */
static unsigned
amd64_modrm_size (const uint8_t *modrm)
{
  unsigned mode = *modrm >> 6, base = *modrm & 7;
  bool has_sib = mode != 3 && base == 4;
  if (has_sib)
    base = modrm[1] & 7;
  unsigned displacement = mode == 1                               ? 1
                          : mode == 2 || (mode == 0 && base == 5) ? 4
                                                                  : 0;
  return 2 + has_sib + displacement;
}

/* ff with /2 or /3 (Intel SDM volume 2, CALL).  */
static bool
amd64_looks_like_indirect_call (const struct code *code)
{
  const uint8_t *end = code->bytes + code->size;
  for (unsigned size = 2; size <= 7 && size <= code->size; size++)
    {
      const uint8_t *at = end - size;
      if (at[0] == 0xff && (at[1] >> 4 & 3) == 1 && (size > 2 || at[1] >= 0xc0)
          && amd64_modrm_size (at + 1) == size)
        return true;
    }
  return false;
}

/* e8 and the distance of some code.  *KNOWN: that of a function.  */
static bool
amd64_looks_like_direct_call (const struct code *code, bool *known)
{
  const struct call_finder *finder = code->finder;
  const uint8_t *end = code->bytes + code->size;
  if (code->size < 5 || end[-5] != 0xe8)
    return false;
  int32_t distance = (int32_t)load_u32 (end - 4, false);
  uint64_t target = code->address + code->size + (uint64_t)(int64_t)distance;
  *known = finder->is_function != NULL
           && finder->is_function (finder->context, target);
  return *known || image_is_executable (code->image, target, 1);
}

static bool
amd64_ends_in_call (const struct insn_decoder *decoder,
                    const struct code *code)
{
  struct insn_step step = { 0 };
  uint64_t last = 0;
  bool known = false;
  if (decoder == NULL
      || !(amd64_looks_like_direct_call (code, &known)
           || amd64_looks_like_indirect_call (code)))
    return false;
  if (known)
    return true;
  for (uint64_t at = 0; at < code->size; at += step.size)
    {
      last = at;
      if (!insn_decode_step (decoder, code->bytes + at, code->size - at,
                             code->address + at, &step))
        return true;
    }
  /* For the decoder a call of what comes next only pushes an address; here
     that can be the next function.  */
  return step.flow == FLOW_CALL || step.flow == FLOW_CALL_INDIRECT
         || code->bytes[last] == 0xe8;
}

/* bl, blr and its authenticating forms (Arm ARM, C4.1.65, "Branches").
   Instructions are little-endian whatever the data are.  */
static bool
aarch64_ends_in_call (const struct code *code)
{
  if (code->size < 4 || code->size % 4 != 0)
    return false;
  uint32_t word = load_u32 (code->bytes + code->size - 4, false);
  return (word & 0xfc000000) == 0x94000000
         || (word & 0xfefff000) == 0xd63f0000;
}

/* The first two bits tell an instruction's size (Principles of Operation,
   "Instruction Formats").  */
static unsigned
s390x_size (uint8_t first)
{
  return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
}

/* balr, bassm and basr, unless the second register is 0; bal and bas; bras;
   brasl.  */
static bool
s390x_is_call (const uint8_t *at)
{
  switch (at[0])
    {
    case 0x05:
    case 0x0c:
    case 0x0d:
      return (at[1] & 15) != 0;
    case 0x45:
    case 0x4d:
      return true;
    case 0xa7:
    case 0xc0:
      return (at[1] & 15) == 5;
    default:
      return false;
    }
}

static bool
s390x_ends_in_call (const struct code *code)
{
  uint64_t last = 0, at = 0;
  while (at < code->size)
    {
      last = at;
      at += s390x_size (code->bytes[at]);
    }
  return at == code->size && at > 0 && s390x_is_call (code->bytes + last);
}

/* Take the segment with the byte at ADDRESS.  */
static void
find_segment (struct call_finder *finder, uint64_t address)
{
  const struct image *image = finder->image;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type != PT_LOAD || address < load->p_vaddr
          || address - load->p_vaddr >= load->p_filesz)
        continue;
      finder->bytes = image_bytes_at (image, load->p_vaddr, load->p_filesz);
      finder->address = load->p_vaddr;
      finder->size = finder->bytes != NULL ? load->p_filesz : 0;
      return;
    }
}

bool
call_finder_ends_at (struct call_finder *finder, uint64_t start,
                     uint64_t address)
{
  if (start - finder->address >= finder->size)
    find_segment (finder, start);
  uint64_t skip = start - finder->address, size = address - start;
  if (skip >= finder->size || size > finder->size - skip)
    return false;
  const struct code code = { .finder = finder,
                             .image = finder->image,
                             .bytes = finder->bytes + skip,
                             .address = start,
                             .size = size };
  switch (finder->image->header.e_machine)
    {
    case EM_X86_64:
      return amd64_ends_in_call (finder->decoder, &code);
    case EM_AARCH64:
      return aarch64_ends_in_call (&code);
    case EM_S390:
      return s390x_ends_in_call (&code);
    default:
      return false;
    }
}

/* Where the bytes of the segment used last are that stand in front of ADDRESS
   and the N behind it; NULL: elsewhere, or not as many as are looked at.  */
static const uint8_t *
bytes_behind (const struct call_finder *finder, uint64_t address, uint64_t n)
{
  uint64_t skip = address - finder->address;
  if (skip < sizeof (uint64_t) || skip >= finder->size
      || n > finder->size - skip)
    return NULL;
  return finder->bytes + skip;
}

size_t
call_finder_first (struct call_finder *finder, uint64_t base,
                   const uint32_t *offsets, size_t n)
{
  bool is_amd64 = finder->image->header.e_machine == EM_X86_64;
  const uint8_t *bytes
      = n > 1 && is_amd64 ? bytes_behind (finder, base, offsets[n - 1]) : NULL;
  for (size_t i = 1; i < n; i++)
    if ((bytes == NULL || amd64_may_end_call (bytes + offsets[i]))
        && call_finder_ends_at (finder, base + offsets[i - 1],
                                base + offsets[i]))
      return i;
  return n;
}
