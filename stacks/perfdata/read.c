/* Reading recordings of perf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Opening a recording reads its header, events and features, and lists the
   offsets of all records in the order of time: the file has the records of the
   processors in turn, so they have to be sorted.  The list takes no more
   memory than the records, and twice that while it is sorted.  */

#include <config.h>

#include "stacks/perfdata/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"

static const char magic[] = "PERFILE2";
static const char foreign_magic[] = "2ELIFREP";

static bool
malformed (struct error *err, uint64_t offset, const char *what)
{
  return error_set_at (err, CFI2SFRAME_MALFORMED, offset, "%s", what);
}

static bool
unsupported (struct error *err, const char *what)
{
  return error_set (err, CFI2SFRAME_UNSUPPORTED, "%s", what);
}

static bool
is_inside (const struct perf_data *data, struct perf_section section)
{
  return section.offset <= data->size
         && section.size <= data->size - section.offset;
}

/* ---- Header, events and features */

static bool
read_header (struct perf_data *data, struct error *err)
{
  struct perf_header *header = &data->header;
  if (data->size < PERF_MAGIC_SIZE
      || (memcmp (data->bytes, magic, PERF_MAGIC_SIZE) != 0
          && memcmp (data->bytes, foreign_magic, PERF_MAGIC_SIZE) != 0))
    return error_set (err, CFI2SFRAME_UNSUPPORTED, "no recording of perf");
  if (memcmp (data->bytes, magic, PERF_MAGIC_SIZE) != 0)
    return unsupported (err, "it was recorded with the other byte order");
  if (data->size < sizeof *header)
    return unsupported (err, "perf wrote it to a pipe, or it is cut off");
  memcpy (header, data->bytes, sizeof *header);
  if (header->size != sizeof *header)
    return unsupported (err, "perf wrote it to a pipe");
  if (header->data.size == 0)
    return unsupported (err, "perf record did not finish it");
  if (!is_inside (data, header->attrs) || !is_inside (data, header->data))
    return malformed (err, 0, "its header says more than there is");
  if (perf_has (data, PERF_FEATURE_FOLDER))
    return unsupported (err,
                        "it is a folder of files (perf record --threads)");
  if (perf_has (data, PERF_FEATURE_AUXTRACE))
    return unsupported (err, "it has traces of the processor (AUX)");
  return true;
}

static bool
read_event (struct perf_data *data, struct perf_section entry,
            struct perf_event *event, struct error *err)
{
  const uint8_t *at = data->bytes + entry.offset;
  size_t size = (size_t)entry.size - sizeof event->ids;
  memcpy (&event->attr, at,
          size < sizeof event->attr ? size : sizeof event->attr);
  memcpy (&event->ids, at + size, sizeof event->ids);
  if (!is_inside (data, event->ids)
      || event->ids.size % sizeof (uint64_t) != 0)
    return malformed (err, entry.offset, "an event's identifiers are outside");
  data->n_ids += (size_t)event->ids.size / sizeof (uint64_t);
  /* Entries share identifiers in damaged files alone.  */
  return data->n_ids <= data->size / sizeof (uint64_t)
         || malformed (err, entry.offset, "it has too many identifiers");
}

static bool
read_events (struct perf_data *data, struct error *err)
{
  const struct perf_header *header = &data->header;
  uint64_t each = header->attr_size;
  if (each < PERF_ATTR_SIZE_VER0 + sizeof (struct perf_section)
      || each > header->attrs.size || header->attrs.size % each != 0)
    return malformed (err, 0, "its events have no possible size");
  data->entry_size = (size_t)each;
  data->n_events = (size_t)(header->attrs.size / each);
  data->events = calloc (data->n_events, sizeof *data->events);
  if (data->events == NULL)
    return error_set_no_memory (err);
  for (size_t i = 0; i < data->n_events; i++)
    {
      struct perf_section entry = { header->attrs.offset + i * each, each };
      if (!read_event (data, entry, &data->events[i], err))
        return false;
    }
  return true;
}

static bool
read_ids (struct perf_data *data, struct error *err)
{
  size_t n = 0;
  data->ids = calloc (data->n_ids + 1, sizeof *data->ids);
  if (data->ids == NULL)
    return error_set_no_memory (err);
  for (size_t i = 0; i < data->n_events; i++)
    {
      struct cursor at = perf_section_cursor (data, data->events[i].ids);
      while (cursor_left (&at) > 0)
        data->ids[n++] = (struct perf_id){ cursor_u64 (&at), (uint32_t)i };
    }
  return RADIX_SORT (data->ids, n) || error_set_no_memory (err);
}

