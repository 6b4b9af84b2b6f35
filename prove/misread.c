/* CFI that is not for libdw.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A CIE may have an aligned personality (DW_EH_PE_aligned).  libdw does not
   skip the bytes in front of it, as libgcc does, and takes one of them for the
   encoding of pc_begin.  To each row libdw goes from the FDE's first
   instruction, so that an FDE takes time in proportion to the square of its
   size.

   Source: libgcc's unwind-pe.h.  */

#include "prove.h"

#include <dwarf.h>

enum
{
  /* The sum of the squares: an FDE of 128 KiB, or many smaller ones.  The
     largest FDE of Debian has 45 KB.  Of 3,800 files cuFFT comes next to the
     limit, with 1.2e10.  */
  STEPS_MAX_LOG = 34,
  STEPS_PER_BYTE = 1024 /* half of it are usual in a large file */
};

/* The pointer encodings of CIE stand in the order of its letters.  */
static bool
has_aligned_pointer (const Dwarf_CIE *cie)
{
  const uint8_t *at = cie->augmentation_data;
  const uint8_t *end = at + cie->augmentation_data_size;
  for (const char *letter = cie->augmentation;
       at != NULL && at < end && *letter != '\0'; letter++)
    {
      if (*letter == 'P')
        return (*at & 0x70) == DW_EH_PE_aligned;
      at += *letter == 'L' || *letter == 'R';
    }
  return false;
}

/* What is wrong with ENTRIES, or NULL.  */
static const char *
problem_of (struct entries *entries)
{
  Dwarf_CFI_Entry entry;
  uint64_t steps = (UINT64_C (1) << STEPS_MAX_LOG)
                   + STEPS_PER_BYTE * (uint64_t)entries->data->d_size;
  int said;
  while ((said = entries_next (entries, &entry)) != 1)
    {
      if (said == 0 && dwarf_cfi_cie_p (&entry)
          && has_aligned_pointer (&entry.cie))
        return "a CIE has an aligned personality, which libdw misreads";
      uint64_t size = entries->next - entries->at;
      if (size > steps / size)
        return "call-frame information that takes too long";
      steps -= size * size;
    }
  return NULL;
}

const char *
file_cfi_problem (const struct file *file)
{
  struct entries entries;
  const char *problem = NULL;
  if (entries_open (&entries, file, true))
    problem = problem_of (&entries);
  if (problem == NULL && entries_open (&entries, file, false))
    problem = problem_of (&entries);
  return problem;
}
