/* Large ELF files with call-frame information, for measuring.
   SPDX-License-Identifier: LGPL-2.1-or-later

   make_elf OUT FUNCTIONS [CIES [PADDING]]: write an x86-64 shared object with
   FUNCTIONS functions of 64 bytes.  Their FDEs are those of gcc's usual
   prologues in some variety: about 7 rows each, a fifth of them with rows of
   their own.  CIES (default 1) equal CIEs are used in turn, as in files that a
   linker made without unifying them.  PADDING bytes of other data follow
   (default 0), as large programs have.  Nothing in the file is meant to run.
 */

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  FUNCTION_SIZE = 64,
  PAGE = 4096,
  N_SEGMENTS = 6,
  N_SECTIONS = 6
};

static const char names[]
    = "\0.eh_frame\0.text\0.dynamic\0.data\0\0\0.shstrtab";

struct layout
{
  uint64_t n_functions, n_cies, padding;
  uint64_t frame, frame_size; /* file offsets are addresses */
  uint64_t text, text_size;
  uint64_t data, dynamic, strings, sections;
};

static FILE *out;
static uint64_t written;

static void
put (const void *bytes, size_t size)
{
  if (fwrite (bytes, 1, size, out) != size)
    {
      perror ("make_elf");
      exit (1);
    }
  written += size;
}

static void
pad_to (uint64_t offset, int byte)
{
  char bytes[PAGE];
  memset (bytes, byte, sizeof bytes);
  while (written < offset)
    put (bytes, offset - written < PAGE ? (size_t)(offset - written) : PAGE);
}

/* A CIE of x86-64: version 1, "zR", code 1, data -8, RA 16, pcrel sdata4;
   def_cfa rsp+8, RA at cfa-8.  */
static const uint8_t cie[] = {
  20, 0,   0,  0, 0,  0,    0, 0, 1,    0x7a, 0x52, 0,
  1,  120, 16, 1, 27, 0x0c, 7, 8, 0x90, 1,    0,    0,
};

enum
{
  FDE_SIZE = 48
};

/* The FDE of function INDEX, at OFFSET of the file.  */
static void
put_fde (const struct layout *layout, uint64_t index)
{
  uint8_t fde[FDE_SIZE] = { FDE_SIZE - 4 };
  uint64_t cie_offset = layout->frame + index % layout->n_cies * sizeof cie;
  uint32_t back = (uint32_t)(written + 4 - cie_offset);
  uint32_t pc
      = (uint32_t)(layout->text + index * FUNCTION_SIZE - (written + 8));
  uint32_t size = FUNCTION_SIZE;
  uint8_t frame = (uint8_t)(8 * (2 + index % 5 * (index % 7) % 11));
  const uint8_t program[] = {
    0x41,
    0x0e,
    16,
    0x86,
    2, /* push %rbp */
    0x43,
    0x0e,
    24,
    0x83,
    3, /* push %rbx */
    0x44,
    0x0e,
    (uint8_t)(24 + frame), /* sub $frame, %rsp */
    (uint8_t)(0x40 | (20 + index % 16)),
    0x0a, /* remember_state */
    0x0e,
    24, /* add $frame, %rsp */
    0x41,
    0x0e,
    16,
    0x41,
    0x0e,
    8, /* pop, pop */
    0x41,
    0x0b, /* ret; restore_state */
  };
  memcpy (fde + 4, &back, 4);
  memcpy (fde + 8, &pc, 4);
  memcpy (fde + 12, &size, 4);
  fde[16] = 0; /* no augmentation data */
  memcpy (fde + 17, program, sizeof program);
  put (fde, sizeof fde);
}

static void
put_frame (const struct layout *layout)
{
  for (uint64_t i = 0; i < layout->n_cies; i++)
    put (cie, sizeof cie);
  for (uint64_t i = 0; i < layout->n_functions; i++)
    put_fde (layout, i);
  put ("\0\0\0", 4);
}

