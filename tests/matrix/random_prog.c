/* A program that looks at everything a change of its layout could break.
   SPDX-License-Identifier: LGPL-2.1-or-later

   random_layout.sh defines BSS, EXPORTS, NOTES, NOTE_ALIGN and TLS.  */

#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long many (long a);

static unsigned char bss[BSS + 1];
static int initialised = 42;
static int *const relocated = &initialised;
static __thread char zero_tls[TLS + 1];
static __thread int set_tls = 7;

/* The compiler adds a section type of its own, which becomes a comment.  */
#ifdef __aarch64__
#  define COMMENT "//"
#else
#  define COMMENT "#"
#endif

/* Notes that code points to, as Qt, Crashpad and Mozilla have them.  */
#define NOTE(number)                                                      \
  __attribute__ ((used, aligned (NOTE_ALIGN),                             \
                  section (".note.own" #number                            \
                           ",\"a\",%note " COMMENT))) static const struct \
  {                                                                       \
    Elf64_Nhdr header;                                                    \
    char name[4];                                                         \
    unsigned contents[number];                                            \
  } note_##number = { { 4, 4 * number, 0x70 + number }, "own", { number } };

#if NOTES > 0
NOTE (1)
#endif
#if NOTES > 1
NOTE (2)
#endif
#if NOTES > 2
NOTE (3)
#endif

/* A table of symbols that others could use.  */
#define EXPORT_10(n)                                                      \
  int exported_##n##0, exported_##n##1, exported_##n##2, exported_##n##3, \
      exported_##n##4, exported_##n##5, exported_##n##6, exported_##n##7
#if EXPORTS > 0
EXPORT_10 (1);
#endif
#if EXPORTS > 10
EXPORT_10 (2);
EXPORT_10 (3);
EXPORT_10 (4);
EXPORT_10 (5);
#endif
#if EXPORTS > 100
EXPORT_10 (11);
EXPORT_10 (12);
EXPORT_10 (13);
EXPORT_10 (14);
EXPORT_10 (15);
EXPORT_10 (21);
EXPORT_10 (22);
EXPORT_10 (23);
EXPORT_10 (24);
EXPORT_10 (25);
#endif

static int
sum_of_zeros (const unsigned char *bytes, size_t size)
{
  int sum = 0;
  for (size_t i = 0; i < size; i++)
    sum |= bytes[i];
  return sum;
}

/* What readers of PT_NOTE find of ours and of the build-id.  */
static void
print_notes (const char *at, const char *end, size_t align)
{
  while (end - at >= (long)sizeof (Elf64_Nhdr))
    {
      Elf64_Nhdr note;
      memcpy (&note, at, sizeof note);
      size_t contents = (12 + note.n_namesz + align - 1) & -align;
      size_t next = (contents + note.n_descsz + align - 1) & -align;
      if (note.n_namesz == 4 && memcmp (at + 12, "own", 4) == 0)
        printf ("own note %x %d\n", note.n_type, at[contents]);
      if (note.n_namesz == 4 && memcmp (at + 12, "GNU", 4) == 0
          && note.n_type == NT_GNU_BUILD_ID)
        {
          for (size_t i = 0; i < note.n_descsz; i++)
            printf ("%02x", (unsigned char)at[contents + i]);
          puts (" build-id");
        }
      at += next;
    }
}

static int
look_at_segments (struct dl_phdr_info *info, size_t size, void *data)
{
  int *seen = data;
  (void)size;
  if ((*seen)++ > 0)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      const char *begin = (const char *)(info->dlpi_addr + segment->p_vaddr);
      if (segment->p_type == PT_NOTE && segment->p_memsz > 0)
        print_notes (begin, begin + segment->p_memsz,
                     segment->p_align == 8 ? 8 : 4);
      if (segment->p_type == PT_INTERP)
        puts (begin);
      if (segment->p_type == PT_TLS)
        printf ("tls %lu\n", (unsigned long)segment->p_memsz);
    }
  return 0;
}

int
main (int argc, char **argv)
{
  int seen = 0;
  char *heap = malloc (100000);
  memset (heap, 0x55, 100000);
  dl_iterate_phdr (look_at_segments, &seen);
  printf ("%d %s %d %d %d %ld %d\n", argc, argv[1], *relocated, set_tls,
          zero_tls[0] | zero_tls[TLS], many (argc),
          sum_of_zeros (bss, sizeof bss));
#if NOTES > 0
  printf ("%s %u\n", note_1.name, note_1.contents[0]);
#endif
#if NOTES > 1
  printf ("%s %u\n", note_2.name, note_2.contents[0]);
#endif
#if NOTES > 2
  printf ("%s %u\n", note_3.name, note_3.contents[0]);
#endif
  bss[BSS / 2] = (unsigned char)argc;
  free (heap);
  return sum_of_zeros (bss, sizeof bss) != argc;
}
