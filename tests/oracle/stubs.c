/* What PLT stubs without CFI do to the stack, worked out instruction by
   instruction.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only instructions that linkers write into stubs are known.  Sources: the
   psABIs of x86-64, AArch64 and s390x (procedure linkage table), their
   instruction set manuals, and disassembled output of GNU ld, gold, lld and
   mold.  */

#include <stdlib.h>
#include <string.h>

#include "stubs.h"

/* One instruction.  */
struct step
{
  unsigned size;  /* bytes; 0: not known */
  int push;       /* bytes added to the stack */
  bool ends;      /* what follows is not reached from here */
  bool lazy_jump; /* through the GOT; at first it leads to the next
                     instruction */
  bool padding;
  unsigned data; /* bytes behind it that are not instructions */
};

static bool
starts_with (const uint8_t *at, size_t left, const char *bytes, size_t size)
{
  return left >= size && memcmp (at, bytes, size) == 0;
}

/* x86-64 prefixes that do not matter: bnd (f2), notrack (3e), operand size
   and cs (in nops).  */
static struct step
step_amd64 (const uint8_t *at, size_t left)
{
  static const struct
  {
    const char *bytes;
    uint8_t n_bytes, size;
    int8_t push;
    bool ends, lazy_jump, padding;
  } known[] = {
    { "\xf3\x0f\x1e\xfa", 4, 4, 0, false, false, false }, /* endbr64 */
    { "\xff\x35", 2, 6, 8, false, false, false },         /* push disp(%rip) */
    { "\x68", 1, 5, 8, false, false, false },             /* push $imm32 */
    { "\x41\x53", 2, 2, 8, false, false, false },         /* push %r11 */
    { "\xff\x25", 2, 6, 0, false, true, false },          /* jmp *disp(%rip) */
    { "\xf2\xff\x25", 3, 7, 0, false, true, false },
    { "\xe9", 1, 5, 0, true, false, false }, /* jmp */
    { "\xf2\xe9", 2, 6, 0, true, false, false },
    { "\x41\xbb", 2, 6, 0, false, false, false }, /* mov $imm32,%r11d */
    { "\xcc", 1, 1, 0, true, false, true },       /* int3 */
    { "\x90", 1, 1, 0, false, false, true },
    { "\x66\x90", 2, 2, 0, false, false, true },
    { "\x0f\x1f\x00", 3, 3, 0, false, false, true },
    { "\x0f\x1f\x40\x00", 4, 4, 0, false, false, true },
    { "\x0f\x1f\x44\x00\x00", 5, 5, 0, false, false, true },
    { "\x66\x0f\x1f\x44\x00\x00", 6, 6, 0, false, false, true },
    { "\x0f\x1f\x80\x00\x00\x00\x00", 7, 7, 0, false, false, true },
    { "\x0f\x1f\x84\x00\x00\x00\x00\x00", 8, 8, 0, false, false, true },
    { "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00", 9, 9, 0, false, false, true },
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (starts_with (at, left, known[i].bytes, known[i].n_bytes)
        && left >= known[i].size)
      return (struct step){ known[i].size,    known[i].push,
                            known[i].ends,    known[i].lazy_jump,
                            known[i].padding, 0 };
  return (struct step){ 0 };
}

/* Instructions are little-endian whatever the data is.  */
static struct step
step_aarch64 (const uint8_t *at, size_t left)
{
  static const struct
  {
    uint32_t word, mask;
    uint8_t push;
    bool ends, padding;
  } known[] = {
    { 0xa9bf7bf0, 0xffffffff, 16, false, false }, /* stp x16,x30,[sp,#-16]! */
    { 0xd503245f, 0xffffffff, 0, false, false },  /* bti c */
    { 0xd503219f, 0xffffffff, 0, false, false },  /* autia1716 */
    { 0x90000010, 0x9f00001f, 0, false, false },  /* adrp x16,page */
    { 0xf9400211, 0xffc003ff, 0, false, false },  /* ldr x17,[x16,#n] */
    { 0x91000210, 0xffc003ff, 0, false, false },  /* add x16,x16,#n */
    { 0xd61f0220, 0xffffffff, 0, true, false },   /* br x17 */
    { 0xd503201f, 0xffffffff, 0, false, true },   /* nop */
    /* The stub of lazy TLS descriptors.  */
    { 0xa9bf0fe2, 0xffffffff, 16, false, false }, /* stp x2,x3,[sp,#-16]! */
    { 0x90000002, 0x9f00001e, 0, false, false },  /* adrp x2 or x3,page */
    { 0xf9400042, 0xffc003ff, 0, false, false },  /* ldr x2,[x2,#n] */
    { 0x91000063, 0xffc003ff, 0, false, false },  /* add x3,x3,#n */
    { 0xd61f0040, 0xffffffff, 0, true, false },   /* br x2 */
  };
  if (left < 4)
    return (struct step){ 0 };
  uint32_t word = (uint32_t)at[0] | (uint32_t)at[1] << 8
                  | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if ((word & known[i].mask) == known[i].word)
      return (struct step){ .size = 4,
                            .push = known[i].push,
                            .ends = known[i].ends,
                            .padding = known[i].padding };
  return (struct step){ 0 };
}

/* No instruction of an s390x stub moves r15.  */
static struct step
step_s390x (const uint8_t *at, size_t left)
{
  static const struct
  {
    const char *bytes;
    uint8_t n_bytes, size;
    bool ends, padding;
    uint8_t data;
  } known[] = {
    { "\xc0\x10", 2, 6, false, false, 0 },                 /* larl %r1,got */
    { "\xe3\x10\x10\x00\x00\x04", 6, 6, false, false, 0 }, /* lg %r1,0(%r1) */
    { "\x07\xf1", 2, 2, false, false, 0 }, /* br %r1; at first to the next */
    { "\x0d\x10", 2, 2, false, false, 0 }, /* basr %r1,%r0 */
    /* lgf %r1,12(%r1) */
    { "\xe3\x10\x10\x0c\x00\x14", 6, 6, false, false, 0 },
    /* jg entry 0; the index of the relocation follows */
    { "\xc0\xf4", 2, 6, true, false, 4 },
    { "\xc0\x01", 2, 6, false, false, 0 }, /* lgfi %r0,index (mold) */
    /* stg %r0,56(%r15), again mold */
    { "\xe3\x00\xf0\x38\x00\x24", 6, 6, false, false, 0 },
    /* stg %r1,56(%r15) */
    { "\xe3\x10\xf0\x38\x00\x24", 6, 6, false, false, 0 },
    /* mvc 48(8,%r15),8(%r1) */
    { "\xd2\x07\xf0\x30\x10\x08", 6, 6, false, false, 0 },
    /* lg %r1,16(%r1) */
    { "\xe3\x10\x10\x10\x00\x04", 6, 6, false, false, 0 },
    { "\x07\x00", 2, 2, false, true, 0 }, /* nopr */
    { "\x07\x07", 2, 2, false, true, 0 },
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (starts_with (at, left, known[i].bytes, known[i].n_bytes)
        && left >= known[i].size + known[i].data)
      return (struct step){ .size = known[i].size,
                            .ends = known[i].ends,
                            .padding = known[i].padding,
                            .data = known[i].data };
  return (struct step){ 0 };
}

static struct step
step_of (const struct referee_abi *abi, const uint8_t *at, size_t left)
{
  switch (abi->e_machine)
    {
    case EM_X86_64:
      return step_amd64 (at, left);
    case EM_AARCH64:
      return step_aarch64 (at, left);
    case EM_S390:
      return step_s390x (at, left);
    default:
      return (struct step){ 0 };
    }
}

/* CFA - SP at the first instruction of a stub.  */
static int
depth_at_entry (const struct referee_abi *abi, const uint8_t *at, size_t left,
                bool first)
{
  if (abi->e_machine == EM_S390)
    return 160;
  if (abi->e_machine == EM_AARCH64)
    return 0;
  /* Entry 0 of a lazy PLT is entered with the relocation index pushed, except
     mold's, which gets it in r11 and pushes that itself.  */
  size_t skip = starts_with (at, left, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;
  return first && starts_with (at + skip, left - skip, "\xff\x35", 2) ? 16 : 8;
}

static void
fill (int16_t *cfa, size_t n, int value)
{
  for (size_t i = 0; i < n; i++)
    cfa[i] = (int16_t)value;
}

/* Follow the SIZE bytes of a PLT section.  Stubs follow each other; a new one
   begins behind a jump and its padding.  A lazy stub goes on behind its jump
   through the GOT, which at first leads there.  */
static void
follow (const struct referee_abi *abi, const uint8_t *bytes, size_t size,
        int16_t *cfa)
{
  int depth = depth_at_entry (abi, bytes, size, true);
  bool jumped = false; /* behind a jump, so far only padding */
  for (size_t at = 0; at < size;)
    {
      struct step step = step_of (abi, bytes + at, size - at);
      if (step.size == 0)
        {
          fill (cfa + at, size - at, STUB_UNKNOWN);
          return;
        }
      bool is_push = step.push > 0;
      if (jumped && !step.padding)
        {
          /* A push behind a jump through the GOT belongs to the same stub
             unless that is the header's jump.  */
          bool same_stub = is_push && depth == 8;
          depth = same_stub
                      ? depth
                      : depth_at_entry (abi, bytes + at, size - at, false);
          jumped = false;
        }
      fill (cfa + at, step.size, jumped ? STUB_UNREACHABLE : depth);
      depth += step.push;
      jumped |= step.ends || step.lazy_jump;
      if (step.ends && !step.padding)
        depth = INT16_MAX; /* nothing continues here */
      at += step.size;
      fill (cfa + at, step.data, STUB_UNREACHABLE);
      at += step.data;
    }
}

static bool
is_plt_name (const char *name)
{
  static const char *const names[]
      = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp (name, names[i]) == 0)
      return true;
  return false;
}

static bool
add_section (struct stubs *stubs, const GElf_Shdr *header, Elf_Data *data,
             const struct referee_abi *abi)
{
  struct stub_section *grown
      = reallocarray (stubs->sections, stubs->n_sections + 1, sizeof *grown);
  if (!grown)
    return false;
  stubs->sections = grown;
  int16_t *cfa = calloc (data->d_size, sizeof *cfa);
  if (!cfa)
    return false;
  follow (abi, data->d_buf, data->d_size, cfa);
  grown[stubs->n_sections++]
      = (struct stub_section){ header->sh_addr, header->sh_addr + data->d_size,
                               cfa };
  return true;
}

bool
stubs_find (struct stubs *stubs, Elf *elf, const struct referee_abi *abi)
{
  size_t names;
  *stubs = (struct stubs){ 0 };
  if (elf_getshdrstrndx (elf, &names) != 0)
    return true;
  for (Elf_Scn *scn = NULL; (scn = elf_nextscn (elf, scn)) != NULL;)
    {
      GElf_Shdr header;
      if (!gelf_getshdr (scn, &header) || header.sh_type != SHT_PROGBITS
          || !(header.sh_flags & SHF_EXECINSTR))
        continue;
      const char *name = elf_strptr (elf, names, header.sh_name);
      Elf_Data *data
          = name && is_plt_name (name) ? elf_rawdata (scn, NULL) : NULL;
      if (data && data->d_buf && data->d_size > 0
          && !add_section (stubs, &header, data, abi))
        return false;
    }
  return true;
}

void
stubs_free (struct stubs *stubs)
{
  for (size_t i = 0; i < stubs->n_sections; i++)
    free (stubs->sections[i].cfa);
  free (stubs->sections);
}

int
stubs_cfa_at (const struct stubs *stubs, uint64_t pc)
{
  for (size_t i = 0; i < stubs->n_sections; i++)
    if (pc >= stubs->sections[i].start && pc < stubs->sections[i].end)
      return stubs->sections[i].cfa[pc - stubs->sections[i].start];
  return STUB_UNKNOWN;
}

bool
stubs_verdict (const struct referee_abi *abi, int cfa, uint64_t pc,
               struct verdict *verdict)
{
  *verdict = (struct verdict){ 0 };
  if (cfa < 0)
    return false;
  for (size_t i = 0; i < MACHINE_SEEDS; i++)
    {
      struct machine machine = { i, pc, abi->pc_register };
      uint64_t value
          = machine_register (&machine, (uint64_t)abi->sp) + (uint64_t)cfa;
      verdict->cfa[i] = answer_of (value);
      verdict->sp[i] = answer_of (value + (uint64_t)abi->caller_sp);
      verdict->fp[i]
          = answer_of (machine_register (&machine, (uint64_t)abi->fp));
      verdict->ra[i]
          = answer_of (machine_register (&machine, (uint64_t)abi->ra));
      if (abi->e_machine == EM_X86_64)
        verdict->ra[i] = answer_of (machine_memory (&machine, value - 8));
    }
  return true;
}
