/* The machine tables: PLT stubs against the bytes real linkers wrote.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Samples are the beginnings of sections of small programs linked with GNU ld
   2.40, gold 2.40, lld 14 and mold 1.10, unless their names say so; the BND
   forms (binutils 2.38 and older with -z bndplt) are those the x86-64 psABI
   prints.  */

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/patterns.h"
#include "tests/unit_test.h"

struct sample
{
  const char *origin;
  const struct arch *arch;
  const char *hex;
  const char *stubs; /* names expected, in order */
};

static const struct sample samples[] = {
  { "GNU ld, lazy: .plt", &arch_amd64,
    "ff35ca2f0000ff25cc2f00000f1f4000ff25ca2f00006800000000e9e0ffffff"
    "ff25c22f00006801000000e9d0ffffff",
    "header lazy lazy" },
  { "GNU ld, lazy: .plt.got", &arch_amd64, "ff256a2f00006690ff25822f00006690",
    "got got" },
  { "GNU ld, -z ibtplt: .plt", &arch_amd64,
    "ff35ca2f0000ff25cc2f00000f1f4000f30f1efa6800000000e9e2ffffff6690"
    "f30f1efa6801000000e9d2ffffff6690",
    "header lazy-ibt lazy-ibt" },
  { "GNU ld, -z ibtplt: .plt.sec", &arch_amd64,
    "f30f1efaff25862f0000660f1f440000f30f1efaff257e2f0000660f1f440000",
    "ibt ibt" },
  { "GNU ld, -z ibtplt: .plt.got", &arch_amd64,
    "f30f1efaff25662f0000660f1f440000f30f1efaff25762f0000660f1f440000",
    "ibt ibt" },
  { "GNU ld, -z now: .plt", &arch_amd64,
    "ff35922f0000ff25942f00000f1f4000ff25922f00006800000000e9e0ffffff"
    "ff258a2f00006801000000e9d0ffffff",
    "header lazy lazy" },
  { "GNU ld, -z now: .plt.got", &arch_amd64,
    "ff25822f00006690ff259a2f00006690", "got got" },
  { "GNU ld, static: .plt", &arch_amd64, "ff25e23f0a006690ff25e23f0a006690",
    "got got" },
  { "GNU ld, TLS descriptors: .plt", &arch_amd64,
    "ff35ca2f0000ff25cc2f00000f1f4000ff25ca2f00006800000000e9e0ffffff"
    "f30f1efaff35a62f0000ff25902f0000",
    "header lazy tlsdesc-ibt" },
  { "gold: .plt", &arch_amd64,
    "ff352a1a0000ff252c1a000090909090ff252a1a00006800000000e9e0ffffff"
    "ff25221a00006801000000e9d0ffffffff251a1a00006802000000e9c0ffffff"
    "ff25121a00006803000000e9b0ffffff",
    "header-gold lazy lazy lazy lazy" },
  { "gold, TLS descriptors: .plt", &arch_amd64,
    "ff35ea190000ff25ec19000090909090ff25ea1900006800000000e9e0ffffff"
    "ff25e21900006801000000e9d0ffffffff35ba190000ff25a41900000f1f4000",
    "header-gold lazy lazy tlsdesc" },
  { "lld: .plt", &arch_amd64,
    "ff3512220000ff25142200000f1f4000ff25122200006800000000e9e0ffffff"
    "ff250a2200006801000000e9d0ffffffff25022200006802000000e9c0ffffff"
    "ff25fa2100006803000000e9b0ffffff",
    "header lazy lazy lazy lazy" },
  { "lld, -z force-ibt: .plt", &arch_amd64,
    "ff3552220000ff25542200000f1f4000f30f1efa6800000000e9e2ffffff6690"
    "f30f1efa6801000000e9d2ffffff6690f30f1efa6802000000e9c2ffffff6690"
    "f30f1efa6803000000e9b2ffffff6690",
    "header lazy-ibt lazy-ibt lazy-ibt lazy-ibt" },
  { "lld, -z force-ibt: .plt.sec", &arch_amd64,
    "f30f1efaff250e220000660f1f440000f30f1efaff2506220000660f1f440000"
    "f30f1efaff25fe210000660f1f440000f30f1efaff25f6210000660f1f440000",
    "ibt ibt ibt ibt" },
  { "mold: .plt", &arch_amd64,
    "f30f1efa4153ff358c230000ff258e230000cccccccccccccccccccccccccccc"
    "f30f1efa41bb00000000ff2578230000f30f1efa41bb01000000ff2570230000",
    "header-mold lazy-mold lazy-mold" },
  { "mold: .plt.got", &arch_amd64,
    "f30f1efaff2536130000ccccccccccccf30f1efaff252e130000cccccccccccc",
    "ibt-mold ibt-mold" },
  { "mold 2.37: .plt", &arch_amd64,
    "f30f1efa4153ff353c220000ff253e220000cccccccccccccccccccccccccccc"
    "41bb00000000ff252c220000cccccccc41bb01000000ff2524220000cccccccc",
    "header-mold lazy-mold-2 lazy-mold-2" },
  { "mold 2.37: .plt.got", &arch_amd64, "ff2532110000cccc", "got-mold-2" },
  { "GNU ld: .plt", &arch_aarch64,
    "f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d51f2003d5"
    "10010090110240f91002009120021fd610010090110640f91022009120021fd6"
    "10010090110a40f91042009120021fd6",
    "header plain plain plain" },
  { "GNU ld 2.47.50, a slot at the start of a page: .plt", &arch_aarch64,
    "f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d51f2003d5"
    "10010090110240f91f2003d520021fd610010090110640f91022009120021fd6",
    "header plain-0 plain" },
  { "GNU ld 2.47.50, a header's: .plt", &arch_aarch64,
    "f07bbfa9f00000f0110240f91f2003d520021fd61f2003d51f2003d51f2003d5"
    "10010090110240f91f2003d59f2103d520021fd61f2003d5",
    "header-0 pac-0" },
  { "GNU ld, BTI: .plt", &arch_aarch64,
    "5f2403d5f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d5"
    "10010090110240f91002009120021fd610010090110640f91022009120021fd6"
    "10010090110a40f91042009120021fd6",
    "header-bti plain plain plain" },
  { "GNU ld, BTI, executable: .plt", &arch_aarch64,
    "5f2403d5f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d5"
    "5f2403d510010090110240f91002009120021fd61f2003d55f2403d510010090"
    "110640f91022009120021fd61f2003d5",
    "header-bti bti bti" },
  { "GNU ld, PAC: .plt", &arch_aarch64,
    "f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d51f2003d5"
    "10010090110240f9100200919f2103d520021fd61f2003d510010090110640f9"
    "102200919f2103d520021fd61f2003d5",
    "header pac pac" },
  { "GNU ld, BTI and PAC, executable: .plt", &arch_aarch64,
    "5f2403d5f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d5"
    "5f2403d510010090110240f9100200919f2103d520021fd65f2403d510010090"
    "110640f9102200919f2103d520021fd6",
    "header-bti bti-pac bti-pac" },
  { "GNU ld, TLS descriptors: .plt", &arch_aarch64,
    "f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d51f2003d5"
    "10010090110240f91002009120021fd6e20fbfa9e20000f0e30000f042f047f9"
    "63a03f9140001fd61f2003d51f2003d5",
    "header plain tlsdesc" },
  { "GNU ld, TLS descriptors, BTI: .plt", &arch_aarch64,
    "5f2403d5f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d5"
    "10010090110240f91002009120021fd65f2403d5e20fbfa9e20000f0e30000f0"
    "42f047f963a03f9140001fd61f2003d5",
    "header-bti plain tlsdesc-bti" },
  { "gold: .plt", &arch_aarch64,
    "f07bbfa9f00000f011fe47f910e23f9120021fd61f2003d51f2003d51f2003d5"
    "10010090110240f91002009120021fd610010090110640f91022009120021fd6"
    "10010090110a40f91042009120021fd6",
    "header plain plain plain" },
  { "lld: .plt", &arch_aarch64,
    "f07bbfa910010090118e42f91062149120021fd61f2003d51f2003d51f2003d5"
    "10010090119242f91082149120021fd610010090119642f910a2149120021fd6"
    "10010090119a42f910c2149120021fd6",
    "header plain plain plain" },
  { "lld, BTI: .plt", &arch_aarch64,
    "5f2403d5f07bbfa91001009011f242f91082179120021fd61f2003d51f2003d5"
    "1001009011f642f910a2179120021fd61f2003d51f2003d51001009011fa42f9"
    "10c2179120021fd61f2003d51f2003d5",
    "header-bti padded padded" },
  { "lld, PAC: .plt", &arch_aarch64,
    "f07bbfa91001009011ea42f91042179120021fd61f2003d51f2003d51f2003d5"
    "1001009011ee42f9106217919f2103d520021fd61f2003d51001009011f242f9"
    "108217919f2103d520021fd61f2003d5",
    "header pac pac" },
  { "mold: .plt", &arch_aarch64,
    "f07bbfa910010090119243f910821c9120021fd61f2003d51f2003d51f2003d5"
    "10010090119643f910a21c9120021fd610010090119a43f910c21c9120021fd6"
    "10010090119e43f910e21c9120021fd61001009011a243f910021d9120021fd6",
    "header plain plain plain plain" },
  { "mold: .plt.got", &arch_aarch64, "90000090118643f920021fd61f2003d5",
    "got" },
  { "mold 2.37: .plt", &arch_aarch64,
    "f07bbfa910010090117e43f910e21b9120021fd6007d20d4007d20d4007d20d4"
    "10010090118243f910021c9120021fd610010090118643f910221c9120021fd6",
    "header-mold-2 plain plain" },
  { "mold 2.37: .plt.got", &arch_aarch64, "90000090116642f920021fd6007d20d4",
    "got-mold-2" },
  { "GNU ld: .plt", &arch_s390x,
    "e310f0380024c01000000e5dd207f0301008e3101010000407f1070007000700"
    "c01000000e60e3101000000407f10d10e310100c0014c0f4ffffffe500000000",
    "header lazy" },
  { "mold: .plt", &arch_s390x,
    "e300f0380024c01000001149d207f0301008e3101010000407f1070007000700"
    "c01000001148e31010000004c0010000000007f1070007000700070007000700",
    "header-mold lazy-mold" },
  { "mold: .plt.got", &arch_s390x, "c01000000908e3101000000407f10700", "got" },
  { "mold 2.37: .plt", &arch_s390x,
    "b9090001a70bffc2eb100001000cb9080001e300f0380024c010000010d4"
    "d207f0301008e3101010000407f107000700"
    "c010000010d4e310100000040d010700",
    "header-mold-2 lazy-mold-2" },
  { "mold 3.0: .plt", &arch_s390x,
    "b9090001a70bffc2eb100001000cb9080001e300f0380024c010000010d4"
    "d207f0301008e3101010000407f100000000"
    "c010000010d4e310100000040d010000",
    "header-mold-2 lazy-mold-2" },
  { "mold 3.0: .plt.got", &arch_s390x, "c010000008a8e3101000000407f10000",
    "got" },
  { "psABI, BND: .plt", &arch_amd64,
    "ff35e22f0000f2ff25e32f00000f1f006800000000f2e9e5ffffff0f1f440000",
    "header-bnd lazy-bnd" },
  { "psABI, BND: .plt.sec", &arch_amd64, "f2ff25ed2f000090", "got-bnd" },
  { "psABI, IBT and BND: .plt", &arch_amd64,
    "ff35e22f0000f2ff25e32f00000f1f00f30f1efa6800000000f2e9e1ffffff90",
    "header-bnd lazy-ibt-bnd" },
  { "psABI, IBT and BND: .plt.sec", &arch_amd64,
    "f30f1efaf2ff25ad2f00000f1f440000", "ibt-bnd" },
};

