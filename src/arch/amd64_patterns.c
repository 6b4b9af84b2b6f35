/* x86-64: padding, and the addresses that instructions have.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/patterns.h"

#include <elf.h>
#include <endian.h>

#include "base/bytes.h"

/* ---- Padding */

/* The multi-byte no-op 0f 1f /0 without its prefixes (Intel SDM volume 2,
   NOP; table 4-12).  */
static size_t
long_nop (const uint8_t *at, size_t left)
{
  if (left < 3 || at[0] != 0x0f || at[1] != 0x1f || (at[2] & 0x38) != 0)
    return 0;
  unsigned mode = at[2] >> 6, rm = at[2] & 7;
  size_t size = 3 + (rm == 4 && mode != 3);
  if (mode == 1)
    size += 1;
  else if (mode == 2 || (mode == 0 && rm == 5))
    size += 4;
  return size <= left ? size : 0;
}

static size_t
padding (const uint8_t *at, size_t left)
{
  if (at[0] == 0xcc || at[0] == 0x00)
    return 1; /* int3, or bytes that a linker fills gaps with */
  size_t prefixes = 0;
  while (prefixes < left && (at[prefixes] == 0x66 || at[prefixes] == 0x2e))
    prefixes++;
  if (prefixes == left)
    return 0;
  if (at[prefixes] == 0x90)
    return prefixes + 1;
  size_t size = long_nop (at + prefixes, left - prefixes);
  return size > 0 ? prefixes + size : 0;
}

/* ---- Addresses */

/* One-byte opcodes that a ModRM byte follows: bit N of word M for opcode
   16 * M + N (Intel SDM, volume 2, table A-2).  */
static const uint16_t has_modrm[16]
    = { 0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0x0000, 0x0000, 0x0a0c, 0x0000,
        0xffff, 0x0000, 0x0000, 0x0000, 0x00f3, 0xff0f, 0x0000, 0xc0c0 };

/* Whether the byte in front of AT may be a ModRM byte: the byte in front of
   that is an opcode with one, or belongs to another opcode map.  */
static bool
is_modrm (const struct loaded_bytes *code, uint64_t at)
{
  uint8_t before[7] = { 0 }; /* [N]: N bytes in front of AT */
  for (uint64_t i = 1; i < sizeof before && i <= at; i++)
    before[i] = code->bytes[at - i];
  return (has_modrm[before[2] >> 4] >> (before[2] & 15) & 1)
         || before[3] == 0x0f || before[4] == 0x0f  /* 0F, 0F 38, 0F 3A */
         || before[4] == 0xc5 || before[5] == 0xc4  /* VEX */
         || before[5] == 0x8f || before[6] == 0x62; /* XOP, EVEX */
}

/* A 32-bit displacement follows a ModRM byte with mod 0 and r/m 5; the PC is
   that behind up to four bytes of immediate operands (Intel SDM, volume 2,
   section 2.2.1.6).  AT is the place of the displacement.  */
static void
look_for_relative (struct address_search *search,
                   const struct loaded_bytes *code, uint64_t at)
{
  if (at < 1 || (code->bytes[at - 1] & 0xc7) != 5 || !is_modrm (code, at))
    return;
  uint64_t target = code->address + at + 4
                    + (uint64_t)(int32_t)load_u32 (code->bytes + at, false);
  address_search_note (search, target);
  address_search_note (search, target + 1);
  address_search_note (search, target + 2);
  address_search_note (search, target + 4);
}

/* The large code model adds 64-bit offsets to the address of the global
   offset table, at GOT (psABI, R_X86_64_GOTOFF64).  */
static void
look_for_got_relative (struct address_search *search,
                       const struct loaded_bytes *code, uint64_t at,
                       uint64_t got)
{
  if (at >= 2 && at + 8 <= code->size && code->bytes[at - 2] >> 1 == 0x48 >> 1
      && (code->bytes[at - 1] & 0xf8) == 0xb8)
    address_search_note (search, got + load_u64 (code->bytes + at, false));
}

