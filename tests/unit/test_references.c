/* Unit tests of src/place/references.c: which addresses code and data have.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "base/bytes.h"
#include "place/references.h"
#include "tests/unit_test.h"

/* Code, and what of the bytes at RANGE on it refers to: exactly that.  */
enum
{
  CODE_ADDRESS = 0x100000,
  RANGE = 0x101000,
  RANGE_SIZE = 0x40,
  CODE_FRONT = 16, /* bytes of the file in front of the code */
  CODE_MAX = 1024
};

struct code_file
{
  uint8_t bytes[CODE_FRONT + CODE_MAX + 128];
  struct image_section sections[4];
  struct image image;
  struct references found;
};

static void
code_file_init (struct code_file *file, uint16_t machine, size_t size)
{
  memset (file, 0, sizeof *file);
  for (size_t i = 0; i < N_OF (file->sections); i++)
    file->sections[i].name = "";
  struct image *image = &file->image;
  *image = (struct image){ .fd = -1,
                           .bytes = file->bytes,
                           .size = sizeof file->bytes,
                           .sections = file->sections,
                           .n_sections = 3 };
  image->header.e_machine = machine;
  image->header.e_type = ET_DYN;
  image->big_endian = machine == EM_S390;
  file->sections[1].header
      = (GElf_Shdr){ .sh_type = SHT_PROGBITS,
                     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                     .sh_addr = CODE_ADDRESS,
                     .sh_offset = CODE_FRONT,
                     .sh_size = size };
  /* As in a debug file, which does not have the code.  */
  file->sections[2].header = (GElf_Shdr){ .sh_type = SHT_NOBITS,
                                          .sh_flags = SHF_EXECINSTR,
                                          .sh_addr = CODE_ADDRESS * 2,
                                          .sh_size = 64 };
}

static void
expect_targets (struct code_file *file, const uint64_t *targets, size_t n,
                bool unknown)
{
  references_find (&file->found, &file->image, RANGE, RANGE + RANGE_SIZE);
  assert_int_equal (file->found.n_targets, n);
  for (size_t i = 0; i < n; i++)
    assert_int_equal (file->found.targets[i], targets[i]);
  assert_int_equal (file->found.unknown, unknown);
}

/* At every place of two blocks and their ends, and with immediate operands of
   each size behind the displacement.  */
TEST (every_relative_field_of_amd64_is_found)
{
  static const unsigned immediates[] = { 0, 1, 2, 4 };
  static struct code_file file;
  code_file_init (&file, EM_X86_64, 600);
  uint8_t *code = file.bytes + CODE_FRONT;
  memset (file.bytes, 0x90, sizeof file.bytes);
  for (uint32_t at = 1; at <= 596; at++)
    for (uint32_t target = RANGE - 5; target <= RANGE + RANGE_SIZE; target++)
      {
        uint64_t targets[4];
        size_t n = 0;
        if (target > RANGE + 2 && target < RANGE + RANGE_SIZE - 2)
          continue;
        for (size_t i = 0; i < 4; i++)
          if (target + immediates[i] >= RANGE
              && target + immediates[i] < RANGE + RANGE_SIZE)
            targets[n++] = target + immediates[i];
        /* mov, lea, ...: 8b 05; at the start anything may be in front.  */
        if (at > 1)
          code[at - 2] = 0x8b;
        code[at - 1] = 5;
        store_u32 (code + at, target - (CODE_ADDRESS + at + 4), false);
        expect_targets (&file, targets, n, false);
        memset (file.bytes + CODE_FRONT, 0x90, 600);
      }
  /* The last byte of a range that ends anywhere, from a block's first.  */
  for (uint32_t end = RANGE; end < RANGE + 256; end++)
    {
      code[254] = 0x8b;
      code[255] = 5;
      store_u32 (code + 256, end - 1 - (CODE_ADDRESS + 256 + 4), false);
      references_find (&file.found, &file.image, end - RANGE_SIZE, end);
      assert_int_equal (file.found.n_targets, 1);
      assert_int_equal (file.found.targets[0], end - 1);
    }
  memset (file.bytes, 0x90, sizeof file.bytes);
  /* What is in front of the section is none of its instructions.  */
  code[-1] = 5;
  store_u32 (code, RANGE - (CODE_ADDRESS + 4), false);
  expect_targets (&file, NULL, 0, false);
  /* Nor is anything relative to an offset table that is not there.  */
  memset (file.bytes, 0x90, sizeof file.bytes);
  code[10] = 0x48;
  code[11] = 0xb8;
  store_u64 (code + 12, RANGE, false);
  expect_targets (&file, NULL, 0, false);
}

