/* Reading FDEs: plain ones directly, others through libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/fde_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "cfi/cie.h"
#include "cfi/libdwarf_list.h"
#include "cfi/plain_fde.h"

enum
{
  /* libdwarf keeps about 250 bytes per FDE and looks CIEs up one after the
     other: this bounds both.  */
  FDES_MAX = 512,
  SIZE_MAX_SHOWN = 128 * 1024
};

/* An FDE that waits to be read.  */
struct item
{
  struct cfi_fde fde; /* at first only its offset and CIE */
  uint64_t size;      /* of the entry */
  bool read;          /* it is plain, or libdwarf has read it */
};

/* Which entry has a copy at an offset of the bytes shown.  */
struct copy
{
  uint64_t offset;
  size_t index; /* of the CIE, or of the item */
};

struct copy_list
{
  struct copy copies[FDES_MAX]; /* ascending offset */
  size_t n;
};

/* The latest copy of a CIE.  */
struct cie_copy
{
  uint64_t offset;
  uint64_t showing; /* the number of the bytes that it is in */
  bool asked;       /* an item for libdwarf has this CIE */
};

struct fde_batch
{
  struct cfi_section *section;
  const struct cfi_input *input; /* the section's last one */
  uint8_t input_index;
  struct item items[FDES_MAX];
  size_t n_items;
  uint64_t size;               /* of the items' entries and CIEs, at most */
  struct buffer shown;         /* what libdwarf sees of them */
  uint64_t address;            /* of the bytes shown */
  uint64_t showing;            /* numbers the contents of `shown', from 1 */
  struct copy_list cies, fdes; /* in the bytes shown */
  size_t first_cie;            /* of the input */
  struct cie_copy *cie_copies; /* one per CIE of the input */
};

struct fde_batch *
fde_batch_new (struct cfi_section *section, size_t n_cies)
{
  struct fde_batch *batch = calloc (1, sizeof *batch);
  if (batch == NULL)
    return NULL;
  batch->section = section;
  batch->input_index = (uint8_t)(section->n_inputs - 1);
  batch->input = &section->inputs[batch->input_index];
  batch->first_cie = section->n_cies;
  buffer_init (&batch->shown, section->arch->big_endian);
  batch->cie_copies = calloc (n_cies + 1, sizeof *batch->cie_copies);
  if (batch->cie_copies != NULL)
    return batch;
  free (batch);
  return NULL;
}

void
fde_batch_free (struct fde_batch *batch)
{
  if (batch == NULL)
    return;
  buffer_free (&batch->shown);
  free (batch->cie_copies);
  free (batch);
}

/* Put the FDE in ENTRY into the batch, for libdwarf to read.  */
static void
ask_libdwarf (struct fde_batch *batch, const struct entry *entry, size_t cie)
{
  struct item *item = &batch->items[batch->n_items];
  *item = (struct item){ .fde = { .offset = entry->offset,
                                  .cie = (uint32_t)cie,
                                  .input = batch->input_index },
                         .size = entry->size };
  bool same_cie = batch->n_items > 0 && item[-1].fde.cie == cie;
  batch->size
      += entry->size + (same_cie ? 0 : batch->section->cies[cie].entry_size);
  batch->n_items++;
  batch->cie_copies[cie - batch->first_cie].asked = true;
}

/* Whether the batch must be read before the FDE in ENTRY comes.  */
static bool
comes_first (const struct fde_batch *batch, const struct entry *entry,
             size_t index)
{
  const struct cfi_cie *cie = &batch->section->cies[index];
  return batch->n_items == FDES_MAX
         || batch->size + entry->size + cie->entry_size > SIZE_MAX_SHOWN
         || (cie->plain && cie->instructions == NULL
             && batch->cie_copies[index - batch->first_cie].asked
             && !batch->section->no_plain);
}

bool
fde_batch_add (struct fde_batch *batch, const struct entry *entry, size_t cie,
               struct error *err)
{
  struct cfi_section *section = batch->section;
  struct cfi_fde plain;
  if (batch->n_items > 0 && comes_first (batch, entry, cie)
      && !fde_batch_read (batch, err))
    return false;
  if (!plain_fde_read (section, entry, cie, &plain))
    ask_libdwarf (batch, entry, cie);
  else if (batch->n_items == 0)
    section->fdes[section->n_fdes++] = plain;
  else
    batch->items[batch->n_items++]
        = (struct item){ .fde = plain, .size = entry->size, .read = true };
  return true;
}

