/* Files with .debug_frame, of their own and in a debug file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: an ELF file and a byte of options.  The file is its own debug file,
   as its build-id is the same.  */

#include <config.h>

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cfi/source.h"
#include "cfi/walk.h"

enum
{
  OPTION_STRIPPED = 1, /* the file has no .debug_frame of its own */
  OPTION_NO_FRAME = 2, /* nor .eh_frame */
  ROWS_MAX = 200000
};

/* A copy of BYTES in which no section is called NAME.  */
static void
forget_section (uint8_t *bytes, size_t size, const char *name)
{
  for (uint8_t *at; (at = memmem (bytes, size, name, strlen (name))) != NULL;)
    *at = '_';
}

/* FDEs in order, each inside its input, and none of a later input where an
   earlier one has code.  */
static void
check_fdes (const struct cfi_source *source)
{
  const struct cfi_section *cfi = &source->cfi;
  uint64_t ends[CFI_INPUTS_MAX] = { 0 };
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      FUZZ_CHECK (fde->input < cfi->n_inputs && fde->cie < cfi->n_cies
                  && cfi->cies[fde->cie].input == fde->input);
      uint64_t size = cfi->inputs[fde->input].size;
      FUZZ_CHECK (fde->offset < size && fde->head_size <= size - fde->offset
                  && fde->instructions_size
                         <= size - fde->offset - fde->head_size);
      FUZZ_CHECK (i == 0 || fde->address >= fde[-1].address);
      enum frame_reason reason = source->problem (source->context, fde);
      if (reason != REASON_NONE && reason != REASON_FP_UNKNOWN)
        continue;
      for (unsigned j = 0; j < CFI_INPUTS_MAX; j++)
        FUZZ_CHECK (j == fde->input || ends[j] <= fde->address);
      if (fde->address + fde->size > ends[fde->input])
        ends[fde->input] = fde->address + fde->size;
    }
  FUZZ_CHECK (cfi->n_contradictions <= cfi->n_set_aside);
}

/* All rows, one code behind the other.  */
static void
check_walk (const struct cfi_source *source)
{
  struct cfi_walk walk;
  struct cfi_code code;
  struct error err = { 0 };
  uint64_t end = 0;
  size_t n_rows = 0;
  FUZZ_DONE (cfi_walk_begin (&walk, source, &err), &err);
  while (n_rows < ROWS_MAX && cfi_walk_next (&walk, &code))
    {
      FUZZ_DONE (cfi_walk_rows (&walk, &code, &err), &err);
      if (!code.is_code || code.reason != REASON_NONE)
        continue;
      FUZZ_CHECK (code.function->n_rows == 0 || code.address >= end);
      end = code.address + code.size;
      n_rows += code.function->n_rows + 1;
    }
  cfi_walk_end (&walk);
}

/* A path of BYTES as a file.  Its descriptor is returned.  */
static int
make_file (const uint8_t *bytes, size_t size, char *path, size_t path_size)
{
  int fd = memfd_create ("debug", MFD_CLOEXEC);
  FUZZ_CHECK (fd >= 0 && write (fd, bytes, size) == (ssize_t)size);
  snprintf (path, path_size, "/proc/self/fd/%d", fd);
  return fd;
}

void
fuzz_debug (const uint8_t *bytes, size_t size)
{
  struct image image;
  struct cfi_source source;
  struct error err = { 0 };
  char path[64];
  if (size < 2)
    return;
  uint8_t choice = bytes[--size];
  uint8_t *copy = malloc (size);
  FUZZ_CHECK (copy != NULL);
  memcpy (copy, bytes, size);
  if (choice & OPTION_STRIPPED)
    forget_section (copy, size, "debug_frame");
  if (choice & OPTION_NO_FRAME)
    forget_section (copy, size, ".eh_frame");
  int fd = make_file (bytes, size, path, sizeof path);
  const struct cfi_options cfi_options = { .debug_file = path };
  if (image_open_memory (&image, copy, size, &err))
    {
      if (cfi_source_open (&source, &image, &cfi_options, &err))
        {
          check_fdes (&source);
          check_walk (&source);
        }
      cfi_source_close (&source);
      image_close (&image);
    }
  close (fd);
  free (copy);
}
