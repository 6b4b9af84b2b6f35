/* Reading the FDEs of a part of .eh_frame through libdwarf, slice by slice.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The part is cut into slices: runs of entries that libdwarf can read, ended
   by terminators, damaged or unusable entries, or their size.  A slice is
   copied behind the CIEs that its FDEs need and that are not in it.  Its FDEs
   keep their addresses, because the copy's first byte is given the address
   that makes the slice's bytes appear where they are.  */

#include "cfi/slice_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "cfi/dwarf_batch.h"
#include "cfi/entry_walk.h"

enum
{
  /* Entries handed to libdwarf at once.  It keeps about 250 bytes per FDE
     and looks CIEs up one after the other: this bounds both.  */
  SLICE_SIZE_MAX = 128 * 1024,
  SLICE_ENTRIES_MAX = 1024
};

/* What reading needs to know of a CIE beside its cfi_cie.  */
struct cie_state
{
  uint64_t copy;  /* offset of its copy in the current slice's batch */
  uint64_t slice; /* number of the slice that `copy` belongs to */
  bool decoded;
  bool needs_8_bytes; /* absptr: libdwarf must know the real address size */
};

/* An entry of the current slice.  */
struct slice_entry
{
  uint32_t skip; /* bytes from the slice's beginning */
  uint32_t cie;  /* index of the CIE that it is, or that it refers to */
  bool is_cie;
  bool foreign; /* an FDE whose CIE is not in front of it in the slice */
};

struct reader
{
  struct cfi_section *section;
  uint64_t end;             /* of the part */
  struct cie_state *states; /* one per CIE of the section */
  size_t last_cie;          /* index of the CIE found last */
  uint64_t slice;           /* number of the current slice, from 1 */
  struct slice_entry entries[SLICE_ENTRIES_MAX]; /* of the current slice */
  struct buffer batch;  /* foreign CIEs, then the slice */
  uint64_t prefix_size; /* of the foreign CIEs */
  /* Indexes of the foreign CIEs, in order of `copy`.  */
  uint32_t foreign[SLICE_ENTRIES_MAX];
  size_t n_foreign;
  /* The same of all CIEs in the batch, as libdwarf numbers them.  */
  uint32_t batch_cies[2 * SLICE_ENTRIES_MAX];
  size_t n_batch_cies;
};

struct slice
{
  uint64_t begin, end; /* in the section */
  size_t n_entries, n_fdes;
};

static struct entry
reader_entry (const struct reader *reader, uint64_t offset)
{
  const struct cfi_section *section = reader->section;
  return entry_at (section->bytes, reader->end, section->arch->big_endian,
                   offset);
}

/* Remember that the entry at OFFSET is left out.  */
static bool
report_damage (struct reader *reader, uint64_t offset,
               enum frame_reason reason, const char *text, struct error *err)
{
  struct cfi_section *section = reader->section;
  section->n_damaged++;
  if (section->n_damages == CFI_DAMAGES_MAX)
    return true;
  if (section->damages == NULL)
    section->damages = calloc (CFI_DAMAGES_MAX, sizeof *section->damages);
  if (section->damages == NULL)
    return error_set_no_memory (err);
  struct cfi_damage *damage = &section->damages[section->n_damages++];
  damage->offset = offset;
  damage->reason = reason;
  snprintf (damage->text, sizeof damage->text, "%s", text);
  return true;
}

/* The index of the CIE at OFFSET, or n_cies.  */
static size_t
find_cie (struct reader *reader, uint64_t offset)
{
  const struct cfi_section *section = reader->section;
  const struct cfi_cie *cies = section->cies;
  if (reader->last_cie < section->n_cies
      && cies[reader->last_cie].offset == offset)
    return reader->last_cie;
  size_t low = 0, high = section->n_cies;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (cies[middle].offset < offset)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == section->n_cies || cies[low].offset != offset)
    return section->n_cies;
  return reader->last_cie = low;
}

/* Why libdwarf must not see ENTRY, or NULL.  *CIE is the index of the CIE that
   it is or refers to.  */