/* Copy a string of perf: its size, and as many bytes.  */
static void
read_string (const struct perf_data *data, unsigned feature, char *to,
             size_t room)
{
  struct cursor at = perf_section_cursor (data, data->features[feature]);
  uint32_t size = cursor_u32 (&at);
  const uint8_t *text = cursor_take (&at, size);
  size_t length = text != NULL ? strnlen ((const char *)text, size) : 0;
  if (length > 0 && length < room)
    memcpy (to, text, length);
}

/* Read the table behind the records: where the features are, by number.  */
static bool
read_features (struct perf_data *data, struct error *err)
{
  uint64_t all = 0;
  const struct perf_section *records = &data->header.data;
  uint64_t offset = records->offset + records->size;
  struct cursor at = perf_section_cursor (
      data, (struct perf_section){ offset, data->size - offset });
  for (unsigned i = 0; i < PERF_FEATURES; i++)
    if (perf_has (data, i))
      {
        struct perf_section *section = &data->features[i];
        section->offset = cursor_u64 (&at);
        section->size = cursor_u64 (&at);
        /* Features do not overlap.  */
        if (at.failed || !is_inside (data, *section)
            || (all += section->size) > data->size)
          return malformed (err, offset,
                            "what follows the records is cut off");
      }
  /* The records are decompressed when they are read, so a file that is written
     from them is not compressed.  */
  data->header.features[PERF_FEATURE_COMPRESSED / 64]
      &= ~(UINT64_C (1) << PERF_FEATURE_COMPRESSED % 64);
  read_string (data, PERF_FEATURE_MACHINE, data->machine,
               sizeof data->machine);
  read_string (data, PERF_FEATURE_RELEASE, data->release,
               sizeof data->release);
  return true;
}

/* ---- The table of build-ids: records of a process, a build-id and a path */

enum
{
  BUILD_ID_PROCESS = 4,
  BUILD_ID_FIELDS = BUILD_ID_PROCESS + 24
};

static const char *
build_id_path (const struct perf_record *record)
{
  const char *path = (const char *)record->bytes + BUILD_ID_FIELDS;
  return record->size > BUILD_ID_FIELDS
                 && memchr (path, '\0', record->size - BUILD_ID_FIELDS) != NULL
             ? path
             : NULL;
}

static uint32_t
key_of_path (struct perf_data *data, const char *path)
{
  return key_of_bytes (&data->build_id_numbers, 0, path, strlen (path));
}

static uint32_t
find_build_id (const struct perf_data *data, uint32_t hash, const char *path,
               struct perf_record *record)
{
  return KEY_FIND (&data->build_id_numbers, hash, i,
                   perf_record_read (data->bytes + data->build_ids[i],
                                     (size_t)(data->size - data->build_ids[i]),
                                     record)
                       && strcmp (build_id_path (record), path) == 0);
}

/* Add the entry RECORD at OFFSET, unless there is one with the same path.  */
static bool
add_build_id (struct perf_data *data, const struct perf_record *record,
              uint64_t offset)
{
  struct perf_record other;
  const char *path = build_id_path (record);
  if (path == NULL)
    return true;
  uint32_t hash = key_of_path (data, path);
  if (find_build_id (data, hash, path, &other) != UINT32_MAX)
    return true;
  if (!ARRAY_ROOM (data->build_ids, data->n_build_ids + 1,
                   &data->build_ids_capacity)
      || !key_table_add (&data->build_id_numbers, hash, data->n_build_ids))
    return false;
  data->build_ids[data->n_build_ids++] = offset;
  return true;
}

bool
perf_build_ids_list (struct perf_data *data, struct error *err)
{
  struct perf_section rest = data->features[PERF_FEATURE_BUILD_ID];
  struct perf_record record;
  while (
      perf_record_read (data->bytes + rest.offset, (size_t)rest.size, &record))
    {
      uint64_t size = record.size + sizeof (struct perf_event_header);
      if (!add_build_id (data, &record, rest.offset))
        return error_set_no_memory (err);
      rest.offset += size;
      rest.size -= size;
    }
  return true;
}

