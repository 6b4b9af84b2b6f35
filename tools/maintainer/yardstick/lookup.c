/* How long a stack tracer looks for a row, in each layout of the section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   lookup FILE [LOOKUPS]: for the layouts --no-split, default and --compact of
   V3, and for two kinds of PCs, print: layout, kind, rows scanned on average,
   steps of the bisection on average, nanoseconds (of the best of five rounds).
   The first two are what a noisy machine cannot change: compiled as here, a
   row is about 19 instructions on amd64, a step 12.  The kinds are "uniform",
   any byte of code that has rows, and "return", addresses behind call
   instructions: what a stack tracer asks for.  Fails when two layouts give
   different rows.

   The reader is what kernel and C libraries do: a binary search for the FDE,
   then one row after the other.  */

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cfi2sframe.h"
#include "sframe/format.h"
#include "times.h"

enum
{
  ROUNDS = 5,
  N_LAYOUTS = 3,
  DEFAULT_LOOKUPS = 1000000
};

struct file
{
  const uint8_t *bytes;
  size_t size;
};

struct section
{
  uint8_t *bytes;
  uint64_t address;
  uint32_t n_fdes;
  const uint8_t *rows;
};

/* What a reader makes of a row, and how far it went for it.  */
struct answer
{
  uint32_t n_scanned, n_steps;
  uint32_t size;
  const uint8_t *row; /* info byte and words; NULL: none */
};

static bool
section_build (struct section *section, const struct file *file, int layout)
{
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct cfi2sframe_error err = { 0 };
  void *bytes;
  size_t size;
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  options.no_split = layout == 0;
  options.compact = layout == 2;
  if (!cfi2sframe_build_section (file->bytes, file->size, &options, &bytes,
                                 &size, &section->address, &report, &err))
    {
      fprintf (stderr, "lookup: %s\n", err.reason);
      return false;
    }
  section->bytes = bytes;
  section->n_fdes = load_u32 (section->bytes + SFRAME_HEADER_N_FDES, false);
  section->rows
      = section->bytes + SFRAME_HEADER_SIZE
        + load_u32 (section->bytes + SFRAME_HEADER_FRE_OFFSET, false);
  return true;
}

static inline uint64_t
fde_start (const struct section *section, uint32_t i)
{
  size_t offset = SFRAME_HEADER_SIZE + (size_t)i * SFRAME_V3_INDEX_SIZE;
  return section->address + offset + load_u64 (section->bytes + offset, false);
}

static inline uint32_t
fde_field (const struct section *section, uint32_t i, unsigned field)
{
  return load_u32 (section->bytes + SFRAME_HEADER_SIZE
                       + (size_t)i * SFRAME_V3_INDEX_SIZE + field,
                   false);
}

/* The last of the rows at AT that starts at or before OFFSET.  */
static struct answer
scan_rows (const uint8_t *at, uint32_t offset)
{
  struct answer answer = { 0 };
  unsigned n_rows = load_u16 (at, false);
  unsigned width = at[2] & SFRAME_FDE_FRE_TYPE;
  if (at[2] & SFRAME_FDE_PCMASK)
    offset %= at[4];
  at += SFRAME_V3_ATTRIBUTE_SIZE;
  for (unsigned i = 0; i < n_rows; i++)
    {
      uint32_t start = width == SFRAME_FRE_ADDR1   ? at[0]
                       : width == SFRAME_FRE_ADDR2 ? load_u16 (at, false)
                                                   : load_u32 (at, false);
      answer.n_scanned++;
      if (start > offset)
        break;
      answer.row = at + (1u << width);
      answer.size
          = 1
            + ((answer.row[0] >> SFRAME_FRE_COUNT_SHIFT & SFRAME_FRE_COUNT)
               << (answer.row[0] >> SFRAME_FRE_WORD_SHIFT & SFRAME_FRE_WORD));
      at = answer.row + answer.size;
    }
  return answer;
}

static struct answer
look_up (const struct section *section, uint64_t pc)
{
  uint32_t low = 0, high = section->n_fdes, n_steps = 0;
  for (; high - low > 1; n_steps++)
    {
      uint32_t middle = low + (high - low) / 2;
      if (fde_start (section, middle) <= pc)
        low = middle;
      else
        high = middle;
    }
  uint64_t start = fde_start (section, low);
  if (section->n_fdes == 0 || pc < start
      || pc - start >= fde_field (section, low, 8))
    return (struct answer){ 0 };
  struct answer answer = scan_rows (
      section->rows + fde_field (section, low, 12), (uint32_t)(pc - start));
  answer.n_steps = n_steps;
  return answer;
}

/* PCs.  */

static uint64_t
next_random (uint64_t *state)
{
  *state = *state * UINT64_C (6364136223846793005) + 1442695040888963407;
  return *state >> 20;
}

static uint64_t *
uniform_pcs (const struct section *section, size_t n)
{
  uint64_t total = 0, state = 1;
  uint64_t *pcs = calloc (n + 1, sizeof *pcs);
  uint64_t *ends = calloc (section->n_fdes + 1, sizeof *ends);
  for (uint32_t i = 0; i < section->n_fdes; i++)
    ends[i] = total += fde_field (section, i, 8);
  for (size_t k = 0; k < n; k++)
    {
      uint64_t byte = next_random (&state) % (total ? total : 1);
      uint32_t low = 0, high = section->n_fdes - 1;
      while (low < high)
        {
          uint32_t middle = low + (high - low) / 2;
          if (ends[middle] <= byte)
            low = middle + 1;
          else
            high = middle;
        }
      pcs[k] = fde_start (section, low) + byte - (low ? ends[low - 1] : 0);
    }
  free (ends);
  return pcs;
}

