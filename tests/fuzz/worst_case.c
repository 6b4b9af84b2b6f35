/* Files made to cost much time or memory, and what they cost.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: worst_case [MEGABYTES]: each file is about that large (default 1).
   The bound is a second per megabyte and ten times the size in memory, beside
   a fixed amount that the first files of a process need.  */

#include <config.h>

#include "fuzz.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "cfi2sframe.h"
#include "elf/image.h"
#include "place/choose_strategy.h"

enum
{
  CODE = 0x10000000, /* address of the code, which has no bytes in the file */
  CODE_SIZE = 0x40000000,
  DATA = 0x60000000, /* where the file itself is mapped */
  MORE_DATA = 0x70000000,
  MEMORY_FLOOR = 32 << 20,
  SECTIONS = 4,
  SEGMENTS = 4,
  MORE_SEGMENTS = 66, /* as many as are converted */
  DYNAMIC_SIZE = 3 * sizeof (Elf64_Dyn)
};

/* The contents of .eh_frame and .text, and what else a case wants.  */
struct worst
{
  struct buffer cfi;
  struct buffer code; /* at CODE; without it there is a byte */
  uint16_t machine;
  size_t n_more_sections; /* notes without contents */
  size_t n_more_segments; /* without contents */
  size_t places;          /* where in the CFI DT_RELR is; 0: there is none */
  size_t places_size;
  uint64_t next; /* address of the next function */
};

static size_t target_size;

/* CFI.  */

static bool
more (const struct worst *worst)
{
  return worst->cfi.size < target_size;
}

/* Append an entry of BODY behind length and CIE pointer; to CIE, or a CIE if
   that is SIZE_MAX.  */
static size_t
append_entry (struct worst *worst, size_t cie, const void *body, size_t size)
{
  size_t offset = worst->cfi.size;
  buffer_u32 (&worst->cfi, (uint32_t)size + 4);
  buffer_u32 (&worst->cfi, cie == SIZE_MAX ? 0 : (uint32_t)(offset + 4 - cie));
  buffer_append (&worst->cfi, body, size);
  return offset;
}

/* "zR", absolute 32-bit pointers, data alignment -8.  RA is the column.  */
static size_t
append_cie (struct worst *worst, uint8_t ra, size_t padding)
{
  uint8_t body[14]
      = { 1, 'z', 'R', 0, 1, 0x78, ra, 1, 0x03, 0x0c, 7, 8, 0x90, 1 };
  if (ra == 30)
    memcpy (body + 9, (uint8_t[]){ 0x0c, 31, 0, 0, 0 }, 5);
  size_t at = append_entry (worst, SIZE_MAX, body, sizeof body);
  buffer_fill (&worst->cfi, 0, padding);
  store_u32 (worst->cfi.bytes + at, (uint32_t)(worst->cfi.size - at - 4),
             false);
  return at;
}

static void
append_fde (struct worst *worst, size_t cie, uint32_t size,
            const uint8_t *program, size_t program_size)
{
  uint8_t head[9] = { 0 };
  store_u32 (head, (uint32_t)worst->next, false);
  store_u32 (head + 4, size, false);
  size_t at = append_entry (worst, cie, head, sizeof head);
  buffer_append (&worst->cfi, program, program_size);
  store_u32 (worst->cfi.bytes + at, (uint32_t)(worst->cfi.size - at - 4),
             false);
  worst->next += size;
}

/* Cases.  */

static void
small_functions (struct worst *worst)
{
  size_t cie = append_cie (worst, 16, 0);
  while (more (worst))
    append_fde (worst, cie, 1, NULL, 0);
}

static void
cie_per_function (struct worst *worst)
{
  while (more (worst))
    append_fde (worst, append_cie (worst, 16, 0), 1, NULL, 0);
}

/* CIEs in half of the file, and FDEs that refer to the CIEs in no order.  */
static void
many_cies (struct worst *worst)
{
  size_t n = target_size / 2 / 8 | 1;
  for (size_t i = 0; i < n; i++)
    append_entry (worst, SIZE_MAX, NULL, 0);
  for (size_t i = 0; more (worst); i++)
    append_entry (worst, i * 7919 % n * 8, NULL, 0);
  append_fde (worst, append_cie (worst, 16, 0), 1, NULL, 0);
}