enum
{
  N_SAMPLES = N_OF (samples),
  SAMPLE_MAX = 256
};

static size_t
sample_bytes (const struct sample *sample, uint8_t *bytes)
{
  size_t n = strlen (sample->hex) / 2;
  assert_true (n <= SAMPLE_MAX);
  for (size_t i = 0; i < n; i++)
    {
      unsigned byte;
      assert_int_equal (sscanf (sample->hex + 2 * i, "%2x", &byte), 1);
      bytes[i] = (uint8_t)byte;
    }
  return n;
}

/* A stub of a sample: the first one may be a header.  */
struct sample_stub
{
  const struct sample *sample;
  const struct plt_stub *stub;
  const uint8_t *bytes;
  bool header;
};

/* Call VISIT for each stub of the samples.  */
static void
each_stub (void (*visit) (const struct sample_stub *stub))
{
  for (size_t i = 0; i < N_SAMPLES; i++)
    {
      uint8_t bytes[SAMPLE_MAX];
      const struct arch *arch = samples[i].arch;
      size_t size = sample_bytes (&samples[i], bytes);
      struct sample_stub found = { .sample = &samples[i], .bytes = bytes };
      for (; found.bytes < bytes + size; found.bytes += found.stub->size)
        {
          size_t left = size - (size_t)(found.bytes - bytes);
          found.stub = found.bytes == bytes
                           ? plt_stub_find (arch->plt_headers, bytes, left)
                           : NULL;
          found.header = found.stub != NULL;
          if (found.stub == NULL)
            found.stub = plt_stub_find (arch->plt_stubs, found.bytes, left);
          if (found.stub == NULL)
            fail_msg ("%s: unknown stub at %zu", samples[i].origin,
                      size - left);
          visit (&found);
        }
    }
}

