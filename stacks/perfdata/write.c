/* Writing recordings with call chains in place of copies of stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   perf reads such a file as one of perf record --call-graph fp: the events
   declare that samples have a call chain of the program and the kernel.  All
   else is copied.  Records are in the order of time, so that records of
   finished rounds are not needed.  */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "stacks/perfdata/recording.h"

enum
{
  RECORD_MAX = 65528, /* a field of 16 bits, a multiple of 8 */
  DEFERRED_CHAIN = 22 /* PERF_RECORD_CALLCHAIN_DEFERRED */
};

/* Make the event in the SIZE bytes at AT one of samples with call chains.  */
static void
change_event (uint8_t *at, size_t size)
{
  struct perf_event_attr attr = { 0 };
  if (size > sizeof attr)
    size = sizeof attr;
  memcpy (&attr, at, size);
  if (attr.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER))
    {
      attr.sample_type
          &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
      attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
      attr.exclude_callchain_user = 0;
    }
  attr.sample_regs_user = 0;
  attr.sample_stack_user = 0;
  memcpy (at, &attr, size);
}

static void
put_word (struct perf_writer *writer, uint64_t word)
{
  fwrite (&word, sizeof word, 1, writer->out);
}

bool
perf_writer_begin (struct perf_writer *writer, const struct perf_data *data,
                   FILE *out)
{
  struct perf_header header = data->header;
  uint64_t offset = sizeof header;
  uint8_t *entries = malloc ((size_t)header.attrs.size);
  if (entries == NULL)
    return false;
  memcpy (entries, data->bytes + header.attrs.offset,
          (size_t)header.attrs.size);
  *writer = (struct perf_writer){ .data = data, .out = out };
  /* The header is written again at the end, when all sizes are known.  The
     identifiers of the events are put before the events, because in the old
     file they may be anywhere.  */
  fwrite (&header, sizeof header, 1, out);
  for (size_t i = 0; i < data->n_events; i++)
    {
      struct perf_section ids = data->events[i].ids;
      uint8_t *entry = entries + i * data->entry_size;
      size_t attr_size = data->entry_size - sizeof ids;
      fwrite (data->bytes + ids.offset, 1, (size_t)ids.size, out);
      ids.offset = offset;
      offset += ids.size;
      change_event (entry, attr_size);
      memcpy (entry + attr_size, &ids, sizeof ids);
    }
  fwrite (entries, 1, (size_t)header.attrs.size, out);
  free (entries);
  writer->data_start = offset + header.attrs.size;
  return true;
}

/* Write the header of RECORD for SIZE bytes of contents.  */
static void
put_header (struct perf_writer *writer, const struct perf_record *record,
            size_t size)
{
  struct perf_event_header header
      = { record->type, record->misc, (uint16_t)(size + sizeof header) };
  fwrite (&header, sizeof header, 1, writer->out);
  writer->data_size += size + sizeof header;
}

void
perf_writer_copy (struct perf_writer *writer, const struct perf_record *record)
{
  /* No chain that is written is completed by a later record.  */
  if (record->type == DEFERRED_CHAIN)
    return;
  put_header (writer, record, record->size);
  fwrite (record->bytes, 1, record->size, writer->out);
}

void
perf_writer_sample (struct perf_writer *writer,
                    const struct perf_record *record,
                    const struct perf_sample *sample,
                    const uint64_t *addresses, size_t n)
{
  /* The event of SAMPLE asked for neither registers nor stacks.  */
  if (sample->user_start == sample->user_end)
    {
      perf_writer_copy (writer, record);
      return;
    }
  size_t kernel = sample->n_chain;
  size_t rest = record->size - sample->user_end;
  size_t middle = sample->user_start - sample->chain_end;
  /* The size without the program's part, and with the number of words.  The
     mark before the program's part takes 8 bytes more.  */
  size_t size = sample->chain_start + 8 * (1 + kernel) + middle + rest;
  size_t most = RECORD_MAX - sizeof (struct perf_event_header);
  size_t room = size + 8 < most ? (most - size - 8) / 8 : 0;
  if (n > room)
    n = room;
  size_t words = n > 0 ? kernel + 1 + n : kernel;
  put_header (writer, record, size + 8 * (words - kernel));
  fwrite (record->bytes, 1, sample->chain_start, writer->out);
  put_word (writer, words);
  if (kernel > 0)
    fwrite (sample->chain, 8, kernel, writer->out);
  if (n > 0)
    {
      put_word (writer, (uint64_t)PERF_CONTEXT_USER);
      fwrite (addresses, 8, n, writer->out);
    }
  fwrite (record->bytes + sample->chain_end, 1, middle, writer->out);
  fwrite (record->bytes + sample->user_end, 1, rest, writer->out);
}

/* Write the feature that describes the events again: the number of events and
   their size and, for each, the event, how many identifiers, a name, and
   these.  */
static bool
put_description (struct perf_writer *writer, const uint8_t *bytes, size_t size)
{
  uint8_t *copy = malloc (size + 1);
  if (copy == NULL)
    return false;
  memcpy (copy, bytes, size);
  struct cursor at = perf_cursor (copy, size);
  uint32_t n = cursor_u32 (&at);
  uint32_t attr_size = cursor_u32 (&at);
  for (uint32_t i = 0; i < n && !at.failed; i++)
    {
      size_t offset = (size_t)(at.at - copy);
      if (cursor_take (&at, attr_size) != NULL)
        change_event (copy + offset, attr_size);
      uint64_t n_ids = cursor_u32 (&at);
      cursor_take (&at, cursor_u32 (&at));
      cursor_take (&at, n_ids * 8);
    }
  fwrite (copy, 1, size, writer->out);
  free (copy);
  return true;
}

static bool
put_features (struct perf_writer *writer, const struct perf_header *header)
{
  const struct perf_data *data = writer->data;
  uint64_t n = 0;
  for (unsigned i = 0; i < PERF_FEATURES / 64; i++)
    n += (uint64_t)__builtin_popcountll (header->features[i]);
  uint64_t offset = header->data.offset + header->data.size
                    + n * sizeof (struct perf_section);
  for (unsigned i = 0; i < PERF_FEATURES; i++)
    if (perf_has (data, i))
      {
        put_word (writer, offset);
        put_word (writer, data->features[i].size);
        offset += data->features[i].size;
      }
  for (unsigned i = 0; i < PERF_FEATURES; i++)
    if (perf_has (data, i))
      {
        struct perf_section section = data->features[i];
        const uint8_t *bytes = data->bytes + section.offset;
        if (i != PERF_FEATURE_EVENTS)
          fwrite (bytes, 1, (size_t)section.size, writer->out);
        else if (!put_description (writer, bytes, (size_t)section.size))
          return false;
      }
  return true;
}

bool
perf_writer_end (struct perf_writer *writer)
{
  struct perf_header header = writer->data->header;
  header.data = (struct perf_section){ writer->data_start, writer->data_size };
  header.attrs.offset = writer->data_start - header.attrs.size;
  header.event_types = (struct perf_section){ 0, 0 };
  if (!put_features (writer, &header))
    return false;
  if (fseek (writer->out, 0, SEEK_SET) == 0)
    fwrite (&header, sizeof header, 1, writer->out);
  return true;
}