static const char *
entry_problem (struct reader *reader, const struct entry *entry, size_t *cie,
               enum frame_reason *reason)
{
  const struct cfi_section *section = reader->section;
  *reason = REASON_BAD_ENTRY;
  *cie = section->n_cies;
  if (entry->kind == ENTRY_DAMAGED)
    return entry->why;
  *cie = find_cie (reader,
                   entry->kind == ENTRY_FDE ? entry->cie : entry->offset);
  if (*cie == section->n_cies)
    return "CIE pointer leads to no CIE";
  *reason = section->cies[*cie].unusable;
  if (*reason == REASON_NONE)
    return NULL;
  return entry->kind == ENTRY_FDE ? "its CIE cannot be read"
                                  : frame_reason_text (*reason);
}

/* Start a slice: copies of foreign CIEs made so far no longer count.  */
static void
begin_slice (struct reader *reader)
{
  reader->slice++;
  reader->prefix_size = 0;
  reader->n_foreign = 0;
}

/* Note that an FDE needs a copy of the CIE with this INDEX in front of the
   slice.  */
static void
note_foreign (struct reader *reader, uint32_t index)
{
  struct cie_state *state = &reader->states[index];
  const struct cfi_cie *cie = &reader->section->cies[index];
  if (state->slice == reader->slice)
    return;
  reader->foreign[reader->n_foreign++] = index;
  state->slice = reader->slice;
  state->copy = reader->prefix_size;
  reader->prefix_size += cie->entry_size;
}

/* Extend SLICE, empty at its beginning, to the longest run of at most
   ENTRIES_MAX entries that libdwarf should be able to read.  */
static void
measure_slice (struct reader *reader, size_t entries_max, struct slice *slice)
{
  begin_slice (reader);
  slice->end = slice->begin;
  slice->n_fdes = slice->n_entries = 0;
  while (slice->n_entries < entries_max
         && slice->end - slice->begin + reader->prefix_size < SLICE_SIZE_MAX)
    {
      struct entry entry = reader_entry (reader, slice->end);
      enum frame_reason reason;
      size_t cie = 0;
      if (entry.kind == ENTRY_TERMINATOR || entry.kind == ENTRY_END
          || entry_problem (reader, &entry, &cie, &reason) != NULL)
        break;
      bool is_cie = entry.kind == ENTRY_CIE;
      bool foreign
          = !is_cie && (entry.cie < slice->begin || entry.cie >= slice->end);
      if (foreign)
        note_foreign (reader, (uint32_t)cie);
      reader->entries[slice->n_entries++] = (struct slice_entry){
        .skip = (uint32_t)(slice->end - slice->begin),
        .cie = (uint32_t)cie,
        .is_cie = is_cie,
        .foreign = foreign,
      };
      slice->end += entry.size;
      slice->n_fdes += !is_cie;
    }
}

/* Replace the augmentation letter that libdwarf does not know by one it skips
   in the same way.  */
static void
hide_letter (uint8_t *copy, const struct cfi_cie *cie)
{
  if (cie->signed_letter != 0)
    copy[cie->signed_letter] = 'S';
}

/* Copy the CIEs that measure_slice noted to the BATCH's beginning.  */
static void
copy_foreign (struct reader *reader, uint8_t *batch)
{
  const struct cfi_section *section = reader->section;
  for (size_t i = 0; i < reader->n_foreign; i++)
    {
      const struct cfi_cie *cie = &section->cies[reader->foreign[i]];
      uint8_t *copy = batch + reader->states[reader->foreign[i]].copy;
      memcpy (copy, section->bytes + cie->offset, cie->entry_size);
      hide_letter (copy, cie);
    }
}