/* Offsets of 64 bits from the global offset table, at every place of two
   blocks.  */
TEST (every_offset_from_the_offset_table_of_amd64_is_found)
{
  static struct code_file file;
  const uint64_t target = RANGE + 4;
  const uint64_t tables[] = { CODE_ADDRESS + 0x4000, 0x152080 };
  uint8_t *code = file.bytes + CODE_FRONT;
  GElf_Phdr dynamic = { .p_type = PT_DYNAMIC,
                        .p_offset = CODE_FRONT + CODE_MAX,
                        .p_filesz = 32 };
  FOR_EACH_ROW (given, tables)
    {
      code_file_init (&file, EM_X86_64, 600);
      file.image.segments = &dynamic;
      file.image.n_segments = 1;
      store_u64 (code + CODE_MAX, DT_PLTGOT, false);
      store_u64 (code + CODE_MAX + 8, *given, false);
      memset (code, 0x90, 600);
      for (uint32_t at = 2; at <= 592; at++)
        {
          /* movabs $TARGET - TABLE, %rax.  */
          memcpy (code + at - 2, "\x48\xb8", 2);
          store_u64 (code + at, target - *given, false);
          expect_targets (&file, &target, 1, false);
          memset (code + at - 2, 0x90, 10);
        }
    }
}

/* An operand n(%rip) behind opcodes of every map, and with immediate operands
   of each size behind it.  */
TEST (every_opcode_map_of_amd64_has_relative_fields)
{
  static const char *const opcodes[] = {
    "\x48\x8d\x05",             /* lea */
    "\x0f\x58\x05",             /* addps */
    "\x66\x0f\x38\x40\x05",     /* pmulld */
    "\x66\x0f\x3a\x40\x05",     /* dpps */
    "\xc5\xf8\x58\x05",         /* vaddps, VEX of 2 bytes */
    "\xc4\xe2\x79\x58\x05",     /* vpbroadcastd, VEX of 3 bytes */
    "\x8f\xe8\x78\xa2\x05",     /* vpcmov, XOP */
    "\x62\xf1\x7c\x48\x58\x05", /* vaddps, EVEX */
  };
  static const unsigned immediates[] = { 0, 1, 2, 4 };
  static struct code_file file;
  uint8_t *code = file.bytes + CODE_FRONT;
  for (size_t i = 0; i < N_OF (opcodes) * N_OF (immediates); i++)
    {
      const char *opcode = opcodes[i / N_OF (immediates)];
      unsigned immediate = immediates[i % N_OF (immediates)];
      size_t at = 16 + strlen (opcode);
      code_file_init (&file, EM_X86_64, 64);
      memset (code, 0x90, 64);
      memcpy (code + 16, opcode, strlen (opcode));
      store_u32 (code + at,
                 (uint32_t)(RANGE + 8 - (CODE_ADDRESS + at + 4 + immediate)),
                 false);
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      if (!references_meet (&file.found, RANGE + 8, RANGE + 9))
        fail_msg ("case %zu", i);
    }
}

/* A program's fields may be addresses, too.  Blocks are tested for both kinds
   at once, by bytes that depend on where range and block begin.  */
