/* Reading the FDEs of a part of .eh_frame through libdwarf, slice by slice.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The part is cut into slices: runs of entries that libdwarf can read, ended
   by terminators, damaged or unusable entries, or their size.  libdwarf gets a
   batch: copies of the slice's FDEs behind copies of the CIEs they need.

   Most FDEs have the CIE and the instructions of an earlier one, byte for
   byte.  What libdwarf would say of them is known but for the address and the
   size of the code, so they are not copied: fde_head_read reads these two.  It
   reads them of all other FDEs too, and libdwarf must agree.  */

#include "cfi/slice_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "cfi/dwarf_batch.h"
#include "cfi/entry_walk.h"
#include "cfi/fde_head.h"
#include "cfi/program_table.h"

enum
{
  SLICE_ENTRIES_MAX = 1024,
  /* What is handed to libdwarf at once.  It keeps about 250 bytes per FDE and
     looks CIEs up one after the other: this bounds both.  */
  BATCH_SIZE_MAX = 128 * 1024,
  BATCH_FDES_MAX = 512,
  /* At first nothing is known; equal FDEs in one batch are all copied.  */
  BATCH_FDES_MIN = 16
};

/* What reading needs to know of a CIE beside its cfi_cie.  */
struct cie_state
{
  uint64_t copy;  /* offset of its copy in the current slice's batch */
  uint64_t slice; /* number of the slice that `copy` belongs to */
  bool decoded;
  bool needs_8_bytes; /* absptr: libdwarf must know the real address size */
};

/* An FDE of the current slice.  Without a head it is zero but for its offset
   and CIE.  */
struct slice_entry
{
  struct cfi_fde fde;
  uint64_t size; /* of the entry */
  uint64_t copy; /* offset in the batch, behind the CIEs */
  uint32_t hash; /* of the program */
  bool has_head;
  bool is_copied;           /* into the batch */
  enum frame_reason reason; /* why it is left out */
};

struct reader
{
  struct cfi_section *section;
  uint64_t end;             /* of the part */
  struct cie_state *states; /* one per CIE of the section */
  struct program_table *programs;
  size_t last_cie; /* index of the CIE found last */
  uint64_t slice;  /* number of the current slice, from 1 */
  struct slice_entry entries[SLICE_ENTRIES_MAX]; /* of the current slice */
  struct buffer batch;                           /* CIEs, then FDEs */
  uint64_t batch_address;                        /* near that of the slice */
  uint64_t cies_size;                            /* bytes of the CIEs */
  /* Indexes of the batch's CIEs and of its FDEs' entries, in the order of
     their places.  */
  uint32_t copied_cies[BATCH_FDES_MAX];
  size_t n_copied_cies;
  uint32_t copied_fdes[BATCH_FDES_MAX];
  size_t n_copied_fdes;
  /* The CIEs again, as libdwarf numbers them.  */
  uint32_t batch_cies[BATCH_FDES_MAX];
  size_t n_batch_cies;
};

