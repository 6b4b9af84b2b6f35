/* Reading the CIEs and FDEs of an .eh_frame or .debug_frame section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One walk over the lengths of the entries counts them, a second one scans the
   CIEs and hands the FDEs to a batch.  An FDE's CIE is always in front of it:
   in .eh_frame by its form, in .debug_frame as all assemblers write it.

   libdwarf takes longer than the walks, so that the two halves of a large
   section are read at once, the second one into a section of its own.  */

#include "cfi/reader.h"

#include "base/background.h"
#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "cfi/cie.h"
#include "cfi/entry.h"
#include "cfi/fde_batch.h"

enum
{
  /* Less FDEs are not worth a thread.  */
  HALVES_MIN = 8192
};

/* The entries at offsets from BEGIN on, and below END, of the last input of
   SECTION, which takes them.  */
struct stretch
{
  struct cfi_section *section;
  uint64_t begin, end;
  size_t n_cies; /* of the input */
  bool read;
  struct error err;
};

/* The entry at OFFSET of the last input.  */
static struct entry
next_entry (const struct cfi_section *section, uint64_t offset)
{
  return entry_at (&section->inputs[section->n_inputs - 1],
                   section->arch->big_endian, offset);
}

static void
count_entries (const struct cfi_section *section, size_t *n_cies,
               size_t *n_fdes)
{
  struct entry entry;
  *n_cies = *n_fdes = 0;
  for (uint64_t offset = 0;
       (entry = next_entry (section, offset)).kind != ENTRY_END;
       offset += entry.size)
    {
      *n_cies += entry.kind == ENTRY_CIE;
      *n_fdes += entry.kind == ENTRY_FDE;
    }
}

/* Leave ENTRY out, behind what is left out of those before.  */
static bool
leave_out (struct cfi_section *section, struct fde_batch *batch,
           const struct entry *entry, enum frame_reason reason,
           const char *text, struct error *err)
{
  return fde_batch_read (batch, err)
         && cfi_section_leave_out (section, entry->offset, reason, text, err);
}

static bool
read_cie (struct cfi_section *section, struct fde_batch *batch,
          const struct entry *entry, struct error *err)
{
  struct cfi_cie *cie = &section->cies[section->n_cies++];
  cie_scan (cie, section, entry);
  return cie->unusable == REASON_NONE
         || leave_out (section, batch, entry, cie->unusable,
                       frame_reason_text (cie->unusable), err);
}

/* *CIE is the index of the CIE that was used last.  */
static bool
read_fde (struct cfi_section *section, struct fde_batch *batch,
          const struct entry *entry, size_t *cie, struct error *err)
{
  *cie = cfi_section_find_cie (section, entry->cie, *cie);
  if (*cie == section->n_cies)
    return leave_out (section, batch, entry, REASON_BAD_ENTRY,
                      "CIE pointer leads to no CIE", err);
  enum frame_reason reason = section->cies[*cie].unusable;
  if (reason != REASON_NONE)
    return leave_out (section, batch, entry, reason, "its CIE cannot be read",
                      err);
  return fde_batch_add (batch, entry, *cie, err);
}

static bool
read_entry (struct cfi_section *section, struct fde_batch *batch,
            const struct entry *entry, size_t *cie, struct error *err)
{
  switch (entry->kind)
    {
    case ENTRY_CIE:
      return read_cie (section, batch, entry, err);
    case ENTRY_FDE:
      return read_fde (section, batch, entry, cie, err);
    case ENTRY_DAMAGED:
      return leave_out (section, batch, entry, REASON_BAD_ENTRY, entry->why,
                        err);
    default:
      return true;
    }
}

/* Of what is in front of STRETCH, the CIEs are needed.  */
static bool
read_entries (const struct stretch *stretch, struct fde_batch *batch,
              struct error *err)
{
  struct cfi_section *section = stretch->section;
  struct entry entry;
  size_t cie = 0;
  bool read = true;
  for (uint64_t offset = 0;
       read && offset < stretch->end
       && (entry = next_entry (section, offset)).kind != ENTRY_END;
       offset += entry.size)
    if (offset >= stretch->begin)
      read = read_entry (section, batch, &entry, &cie, err);
    else if (entry.kind == ENTRY_CIE)
      cie_scan (&section->cies[section->n_cies++], section, &entry);
  return read && fde_batch_read (batch, err);
}