TEST (either_kind_of_field_of_amd64_is_found)
{
  static struct code_file file;
  uint8_t *code = file.bytes + CODE_FRONT;
  GElf_Phdr load = { .p_type = PT_LOAD,
                     .p_offset = CODE_FRONT,
                     .p_vaddr = CODE_ADDRESS,
                     .p_filesz = 600 };
  code_file_init (&file, EM_X86_64, 600);
  file.image.segments = &load;
  file.image.n_segments = 1;
  file.image.header.e_phoff = CODE_FRONT - (uint64_t)sizeof (Elf64_Phdr);
  file.image.header.e_type = ET_EXEC;
  memset (file.bytes, 0x90, sizeof file.bytes);
  for (uint32_t begin = RANGE; begin < RANGE + 256; begin++)
    for (uint32_t at = 2; at <= 596; at += 3)
      for (uint32_t step = 0; step < RANGE_SIZE; step += RANGE_SIZE - 1)
        {
          uint32_t target = begin + step;
          /* mov 0(%rip), %eax: the first of up to four targets.  */
          code[at - 2] = 0x8b;
          code[at - 1] = 5;
          store_u32 (code + at, target - (CODE_ADDRESS + at + 4), false);
          references_find (&file.found, &file.image, begin,
                           begin + RANGE_SIZE);
          assert_true (references_meet (&file.found, target, target + 1));
          /* mov $TARGET, %eax.  */
          code[at - 1] = 0xb8;
          store_u32 (code + at, target, false);
          references_find (&file.found, &file.image, begin,
                           begin + RANGE_SIZE);
          assert_true (references_meet (&file.found, target, target + 1));
          memset (code + at - 2, 0x90, 6);
        }
}

static void
set_words (struct code_file *file, const uint32_t *words, size_t n)
{
  for (size_t i = 0; i < n; i++)
    store_u32 (file->bytes + CODE_FRONT + 4 * i, words[i], false);
}

/* Code that refers to addresses from RANGE on, to any in its page, or both: by
   an ADRP and what follows it, or by itself.  */
struct aarch64_row
{
  const char *name;
  uint32_t words[8];
  uint64_t targets[3];
  bool unknown;
};

enum
{
  ADRP_X1 = 0xb0000001, /* adrp x1, the page of RANGE */
  ADRP_X19 = 0xb0000013,
  ADD_8 = 0x91002020,      /* add x0, x1, 8 */
  ADD_SELF_8 = 0x91002021, /* add x1, x1, 8 */
  ADD_24 = 0x91006023,     /* add x3, x1, 24 */
  BR_X3 = 0xd61f0060,
  NOP = 0xd503201f,
  RET = 0xd65f03c0
};