static char names[N_SAMPLES][256];

static void
note_name (const struct sample_stub *found)
{
  char *text = names[found->sample - samples];
  if (*text != '\0')
    strcat (text, " ");
  strcat (text, found->stub->name);
}

TEST (every_sample_is_recognised)
{
  each_stub (note_name);
  for (size_t i = 0; i < N_SAMPLES; i++)
    assert_string_equal (names[i], samples[i].stubs);
}

/* Length of the x86-64 instruction at AT, for those that occur in stubs, and
   the bytes it pushes; 0 when unknown.  */
static size_t
x86_length (const uint8_t *at, int *pushed)
{
  *pushed = 0;
  if (*at == 0x90 || *at == 0xcc)
    return 1;
  if (*at == 0x66 && at[1] == 0x90)
    return 2;
  if (*at == 0x66)
    return 6;
  if (*at == 0x0f && at[1] == 0x1f)
    return at[2] == 0 ? 3 : at[2] == 0x40 ? 4 : 5;
  if (*at == 0xf3)
    return 4;
  if (*at == 0xf2)
    return 1 + x86_length (at + 1, pushed);
  if (*at == 0xff && at[1] == 0x25)
    return 6;
  if (*at == 0xe9)
    return 5;
  if (*at == 0x41 && at[1] == 0xbb)
    return 6;
  *pushed = 8;
  if (*at == 0xff && at[1] == 0x35)
    return 6;
  if (*at == 0x68)
    return 5;
  if (*at == 0x41 && at[1] == 0x53)
    return 2;
  return 0;
}