size_t
perf_data_build_id (struct perf_data *data, const char *path,
                    uint8_t build_id[PERF_BUILD_ID_MAX])
{
  enum
  {
    HAS_SIZE = 1 << 15 /* PERF_RECORD_MISC_BUILD_ID_SIZE */
  };
  struct perf_record record = { 0 };
  uint32_t number
      = find_build_id (data, key_of_path (data, path), path, &record);
  if (number == UINT32_MAX || record.bytes == NULL)
    return 0;
  const uint8_t *id = record.bytes + BUILD_ID_PROCESS;
  size_t size = PERF_BUILD_ID_MAX;
  if (record.misc & HAS_SIZE && id[size] <= size)
    size = id[size];
  memcpy (build_id, id, size);
  return size;
}

/* ---- What all events have in common */

/* Return the number of fields before the identifier of a sample.  */
static unsigned
fields_before_id (uint64_t type)
{
  const uint64_t before
      = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
  return type & PERF_SAMPLE_IDENTIFIER
             ? 0
             : (unsigned)__builtin_popcountll (type & before);
}

/* Return the number of fields after the time in struct sample_id.  */
static unsigned
fields_after_time (uint64_t type)
{
  const uint64_t after = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID
                         | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
  return (unsigned)__builtin_popcountll (type & after);
}

/* Whether samples of the types A and B have time and identifier at the same
   places, or have the same form.  */
static bool
can_be_told_apart (uint64_t a, uint64_t b)
{
  const uint64_t ids = PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER;
  const uint64_t same = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP
                        | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  return a == b
         || ((a & ids) != 0 && ((a ^ b) & same) == 0
             && fields_before_id (a) == fields_before_id (b)
             && fields_after_time (a) == fields_after_time (b));
}

/* Whether samples have an identifier of their event.  Without identifiers,
   events with samples of one form cannot and need not be told apart.  */
static bool
tells_events (const struct perf_data *data)
{
  return data->n_events > 1
         && (data->events[0].attr.sample_type
             & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER));
}

static bool
collect_facts (struct perf_data *data, struct error *err)
{
  struct perf_data_facts *facts = &data->facts;
  facts->machine = data->machine;
  facts->release = data->release;
  facts->by_time = true;
  facts->sample_id_type
      = data->n_events > 0 && data->events[0].attr.sample_id_all
            ? data->events[0].attr.sample_type
            : 0;
  facts->events = tells_events (data) ? data->n_events : 1;
  for (size_t i = 0; i < data->n_events; i++)
    {
      const struct perf_event_attr *attr = &data->events[i].attr;
      const uint64_t both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
      if (!can_be_told_apart (data->events[0].attr.sample_type,
                              attr->sample_type))
        return unsupported (err, "its events cannot be told apart");
      facts->by_time &= (attr->sample_type & PERF_SAMPLE_TIME) != 0
                        && attr->sample_id_all;
      if ((attr->sample_type & both) != both)
        continue;
      if (attr->type == PERF_TYPE_SOFTWARE
          && attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES
          && i < facts->events)
        facts->switches = (uint32_t)i + 1;
      if (facts->register_mask != 0
          && facts->register_mask != attr->sample_regs_user)
        return unsupported (err, "its events have different registers");
      facts->register_mask = attr->sample_regs_user;
      if (attr->freq)
        facts->frequency = attr->sample_freq;
    }
  return true;
}

/* ---- Records */

/* Return the time of RECORD; 0 for records that come before all others.  */
static uint64_t
time_of (const struct perf_data *data, const struct perf_record *record)
{
  uint64_t type = data->events[0].attr.sample_type;
  struct perf_sample_id sample_id;
  if (!data->facts.by_time || record->type >= PERF_USER_TYPES)
    return 0;
  if (record->type != PERF_RECORD_SAMPLE)
    return perf_sample_id_read (type, record, &sample_id) ? sample_id.time : 0;
  struct cursor at = perf_cursor (record->bytes, record->size);
  cursor_take (&at, 8
                        * (!!(type & PERF_SAMPLE_IDENTIFIER)
                           + !!(type & PERF_SAMPLE_IP)
                           + !!(type & PERF_SAMPLE_TID)));
  return cursor_u64 (&at);
}

static bool
is_compressed (const struct perf_record *record)
{
  return record->type == PERF_COMPRESSED || record->type == PERF_COMPRESSED2;
}