static const struct aarch64_row aarch64_rows[] = {
  { "adr", { NOP, 0x10008020 }, .targets = { 8 } },
  { "load_of_a_literal", { NOP, 0x58008020 }, .targets = { 8 } },
  /* The last instruction of the section.  */
  { "adrp_add", { ADRP_X1, NOP, NOP, ADD_8 }, .targets = { 8 } },
  { "adrp_load", { ADRP_X1, NOP, NOP, 0xf9400820 }, .targets = { 16 } },
  { "adrp_load_by_another_register",
    { ADRP_X1, NOP, NOP, 0xf9400840 },
    .unknown = true },
  { "adrp_sub", { ADRP_X1, NOP, NOP, 0xd1002020 }, .unknown = true },
  { "adrp_b_add",
    { ADRP_X1, 0x14000003, ADD_24, RET, ADD_SELF_8, RET },
    .targets = { 8 } },
  { "adrp_b_back_add",
    { ADD_SELF_8, RET, ADRP_X1, 0x17fffffd, ADD_24 },
    .targets = { 8 } },
  { "adrp_of_other_code_behind_jump",
    { ADRP_X1, 0x14000005, ADD_SELF_8, RET },
    .unknown = true },
  { "adrp_used_on_both_sides_of_a_branch",
    { ADRP_X1, ADD_8, 0x54000060, 0xd28000a1, RET, ADD_24, RET },
    .targets = { 8, 24 } },
  { "adrp_cbz_tbz",
    { ADRP_X1, 0xb4000062, 0x36180042, ADD_SELF_8, ADD_24, RET },
    .targets = { 8, 24 } },
  { "adrp_used_before_and_behind_a_jump",
    { ADRP_X1, ADD_8, 0x14000003, 0, 0, ADD_24, RET },
    .targets = { 8, 24 } },
  { "adrp_loop", { ADRP_X1, ADD_8, 0xb5ffffe2, RET }, .targets = { 8 } },
  { "adrp_page_compared",
    { ADRP_X1, 0xb4000041, ADD_8, RET },
    .targets = { 8 },
    .unknown = true },
  { "adrp_page_copied", { ADRP_X1, 0xaa0103e2, ADD_8, RET }, .unknown = true },
  { "adrp_page_kept_in_the_stack",
    { ADRP_X1, 0xf9000be1, ADD_8, RET },
    .unknown = true },
  { "adrp_page_stored", { ADRP_X1, 0xf8210062, ADD_8 }, .unknown = true },
  { "adrp_page_in_a_float", { ADRP_X1, 0x9e670020, ADD_8 }, .unknown = true },
  { "adrp_page_and_a_register",
    { ADRP_X1, 0xf8636822, ADD_8, RET },
    .unknown = true },
  { "adrp_pair", { ADRP_X1, 0xa9410c22, ADD_8, RET }, .unknown = true },
  { "adrp_movk",
    { ADRP_X1, ADD_8, 0xf28000a1, RET },
    .targets = { 8 },
    .unknown = true },
  { "adrp_switch",
    { ADRP_X1, ADD_8, BR_X3 },
    .targets = { 8 },
    .unknown = true },
  { "adrp_self_switch", { ADRP_X1, ADD_SELF_8, BR_X3 }, .targets = { 8 } },
  { "adrp_returned", { ADRP_X1, RET, ADD_8 }, .unknown = true },
  { "adrp_over_a_call",
    { ADRP_X19, 0xf9400660, 0xd63f0060, 0xf9400a60, RET },
    .targets = { 8, 16 } },
  { "adrp_lost_in_a_call",
    { ADRP_X1, 0xd63f0060, ADD_8, RET },
    .unknown = true },
  { "adrp_used_before_a_call",
    { ADRP_X1, ADD_8, 0x94000004, ADD_24, RET },
    .targets = { 8 } },
  { "adrp_overwritten_by_a_load",
    { ADRP_X1, ADD_8, 0xf8408441, ADD_24, RET },
    .targets = { 8 } },
  { "adrp_overwritten_by_a_pair",
    { ADRP_X1, ADD_8, 0xa8c10be1, ADD_24, RET },
    .targets = { 8 } },
  { "adrp_overwritten_by_a_move",
    { ADRP_X1, ADD_8, 0xaa0203e1, ADD_24, RET },
    .targets = { 8 } },
  { "adrp_overwritten_from_a_float",
    { ADRP_X1, ADD_8, 0x1e260021, ADD_24, RET },
    .targets = { 8 } },
  { "adrp_of_other_registers",
    { ADRP_X1, 0xdac00062, 0xfd400041, 0xfa410881, 0xf9800041, ADD_8, RET },
    .targets = { 8 } },
};

TEST_ROWS (aarch64_rows, const struct aarch64_row *row, NULL, NULL,
           is_referred_to_by_aarch64)
{
  static struct code_file file;
  size_t n = 0;
  uint64_t targets[N_OF (row->targets)];
  for (; n < N_OF (targets) && row->targets[n] > 0; n++)
    targets[n] = RANGE + row->targets[n];
  size_t n_words = N_OF (row->words);
  while (row->words[n_words - 1] == 0)
    n_words--;
  code_file_init (&file, EM_AARCH64, 4 * n_words);
  set_words (&file, row->words, n_words);
  if (row->unknown)
    {
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      assert_true (references_meet (&file.found, RANGE + 32, RANGE + 33));
    }
  else
    expect_targets (&file, targets, n, false);
}

/* Following takes a bounded time, whatever the branches: what is not come to
   may refer to anything in the page.  */
TEST (an_adrp_with_many_ways_from_it_is_unknown)
{
  static struct code_file file;
  uint32_t words[CODE_MAX / 4] = { ADRP_X1, ADD_8 };
  for (size_t i = 2; i < N_OF (words); i++)
    words[i] = i < 100 ? 0xb4000002 | 100 << 5 /* cbz x2, .+400 */ : RET;
  code_file_init (&file, EM_AARCH64, sizeof words);
  set_words (&file, words, N_OF (words));
  references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
  assert_true (file.found.unknown);
  for (size_t i = 12; i < N_OF (words); i++)
    words[i] = NOP;
  set_words (&file, words, N_OF (words));
  references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
  assert_true (file.found.unknown);
}