static int
row_cfa (const struct plt_stub *stub, size_t at)
{
  int cfa = -1;
  for (size_t i = 0; i < stub->n_rows; i++)
    if (stub->rows[i].start <= at)
      cfa = stub->rows[i].cfa_offset;
  return cfa;
}

/* Follow the pushes of x86-64; each instruction must find its CFA in the
   rows.  On aarch64 only `stp ..., [sp, #-16]!' moves SP, and on s390x nothing
   does.  */
static void
follow_stack (const struct sample_stub *found)
{
  const struct arch *arch = found->sample->arch;
  const struct plt_stub *stub = found->stub;
  bool amd64 = arch == &arch_amd64;
  /* In front of most headers a number was pushed.  */
  bool pushed_before = found->header && strcmp (stub->name, "header-mold");
  int cfa = !amd64 ? arch->cfa_bias : pushed_before ? 16 : 8;
  for (size_t at = 0; at < stub->size;)
    {
      const uint8_t *bytes = found->bytes + at;
      int pushed = 0;
      size_t length = 4;
      if (amd64)
        length = x86_length (bytes, &pushed);
      else if (arch == &arch_aarch64 && bytes[3] == 0xa9
               && (bytes[2] & 0xc0) == 0x80)
        pushed = 16;
      assert_true (length > 0);
      if (row_cfa (stub, at) != cfa)
        fail_msg ("%s: %s+%zu: CFA is sp+%d, not sp+%d", found->sample->origin,
                  stub->name, at, cfa, row_cfa (stub, at));
      cfa += pushed;
      at += length;
    }
}