/* Showing items to libdwarf.  */

/* The offset of the copy of the CIE with INDEX, which is made if need be.  */
static uint64_t
show_cie (struct fde_batch *batch, size_t index)
{
  const struct cfi_cie *cie = &batch->section->cies[index];
  struct cie_copy *copy = &batch->cie_copies[index - batch->first_cie];
  if (copy->showing == batch->showing)
    return copy->offset;
  copy->offset = batch->shown.size;
  copy->showing = batch->showing;
  batch->cies.copies[batch->cies.n++] = (struct copy){ copy->offset, index };
  uint8_t *to = buffer_extend (&batch->shown, cie->entry_size);
  if (to != NULL)
    cie_copy (cie, batch->section, to);
  return copy->offset;
}

/* Let ENTRY, the copy of an FDE at offset AT, lead to the CIE at offset
   CIE.  */
static void
set_cie (const struct fde_batch *batch, uint8_t *entry, uint64_t at,
         uint64_t cie)
{
  bool big_endian = batch->section->arch->big_endian;
  if (batch->input->kind == CFI_EH_FRAME)
    store_u32 (entry + 4, (uint32_t)(at + 4 - cie), big_endian);
  else if (entry_head (entry, big_endian) == ENTRY_HEAD)
    store_u32 (entry + 4, (uint32_t)cie, big_endian);
  else
    store_u64 (entry + 12, cie, big_endian);
}

static void
show_fde (struct fde_batch *batch, size_t index)
{
  const struct item *item = &batch->items[index];
  uint64_t cie = show_cie (batch, item->fde.cie), at = batch->shown.size;
  batch->fdes.copies[batch->fdes.n++] = (struct copy){ at, index };
  uint8_t *to = buffer_extend (&batch->shown, item->size);
  if (to == NULL)
    return;
  memcpy (to, batch->input->bytes + item->fde.offset, item->size);
  set_cie (batch, to, at, cie);
}

/* Show the items from BEGIN to END.  Their copies are near their own place,
   so that no PC-relative address wraps around.  */
static bool
show_items (struct fde_batch *batch, size_t begin, size_t end,
            struct error *err)
{
  const struct cfi_section *section = batch->section;
  const struct cfi_fde *first = &batch->items[begin].fde;
  batch->shown.size = 0;
  batch->showing++;
  batch->cies.n = batch->fdes.n = 0;
  batch->address = batch->input->address + first->offset
                   - section->cies[first->cie].entry_size;
  for (size_t i = begin; i < end; i++)
    if (!batch->items[i].read)
      show_fde (batch, i);
  /* libdwarf 0.11 refuses an FDE without instructions at the very end.  */
  buffer_u32 (&batch->shown, 0);
  return !batch->shown.failed || error_set_no_memory (err);
}

/* What libdwarf is told of the size of an address: 8 bytes, or 4, because with
   8 it makes a costly message for every entry whose size is not a multiple of
   8.  */
static unsigned
address_size (const struct fde_batch *batch)
{
  for (size_t i = 0; i < batch->cies.n; i++)
    if (batch->section->cies[batch->cies.copies[i].index].absolute_pointers)
      return 8;
  return 4;
}

/* Taking what libdwarf says.  */

/* The copy at OFFSET, or NULL.  GUESS is tried first.  */
static const struct copy *
find_copy (const struct copy_list *list, size_t guess, uint64_t offset)
{
  size_t low = 0, high = list->n;
  for (size_t i = guess; low < high; i = low + (high - low) / 2)
    {
      const struct copy *copy = &list->copies[i];
      if (copy->offset == offset)
        return copy;
      if (copy->offset < offset)
        low = i + 1;
      else
        high = i;
    }
  return NULL;
}

static bool
take_cies (struct fde_batch *batch, struct libdwarf_list *list)
{
  for (size_t i = 0; i < libdwarf_list_n_cies (list); i++)
    {
      struct libdwarf_list_cie from;
      const struct copy *copy = NULL;
      if (i < batch->cies.n && libdwarf_list_cie (list, i, &from))
        copy = find_copy (&batch->cies, i, from.offset);
      if (copy == NULL)
        return false;
      struct cfi_cie *cie = &batch->section->cies[copy->index];
      if (cie->instructions == NULL)
        cie_decode (cie, batch->section, &from,
                    batch->shown.bytes + copy->offset);
    }
  return true;
}