TEST (every_relative_long_format_of_s390x_is_found)
{
  static const uint8_t opcodes[] = { 0xc0, 0xc4, 0xc6 };
  const uint64_t target = RANGE + 2;
  struct code_file file;
  FOR_EACH_ROW (given, opcodes)
    {
      /* larl %r1, and the same of other tables; the section's last.  */
      code_file_init (&file, EM_S390, 8);
      file.bytes[CODE_FRONT + 2] = *given;
      store_u32 (file.bytes + CODE_FRONT + 4,
                 (uint32_t)(target - (CODE_ADDRESS + 2)) / 2, true);
      expect_targets (&file, &target, 1, false);
      file.bytes[CODE_FRONT + 2] = 0xc2;
      expect_targets (&file, NULL, 0, false);
    }
}

/* A file whose bytes from DATA on are loaded, and are those of a section.  */
enum
{
  DATA = 64, /* offset, behind the program header */
  DATA_ADDRESS = 0x400000,
  DATA_SIZE = 600
};

static void
data_file_init (struct code_file *file, uint16_t machine, uint16_t type,
                GElf_Phdr *load)
{
  code_file_init (file, machine, 0);
  *load = (GElf_Phdr){ .p_type = PT_LOAD,
                       .p_offset = DATA,
                       .p_vaddr = DATA_ADDRESS,
                       .p_filesz = DATA_SIZE };
  file->image.header.e_type = type;
  file->image.segments = load;
  file->image.n_segments = 1;
  file->image.n_sections = 2;
  file->sections[1].name = ".rodata";
  file->sections[1].header = (GElf_Shdr){ .sh_type = SHT_PROGBITS,
                                          .sh_flags = SHF_ALLOC,
                                          .sh_addr = DATA_ADDRESS,
                                          .sh_offset = DATA,
                                          .sh_size = DATA_SIZE };
}

/* Whether the SIZE bytes of VALUE, AT bytes into the data, lead to TARGET if
   that is in the range, and otherwise nowhere.  A big-endian distance of 64
   bits has one of 32 bits from 4 bytes behind.  */
static void
expect_field (struct code_file *file, unsigned at, unsigned size,
              uint64_t value, uint64_t begin, uint64_t target)
{
  bool big_endian = file->image.big_endian;
  uint8_t *field = file->bytes + DATA + at;
  if (size == 4)
    store_u32 (field, (uint32_t)value, big_endian);
  else
    store_u64 (field, value, big_endian);
  bool leads = target >= begin && target < begin + RANGE_SIZE;
  references_find (&file->found, &file->image, begin, begin + RANGE_SIZE);
  bool found = references_meet (&file->found, target, target + 1);
  bool only = file->found.n_targets == leads || big_endian;
  if (found != leads || !only || file->found.unknown)
    fail_msg ("%u bytes at %u, target %#llx: %zu", size, at,
              (unsigned long long)target, file->found.n_targets);
  memset (field, 0, size);
}

/* At every byte of two blocks and their ends, in either byte order: addresses
   below 4 GiB, above, and around it, where the lower halves begin anew; and
   distances from where they stand.  */