struct slice
{
  uint64_t begin, end; /* in the section */
  size_t n_entries;
  uint64_t fdes_size; /* bytes copied */
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

/* Start a slice: copies made so far no longer count.  */
static void
begin_slice (struct reader *reader)
{
  reader->slice++;
  reader->cies_size = 0;
  reader->n_copied_cies = reader->n_copied_fdes = 0;
}

/* Note that the batch needs the CIE with this INDEX.  */
static void
note_cie (struct reader *reader, uint32_t index)
{
  struct cie_state *state = &reader->states[index];
  if (state->slice == reader->slice)
    return;
  reader->copied_cies[reader->n_copied_cies++] = index;
  state->slice = reader->slice;
  state->copy = reader->cies_size;
  reader->cies_size += reader->section->cies[index].entry_size;
}

/* Read the head of ENTRY's FDE, whose CIE was decoded.  */
static void
read_head (const struct reader *reader, struct slice_entry *entry)
{
  const struct cfi_section *section = reader->section;
  struct cfi_fde *fde = &entry->fde;
  struct fde_head head;
  if (!fde_head_read (section, &section->cies[fde->cie], fde->offset,
                      entry->size, &head))
    return;
  fde->address = head.address;
  fde->size = head.size;
  fde->head_size = (uint32_t)head.instructions;
  fde->instructions_size = (uint32_t)(entry->size - head.instructions);
  entry->hash = program_table_hash (reader->programs, fde);
  entry->has_head = true;
}

/* Add the FDE at FROM to SLICE.  If its program is not known it goes to the
   batch.  */
static void
add_fde (struct reader *reader, struct slice *slice, const struct entry *from,
         uint32_t cie)
{
  struct slice_entry *entry = &reader->entries[slice->n_entries];
  *entry = (struct slice_entry){ .fde = { .offset = from->offset, .cie = cie },
                                 .size = from->size };
  bool decoded = reader->states[cie].decoded;
  if (decoded)
    read_head (reader, entry);
  if (decoded && !entry->has_head)
    entry->reason = REASON_BAD_ENTRY; /* no need to ask libdwarf */
  else if (!entry->has_head
           || !program_table_find (reader->programs, &entry->fde, entry->hash,
                                   &entry->fde.program))
    {
      note_cie (reader, cie);
      reader->copied_fdes[reader->n_copied_fdes++]
          = (uint32_t)slice->n_entries;
      entry->is_copied = true;
      entry->copy = slice->fdes_size;
      slice->fdes_size += entry->size;
    }
  slice->n_entries++;
}

/* Extend SLICE, empty at its beginning, to the longest run of entries that
   libdwarf should be able to read, with at most FDES_MAX in the batch.  */
static void
measure_slice (struct reader *reader, size_t fdes_max, struct slice *slice)
{
  begin_slice (reader);
  slice->end = slice->begin;
  slice->n_entries = 0;
  slice->fdes_size = 0;
  while (slice->n_entries < SLICE_ENTRIES_MAX
         && reader->n_copied_fdes < fdes_max
         && reader->cies_size + slice->fdes_size < BATCH_SIZE_MAX)
    {
      struct entry entry = reader_entry (reader, slice->end);
      enum frame_reason reason;
      size_t cie = 0;
      if (entry.kind == ENTRY_TERMINATOR || entry.kind == ENTRY_END
          || entry_problem (reader, &entry, &cie, &reason) != NULL)
        break;
      /* CIEs are decoded when an FDE needs them.  */
      if (entry.kind == ENTRY_FDE)
        add_fde (reader, slice, &entry, (uint32_t)cie);
      slice->end += entry.size;
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

static void
copy_cies (const struct reader *reader, uint8_t *batch)
{
  const struct cfi_section *section = reader->section;
  for (size_t i = 0; i < reader->n_copied_cies; i++)
    {
      const struct cfi_cie *cie = &section->cies[reader->copied_cies[i]];
      uint8_t *copy = batch + reader->states[reader->copied_cies[i]].copy;
      memcpy (copy, section->bytes + cie->offset, cie->entry_size);
      hide_letter (copy, cie);
    }
}

static void
copy_fdes (const struct reader *reader, uint8_t *batch)
{
  const struct cfi_section *section = reader->section;
  for (size_t i = 0; i < reader->n_copied_fdes; i++)
    {
      const struct slice_entry *entry
          = &reader->entries[reader->copied_fdes[i]];
      const struct cfi_fde *fde = &entry->fde;
      uint64_t copy = reader->cies_size + entry->copy;
      memcpy (batch + copy, section->bytes + fde->offset, entry->size);
      store_u32 (batch + copy + 4,
                 (uint32_t)(copy + 4 - reader->states[fde->cie].copy),
                 section->arch->big_endian);
    }
}

/* Fill the batch with what measure_slice noted.  */
static bool
fill_batch (struct reader *reader, const struct slice *slice,
            struct error *err)
{
  reader->batch.size = 0;
  uint8_t *batch
      = buffer_extend (&reader->batch, reader->cies_size + slice->fdes_size);
  /* libdwarf 0.11 refuses an FDE without instructions at the very end.  */
  buffer_u32 (&reader->batch, 0);
  if (batch == NULL || reader->batch.failed)
    return error_set_no_memory (err);
  batch = reader->batch.bytes;
  reader->batch_address
      = reader->section->address + slice->begin - reader->cies_size;
  copy_cies (reader, batch);
  copy_fdes (reader, batch);
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
cie_of_copy (const struct reader *reader, uint64_t offset)
{
  size_t low = 0, high = reader->n_copied_cies;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (reader->states[reader->copied_cies[middle]].copy < offset)
        low = middle + 1;
      else
        high = middle;
    }
  return low < reader->n_copied_cies ? reader->copied_cies[low]
                                     : reader->section->n_cies;
}

/* Decode the CIEs of BATCH that are new.  False when one of them must be read
   with the real address size, or cannot be read at all.  */
static bool
decode_cies (struct reader *reader, struct dwarf_batch *batch,
             unsigned address_size)
{
  struct cfi_section *section = reader->section;
  bool valid = true;
  size_t n = dwarf_batch_n_cies (batch);
  if (n > reader->n_copied_cies)
    return false;
  reader->n_batch_cies = n;
  for (size_t i = 0; i < n; i++)
    {
      struct dwarf_batch_cie from;
      if (!dwarf_batch_cie (batch, i, &from))
        return false;
      size_t index = cie_of_copy (reader, from.offset);
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

/* The entry whose copy is at OFFSET of the batch; usually number I of those
   copied.  NULL when there is none.  */
static struct slice_entry *
entry_of_copy (struct reader *reader, size_t i, uint64_t offset)
{
  size_t low = 0, high = reader->n_copied_fdes;
  for (size_t guess = i; low < high; guess = low + (high - low) / 2)
    {
      struct slice_entry *entry = &reader->entries[reader->copied_fdes[guess]];
      uint64_t copy = reader->cies_size + entry->copy;
      if (copy == offset)
        return entry;
      if (copy < offset)
        low = guess + 1;
      else
        high = guess;
    }
  return NULL;
}

/* Whether libdwarf, which read the copy of ENTRY as FROM, says what its head
   does.  */
static bool
head_is_right (const struct reader *reader, const struct slice_entry *entry,
               const struct dwarf_batch_fde *from)
{
  const struct cfi_fde *fde = &entry->fde;
  uint8_t encoding = reader->section->cies[fde->cie].pointer_encoding;
  bool relative = (encoding & PE_APPLICATION) == PE_PCREL;
  uint64_t moved = relative ? reader->section->address + fde->offset
                                  - (reader->batch_address + from->offset)
                            : 0;
  return from->cie < reader->n_batch_cies
         && reader->batch_cies[from->cie] == fde->cie
         && from->entry_size == entry->size
         && from->address + moved == fde->address && from->size == fde->size
         && (uint64_t)(from->instructions - reader->batch.bytes) - from->offset
                == fde->head_size
         && from->instructions_size == fde->instructions_size;
}

/* Judge the entries in the BATCH.  A CIE may have turned out unusable only
   now.  */
static void
check_copies (struct reader *reader, struct dwarf_batch *batch)
{
  for (size_t i = 0; i < reader->n_copied_fdes; i++)
    reader->entries[reader->copied_fdes[i]].reason = REASON_BAD_ENTRY;
  for (size_t i = 0; i < dwarf_batch_n_fdes (batch); i++)
    {
      struct dwarf_batch_fde from;
      struct slice_entry *entry;
      if (!dwarf_batch_fde (batch, i, &from)
          || (entry = entry_of_copy (reader, i, from.offset)) == NULL)
        continue;
      enum frame_reason reason
          = reader->section->cies[entry->fde.cie].unusable;
      if (reason == REASON_NONE && !entry->has_head)
        read_head (reader, entry);
      if (reason == REASON_NONE
          && (!entry->has_head || !head_is_right (reader, entry, &from)))
        reason = REASON_BAD_ENTRY;
      entry->reason = reason;
    }
}

/* Take the FDEs of SLICE over, and number the programs that are new.  */
static bool
take_fdes (struct reader *reader, const struct slice *slice, const char *why,
           struct error *err)
{
  struct cfi_section *section = reader->section;
  for (size_t i = 0; i < slice->n_entries; i++)
    {
      struct slice_entry *entry = &reader->entries[i];
      struct cfi_fde *fde = &entry->fde;
      if (entry->reason != REASON_NONE)
        {
          const char *text = why != NULL && entry->is_copied
                                 ? why
                                 : frame_reason_text (entry->reason);
          if (!report_damage (reader, fde->offset, entry->reason, text, err))
            return false;
          continue;
        }
      if (entry->is_copied
          && !program_table_find (reader->programs, fde, entry->hash,
                                  &fde->program))
        fde->program = program_table_add (reader->programs, fde, entry->hash);
      section->fdes[section->n_fdes++] = *fde;
    }
  return true;
}

/* What to tell libdwarf of the address size at first: 8 when a CIE of the
   batch is known to need it.  */
static unsigned
likely_address_size (const struct reader *reader)
{
  for (size_t i = 0; i < reader->n_copied_cies; i++)
    if (reader->states[reader->copied_cies[i]].needs_8_bytes)
      return 8;
  return 4;
}

/* Open the filled batch with ADDRESS_SIZE.  NULL when libdwarf refuses it,
   does not see all of its FDEs, or needs another address size.  */
static struct dwarf_batch *
open_batch (struct reader *reader, unsigned address_size, char *text,
            size_t text_size)
{
  const struct cfi_section *section = reader->section;
  struct dwarf_batch *batch = dwarf_batch_open (
      reader->batch.bytes, reader->batch.size, reader->batch_address,
      section->arch->big_endian, address_size, text, text_size);
  if (batch == NULL)
    return NULL;
  if (dwarf_batch_n_fdes (batch) == reader->n_copied_fdes
      && decode_cies (reader, batch, address_size))
    return batch;
  snprintf (text, text_size, "libdwarf does not see the entry");
  dwarf_batch_close (batch);
  return NULL;
}

/* Let libdwarf read what was copied from SLICE.  *REFUSED says that it would
   not, and TEXT why.  */
static bool
read_batch (struct reader *reader, const struct slice *slice, bool *refused,
            char *text, size_t text_size, struct error *err)
{
  *refused = false;
  if (reader->n_copied_fdes == 0)
    return true;
  if (!fill_batch (reader, slice, err))
    return false;
  unsigned address_size = likely_address_size (reader);
  struct dwarf_batch *batch
      = open_batch (reader, address_size, text, text_size);
  if (batch == NULL && address_size == 4)
    batch = open_batch (reader, 8, text, text_size);
  *refused = batch == NULL;
  if (batch != NULL)
    check_copies (reader, batch);
  dwarf_batch_close (batch);
  return true;
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
  size_t fdes_max = BATCH_FDES_MIN;
  struct slice slice = { .begin = begin };
  while (slice.begin < reader->end)
    {
      bool refused;
      measure_slice (reader, fdes_max, &slice);
      if (slice.end == slice.begin)
        {
          if (!skip_entry (reader, &slice.begin, err))
            return false;
          continue;
        }
      if (!read_batch (reader, &slice, &refused, text, sizeof text, err))
        return false;
      if (refused && reader->n_copied_fdes > 1)
        {
          /* Halve until the damaged entry is alone.  */
          fdes_max = reader->n_copied_fdes / 2;
          continue;
        }
      if (refused)
        reader->entries[reader->copied_fdes[0]].reason = REASON_BAD_ENTRY;
      if (!take_fdes (reader, &slice, refused ? text : NULL, err))
        return false;
      slice.begin = slice.end;
      /* Damage often comes in rows.  */
      if (!refused)
        fdes_max
            = fdes_max < BATCH_FDES_MAX / 2 ? 2 * fdes_max : BATCH_FDES_MAX;
    }
  return true;
}

static void
reader_free (struct reader *reader)
{
  buffer_free (&reader->batch);
  program_table_free (reader->programs);
  free (reader->states);
  free (reader);
}

bool
slice_reader_run (struct cfi_section *section, uint64_t begin, uint64_t end,
                  size_t n_expected, struct error *err)
{
  struct reader *reader = calloc (1, sizeof *reader);
  if (reader == NULL)
    return error_set_no_memory (err);
  reader->section = section;
  reader->end = end;
  buffer_init (&reader->batch, section->arch->big_endian);
  reader->states = calloc (section->n_cies + 1, sizeof *reader->states);
  reader->programs = program_table_new (section, n_expected);
  bool read = reader->states == NULL || reader->programs == NULL
                  ? error_set_no_memory (err)
                  : read_fdes (reader, begin, err);
  if (reader->programs != NULL)
    section->n_programs = program_table_size (reader->programs);
  reader_free (reader);
  return read;
}
