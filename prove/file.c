/* Opening ELF files, and the properties of machines.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sources: the psABIs' tables of DWARF registers; SFrame specification V3,
   sections 2.2.1 and 3.1.  */

#include "prove.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct abi abis[] = {
  { .e_machine = EM_X86_64,
    .id_little = 3,
    .sp = 7,
    .fp = 6,
    .ra = 16,
    .fixed_ra = -8,
    .cfa_scale = 1 },
  { .e_machine = EM_AARCH64,
    .id_little = 2,
    .id_big = 1,
    .sp = 31,
    .fp = 29,
    .ra = 30,
    .cfa_scale = 1 },
  { .e_machine = EM_S390,
    .id_big = 4,
    .sp = 15,
    .fp = 11,
    .ra = 14,
    .sp_offset = -160,
    .cfa_scale = 8,
    .cfa_bias = 160 },
};

const struct abi *
abi_of (unsigned e_machine)
{
  for (size_t i = 0; i < sizeof abis / sizeof *abis; i++)
    if (abis[i].e_machine == e_machine)
      return &abis[i];
  return NULL;
}

void
print_path (FILE *out, const char *path)
{
  unsigned char last = '\0';
  for (const char *at = path; *at != '\0'; at++)
    {
      unsigned char byte = (unsigned char)*at;
      /* The second byte of a control character from U+0080 to U+009F.  */
      bool second = last == 0xc2 && byte >= 0x80 && byte < 0xa0;
      if (byte < 0x20 || byte == 0x7f || byte == '\\' || second)
        fprintf (out, "\\x%02x", byte);
      else
        putc (byte, out);
      last = byte;
    }
}

void
complain (const char *path, const char *what)
{
  fputs ("sframe-prove: ", stderr);
  print_path (stderr, path);
  fprintf (stderr, ": %s\n", what);
}

static bool
open_failed (struct file *file, const char *why)
{
  complain (file->path, why);
  file_close (file);
  return false;
}

static int
compare_addresses (const void *a, const void *b)
{
  const struct load *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

/* Read the segments of FILE.  This is done once, because a hostile file has
   65,535 headers.  Neighbouring segments may share a page of the file; but if
   each segment had all bytes of the file, the work would be the product of
   both numbers, so their sum is limited.  */
static const char *
read_loads (struct file *file)
{
  size_t count = 0;
  elf_getphdrnum (file->elf, &count);
  file->loads = calloc (count + 1, sizeof *file->loads);
  if (file->loads == NULL)
    return "out of memory";
  for (size_t i = 0; i < count; i++)
    {
      GElf_Phdr header;
      /* Skip segments whose bytes the file lacks.  */
      if (gelf_getphdr (file->elf, (int)i, &header) != NULL
          && header.p_type == PT_LOAD && header.p_filesz > 0
          && header.p_offset <= file->size
          && header.p_filesz <= file->size - header.p_offset)
        file->loads[file->n_loads++]
            = (struct load){ header.p_vaddr, header.p_offset, header.p_filesz,
                             (header.p_flags & PF_X) != 0 };
    }
  qsort (file->loads, file->n_loads, sizeof *file->loads, compare_addresses);
  uint64_t left = 2 * (uint64_t)file->size;
  for (size_t i = 0; i < file->n_loads; i++)
    {
      const struct load *load = &file->loads[i];
      uint64_t space = i + 1 < file->n_loads ? load[1].address - load->address
                                             : UINT64_MAX - load->address;
      if (load->size > space)
        return "segments overlap, or wrap around";
      if (load->size > left)
        return "segments have the same bytes of the file";
      left -= load->size;
    }
  return NULL;
}

bool
file_open (struct file *file, const char *path)
{
  *file = (struct file){ .path = path };
  /* Without O_NONBLOCK, opening a FIFO would wait.  */
  file->fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file->fd < 0)
    return open_failed (file, strerror (errno));
  errno = 0;
  file->elf = elf_begin (file->fd, ELF_C_READ_MMAP, NULL);
  if (file->elf == NULL || elf_kind (file->elf) != ELF_K_ELF
      || gelf_getehdr (file->elf, &file->header) == NULL
      || gelf_getclass (file->elf) != ELFCLASS64)
    return open_failed (file, errno == ENOMEM ? "out of memory"
                                              : "no 64-bit ELF file");
  file->bytes = (const uint8_t *)elf_rawfile (file->elf, &file->size);
  file->abi = abi_of (file->header.e_machine);
  if (file->bytes == NULL || file->abi == NULL)
    return open_failed (file, "SFrame does not know this machine");
  const char *problem = read_loads (file);
  return problem == NULL || open_failed (file, problem);
}

void
file_close (struct file *file)
{
  elf_end (file->elf);
  free (file->loads);
  if (file->fd >= 0)
    close (file->fd);
  file->elf = NULL;
  file->loads = NULL;
  file->fd = -1;
}

const void *
find_last_from (const void *first, size_t n, size_t size, uint64_t address)
{
  const char *structures = first;
  size_t low = 0, high = n;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      uint64_t start;
      memcpy (&start, structures + middle * size, sizeof start);
      if (start <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? structures + (low - 1) * size : NULL;
}

/* Return the segment of FILE that may contain ADDRESS, or NULL.  */
static const struct load *
load_below (const struct file *file, uint64_t address)
{
  _Static_assert(offsetof (struct load, address) == 0, "find_last_from");
  return find_last_from (file->loads, file->n_loads, sizeof *file->loads,
                         address);
}

uint64_t
file_bytes_from (const struct file *file, uint64_t address)
{
  const struct load *load = load_below (file, address);
  return load != NULL && address - load->address < load->size
             ? load->size - (address - load->address)
             : 0;
}

const uint8_t *
file_at (const struct file *file, uint64_t address, uint64_t n)
{
  const struct load *load = load_below (file, address);
  return load != NULL && n <= file_bytes_from (file, address)
             ? file->bytes + load->offset + (address - load->address)
             : NULL;
}