TEST (rows_follow_the_stack_pointer) { each_stub (follow_stack); }

static void
check_table (const struct plt_stub *table)
{
  for (const struct plt_stub *stub = table; stub->name; stub++)
    {
      assert_true (stub->size > 0 && stub->size <= PLT_STUB_MAX);
      assert_true (stub->n_rows > 0 && stub->n_rows <= PLT_ROWS_MAX);
      assert_int_equal (stub->rows[0].start, 0);
      for (size_t i = 1; i < stub->n_rows; i++)
        assert_true (stub->rows[i].start > stub->rows[i - 1].start
                     && stub->rows[i].start < stub->size);
      for (size_t i = 0; i < PLT_STUB_MAX; i++)
        {
          assert_int_equal (stub->bytes[i] & ~stub->mask[i], 0);
          assert_true (i < stub->size || stub->mask[i] == 0);
        }
    }
}

TEST (tables_are_consistent)
{
  static const struct arch *const all[]
      = { &arch_amd64, &arch_aarch64, &arch_aarch64_be, &arch_s390x };
  FOR_EACH_ROW (one, all)
    {
      check_table ((*one)->plt_headers);
      check_table ((*one)->plt_stubs);
      assert_ptr_equal (
          arch_of_machine ((*one)->e_machine, (*one)->big_endian), *one);
      assert_ptr_equal (arch_of_sframe_abi ((*one)->sframe_abi), *one);
    }
  assert_null (arch_of_machine (EM_386, false));
  assert_null (arch_of_machine (EM_S390, false));
  assert_null (arch_of_sframe_abi (0));
  assert_null (arch_of_sframe_abi (5));
}

TEST (a_truncated_or_changed_stub_is_unknown)
{
  static const uint8_t got[8] = { 0xff, 0x25, 1, 2, 3, 4, 0x66, 0x90 };
  assert_non_null (plt_stub_find (arch_amd64.plt_stubs, got, 8));
  assert_null (plt_stub_find (arch_amd64.plt_stubs, got, 7));
  for (size_t i = 0; i < 8; i++)
    {
      uint8_t changed[8];
      memcpy (changed, got, 8);
      changed[i] ^= 0x20;
      bool immediate = i >= 2 && i < 6;
      assert_int_equal (
          plt_stub_find (arch_amd64.plt_stubs, changed, 8) != NULL, immediate);
    }
}