static void
read_stretch (void *argument)
{
  struct stretch *stretch = argument;
  struct error *err = &stretch->err;
  struct fde_batch *batch = fde_batch_new (stretch->section, stretch->n_cies);
  stretch->read = batch != NULL ? read_entries (stretch, batch, err)
                                : error_set_no_memory (err);
  fde_batch_free (batch);
}

/* Read ALL in two halves.  */
static void
read_halves (struct stretch *all, uint64_t middle, size_t n_fdes)
{
  struct cfi_section section;
  struct background background;
  struct stretch rest = { .section = &section,
                          .begin = middle,
                          .end = all->end,
                          .n_cies = all->n_cies };
  all->read = cfi_section_branch (&section, all->section, all->n_cies, n_fdes,
                                  &all->err);
  if (!all->read)
    return;
  background_start (&background, read_stretch, &rest);
  all->end = middle;
  read_stretch (all);
  background_wait (&background);
  if (all->read && !rest.read)
    {
      all->read = false;
      all->err = rest.err;
    }
  all->read
      = all->read && cfi_section_merge (all->section, &section, &all->err);
  cfi_section_free (&section);
}

bool
cfi_read (struct cfi_section *section, const struct cfi_input *input,
          struct error *err)
{
  size_t n_fdes;
  struct stretch all = { .section = section, .end = UINT64_MAX };
  section->inputs[section->n_inputs++] = *input;
  count_entries (section, &all.n_cies, &n_fdes);
  if (n_fdes >= UINT32_MAX - section->n_fdes)
    return error_set (err, CFI2SFRAME_UNSUPPORTED, "more than 4 billion FDEs");
  all.read = cfi_section_reserve (section, all.n_cies, n_fdes, &all.err);
  if (all.read && n_fdes >= HALVES_MIN)
    read_halves (&all, input->size / 2, n_fdes);
  else if (all.read)
    read_stretch (&all);
  bool done = all.read && cfi_section_sort (section, &all.err);
  if (!done)
    {
      *err = all.err;
      cfi_section_free (section);
    }
  return done;
}

/* FDE's entry, read up to the end of the pointers to its code, which are as
   wide as its CIE says.  */
static struct cursor
skip_pointers (const struct cfi_section *section, const struct cfi_fde *fde)
{
  uint8_t encoding = section->cies[fde->cie].pointer_encoding & PE_FORMAT;
  const uint8_t *entry = section->inputs[fde->input].bytes + fde->offset;
  struct cursor cursor
      = cursor_over (entry, fde->head_size, section->arch->big_endian);
  uint64_t ignored;
  cursor_take (&cursor, ENTRY_HEAD);
  for (unsigned i = 0; i < 2; i++) /* start and size */
    if (!cfa_read_pointer (&cursor, encoding, 0, &ignored))
      cursor.failed = true;
  return cursor;
}

uint64_t
fde_pointers_end (const struct cfi_section *section, const struct cfi_fde *fde)
{
  struct cursor cursor = skip_pointers (section, fde);
  return fde->head_size - cursor_left (&cursor);
}

/* The augmentation data of FDE: behind those pointers and their own size.  */
static struct cursor
augmentation_data (const struct cfi_section *section,
                   const struct cfi_fde *fde)
{
  struct cursor cursor = skip_pointers (section, fde);
  uint64_t size = cursor_uleb (&cursor);
  const uint8_t *data = cursor_take (&cursor, size);
  if (!cursor.failed)
    cursor = cursor_over (data, size, cursor.big_endian);
  return cursor;
}

bool
fde_lsda (const struct cfi_section *section, const struct cfi_fde *fde,
          uint64_t *lsda)
{
  const struct cfi_input *input = &section->inputs[fde->input];
  uint8_t encoding = section->cies[fde->cie].lsda_encoding;
  uint8_t application = encoding & (PE_APPLICATION | PE_INDIRECT);
  *lsda = 0;
  if (encoding == PE_OMIT)
    return true;
  if (application != 0 && application != PE_PCREL)
    return false;
  struct cursor data = augmentation_data (section, fde);
  if (data.failed)
    return false;
  uint64_t place = input->address + (uint64_t)(data.at - input->bytes);
  return cfa_read_nullable (&data, encoding, place, lsda);
}