static void
put_header (const struct layout *layout)
{
  Elf64_Ehdr header = { .e_type = ET_DYN,
                        .e_machine = EM_X86_64,
                        .e_version = EV_CURRENT,
                        .e_phoff = sizeof header,
                        .e_shoff = layout->sections,
                        .e_ehsize = sizeof header,
                        .e_phentsize = sizeof (Elf64_Phdr),
                        .e_phnum = N_SEGMENTS,
                        .e_shentsize = sizeof (Elf64_Shdr),
                        .e_shnum = N_SECTIONS,
                        .e_shstrndx = N_SECTIONS - 1 };
  memcpy (header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  put (&header, sizeof header);
}

static Elf64_Phdr
segment (uint32_t type, uint32_t flags, uint64_t begin, uint64_t end)
{
  return (Elf64_Phdr){ .p_type = type,
                       .p_flags = flags,
                       .p_offset = begin,
                       .p_vaddr = begin,
                       .p_paddr = begin,
                       .p_filesz = end - begin,
                       .p_memsz = end - begin,
                       .p_align = type == PT_LOAD ? PAGE : 8 };
}

static void
put_segments (const struct layout *layout)
{
  Elf64_Phdr stack
      = { .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16 };
  const Elf64_Phdr segments[N_SEGMENTS] = {
    segment (PT_LOAD, PF_R, 0, layout->frame + layout->frame_size),
    segment (PT_LOAD, PF_R | PF_X, layout->text,
             layout->text + layout->text_size),
    segment (PT_LOAD, PF_R | PF_W, layout->data, layout->strings),
    segment (PT_DYNAMIC, PF_R | PF_W, layout->dynamic, layout->strings),
    stack,
    /* The spare entry that `strip` and others leave.  */
    { .p_type = PT_NULL },
  };
  put (segments, sizeof segments);
}

static void
put_sections (const struct layout *layout)
{
  const Elf64_Shdr sections[N_SECTIONS] = {
    { .sh_type = SHT_NULL },
    { 1, SHT_PROGBITS, SHF_ALLOC, layout->frame, layout->frame,
      layout->frame_size, 0, 0, 8, 0 },
    { 11, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, layout->text, layout->text,
      layout->text_size, 0, 0, 16, 0 },
    { 26, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, layout->data, layout->data,
      layout->dynamic - layout->data, 0, 0, 8, 0 },
    { 17, SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, layout->dynamic, layout->dynamic,
      layout->strings - layout->dynamic, 5, 0, 8, 16 },
    { 34, SHT_STRTAB, 0, 0, layout->strings, sizeof names, 0, 0, 1, 0 },
  };
  put (sections, sizeof sections);
}

static uint64_t
round_up (uint64_t value, uint64_t to)
{
  return (value + to - 1) / to * to;
}

static void
plan (struct layout *layout)
{
  layout->frame = 1024;
  layout->frame_size
      = layout->n_cies * sizeof cie + layout->n_functions * FDE_SIZE + 4;
  layout->text = round_up (layout->frame + layout->frame_size, PAGE);
  layout->text_size = layout->n_functions * FUNCTION_SIZE;
  layout->data = round_up (layout->text + layout->text_size, PAGE);
  layout->dynamic = round_up (layout->data + layout->padding, 16);
  layout->strings = layout->dynamic + 2 * sizeof (Elf64_Dyn);
  layout->sections = round_up (layout->strings + sizeof names, 8);
}

/* Something that does not compress to nothing and has no holes.  */
static void
put_padding (const struct layout *layout)
{
  uint64_t state = 1;
  while (written + 8 <= layout->dynamic)
    {
      state = state * 6364136223846793005u + 1442695040888963407u;
      put (&state, sizeof state);
    }
  pad_to (layout->dynamic, 1);
}

static uint64_t
number (int argc, char **argv, int index, uint64_t fallback)
{
  return argc > index ? strtoull (argv[index], NULL, 0) : fallback;
}

int
main (int argc, char **argv)
{
  static const Elf64_Dyn dynamic[2] = { { .d_tag = DT_NULL } };
  struct layout layout = { .n_functions = number (argc, argv, 2, 0),
                           .n_cies = number (argc, argv, 3, 1),
                           .padding = number (argc, argv, 4, 0) };
  if (argc < 3 || layout.n_functions == 0 || layout.n_cies == 0
      || layout.n_functions > 20000000 || layout.n_cies > 1000000)
    {
      fprintf (stderr, "usage: make_elf OUT FUNCTIONS [CIES [PADDING]]\n");
      return 2;
    }
  plan (&layout);
  out = fopen (argv[1], "wb");
  if (out == NULL)
    {
      perror (argv[1]);
      return 1;
    }
  put_header (&layout);
  put_segments (&layout);
  pad_to (layout.frame, 0);
  put_frame (&layout);
  pad_to (layout.text, 0);
  pad_to (layout.text + layout.text_size, 0x90);
  pad_to (layout.data, 0);
  put_padding (&layout);
  put (dynamic, sizeof dynamic);
  put (names, sizeof names);
  pad_to (layout.sections, 0);
  put_sections (&layout);
  if (fclose (out) != 0)
    {
      perror (argv[1]);
      return 1;
    }
  return 0;
}