/* What 32-bit fields are compared with, all modulo 4 GiB.  A field may be a
   PC-relative displacement if FIELD + RELATIVE + its place is less than SIZE
   + 4, an address if FIELD - BEGIN is less than SIZE, and an offset from the
   global offset table if FIELD + FROM_GOT is.  */
struct field_test
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
   or from OTHER to OTHER + SPAN - 255.  Hardly any block has a field like
   that, because few fields have these middle bytes; many have the uppermost
   bytes, which addresses of one program share.  Compilers make vector
   instructions of this function; comparing whole fields is five times the
   work.  The minimum is one of signed numbers, because SSE2 has no other
   minimum of halfwords. */
static inline __attribute__ ((always_inline)) bool
block_meets (const uint8_t *fields, uint32_t first, uint32_t other,
             uint64_t span)
{
  const struct halfwords *even = (const struct halfwords *)(fields + 1);
  const struct halfwords *odd = (const struct halfwords *)(fields + 2);
  const uint64_t others = ((first & 0xff) + span) >> 8;
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

static bool
block_meets_anywhere (const uint8_t *fields, uint32_t first, uint32_t other,
                      uint64_t span)
{
  return block_meets (fields, first, other, span);
}

#ifdef __x86_64__
/* With vectors of 32 bytes, which all but the oldest processors have: half as
   many instructions.  */
static __attribute__ ((target ("avx2"))) bool
block_meets_avx2 (const uint8_t *fields, uint32_t first, uint32_t other,
                  uint64_t span)
{
  return block_meets (fields, first, other, span);
}
#endif

static bool
is_little_endian_host (void)
{
  return htole16 (1) == 1;
}

static bool (*choose_block_test (void)) (const uint8_t *, uint32_t, uint32_t,
                                         uint64_t)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    return block_meets_avx2;
#endif
  return block_meets_anywhere;
}

/* Whether a field of BLOCK, which is AT bytes into the code, may be what TEST
   is for.  Two kinds of fields are looked for at once; hardly a file has all
   three.  */
static bool
may_meet (const struct field_test *test, const uint8_t *block, uint32_t at)
{
  uint32_t relative = -(test->relative + at + BLOCK - 1);
  uint32_t absolute = test->absolute ? test->begin : relative;
  uint32_t other = test->has_got ? -test->from_got : absolute;
  uint64_t span = BLOCK + (uint64_t)test->size + 2;
  return test->meets (block, relative, other, span)
         || (test->absolute && test->has_got
             && test->meets (block, absolute, absolute, span));
}

static void
look_at (struct address_search *search, const struct loaded_bytes *code,
         const struct field_test *test, uint64_t at)
{
  uint32_t value = load_u32 (code->bytes + at, false);
  if (value + (uint32_t)at + test->relative < test->size + 4)
    look_for_relative (search, code, at);
  if (test->absolute && value - test->begin < test->size)
    address_search_note (search, value);
  if (test->has_got && value + test->from_got < test->size)
    look_for_got_relative (search, code, at, test->got);
}

/* The fields from AT to END, as far as they lie in CODE.  */
static void
look_at_all (struct address_search *search, const struct loaded_bytes *code,
             const struct field_test *test, uint64_t at, uint64_t end)
{
  for (; at < end && at + 4 <= code->size; at++)
    look_at (search, code, test, at);
}

static void
find_addresses (struct address_search *search, const struct loaded_bytes *code)
{
  const struct field_test test
      = { .begin = (uint32_t)search->begin,
          .size = (uint32_t)(search->end - search->begin),
          .relative = (uint32_t)code->address + 8 - (uint32_t)search->begin,
          .from_got = (uint32_t)search->got - (uint32_t)search->begin,
          .absolute = search->absolute,
          .has_got = search->got != 0,
          .got = search->got,
          .meets = choose_block_test () };
  uint64_t at = 0;
  for (; is_little_endian_host () && at + BLOCK + 4 <= code->size; at += BLOCK)
    if (may_meet (&test, code->bytes + at, (uint32_t)at))
      look_at_all (search, code, &test, at, at + BLOCK);
  look_at_all (search, code, &test, at, code->size);
}

const struct arch_patterns amd64_patterns = {
  .e_machine = EM_X86_64,
  .padding = padding,
  .find_addresses = find_addresses,
};