/* How far code is with its frame at the instruction behind the fourth byte. */
TEST (frames_are_told_by_the_code_around)
{
  static const struct
  {
    const struct arch *arch;
    const char *code;
    enum arch_fp_frame frame;
  } cases[] = {
    { &arch_amd64, "\x90\x90\x90\x90\x55\x90\x90\x90", FP_FRAME_NONE },
    { &arch_amd64, "\x90\x90\x90\x5d\xc3\x90\x90\x90", FP_FRAME_NONE },
    { &arch_amd64, "\x90\x90\x90\x5d\xc2\x08\x00\x90", FP_FRAME_NONE },
    { &arch_amd64, "\x90\x90\x90\x5d\xf3\xc3\x90\x90", FP_FRAME_NONE },
    { &arch_amd64, "\x90\x90\x90\x5d\xf3\xa4\x90\x90", FP_FRAME_MADE },
    { &arch_amd64, "\x90\x90\x90\x90\xf3\x0f\x1e\xfa", FP_FRAME_NONE },
    { &arch_amd64, "\x90\x90\x90\x55\x48\x89\xe5\x90", FP_FRAME_PUSHED },
    { &arch_amd64, "\x90\x90\x90\x55\x48\x8b\xec\x90", FP_FRAME_PUSHED },
    { &arch_amd64, "\x90\x90\x90\x54\x48\x89\xe5\x90", FP_FRAME_MADE },
    { &arch_amd64, "\x90\x90\x90\x55\x48\x89\xe6\x90", FP_FRAME_MADE },
    /* stp x29, x30, [sp, #-32]!; mov x29, sp; ret */
    { &arch_aarch64, "\0\0\0\0\xfd\x7b\xbe\xa9", FP_FRAME_NONE },
    { &arch_aarch64, "\xfd\x7b\xbe\xa9\xfd\x03\x00\x91", FP_FRAME_PUSHED },
    { &arch_aarch64, "\0\0\0\0\xfd\x03\x00\x91", FP_FRAME_MADE },
    { &arch_aarch64, "\0\0\0\0\xc0\x03\x5f\xd6", FP_FRAME_NONE },
    { &arch_aarch64, "\0\0\0\0\x1f\x20\x03\xd5", FP_FRAME_MADE },
  };
  FOR_EACH_ROW (given, cases)
    assert_int_equal (given->arch->fp_frame ((const uint8_t *)given->code),
                      given->frame);
}

TEST (what_changes_the_return_address_is_known)
{
  static const struct
  {
    uint32_t word;
    enum arch_ra_use use;
  } cases[] = {
    { 0xd65f03c0, RA_RETURN },  /* ret */
    { 0xd65f0bff, RA_RETURN },  /* retaa */
    { 0xd65f0120, RA_UNKNOWN }, /* ret x9 */
    { 0xd503201f, RA_KEPT },    /* nop */
    { 0xb9400000, RA_KEPT },    /* ldr w0, [x0] */
    { 0x910083ff, RA_KEPT },    /* add sp, sp, #32 */
    { 0x91007800, RA_KEPT },    /* add x0, x0, #30 */
    { 0x54ffffc1, RA_KEPT },    /* b.ne .-8 */
    { 0x34000060, RA_KEPT },    /* cbz w0, .+12 */
    { 0xb7f8003e, RA_KEPT },    /* tbnz x30, #63, .+4 */
    { 0xd4000001, RA_KEPT },    /* svc #0 */
    { 0xd4200000, RA_UNKNOWN }, /* brk #0 */
    { 0x00000000, RA_UNKNOWN }, /* udf #0 */
    { 0x14000002, RA_UNKNOWN }, /* b .+8 */
    { 0x94000002, RA_UNKNOWN }, /* bl .+8 */
    { 0xd63f0120, RA_UNKNOWN }, /* blr x9 */
    { 0xd61f0220, RA_UNKNOWN }, /* br x17 */
    { 0xa8c27bfd, RA_UNKNOWN }, /* ldp x29, x30, [sp], #32 */
    { 0xa9407bfd, RA_UNKNOWN }, /* ldp x29, x30, [sp] */
    { 0xf84107fe, RA_UNKNOWN }, /* ldr x30, [sp], #16 */
    { 0xf84087c0, RA_UNKNOWN }, /* ldr x0, [x30], #8 */
    { 0x487e7c00, RA_UNKNOWN }, /* casp x30, xzr, x0, x1, [x0] */
    { 0xaa0903fe, RA_UNKNOWN }, /* mov x30, x9 */
    { 0x9e66001e, RA_UNKNOWN }, /* fmov x30, d0 */
  };
  FOR_EACH_ROW (given, cases)
    {
      const uint32_t word = given->word;
      const uint8_t code[] = { (uint8_t)word, (uint8_t)(word >> 8),
                               (uint8_t)(word >> 16), (uint8_t)(word >> 24) };
      if (arch_aarch64.ra_use (code) != given->use)
        fail_msg ("%" PRIx32, word);
    }
}