/* libdwarf refuses an FDE with pointers that are cut off.  */
static void
append_damaged (struct worst *worst, size_t cie)
{
  static const uint8_t body[2] = { 0 };
  append_entry (worst, cie, body, sizeof body);
}

static void
nothing_but_damage (struct worst *worst)
{
  size_t cie = append_cie (worst, 16, 0);
  while (more (worst))
    append_damaged (worst, cie);
  append_fde (worst, cie, 1, NULL, 0);
}

/* Functions that refer to CIEs of the largest kind in turn, and to one that is
   larger than what is read.  */
static void
damage_and_large_cies (struct worst *worst)
{
  size_t cies[4];
  for (size_t i = 0; i < 4; i++)
    cies[i] = append_cie (worst, 16, i == 0 ? target_size / 5 * 2 : 4000);
  for (size_t i = 0; more (worst); i++)
    {
      append_fde (worst, cies[i % 4], 1, NULL, 0);
      append_damaged (worst, cies[(i + 1) % 4]);
    }
}

static void
terminators (struct worst *worst)
{
  append_fde (worst, append_cie (worst, 16, 0), 1, NULL, 0);
  buffer_fill (&worst->cfi, 0, target_size);
}

/* One function with a row for every two bytes of CFI.  */
static void
one_long_function (struct worst *worst)
{
  worst->machine = EM_AARCH64;
  size_t cie = append_cie (worst, 30, 0);
  uint8_t *program = malloc (target_size);
  for (size_t i = 0; program != NULL && i < target_size; i += 2)
    memcpy (program + i, (uint8_t[]){ 0x41, 0x2d }, 2);
  append_fde (worst, cie, CODE_SIZE / 2, program, target_size & ~(size_t)1);
  free (program);
}

static void
many_rows (struct worst *worst)
{
  uint8_t program[1000];
  size_t cie = append_cie (worst, 16, 0);
  for (size_t i = 0; i + 3 <= sizeof program; i += 3)
    memcpy (program + i, (uint8_t[]){ 0x41, 0x0e, (uint8_t)(i & 0x78) }, 3);
  while (more (worst))
    append_fde (worst, cie, 4096, program, 999);
}

/* Rows that may all be cut, of N_OFFSETS kinds, in no order: many segments
   repeat, or hardly any.  */
static void
cuts_of_kinds (struct worst *worst, unsigned n_offsets)
{
  uint8_t program[60000];
  uint32_t random = 1;
  size_t cie = append_cie (worst, 16, 0);
  while (more (worst))
    {
      for (size_t i = 0; i + 3 <= sizeof program; i += 3)
        {
          random = random * 1103515245 + 12345;
          uint8_t offset = (uint8_t)(8 + 8 * (random >> 16) % n_offsets);
          memcpy (program + i, (uint8_t[]){ 0x48, 0x0e, offset }, 3);
        }
      append_fde (worst, cie, 8 * sizeof program / 3 + 8, program,
                  sizeof program);
    }
}

static void
cuts_that_repeat (struct worst *worst)
{
  cuts_of_kinds (worst, 3);
}

static void
cuts_that_differ (struct worst *worst)
{
  cuts_of_kinds (worst, 15);
}

/* Flexible rows of the longest kind, restored in a byte.  */
static void
long_rows (struct worst *worst)
{
  uint8_t program[1024] = {
    /* CFA = r10 + 2^28, RBP at r11 + 2^28, RA at CFA - 2^28.  */
    0x0c, 10,   0x80, 0x80, 0x80, 0x80, 0x01, 0x10, 6,    6,    0x7b,
    0x80, 0x80, 0x80, 0x80, 0x01, 0x11, 16,   0x80, 0x80, 0x80, 0x10,
  };
  size_t size = 22;
  size_t cie = append_cie (worst, 16, 0);
  for (; size + 5 <= 1000; size += 5)
    memcpy (program + size, (uint8_t[]){ 0x0a, 0x41, 0xc6, 0x41, 0x0b }, 5);
  while (more (worst))
    append_fde (worst, cie, 4096, program, size);
}

