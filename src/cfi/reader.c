/* Reading CFI: the CIEs and FDEs of .eh_frame and .debug_frame sections.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One loop over the entries scans the CIEs and reads the FDEs.  An FDE's CIE
   is always in front of it.  The form of .eh_frame requires that, and all
   assemblers write .debug_frame in this order, too.  */

#include "cfi/cfi_section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/radix.h"
#include "base/search.h"
#include "cfi/entry.h"
#include "cfi/fde.h"

enum
{
  /* A usual size of FDEs, in bytes.  Memory is allocated at once for as many
     of them as the input has room for; unused pages cost nothing.  */
  FDE_SIZE_USUAL = 24
};

/* Note that the entry at OFFSET of the last input cannot be read for REASON.
   TEXT is the message for users.  False when memory ran out.  */
static bool
note_damage (struct cfi_section *section, uint64_t offset,
             enum frame_reason reason, const char *text, struct error *err)
{
  section->n_damaged++;
  if (section->n_damages == CFI_DAMAGES_MAX)
    return true;
  if (section->damages == NULL)
    section->damages = calloc (CFI_DAMAGES_MAX, sizeof *section->damages);
  if (section->damages == NULL)
    return error_set_no_memory (err);
  struct cfi_damage *damage = &section->damages[section->n_damages++];
  damage->offset = offset;
  damage->input = section->n_inputs - 1;
  damage->reason = reason;
  snprintf (damage->text, sizeof damage->text, "%s", text);
  return true;
}

/* Note that the entry at OFFSET of the last input, which is or may be an FDE,
   cannot be read, and count it as left out.  */
static bool
leave_out (struct cfi_section *section, uint64_t offset,
           enum frame_reason reason, const char *text, struct error *err)
{
  section->left_out[reason]++;
  return note_damage (section, offset, reason, text, err);
}

/* The index of the CIE at OFFSET of the last input, or n_cies if there is
   none.  The CIE with index GUESS is tried first.  */
static size_t
find_cie (const struct cfi_section *section, uint64_t offset, size_t guess)
{
  const struct cfi_cie *cies = section->cies;
  uint32_t input = section->n_inputs - 1;
  if (guess < section->n_cies && cies[guess].offset == offset
      && cies[guess].input == input)
    return guess;
  size_t at = SEARCH_FIRST (
      section->n_cies, i, cies[i].input == input && cies[i].offset >= offset);
  return at < section->n_cies && cies[at].offset == offset
                 && cies[at].input == input
             ? at
             : section->n_cies;
}

static bool
read_cie (struct cfi_section *section, const struct entry *entry,
          struct error *err)
{
  if (!ARRAY_ROOM (section->cies, section->n_cies + 1,
                   &section->cies_capacity))
    return error_set_no_memory (err);
  struct cfi_cie *cie = &section->cies[section->n_cies++];
  cie_scan (cie, section, entry);
  return cie->unusable == REASON_NONE
         || note_damage (section, entry->offset, cie->unusable,
                         frame_reason_text (cie->unusable), err);
}

/* Read ENTRY, an FDE.  *CIE is the CIE used last.  COPY is a buffer.  */
static bool
read_fde (struct cfi_section *section, const struct entry *entry, size_t *cie,
          struct buffer *copy, struct error *err)
{
  char text[sizeof ((struct cfi_damage *)0)->text];
  if (section->n_fdes == UINT32_MAX - 1)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_TOO_LARGE,
                           "more than 4 billion FDEs");
  if (!ARRAY_ROOM (section->fdes, section->n_fdes + 1,
                   &section->fdes_capacity))
    return error_set_no_memory (err);
  struct cfi_fde *fde = &section->fdes[section->n_fdes];
  *cie = find_cie (section, entry->cie, *cie);
  if (*cie == section->n_cies)
    return leave_out (section, entry->offset, REASON_BAD_ENTRY,
                      "CIE pointer leads to no CIE", err);
  enum frame_reason reason = section->cies[*cie].unusable;
  if (reason != REASON_NONE)
    return leave_out (section, entry->offset, reason, "its CIE cannot be read",
                      err);
  if (!plain_fde_read (section, entry, *cie, fde))
    reason = odd_fde_read (section, entry, *cie, copy, fde, text, sizeof text);
  section->n_fdes += reason == REASON_NONE;
  if (copy->failed)
    return error_set_no_memory (err);
  return reason == REASON_NONE
         || leave_out (section, entry->offset, reason, text, err);
}

static bool
read_entries (struct cfi_section *section, struct buffer *copy,
              struct error *err)
{
  const struct cfi_input *input = &section->inputs[section->n_inputs - 1];
  size_t cie = 0;
  bool read = true;
  for (uint64_t offset = 0; read;)
    {
      struct entry entry = entry_at (input, section->arch->big_endian, offset);
      if (entry.kind == ENTRY_END)
        break;
      if (entry.kind == ENTRY_CIE)
        read = read_cie (section, &entry, err);
      else if (entry.kind == ENTRY_FDE)
        read = read_fde (section, &entry, &cie, copy, err);
      else if (entry.kind == ENTRY_DAMAGED)
        read = leave_out (section, offset, REASON_BAD_ENTRY, entry.why, err);
      offset += entry.size;
    }
  return read;
}

bool
cfi_read (struct cfi_section *section, const struct cfi_input *input,
          struct error *err)
{
  struct buffer copy;
  section->inputs[section->n_inputs++] = *input;
  size_t expected = section->n_fdes + input->size / FDE_SIZE_USUAL + 1;
  buffer_init (&copy, section->arch->big_endian);
  bool read = (ARRAY_ROOM (section->fdes, expected, &section->fdes_capacity)
               || error_set_no_memory (err))
              && read_entries (section, &copy, err);
  buffer_free (&copy);
  /* The sort is stable: at equal addresses, inputs and offsets ascend.  */
  _Static_assert(offsetof (struct cfi_fde, address) == 0, "RADIX_SORT");
  if (read && !RADIX_SORT (section->fdes, section->n_fdes))
    read = error_set_no_memory (err);
  section->fdes_capacity = section->n_fdes; /* the sort may reallocate */
  if (!read)
    cfi_section_free (section);
  return read;
}

void
cfi_section_free (struct cfi_section *section)
{
  free (section->cies);
  free (section->fdes);
  free (section->damages);
  *section = (struct cfi_section){ .arch = section->arch,
                                   .no_plain = section->no_plain };
}

uint64_t
cfi_section_size (const struct cfi_section *section)
{
  uint64_t size = 0;
  for (uint32_t i = 0; i < section->n_inputs; i++)
    size += section->inputs[i].size;
  return size;
}

uint64_t
cfi_section_functions (const struct cfi_section *section)
{
  uint64_t n = section->n_fdes;
  for (size_t i = 0; i < REASON_COUNT; i++)
    n += section->left_out[i];
  return n;
}

_Static_assert((int)REASON_COUNT <= CFI2SFRAME_REASONS_MAX,
               "reasons do not fit the public report");

void
cfi_report (const struct cfi_section *cfi, struct cfi2sframe_report *report)
{
  report->cfi_functions = cfi_section_functions (cfi);
  for (size_t i = 0; i < REASON_COUNT; i++)
    report->left_out[i] += cfi->left_out[i];
  if (cfi->n_damages == 0)
    return;
  report->first_damage = cfi->damages[0].offset;
  report->debug_damage
      = cfi->inputs[cfi->damages[0].input].kind == CFI_DEBUG_FRAME;
  memcpy (report->damage, cfi->damages[0].text, sizeof report->damage);
}
