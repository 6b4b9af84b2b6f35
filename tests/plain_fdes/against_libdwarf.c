/* Are plain FDEs (src/cfi/plain_fde.h) what libdwarf says they are?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: against_libdwarf FILE...
   Reads the .eh_frame of each file twice, with and without the reader for
   plain FDEs, and compares everything that came of it.  Prints how many FDEs
   there were and how many of them are plain; exits with 1 after any
   difference, and with 2 when there was no plain FDE at all.  Files that are
   no ELF files for a known machine are passed over.  */

#include <stdio.h>

#include "cfi/plain_fde.h"
#include "cfi/reader.h"
#include "elf/image.h"
#include "tests/plain_fdes/compare_sections.h"

struct counts
{
  size_t files, fdes, plain, differences;
};

/* How many FDEs of SECTION were read without libdwarf: all that may be plain
   but the first one of each CIE, at least.  */
static size_t
count_plain (struct cfi_section *section)
{
  size_t n = 0;
  for (size_t i = 0; i < section->n_fdes; i++)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      struct cfi_fde again;
      const struct entry entry
          = entry_at (&section->inputs[fde->input], section->arch->big_endian,
                      fde->offset);
      n += plain_fde_read (section, &entry, fde->cie, &again);
    }
  return n;
}

static void
compare_file (const char *path, struct counts *counts)
{
  struct image image;
  struct image_eh_frame found;
  struct error err = { 0 };
  if (!image_open (&image, path, &err))
    return;
  if (image.arch != NULL && image_find_eh_frame (&image, &found, &err)
      && found.size > 0)
    {
      const struct cfi_input input = { .kind = CFI_EH_FRAME,
                                       .bytes = found.bytes,
                                       .size = found.size,
                                       .address = found.address };
      struct cfi_section direct = { .arch = image.arch };
      struct cfi_section asked = { .arch = image.arch, .no_plain = true };
      const char *difference = "memory";
      if (cfi_read (&direct, &input, &err) && cfi_read (&asked, &input, &err))
        difference = sections_compare (&direct, &asked);
      if (difference != NULL)
        printf ("%s: %s\n", path, difference);
      counts->differences += difference != NULL;
      counts->files++;
      counts->fdes += direct.n_fdes;
      counts->plain += count_plain (&direct);
      cfi_section_free (&direct);
      cfi_section_free (&asked);
    }
  image_close (&image);
}

int
main (int argc, char **argv)
{
  struct counts counts = { 0 };
  for (int i = 1; i < argc; i++)
    compare_file (argv[i], &counts);
  printf ("%zu files, %zu FDEs, %zu plain, %zu files differ\n", counts.files,
          counts.fdes, counts.plain, counts.differences);
  if (counts.differences > 0)
    return 1;
  return counts.plain > 0 ? 0 : 2;
}