/* As much of lazy PLT as is written out, for 30 bytes of CFI.  */
static void
large_plts (struct worst *worst)
{
  static const uint8_t program[] = { 0x0f, 11,   0x77, 8,    0x80, 0,   0x3f,
                                     0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
  size_t cie = append_cie (worst, 16, 0);
  worst->next++; /* not aligned, so that rows must be written out */
  while (more (worst))
    append_fde (worst, cie, 1 << 18, program, sizeof program);
}

static void
many_sections (struct worst *worst)
{
  append_fde (worst, append_cie (worst, 16, 0), 1, NULL, 0);
  worst->n_more_sections = target_size / sizeof (Elf64_Shdr);
}

/* An entry that nobody can read, of words that name 63 places each, which are
   looked for in many segments.  */
static void
places_in_many_segments (struct worst *worst)
{
  size_t cie = append_cie (worst, 16, 0);
  append_fde (worst, cie, 1, NULL, 0);
  worst->places_size = target_size & ~(size_t)7;
  worst->n_more_segments = MORE_SEGMENTS;
  uint8_t *words = malloc (worst->places_size);
  if (words == NULL)
    return;
  memset (words, 0xff, worst->places_size);
  worst->places = append_entry (worst, cie, words, worst->places_size) + 8;
  free (words);
}

/* Cases of code, which is followed from CODE on.  */

static void
append_code (struct worst *worst, const char *bytes, size_t size)
{
  buffer_append (&worst->code, bytes, size);
}

#define APPEND_CODE(worst, bytes) \
  append_code (worst, bytes, sizeof (bytes) - 1)

/* An instruction that ends with a word of 32 bits.  */
static void
append_word (struct worst *worst, const char *bytes, size_t size,
             uint32_t word)
{
  append_code (worst, bytes, size);
  buffer_u32 (&worst->code, word);
}

#define APPEND_WORD(worst, bytes, word) \
  append_word (worst, bytes, sizeof (bytes) - 1, (uint32_t)(word))

/* A branch or a call, which lead to TARGET.  */
#define APPEND_JUMP(worst, bytes, target) \
  APPEND_WORD (worst, bytes,              \
               (target) - (worst)->code.size - sizeof (bytes) + 1 - 4)

/* Calls of addresses that come to the same in a table by the multiplier that
   it had once.  */
static void
calls_that_collide (struct worst *worst)
{
  enum
  {
    SLOTS = 1 << 18
  };
  size_t need = target_size / 7 / 1024 + 1, n_found = 0;
  uint64_t blocks[4096];
  for (uint64_t i = 0x4000000 >> 10; i < 0x7f000000 >> 10; i++)
    if (((i << 10) + (i * 0x9e3779b97f4a7c15u >> 32)) % SLOTS < need / 4
        && n_found < need && n_found < 4096)
      blocks[n_found++] = i;
  for (size_t i = 0; worst->code.size < target_size && n_found > 0; i++)
    {
      uint64_t target = (blocks[i % n_found] << 10) + i / n_found % 1024;
      APPEND_CODE (worst, "\x74\x05"); /* je over the call */
      APPEND_JUMP (worst, "\xe8", target - CODE);
    }
  APPEND_CODE (worst, "\xc3");
}

/* mov $0x2000 to each of the registers that a call may change.  */
static void
append_constants (struct worst *worst)
{
  static const char *const moves[]
      = { "\xb8",     "\xb9",     "\xba",     "\xbe",    "\xbf",
          "\x41\xb8", "\x41\xb9", "\x41\xba", "\x41\xbb" };
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
    append_word (worst, moves[i], strlen (moves[i]), 0x2000);
}

enum
{
  CHAIN = 126 /* branches back to the one in front, je */
};

static void
append_chain (struct worst *worst, size_t n)
{
  for (size_t i = 0; i < n; i++)
    APPEND_CODE (worst, "\x74\xfc");
  APPEND_CODE (worst, "\xff\xd1\xc3"); /* call *%rcx; ret */
}

/* A loop that is walked once for each of its slots of the stack, with calls
   behind which the registers of all callees are asked for: the stack pointer
   comes from memory in the end.  */
static void
callees_asked_in_a_loop (struct worst *worst)
{
  enum
  {
    SLOTS = 20,
    CALL_SIZE = 54
  };
  size_t n = target_size / CALL_SIZE;
  APPEND_WORD (worst, "\x48\x81\xec", 0x400);     /* sub, %rsp */
  APPEND_WORD (worst, "\x48\x8d\x84\x24", 0x300); /* lea (%rsp), %rax */
  for (uint32_t i = 0; i < SLOTS; i++)
    APPEND_WORD (worst, "\x48\x89\x84\x24", 8 * i); /* mov %rax, (%rsp) */
  size_t loop = worst->code.size, chain = loop + n * CALL_SIZE + 17 * SLOTS;
  for (size_t i = 0; i < n; i++)
    {
      append_constants (worst);
      APPEND_JUMP (worst, "\xe8", chain + 2 * (CHAIN + i % CHAIN));
    }
  for (uint32_t i = SLOTS; --i > 0;)
    {
      APPEND_WORD (worst, "\x48\x8b\x84\x24", 8 * (i - 1));
      APPEND_WORD (worst, "\x48\x89\x84\x24", 8 * i);
    }
  /* mov (%rdi), %rax; mov %rax, (%rsp); test %rdi, %rdi; jne */
  APPEND_CODE (worst, "\x48\x8b\x07\x48\x89\x04\x24\x48\x85\xff");
  APPEND_JUMP (worst, "\x0f\x85", loop);
  APPEND_CODE (worst, "\x48\x8b\x27\xc3"); /* mov (%rdi), %rsp; ret */
  buffer_fill (&worst->code, 0x90, chain - worst->code.size);
  append_chain (worst, 2 * CHAIN);
}

/* Functions whose rows are wrong, and which are followed again because what
   they call changes a register.  */
static void
conclusions_that_change (struct worst *worst)
{
  enum
  {
    SIZE = 14
  };
  size_t cie = append_cie (worst, 16, 0);
  size_t n = target_size / 35, callee = n * SIZE;
  for (size_t i = 0; i < n; i++)
    {
      append_fde (worst, cie, SIZE, NULL, 0);
      APPEND_CODE (worst, "\x48\x83\xec\x08"); /* sub $8, %rsp */
      APPEND_JUMP (worst, "\xe8", callee);
      APPEND_CODE (worst, "\x48\x83\xc4\x08\xc3"); /* add, ret */
    }
  append_fde (worst, cie, 3, NULL, 0);
  APPEND_CODE (worst, "\x31\xdb\xc3"); /* xor %ebx, %ebx; ret */
}

enum
{
  FEW = 100 /* bytes of the file for a function: enough to be too many */
};

/* Words of data behind the CFI, N addresses of code from CODE + START on, in
   steps of STEP.  Returns where they are.  */
static uint64_t
append_addresses (struct worst *worst, size_t n, uint64_t start, uint64_t step)
{
  buffer_u32 (&worst->cfi, 0);
  buffer_fill (&worst->cfi, 0, (0 - worst->cfi.size) % 8);
  uint64_t offset = worst->cfi.size;
  for (size_t i = 0; i < n; i++)
    buffer_u64 (&worst->cfi, CODE + start + i * step);
  return DATA + sizeof (Elf64_Ehdr) + SEGMENTS * sizeof (Elf64_Phdr) + offset;
}

/* Functions that only pointers lead to, and none of which ends: each is taken
   to go on in all that are behind it, without a place where paths meet.  */
static void
functions_without_end (struct worst *worst)
{
  enum
  {
    SIZE = 10
  };
  size_t n = target_size / FEW;
  append_fde (worst, append_cie (worst, 16, 0), 1, NULL, 0);
  APPEND_CODE (worst, "\xc3");
  append_addresses (worst, n, 1, SIZE);
  for (size_t i = 0; i < n; i++) /* sub; mov (%rdi), %rax; call *8(%rax) */
    APPEND_CODE (worst, "\x48\x83\xec\x08\x48\x8b\x07\xff\x50\x08");
  APPEND_CODE (worst, "\xeb\xfe"); /* jmp here */
}

/* The same, each of which begins with a switch by one large table.  */
static void
one_table_for_all (struct worst *worst)
{
  enum
  {
    SIZE = 7
  };
  size_t n = target_size / FEW, n_entries = target_size / 10;
  append_fde (worst, append_cie (worst, 16, 0), 1, NULL, 0);
  APPEND_CODE (worst, "\xc3");
  append_addresses (worst, n, 1, SIZE);
  uint64_t table = append_addresses (worst, n_entries, 1 + n * SIZE, 0);
  for (size_t i = 0; i < n; i++)
    APPEND_WORD (worst, "\xff\x24\xfd", table); /* jmp *(, %rdi, 8) */
  APPEND_CODE (worst, "\xc3");
}

/* The file around it.  */

static const char names[] = "\0.text\0.eh_frame\0.shstrtab";

static void
append_segments (struct buffer *file, const struct worst *worst, uint64_t size,
                 uint64_t code_offset)
{
  Elf64_Phdr segments[SEGMENTS] = {
    { .p_type = PT_LOAD,
      .p_flags = PF_R | PF_X,
      .p_offset = code_offset,
      .p_vaddr = CODE,
      .p_filesz = worst->code.size,
      .p_memsz = CODE_SIZE,
      .p_align = 4096 },
    { .p_type = PT_LOAD,
      .p_flags = worst->places > 0 ? PF_R | PF_W : PF_R,
      .p_vaddr = DATA,
      .p_filesz = size,
      .p_memsz = size,
      .p_align = 4096 },
  };
  if (worst->places > 0)
    segments[SEGMENTS - 1]
        = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
                        .p_offset = size - DYNAMIC_SIZE,
                        .p_vaddr = DATA + size - DYNAMIC_SIZE,
                        .p_filesz = DYNAMIC_SIZE,
                        .p_memsz = DYNAMIC_SIZE };
  buffer_append (file, segments, sizeof segments);
  for (size_t i = 0; i < worst->n_more_segments; i++)
    {
      const Elf64_Phdr more = { .p_type = PT_LOAD,
                                .p_flags = PF_R,
                                .p_vaddr = MORE_DATA + i * 4096,
                                .p_memsz = 4096,
                                .p_align = 4096 };
      buffer_append (file, &more, sizeof more);
    }
}