#define SIZED(bytes, call)        \
  {                               \
    bytes, sizeof bytes - 1, call \
  }

static const struct
{
  const char *bytes;
  size_t size;
  bool call;
} sized[] = {
  SIZED ("\xc3", false),                         /* ret */
  SIZED ("\x0f\x22\x44", false),                 /* mov %rsp, %cr0 */
  SIZED ("\xf3\x0f\x1e\xfa", false),             /* endbr64 */
  SIZED ("\x41\x57", false),                     /* push %r15 */
  SIZED ("\x48\x89\xe5", false),                 /* mov %rsp,%rbp */
  SIZED ("\x48\x83\xec\x08", false),             /* sub $8,%rsp */
  SIZED ("\x48\x81\xec\x00\x10\x00\x00", false), /* sub $n,%rsp */
  SIZED ("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", false),
  SIZED ("\xb8\x01\x02\x03\x04", false), /* mov $n,%eax */
  SIZED ("\x66\xb8\x01\x02", false),     /* mov $n,%ax */
  SIZED ("\xc8\x10\x00\x00", false),     /* enter */
  SIZED ("\xc2\x08\x00", false),         /* ret $8 */
  SIZED ("\xa1\x01\x02\x03\x04\x05\x06\x07\x08", false),
  SIZED ("\x67\xa1\x01\x02\x03\x04", false),
  SIZED ("\xf6\x40\x08\x01", false),                 /* test $1,8(%rax) */
  SIZED ("\xf6\x50\x08", false),                     /* not 8(%rax) */
  SIZED ("\xf7\xc0\x01\x02\x03\x04", false),         /* test $n,%eax */
  SIZED ("\xf7\xd8", false),                         /* neg %eax */
  SIZED ("\x8b\x04\x25\x01\x02\x03\x04", false),     /* absolute */
  SIZED ("\x8b\x05\x01\x02\x03\x04", false),         /* n(%rip) */
  SIZED ("\x8b\x44\x24\x08", false),                 /* 8(%rsp) */
  SIZED ("\x8b\x84\x24\x01\x02\x03\x04", false),     /* n(%rsp) */
  SIZED ("\x0f\x84\x01\x02\x03\x04", false),         /* je */
  SIZED ("\x0f\x1f\x84\x00\x01\x02\x03\x04", false), /* nopl */
  SIZED ("\x66\x0f\x70\xc1\x55", false),             /* pshufd */
  SIZED ("\x66\x0f\x3a\x0f\xc1\x08", false),         /* palignr */
  SIZED ("\x66\x0f\x38\x00\xc1", false),             /* pshufb */
  SIZED ("\xc4\xe3\xfd\x00\xc1\x08", false),         /* vpermq */
  SIZED ("\xc5\xf8\x77", false),                     /* vzeroupper */
  SIZED ("\xc5\xf9\x70\xc1\x55", false),             /* vpshufd */
  SIZED ("\xc4\xe3\x7d\x39\xc1\x01", false),         /* vextracti128 */
  SIZED ("\xc4\xe2\x7d\x58\xc0", false),             /* vpbroadcastd */
  SIZED ("\x62\xf1\x7c\x48\x10\x47\x01", false),     /* vmovups, EVEX */
  SIZED ("\xe8\x01\x02\x03\x04", true),
  SIZED ("\x66\x66\x48\xe8\x01\x02\x03\x04", true), /* of __tls_get_addr */
  SIZED ("\xff\xd0", true), SIZED ("\x41\xff\xd4", true),
  SIZED ("\x3e\xff\xd0", true), /* notrack */
  SIZED ("\xff\x15\x01\x02\x03\x04", true), SIZED ("\xff\x1a", true), /* far */
  SIZED ("\xff\xe0", false),                                          /* jmp */
  SIZED ("\xff\x35\x01\x02\x03\x04", false), /* push */
  SIZED ("\x0f\xe8\xc1", false),             /* psubsb: no call */
  /* The last REX counts, and only right before the opcode.  */
  SIZED ("\x48\x41\xb8\x01\x02\x03\x04", false),
  SIZED ("\x48\x66\xb8\x01\x02", false),
  SIZED ("\x66\x48\x05\x01\x02\x03\x04", false), /* add $n,%rax */
  SIZED ("\xf0\x0f\xb1\x0a", false),             /* lock cmpxchg */
  SIZED ("\xf6\xc8\x01", false),                 /* test: /1 */
  SIZED ("\x62\xf5\x7c\x48\x58\xc1", false),     /* vaddph: map 5 */
  SIZED ("\x62\xf6\x7d\x48\x98\xc1", false),     /* vfmadd132ph: map 6 */
};