/* Fill the batch with the CIEs measure_slice noted and the slice itself.  */
static bool
fill_batch (struct reader *reader, const struct slice *slice,
            struct error *err)
{
  const struct cfi_section *section = reader->section;
  uint64_t size = slice->end - slice->begin;
  reader->batch.size = 0;
  uint8_t *batch = buffer_extend (&reader->batch, reader->prefix_size + size);
  if (batch == NULL)
    return error_set_no_memory (err);
  copy_foreign (reader, batch);
  memcpy (batch + reader->prefix_size, section->bytes + slice->begin, size);
  for (size_t i = 0; i < slice->n_entries; i++)
    {
      const struct slice_entry *entry = &reader->entries[i];
      uint64_t copy = reader->prefix_size + entry->skip;
      if (entry->foreign)
        store_u32 (batch + copy + 4,
                   (uint32_t)(copy + 4 - reader->states[entry->cie].copy),
                   section->arch->big_endian);
      else if (entry->is_cie)
        hide_letter (batch + copy, &section->cies[entry->cie]);
    }
  return true;
}

/* Decoding what libdwarf read.  */

/* Find the pointer encodings and the personality in the augmentation data. */
static enum frame_reason
read_augmentation_data (const struct reader *reader,
                        const struct dwarf_batch_cie *from,
                        struct cfi_cie *cie, bool *absolute_pointers)
{
  /* Where the first byte of the batch would be, if it were this CIE's.  */
  uint64_t batch_address
      = reader->section->address + cie->offset - from->offset;
  struct cursor cursor
      = cursor_over (from->augmentation_data, from->augmentation_data_size,
                     reader->section->arch->big_endian);
  cie->pointer_encoding = PE_ABSPTR;
  cie->lsda_encoding = cie->personality_encoding = PE_OMIT;
  for (const char *letter = from->augmentation; *letter != '\0'; letter++)
    if (*letter == 'R')
      cie->pointer_encoding = cursor_u8 (&cursor);
    else if (*letter == 'L')
      cie->lsda_encoding = cursor_u8 (&cursor);
    else if (*letter == 'P')
      {
        uint8_t encoding = cie->personality_encoding = cursor_u8 (&cursor);
        uint64_t at = (uint64_t)(cursor.at - reader->batch.bytes);
        if (!cfa_read_nullable (&cursor, encoding, batch_address + at,
                                &cie->personality))
          return REASON_BAD_ENTRY;
        *absolute_pointers |= (encoding & PE_FORMAT) == PE_ABSPTR;
      }
  *absolute_pointers |= (cie->pointer_encoding & PE_FORMAT) == PE_ABSPTR;
  return cursor.failed ? REASON_BAD_ENTRY : REASON_NONE;
}

/* Encodings of pc_begin that libdwarf evaluates rightly.  */
static bool
encoding_is_understood (uint8_t encoding)
{
  uint8_t format = encoding & PE_FORMAT;
  uint8_t application = encoding & (PE_APPLICATION | PE_INDIRECT);
  return (application == 0 || application == PE_PCREL)
         && (format == PE_ABSPTR || format == PE_UDATA2 || format == PE_UDATA4
             || format == PE_UDATA8 || format == PE_SDATA2
             || format == PE_SDATA4 || format == PE_SDATA8);
}

static void
decode_cie (struct reader *reader, const struct dwarf_batch_cie *from,
            struct cfi_cie *cie, struct cie_state *state)
{
  const uint8_t *copy = reader->batch.bytes + from->offset;
  uint64_t skip = (uint64_t)(from->instructions - copy);
  if (from->instructions < copy || skip > cie->entry_size
      || from->instructions_size > cie->entry_size - skip)
    {
      cie->unusable = REASON_BAD_ENTRY;
      return;
    }
  cie->instructions = reader->section->bytes + cie->offset + skip;
  cie->instructions_size = from->instructions_size;
  cie->code_alignment = from->code_alignment;
  cie->data_alignment = from->data_alignment;
  cie->ra_column = from->ra_column;
  cie->unusable
      = read_augmentation_data (reader, from, cie, &state->needs_8_bytes);
  if (cie->unusable == REASON_NONE
      && !encoding_is_understood (cie->pointer_encoding))
    cie->unusable = REASON_POINTER_ENCODING;
  state->decoded = true;
}