static bool
add_record (struct perf_data *data, const struct perf_record *record,
            uint64_t offset, struct error *err)
{
  if (record->type == PERF_AUXTRACE)
    return unsupported (err, "it has traces of the processor (AUX)");
  /* Records that mark perf's progress.  */
  if (record->type == PERF_FINISHED_ROUND
      || (record->type >= PERF_USER_TYPES && record->size == 0))
    return true;
  /* This keeps the list from being larger than the records.  */
  if (record->size < 8)
    return malformed (err, offset, "a record is too small");
  if (!ARRAY_ROOM (data->entries, data->n_entries + 1,
                   &data->entries_capacity))
    return error_set_no_memory (err);
  data->entries[data->n_entries++]
      = (struct perf_entry){ time_of (data, record), offset };
  return true;
}

static bool
record_at (const struct perf_data *data, uint64_t offset,
           struct perf_record *record)
{
  bool in_file = offset < data->size;
  const uint8_t *bytes = in_file ? data->bytes : data->plain.bytes;
  size_t size = in_file ? data->size : data->plain.size;
  size_t at = (size_t)(in_file ? offset : offset - data->size);
  return at < size && perf_record_read (bytes + at, size - at, record);
}

/* Decompress RECORD and list the records that are complete.  */
static bool
add_compressed (struct perf_data *data, const struct perf_record *record,
                struct error *err)
{
  struct perf_record plain;
  uint64_t offset;
  if (!perf_decompress (data, record, err))
    return false;
  while (record_at (data, offset = data->size + data->n_plain, &plain))
    {
      if (is_compressed (&plain))
        return malformed (err, offset, "a record is compressed twice");
      if (!add_record (data, &plain, offset, err))
        return false;
      data->n_plain += plain.size + sizeof (struct perf_event_header);
    }
  return true;
}

static bool
list_records (struct perf_data *data, struct error *err)
{
  struct perf_section rest = data->header.data;
  struct perf_record record;
  while (rest.size > 0)
    {
      if (!perf_record_read (data->bytes + rest.offset, (size_t)rest.size,
                             &record))
        return malformed (err, rest.offset, "a record has no possible size");
      if (is_compressed (&record)
              ? !add_compressed (data, &record, err)
              : !add_record (data, &record, rest.offset, err))
        return false;
      uint64_t size = record.size + sizeof (struct perf_event_header);
      rest.offset += size;
      rest.size -= size;
    }
  if (data->n_plain != data->plain.size)
    return malformed (err, rest.offset, "its compressed records are cut off");
  return RADIX_SORT (data->entries, data->n_entries)
         || error_set_no_memory (err);
}

struct perf_data *
perf_data_open (const uint8_t *bytes, size_t size, struct error *err)
{
  struct perf_data *data = calloc (1, sizeof *data);
  if (data == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  data->bytes = bytes;
  data->size = size;
  if (read_header (data, err) && read_events (data, err)
      && read_ids (data, err) && read_features (data, err)
      && perf_build_ids_list (data, err) && collect_facts (data, err)
      && list_records (data, err))
    return data;
  perf_data_close (data);
  return NULL;
}

void
perf_data_close (struct perf_data *data)
{
  free (data->events);
  free (data->ids);
  free (data->entries);
  free (data->build_ids);
  key_table_free (&data->build_id_numbers);
  buffer_free (&data->plain);
  perf_decompress_end (data);
  free (data);
}

bool
perf_data_next (struct perf_data *data, struct perf_record *record)
{
  if (data->next == data->n_entries)
    return false;
  uint64_t offset = data->entries[data->next++].offset;
  return record_at (data, offset, record);
}

bool
perf_data_sample (const struct perf_data *data,
                  const struct perf_record *record, struct perf_sample *sample)
{
  uint32_t event = 0;
  if (tells_events (data))
    {
      uint64_t type = data->events[0].attr.sample_type;
      struct cursor at = perf_cursor (record->bytes, record->size);
      cursor_take (&at, 8 * fields_before_id (type));
      uint64_t id = cursor_u64 (&at);
      size_t i = SEARCH_FIRST (data->n_ids, j, data->ids[j].id >= id);
      if (i == data->n_ids || data->ids[i].id != id)
        return false;
      event = data->ids[i].event;
    }
  if (!perf_sample_read (&data->events[event].attr, record, sample))
    return false;
  sample->event = event + 1;
  return true;
}

const struct perf_data_facts *
perf_data_facts (const struct perf_data *data)
{
  return &data->facts;
}