/* At the end of what is loaded.  */
static void
append_dynamic (struct buffer *file, const struct worst *worst,
                uint64_t cfi_offset)
{
  const Elf64_Dyn entries[] = {
    { .d_tag = 36 /* DT_RELR */,
      .d_un.d_val = DATA + cfi_offset + worst->places },
    { .d_tag = 35 /* DT_RELRSZ */, .d_un.d_val = worst->places_size },
    { .d_tag = DT_NULL },
  };
  _Static_assert(sizeof entries == DYNAMIC_SIZE, "room in the file");
  buffer_append (file, entries, sizeof entries);
}

static void
append_sections (struct buffer *file, const struct worst *worst,
                 uint64_t cfi_offset, uint64_t code_offset)
{
  uint64_t names_offset = cfi_offset + worst->cfi.size;
  const Elf64_Shdr sections[SECTIONS] = {
    { .sh_name = 0 },
    { .sh_name = 1,
      .sh_type = SHT_PROGBITS,
      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
      .sh_addr = CODE,
      .sh_offset = code_offset,
      .sh_size = worst->code.size },
    { .sh_name = 7,
      .sh_type = SHT_PROGBITS,
      .sh_flags = SHF_ALLOC,
      .sh_addr = DATA + cfi_offset,
      .sh_offset = cfi_offset,
      .sh_size = worst->cfi.size },
    { .sh_name = 17,
      .sh_type = SHT_STRTAB,
      .sh_offset = names_offset,
      .sh_size = sizeof names },
  };
  buffer_append (file, sections, sizeof sections);
  const Elf64_Shdr note = { .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC };
  for (size_t i = 0; i < worst->n_more_sections; i++)
    buffer_append (file, &note, sizeof note);
}