TEST (every_field_in_data_is_found)
{
  static const struct
  {
    uint16_t machine, type;
    uint64_t begin;
    bool short_too; /* fields of 32 bits */
  } rows[] = {
    { EM_X86_64, ET_EXEC, RANGE, true },
    { EM_X86_64, ET_EXEC, UINT64_C (0xffffffe0), false },
    { EM_X86_64, ET_EXEC, UINT64_C (0x1fffffe0) << 8, false },
    { EM_S390, ET_EXEC, RANGE, true },
    { EM_S390, ET_EXEC, UINT64_C (0xffffffe0), false },
    { EM_S390, ET_EXEC, UINT64_C (0x1fffffe0) << 8, false },
    { EM_X86_64, ET_DYN, RANGE, true },
    { EM_X86_64, ET_DYN, DATA_ADDRESS + 0x123456, true },
    { EM_S390, ET_DYN, RANGE, true },
    { EM_S390, ET_DYN, DATA_ADDRESS + 0x123456, true },
    { EM_AARCH64, ET_DYN, RANGE, true },
    { EM_AARCH64, ET_DYN, DATA_ADDRESS + 0x123456, true },
  };
  static const int64_t steps[] = { -1, 0, RANGE_SIZE - 1, RANGE_SIZE };
  static struct code_file file;
  GElf_Phdr load;
  for (size_t i = 0; i < 4 * N_OF (rows); i++)
    {
      uint64_t begin = rows[i / 4].begin;
      uint64_t target = begin + (uint64_t)steps[i % 4];
      bool distance = rows[i / 4].type == ET_DYN;
      data_file_init (&file, rows[i / 4].machine, rows[i / 4].type, &load);
      for (unsigned size = rows[i / 4].short_too ? 4 : 8; size <= 8; size += 4)
        for (unsigned at = 0; at + size <= DATA_SIZE; at++)
          expect_field (&file, at, size,
                        distance ? target - (DATA_ADDRESS + at) : target,
                        begin, target);
    }
}

/* Where fields are not what leads anywhere: CFI, and what may move itself.  In
   code, chance fields are too many.  Distances lead to what a note consists
   of.
   */