/* The address that an instruction at AT, for address PC, returns to when it is
   a call of *TARGET; or 0.  */
static uint64_t
call_return (unsigned machine, const uint8_t *at, uint64_t pc,
             uint64_t *target)
{
  uint32_t word = load_u32 (at, false);
  if (machine == EM_X86_64)
    {
      *target = pc + 5 + (uint64_t)(int64_t)(int32_t)load_u32 (at + 1, false);
      return at[0] == 0xe8 ? pc + 5 : 0;
    }
  int64_t distance = (int64_t)((uint64_t)(word & 0x3ffffff) << 38) >> 36;
  *target = pc + (uint64_t)distance;
  return word >> 26 == 0x25 && pc % 4 == 0 ? pc + 4 : 0;
}

/* Whether a function with rows begins at ADDRESS.  */
static bool
is_function (const struct section *section, uint64_t address)
{
  struct answer answer = look_up (section, address);
  return answer.row != NULL && answer.n_scanned == 2;
}

/* Return addresses in the code of FILE, at most MAX; *N says how many.  */
static uint64_t *
return_pcs (const struct file *file, const struct section *section, size_t max,
            size_t *n)
{
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->bytes;
  const Elf64_Phdr *segments
      = (const Elf64_Phdr *)(const void *)(file->bytes + header->e_phoff);
  uint64_t *pcs = calloc (max + 1, sizeof *pcs);
  *n = 0;
  for (unsigned i = 0; i < header->e_phnum; i++)
    for (uint64_t at = 0;
         segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X
         && at + 8 < segments[i].p_filesz && *n < max;
         at++)
      {
        uint64_t target, pc = segments[i].p_vaddr + at;
        uint64_t next = call_return (header->e_machine,
                                     file->bytes + segments[i].p_offset + at,
                                     pc, &target);
        if (next != 0 && is_function (section, target)
            && look_up (section, next).row != NULL)
          pcs[(*n)++] = next;
      }
  return pcs;
}

/* In random order.  */
static void
shuffle (uint64_t *pcs, size_t n)
{
  uint64_t state = 2;
  for (size_t i = n; i > 1; i--)
    {
      size_t k = next_random (&state) % i;
      uint64_t pc = pcs[i - 1];
      pcs[i - 1] = pcs[k];
      pcs[k] = pc;
    }
}

/* Measuring.  */

static bool
same_answers (const struct section *a, const struct section *b,
              const uint64_t *pcs, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      struct answer x = look_up (a, pcs[i]), y = look_up (b, pcs[i]);
      if (x.size == y.size && (x.size == 0 || !memcmp (x.row, y.row, x.size)))
        continue;
      fprintf (stderr, "lookup: 0x%llx: layouts differ\n",
               (unsigned long long)pcs[i]);
      return false;
    }
  return true;
}

static void
measure (const struct section *section, const char *layout, const char *kind,
         const uint64_t *pcs, size_t n, size_t lookups)
{
  double best = 0;
  uint64_t scanned = 0, steps = 0;
  for (int round = 0; round < ROUNDS; round++)
    {
      double begin = milliseconds (CLOCK_PROCESS_CPUTIME_ID);
      scanned = steps = 0;
      for (size_t i = 0, k = 0; i < lookups; i++, k = k + 1 < n ? k + 1 : 0)
        {
          struct answer answer = look_up (section, pcs[k]);
          scanned += answer.n_scanned;
          steps += answer.n_steps;
        }
      double time = milliseconds (CLOCK_PROCESS_CPUTIME_ID) - begin;
      if (round == 0 || time < best)
        best = time;
    }
  double n_lookups = (double)lookups;
  printf ("%s %s %.2f %.2f %.1f\n", layout, kind, (double)scanned / n_lookups,
          (double)steps / n_lookups, best * 1e6 / n_lookups);
}

int
main (int argc, char **argv)
{
  static const char *const names[N_LAYOUTS]
      = { "no-split", "default", "compact" };
  struct section sections[N_LAYOUTS];
  struct stat status;
  int fd = argc < 2 ? -1 : open (argv[1], O_RDONLY);
  if (fd < 0 || fstat (fd, &status) != 0)
    {
      fprintf (stderr, "usage: lookup FILE [LOOKUPS]\n");
      return 2;
    }
  size_t lookups
      = argc > 2 ? (size_t)strtoull (argv[2], NULL, 10) : DEFAULT_LOOKUPS;
  struct file file = { .size = (size_t)status.st_size };
  void *map = mmap (NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED)
    return 1;
  file.bytes = map;
  for (int i = 0; i < N_LAYOUTS; i++)
    if (!section_build (&sections[i], &file, i))
      return 1;
  bool same = true;
  for (int kind = 0; kind < 2 && same; kind++)
    {
      size_t n = lookups;
      uint64_t *pcs = kind == 0
                          ? uniform_pcs (&sections[0], n)
                          : return_pcs (&file, &sections[0], lookups, &n);
      shuffle (pcs, n);
      for (int i = 0; i < N_LAYOUTS && n > 0 && same; i++)
        {
          same = same_answers (&sections[0], &sections[i], pcs, n);
          measure (&sections[i], names[i], kind ? "return" : "uniform", pcs, n,
                   lookups);
        }
      free (pcs);
    }
  for (int i = 0; i < N_LAYOUTS; i++)
    free (sections[i].bytes);
  return same ? 0 : 1;
}