static void
append_header (struct buffer *file, uint16_t machine, uint64_t sections_offset,
               size_t n_segments, size_t n_sections)
{
  Elf64_Ehdr header = { .e_type = ET_EXEC,
                        .e_machine = machine,
                        .e_version = EV_CURRENT,
                        .e_entry = CODE,
                        .e_phoff = sizeof header,
                        .e_shoff = sections_offset,
                        .e_ehsize = sizeof header,
                        .e_phentsize = sizeof (Elf64_Phdr),
                        .e_phnum = (uint16_t)n_segments,
                        .e_shentsize = sizeof (Elf64_Shdr) };
  memcpy (header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  if (n_sections < SHN_LORESERVE)
    header.e_shnum = (uint16_t)n_sections;
  buffer_append (file, &header, sizeof header);
}

static void
make_file (struct buffer *file, const struct worst *worst)
{
  size_t n_segments = SEGMENTS + worst->n_more_segments;
  uint64_t cfi_offset = sizeof (Elf64_Ehdr) + n_segments * sizeof (Elf64_Phdr);
  uint64_t dynamic_offset
      = (cfi_offset + worst->cfi.size + sizeof names + 7) & ~(uint64_t)7;
  uint64_t sections_offset = dynamic_offset + DYNAMIC_SIZE;
  size_t n_sections = SECTIONS + worst->n_more_sections;
  uint64_t code_offset
      = (sections_offset + n_sections * sizeof (Elf64_Shdr) + 4095)
        & ~(uint64_t)4095;
  append_header (file, worst->machine, sections_offset, n_segments,
                 n_sections);
  store_u16 (file->bytes + offsetof (Elf64_Ehdr, e_shstrndx), 3, false);
  append_segments (file, worst, sections_offset, code_offset);
  buffer_append (file, worst->cfi.bytes, worst->cfi.size);
  buffer_append (file, names, sizeof names);
  buffer_fill (file, 0, dynamic_offset - file->size);
  append_dynamic (file, worst, cfi_offset);
  append_sections (file, worst, cfi_offset, code_offset);
  if (n_sections >= SHN_LORESERVE)
    store_u64 (file->bytes + sections_offset + offsetof (Elf64_Shdr, sh_size),
               n_sections, false);
  buffer_fill (file, 0, code_offset - file->size);
  buffer_append (file, worst->code.bytes, worst->code.size);
}

/* Ways to convert, with what they may take.  */
static const struct variant
{
  const char *name;
  enum cfi2sframe_format format;
  bool no_share, compact, gnu, from_code;
  bool layout;   /* the same rows as V3's */
  double memory; /* bytes per byte of the file */
} variants[] = {
  { "V3", CFI2SFRAME_V3, .memory = 10 },
  { "V1, not shared", CFI2SFRAME_V1, .no_share = true, .layout = true,
    .memory = 10 },
  { "compact", CFI2SFRAME_V3, .compact = true, .layout = true, .memory = 20 },
  { "as GNU", CFI2SFRAME_V3, .gnu = true, .memory = 10 },
  { "from code", CFI2SFRAME_V3, .from_code = true, .memory = 60 },
};

/* Convert FILE; false if it costs too much.  */
static bool
measure (const char *name, const struct buffer *file,
         const struct variant *variant)
{
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct cfi2sframe_error err;
  void *section = NULL;
  size_t size = 0;
  uint64_t address;
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  options.format = variant->format;
  options.no_share = variant->no_share;
  options.compact = variant->compact;
  options.gnu = variant->gnu;
  options.analyze = options.verify_code = variant->from_code;
  bool counted = fuzz_memory_start ();
  double before = fuzz_cpu_seconds ();
  bool done
      = cfi2sframe_build_section (file->bytes, file->size, &options, &section,
                                  &size, &address, &report, &err);
  double seconds = fuzz_cpu_seconds () - before;
  double megabytes = (double)file->size / 1e6;
  double memory = counted ? (double)fuzz_memory_peak () / 1e6 : 0;
  printf ("# %s (%s): %.1f MB, %.2f s, %.1f MB of memory, section %.1f MB"
          "%s%s\n",
          name, variant->name, megabytes, seconds, memory, (double)size / 1e6,
          done ? "" : ": ", done ? "" : err.reason);
  free (section);
  return seconds < 1 + megabytes
         && memory < variant->memory * megabytes + MEMORY_FLOOR / 1e6;
}

/* Is there nothing new in converting a file so?  */
static bool
is_known (const struct variant *variant, bool has_code, bool reading)
{
  return variant->from_code ? !has_code : variant->layout && reading;
}

/* In a virtual machine that stands still for seconds the time is the
   program's, so what took too long is measured once more.  */
static bool
measure_all (const char *name, const struct buffer *file, bool has_code,
             bool reading)
{
  bool good = !file->failed;
  for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
    good &= is_known (&variants[i], has_code, reading)
            || measure (name, file, &variants[i])
            || measure (name, file, &variants[i]);
  return good;
}

/* Notes of a byte each in one PT_NOTE of a program at a fixed address: nothing
   there may move.  */
static void
make_many_notes (struct buffer *file)
{
  size_t n = target_size / sizeof (Elf64_Shdr);
  if (n >= SHN_LORESERVE)
    n = SHN_LORESERVE - 1;
  const uint64_t notes = sizeof (Elf64_Ehdr) + 2 * sizeof (Elf64_Phdr);
  const uint64_t sections = (notes + n + 7) & ~(uint64_t)7;
  append_header (file, EM_X86_64, sections, 2, n);
  const Elf64_Phdr segments[] = { { .p_type = PT_LOAD,
                                    .p_flags = PF_R,
                                    .p_vaddr = CODE,
                                    .p_paddr = CODE,
                                    .p_filesz = sections,
                                    .p_memsz = sections,
                                    .p_align = 4096 },
                                  { .p_type = PT_NOTE,
                                    .p_flags = PF_R,
                                    .p_offset = notes,
                                    .p_vaddr = CODE + notes,
                                    .p_paddr = CODE + notes,
                                    .p_filesz = n,
                                    .p_memsz = n,
                                    .p_align = 4 } };
  buffer_append (file, segments, sizeof segments);
  buffer_fill (file, 0, sections - notes + sizeof (Elf64_Shdr));
  for (size_t i = 1; i < n; i++)
    {
      const Elf64_Shdr note = { .sh_type = SHT_NOTE,
                                .sh_flags = SHF_ALLOC,
                                .sh_addr = CODE + notes + i - 1,
                                .sh_offset = notes + i - 1,
                                .sh_size = 1,
                                .sh_addralign = 1 };
      buffer_append (file, &note, sizeof note);
    }
}

/* As many segments as a table may have, half of them with room behind them and
   half of a kind that has the bytes at its address.  */
static void
make_many_segments (struct buffer *file)
{
  enum
  {
    HALF = 34,
    STEP = 0x2000
  };
  const uint64_t sections
      = sizeof (Elf64_Ehdr) + (2 * HALF + 1) * sizeof (Elf64_Phdr);
  append_header (file, EM_X86_64, sections, 2 * HALF + 1, 1);
  for (uint64_t i = 0; i <= 2 * HALF; i++)
    {
      bool load = i <= HALF;
      uint64_t address = i == 0 ? CODE : CODE + ((i - 1) % HALF + 64) * STEP;
      uint64_t size = i == 0 ? sections + sizeof (Elf64_Shdr) : 32;
      const Elf64_Phdr segment = { .p_type = load ? PT_LOAD : PT_GNU_EH_FRAME,
                                   .p_flags = PF_R,
                                   .p_vaddr = address,
                                   .p_paddr = address,
                                   .p_filesz = size,
                                   .p_memsz = size,
                                   .p_align = load ? 4096 : 1 };
      buffer_append (file, &segment, sizeof segment);
    }
  buffer_fill (file, 0, sizeof (Elf64_Shdr));
}

/* Find a place in FILE; false if that takes too long, or there is none.  */
static bool
measure_place (const char *name, const struct buffer *file)
{
  struct image image;
  struct plan plan = { 0 };
  struct error err;
  const struct plan_request request
      = { .sframe_size = 100, .section_type = SHT_PROGBITS };
  double before = fuzz_cpu_seconds (), megabytes = (double)file->size / 1e6;
  bool done = image_open_memory (&image, file->bytes, file->size, &err)
              && choose_strategy (&plan, &image, &request, &err);
  double seconds = fuzz_cpu_seconds () - before;
  printf ("# %s: %.1f MB, %.2f s, %s\n", name, megabytes, seconds,
          done ? plan.strategy : err.reason);
  plan_free (&plan);
  image_close (&image);
  return done && seconds < 1 + megabytes;
}

static const struct
{
  const char *name;
  void (*make) (struct worst *worst);
  bool reading; /* few rows, if any: their layout costs nothing */
} cases[] = {
  { "small functions", small_functions, false },
  { "a CIE per function", cie_per_function, false },
  { "many CIEs", many_cies, true },
  { "nothing but damage", nothing_but_damage, true },
  { "damage and large CIEs", damage_and_large_cies, true },
  { "terminators", terminators, true },
  { "one long function", one_long_function, false },
  { "many rows", many_rows, false },
  { "cuts that repeat", cuts_that_repeat, false },
  { "cuts that differ", cuts_that_differ, false },
  { "long rows", long_rows, false },
  { "large PLTs", large_plts, true },
  { "many sections", many_sections, true },
  { "places in many segments", places_in_many_segments, true },
  { "calls that collide", calls_that_collide, false },
  { "callees asked in a loop", callees_asked_in_a_loop, false },
  { "conclusions that change", conclusions_that_change, false },
  { "functions without end", functions_without_end, false },
  { "one table for all", one_table_for_all, false },
};

/* Cases of files for which a place is looked for.  */
static const struct
{
  const char *name;
  void (*make) (struct buffer *file);
} place_cases[] = { { "many notes", make_many_notes },
                    { "many segments", make_many_segments } };

enum
{
  N_PLACE_CASES = sizeof place_cases / sizeof *place_cases
};

int
main (int argc, char **argv)
{
  size_t n = sizeof cases / sizeof cases[0];
  bool failed = false;
  target_size = (argc > 1 ? strtoul (argv[1], NULL, 10) : 1) * 1000000;
  printf ("1..%zu\n", n + N_PLACE_CASES);
  for (size_t i = 0; i < n; i++)
    {
      struct worst worst = { .machine = EM_X86_64, .next = CODE };
      struct buffer file;
      buffer_init (&worst.cfi, false);
      buffer_init (&worst.code, false);
      buffer_init (&file, false);
      cases[i].make (&worst);
      bool has_code = worst.code.size > 0;
      if (!has_code)
        buffer_fill (&worst.code, 0, 1);
      make_file (&file, &worst);
      bool good
          = measure_all (cases[i].name, &file, has_code, cases[i].reading);
      printf ("%s %zu - %s\n", good ? "ok" : "not ok", i + 1, cases[i].name);
      failed |= !good;
      buffer_free (&file);
      buffer_free (&worst.cfi);
      buffer_free (&worst.code);
    }
  for (size_t i = 0; i < N_PLACE_CASES; i++)
    {
      struct buffer file;
      buffer_init (&file, false);
      place_cases[i].make (&file);
      bool good = measure_place (place_cases[i].name, &file)
                  || measure_place (place_cases[i].name, &file);
      printf ("%s %zu - %s\n", good ? "ok" : "not ok", n + i + 1,
              place_cases[i].name);
      failed |= !good;
      buffer_free (&file);
    }
  return failed;
}