TEST (amd64_instructions_have_their_sizes)
{
  FOR_EACH_ROW (given, sized)
    {
      const uint8_t *bytes = (const uint8_t *)given->bytes;
      uint8_t padded[15] = { 0 };
      bool call;
      memcpy (padded, bytes, given->size);
      assert_int_equal (arch_amd64.instruction_size (padded, 15, &call),
                        given->size);
      assert_int_equal (call, given->call);
      /* Cut short it is none.  */
      for (size_t left = 0; left < given->size; left++)
        {
          uint8_t *copy = malloc (left + 1);
          memcpy (copy, bytes, left);
          assert_int_equal (arch_amd64.instruction_size (copy, left, &call),
                            0);
          free (copy);
        }
    }
}

TEST (bytes_that_are_no_amd64_instruction_have_no_size)
{
  static const char unknown[][4]
      = { "\x06", "\xea", "\x8f\xe8", "\x0f\x04", "\xd6", "\x62\xf7",
          /* Group 5: /7, and far pointers in registers.  */
          "\xff\x38", "\xff\xf8", "\xff\xd8", "\xff\xe8",
          /* VEX: je has none, and there is no map 10.  */
          "\xc5\xf8\x84", "\xc4\xea\x78\x10" };
  FOR_EACH_ROW (given, unknown)
    {
      uint8_t padded[15] = { 0 };
      bool call;
      memcpy (padded, *given, sizeof *given);
      assert_int_equal (arch_amd64.instruction_size (padded, 15, &call), 0);
    }
}

TEST (amd64_instructions_have_15_bytes_at_most)
{
  uint8_t code[16];
  bool call;
  memset (code, 0x66, sizeof code);
  code[14] = 0x90;
  assert_int_equal (arch_amd64.instruction_size (code, 16, &call), 15);
  code[14] = 0x66;
  code[15] = 0x90;
  assert_int_equal (arch_amd64.instruction_size (code, 16, &call), 0);
}

static void
note_target (void *context, uint64_t target)
{
  *(uint64_t *)context = target;
}

/* movabs $0x12345678,%rax, an offset from the global offset table.  */
TEST (offsets_of_64_bits_lie_in_the_code_as_a_whole)
{
  static const uint8_t bytes[16] = { 0x48, 0xb8, 0x78, 0x56, 0x34, 0x12 };
  for (uint64_t size = 2; size <= 10; size++)
    {
      uint64_t target = 0;
      struct address_search search = { .begin = 0x12345000,
                                       .end = 0x12346000,
                                       .has_base = true,
                                       .base = 0x10,
                                       .found = note_target,
                                       .context = &target };
      const struct loaded_bytes code = { bytes, size, 0x40000000 };
      arch_patterns_of (EM_X86_64)->find_addresses (&search, &code);
      assert_int_equal (target, size == 10 ? 0x12345688 : 0);
    }
}