/* The section's index of the CIE whose copy is at OFFSET of the batch.  */
static size_t
cie_of_copy (struct reader *reader, const struct slice *slice, uint64_t offset)
{
  if (offset >= reader->prefix_size)
    return find_cie (reader, slice->begin + (offset - reader->prefix_size));
  size_t low = 0, high = reader->n_foreign;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (reader->states[reader->foreign[middle]].copy < offset)
        low = middle + 1;
      else
        high = middle;
    }
  return low < reader->n_foreign ? reader->foreign[low]
                                 : reader->section->n_cies;
}

/* Decode the CIEs of BATCH that are new.  False when one of them must be read
   with the real address size, or cannot be read at all.  */
static bool
decode_cies (struct reader *reader, const struct slice *slice,
             struct dwarf_batch *batch, unsigned address_size)
{
  struct cfi_section *section = reader->section;
  bool valid = true;
  size_t n = dwarf_batch_n_cies (batch);
  if (n > sizeof reader->batch_cies / sizeof reader->batch_cies[0])
    return false;
  reader->n_batch_cies = n;
  for (size_t i = 0; i < n; i++)
    {
      struct dwarf_batch_cie from;
      if (!dwarf_batch_cie (batch, i, &from))
        return false;
      size_t index = cie_of_copy (reader, slice, from.offset);
      if (index == section->n_cies)
        return false;
      reader->batch_cies[i] = (uint32_t)index;
      struct cie_state *state = &reader->states[index];
      if (!state->decoded)
        decode_cie (reader, &from, &section->cies[index], state);
      valid &= address_size == 8 || !state->needs_8_bytes;
    }
  return valid;
}

/* Take one FDE over.  A CIE may have turned out unusable only now.  */
static bool
take_fde (struct reader *reader, const struct slice *slice,
          const struct dwarf_batch_fde *from, struct error *err)
{
  struct cfi_section *section = reader->section;
  uint64_t offset = slice->begin + (from->offset - reader->prefix_size);
  uint32_t cie = reader->batch_cies[from->cie];
  enum frame_reason reason = section->cies[cie].unusable;
  const uint8_t *copy = reader->batch.bytes + from->offset;
  uint64_t skip = (uint64_t)(from->instructions - copy);
  if (reason == REASON_NONE
      && (skip > from->entry_size
          || from->instructions_size > from->entry_size - skip))
    reason = REASON_BAD_ENTRY;
  if (reason != REASON_NONE)
    return report_damage (reader, offset, reason, frame_reason_text (reason),
                          err);
  section->fdes[section->n_fdes++]
      = (struct cfi_fde){ .address = from->address,
                          .size = from->size,
                          .instructions = offset + skip,
                          .instructions_size
                          = (uint32_t)from->instructions_size,
                          .cie = cie,
                          .offset = offset };
  return true;
}

/* Whether FROM is an entry of SLICE, as far as libdwarf's numbers tell.  */
static bool
fde_is_in_slice (const struct reader *reader, const struct slice *slice,
                 const struct dwarf_batch_fde *from)
{
  uint64_t end = reader->prefix_size + (slice->end - slice->begin);
  return from->cie < reader->n_batch_cies
         && from->offset >= reader->prefix_size && from->offset < end
         && from->entry_size <= end - from->offset;
}

static bool
take_fdes (struct reader *reader, const struct slice *slice,
           struct dwarf_batch *batch, struct error *err)
{
  for (size_t i = 0; i < dwarf_batch_n_fdes (batch); i++)
    {
      struct dwarf_batch_fde fde;
      if (!dwarf_batch_fde (batch, i, &fde)
          || !fde_is_in_slice (reader, slice, &fde))
        return report_damage (reader, slice->begin, REASON_BAD_ENTRY,
                              "libdwarf cannot read an FDE", err);
      if (!take_fde (reader, slice, &fde, err))
        return false;
    }
  return true;
}

/* What to tell libdwarf of the address size at first: 8 when a foreign CIE of
   the slice is known to need it.  */
static unsigned
likely_address_size (const struct reader *reader)
{
  for (size_t i = 0; i < reader->n_foreign; i++)
    if (reader->states[reader->foreign[i]].needs_8_bytes)
      return 8;
  return 4;
}