/* Take over what libdwarf says in FROM of ITEM's copy.  */
static void
take_fde (const struct fde_batch *batch, struct item *item,
          const struct libdwarf_list_fde *from)
{
  const struct cfi_section *section = batch->section;
  struct cfi_fde *fde = &item->fde;
  bool relative = (section->cies[fde->cie].pointer_encoding & PE_APPLICATION)
                  == PE_PCREL;
  uint64_t moved
      = batch->input->address + fde->offset - (batch->address + from->offset);
  uint64_t head
      = (uint64_t)(from->instructions - batch->shown.bytes) - from->offset;
  if (from->entry_size != item->size || head > item->size
      || from->instructions_size > item->size - head)
    return;
  fde->address = from->address + (relative ? moved : 0);
  fde->size = from->size;
  fde->head_size = (uint32_t)head;
  fde->instructions_size = (uint32_t)from->instructions_size;
  item->read = true;
}

/* libdwarf orders FDEs by their addresses.  */
static void
take_fdes (struct fde_batch *batch, struct libdwarf_list *list)
{
  for (size_t i = 0; i < libdwarf_list_n_fdes (list); i++)
    {
      struct libdwarf_list_fde from;
      const struct copy *copy = NULL;
      if (libdwarf_list_fde (list, i, &from))
        copy = find_copy (&batch->fdes, i, from.offset);
      if (copy != NULL)
        take_fde (batch, &batch->items[copy->index], &from);
    }
}

/* Let libdwarf read the bytes shown.  False when libdwarf refuses the bytes,
   or sees other entries in them; TEXT says why.  */
static bool
read_shown (struct fde_batch *batch, char *text, size_t text_size)
{
  const struct cfi_input shown = { .kind = batch->input->kind,
                                   .bytes = batch->shown.bytes,
                                   .size = batch->shown.size,
                                   .address = batch->address };
  struct libdwarf_list *list
      = libdwarf_list_open (&shown, batch->section->arch->big_endian,
                            address_size (batch), text, text_size);
  if (list == NULL)
    return false;
  bool seen = libdwarf_list_n_fdes (list) == batch->fdes.n
              && take_cies (batch, list);
  if (seen)
    take_fdes (batch, list);
  else
    snprintf (text, text_size, "libdwarf does not see the entry");
  libdwarf_list_close (list);
  return seen;
}

/* Pass the items from BEGIN to END on.  TEXT says why libdwarf refused them,
   or is NULL.  */
static bool
pass_on (struct fde_batch *batch, size_t begin, size_t end, const char *text,
         struct error *err)
{
  struct cfi_section *section = batch->section;
  for (size_t i = begin; i < end; i++)
    {
      const struct item *item = &batch->items[i];
      enum frame_reason reason = section->cies[item->fde.cie].unusable;
      if (reason == REASON_NONE && !item->read)
        reason = REASON_BAD_ENTRY;
      if (reason == REASON_NONE)
        section->fdes[section->n_fdes++] = item->fde;
      else if (!cfi_section_leave_out (
                   section, item->fde.offset, reason,
                   text != NULL ? text : frame_reason_text (reason), err))
        return false;
    }
  return true;
}

bool
fde_batch_read (struct fde_batch *batch, struct error *err)
{
  char text[sizeof ((struct cfi_damage *)0)->text];
  size_t at_once = batch->n_items;
  for (size_t begin = 0, end; begin < batch->n_items; begin = end)
    {
      size_t left = batch->n_items - begin;
      end = begin + (at_once < left ? at_once : left);
      if (!show_items (batch, begin, end, err))
        return false;
      bool read = batch->fdes.n == 0 || read_shown (batch, text, sizeof text);
      if (!read && end - begin > 1)
        {
          at_once = (end - begin) / 2;
          end = begin;
          continue;
        }
      if (!pass_on (batch, begin, end, read ? NULL : text, err))
        return false;
      /* Damaged entries often follow each other, so batches grow slowly.  */
      if (read)
        at_once *= 2;
    }
  batch->n_items = 0;
  batch->size = 0;
  return true;
}