TEST (what_looks_like_a_field_counts_where_it_may_be_one)
{
  static const struct
  {
    const char *name;
    uint32_t type;
    uint64_t flags;
    unsigned at;
    uint64_t target;
    bool address, distance;
  } rows[] = {
    { ".data", SHT_PROGBITS, SHF_ALLOC, 7, RANGE + 4, true, true },
    { ".data", SHT_PROGBITS, SHF_ALLOC, 7, RANGE + 5, true, false },
    { ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, RANGE, false, false },
    { ".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 8, RANGE, false, false },
    { ".note", SHT_NOTE, SHF_ALLOC, 8, RANGE, false, false },
    { ".text", SHT_PROGBITS, SHF_EXECINSTR, 8, RANGE, true, false },
    { ".text", SHT_PROGBITS, SHF_EXECINSTR, 9, RANGE + 4, true, false },
  };
  static struct code_file file;
  GElf_Phdr load;
  for (size_t i = 0; i < 4 * N_OF (rows); i++)
    {
      const uint64_t target = rows[i / 4].target;
      bool absolute = i % 2 == 1;
      unsigned at = rows[i / 4].at;
      data_file_init (&file, EM_X86_64, absolute ? ET_EXEC : ET_DYN, &load);
      /* A segment of code alone is searched as code only.  */
      load.p_flags = i / 2 % 2 == 1 ? PF_R | PF_X : PF_R;
      file.image.n_sections = 3;
      file.sections[1].name = rows[i / 4].name;
      file.sections[1].header.sh_type = rows[i / 4].type;
      file.sections[1].header.sh_flags |= rows[i / 4].flags;
      file.sections[2] = file.sections[1];
      file.sections[2].header = (GElf_Shdr){ .sh_type = SHT_NOTE,
                                             .sh_flags = SHF_ALLOC,
                                             .sh_addr = RANGE,
                                             .sh_size = RANGE_SIZE };
      store_u32 (file.bytes + DATA + at,
                 (uint32_t)(absolute ? target : target - DATA_ADDRESS - at),
                 false);
      file.bytes[DATA + at + 4] = 1; /* no address of 64 bits */
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      if (file.found.n_targets
          != (absolute ? rows[i / 4].address : rows[i / 4].distance))
        fail_msg ("%s, %u, %#llx", rows[i / 4].name, at,
                  (unsigned long long)target);
    }
}

/* A segment with code is searched as data, too, if it has other sections or
   bytes of no section.  */
TEST (data_in_segments_of_code_are_found)
{
  static struct code_file file;
  GElf_Phdr load;
  for (unsigned i = 0; i < 3; i++)
    {
      const unsigned at = 500 + i;
      data_file_init (&file, EM_X86_64, ET_DYN, &load);
      load.p_flags = PF_R | PF_X;
      file.sections[1].header.sh_flags |= SHF_EXECINSTR;
      file.sections[1].header.sh_size = i == 0 ? DATA_SIZE : 490;
      file.sections[2].header = file.sections[1].header;
      file.sections[2].header.sh_addr += 490;
      file.sections[2].header.sh_size = 20;
      file.sections[2].header.sh_flags = SHF_ALLOC;
      file.image.n_sections = i == 1 ? 3 : 2;
      store_u32 (file.bytes + DATA + at, RANGE - DATA_ADDRESS - at, false);
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      assert_int_equal (file.found.n_targets, i > 0);
    }
}

/* Each field that may lead somewhere costs a look at all sections, so that
   fewer are judged where there are many.  */
TEST (many_fields_are_not_judged)
{
  static const struct
  {
    unsigned fields;
    size_t n_sections;
    bool unknown;
  } rows[] = { { REFERENCES_MAX, 2, false },
               { REFERENCES_MAX + 1, 2, true },
               { REFERENCES_MAX, 4095, false },
               { 512, 65535, false },
               { 513, 65535, true } };
  static struct code_file file;
  static uint8_t bytes[DATA + 5 * (REFERENCES_MAX + 1)];
  static struct image_section sections[65535];
  GElf_Phdr load;
  for (size_t i = 0; i < N_OF (sections); i++)
    sections[i].name = "";
  for (size_t at = DATA; at < sizeof bytes; at += 5)
    store_u32 (bytes + at, RANGE, false);
  FOR_EACH_ROW (given, rows)
    {
      data_file_init (&file, EM_X86_64, ET_EXEC, &load);
      sections[1] = file.sections[1];
      sections[1].name = ".eh_frame";
      sections[1].header.sh_size = sizeof bytes - DATA;
      file.image.bytes = bytes;
      file.image.size = sizeof bytes;
      file.image.sections = sections;
      file.image.n_sections = given->n_sections;
      load.p_filesz = 5 * given->fields;
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      assert_int_equal (file.found.n_targets, 0);
      assert_int_equal (file.found.unknown, given->unknown);
    }
}

/* Not those of the range modulo 4 GiB.  */
TEST (what_refers_to_more_than_4_gib_is_unknown)
{
  static struct code_file file;
  code_file_init (&file, EM_X86_64, 600);
  references_find (&file.found, &file.image, RANGE,
                   RANGE + (UINT64_C (1) << 32) + 8);
  assert_true (references_meet (&file.found, RANGE + 100, RANGE + 101));
}

TEST (what_code_of_other_machines_refers_to_is_unknown)
{
  struct code_file file;
  code_file_init (&file, EM_RISCV, 64);
  expect_targets (&file, NULL, 0, true);
}

TEST (dynamic_symbols_refer_to_what_they_name)
{
  static const struct
  {
    uint16_t section;
    uint8_t type;
    bool refers;
  } symbols[] = {
    { 1, STT_FUNC, true },
    { 1, STT_TLS, false },
    { SHN_ABS, STT_OBJECT, false },
    { SHN_UNDEF, STT_FUNC, false },
  };
  const uint64_t target = RANGE + 4;
  struct code_file file;
  FOR_EACH_ROW (given, symbols)
    {
      code_file_init (&file, EM_X86_64, 0);
      uint8_t *symbol = file.bytes + CODE_FRONT;
      file.image.n_sections = 4;
      file.sections[3].header = (GElf_Shdr){ .sh_type = SHT_DYNSYM,
                                             .sh_offset = CODE_FRONT,
                                             .sh_size = sizeof (Elf64_Sym) };
      store_u16 (symbol + offsetof (Elf64_Sym, st_shndx), given->section,
                 false);
      symbol[offsetof (Elf64_Sym, st_info)] = given->type;
      store_u64 (symbol + offsetof (Elf64_Sym, st_value), target, false);
      expect_targets (&file, &target, given->refers, false);
    }
}