/* Open the filled batch with ADDRESS_SIZE.  NULL when libdwarf refuses it,
   does not see all of its FDEs, or needs another address size.  */
static struct dwarf_batch *
open_batch (struct reader *reader, const struct slice *slice,
            unsigned address_size, char *text, size_t text_size)
{
  const struct cfi_section *section = reader->section;
  struct dwarf_batch *batch = dwarf_batch_open (
      reader->batch.bytes, reader->batch.size,
      section->address + slice->begin - reader->prefix_size,
      section->arch->big_endian, address_size, text, text_size);
  if (batch == NULL)
    return NULL;
  if (dwarf_batch_n_fdes (batch) == slice->n_fdes
      && decode_cies (reader, slice, batch, address_size))
    return batch;
  snprintf (text, text_size, "libdwarf does not see the entry");
  dwarf_batch_close (batch);
  return NULL;
}

/* Read SLICE.  *REFUSED says that libdwarf would not, and TEXT why.  */
static bool
read_slice (struct reader *reader, const struct slice *slice, bool *refused,
            char *text, size_t text_size, struct error *err)
{
  *refused = false;
  if (slice->n_fdes == 0)
    return true; /* CIEs are decoded when an FDE needs them */
  if (!fill_batch (reader, slice, err))
    return false;
  unsigned address_size = likely_address_size (reader);
  struct dwarf_batch *batch
      = open_batch (reader, slice, address_size, text, text_size);
  if (batch == NULL && address_size == 4)
    batch = open_batch (reader, slice, 8, text, text_size);
  *refused = batch == NULL;
  bool taken = batch == NULL || take_fdes (reader, slice, batch, err);
  dwarf_batch_close (batch);
  return taken;
}

/* Skip the entry at *OFFSET, which no slice can contain.  */
static bool
skip_entry (struct reader *reader, uint64_t *offset, struct error *err)
{
  struct entry entry = reader_entry (reader, *offset);
  enum frame_reason reason = REASON_NONE;
  *offset += entry.size;
  if (entry.kind == ENTRY_TERMINATOR)
    return true;
  size_t cie;
  const char *problem = entry_problem (reader, &entry, &cie, &reason);
  return report_damage (reader, entry.offset, reason, problem, err);
}

static bool
read_fdes (struct reader *reader, uint64_t begin, struct error *err)
{
  char text[sizeof ((struct cfi_damage *)0)->text];
  size_t entries_max = SLICE_ENTRIES_MAX;
  struct slice slice = { .begin = begin };
  while (slice.begin < reader->end)
    {
      bool refused;
      measure_slice (reader, entries_max, &slice);
      if (slice.n_entries == 0)
        {
          if (!skip_entry (reader, &slice.begin, err))
            return false;
          continue;
        }
      if (!read_slice (reader, &slice, &refused, text, sizeof text, err))
        return false;
      if (refused && slice.n_entries > 1)
        {
          /* Halve until the damaged entry is alone.  */
          entries_max = slice.n_entries / 2;
          continue;
        }
      if (refused
          && !report_damage (reader, slice.begin, REASON_BAD_ENTRY, text, err))
        return false;
      slice.begin = slice.end;
      entries_max = entries_max < SLICE_ENTRIES_MAX / 2 ? 2 * entries_max
                                                        : SLICE_ENTRIES_MAX;
    }
  return true;
}

bool
slice_reader_run (struct cfi_section *section, uint64_t begin, uint64_t end,
                  struct error *err)
{
  struct reader *reader = calloc (1, sizeof *reader);
  if (reader == NULL)
    return error_set_no_memory (err);
  reader->section = section;
  reader->end = end;
  buffer_init (&reader->batch, section->arch->big_endian);
  reader->states = calloc (section->n_cies + 1, sizeof *reader->states);
  bool read = reader->states == NULL ? error_set_no_memory (err)
                                     : read_fdes (reader, begin, err);
  buffer_free (&reader->batch);
  free (reader->states);
  free (reader);
  return read;
}
