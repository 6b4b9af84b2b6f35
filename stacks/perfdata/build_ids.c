/* The table of build-ids that perf adds to a recording: records of a process,
   a build-id and a path.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stacks/perfdata/recording.h"

enum
{
  BUILD_ID_PROCESS = 4,
  BUILD_ID_FIELDS = BUILD_ID_PROCESS + 24
};

/* The path of RECORD, an entry of the table; NULL if it has none.  */
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

/* Set RECORD to the entry for PATH, which has HASH.  Returns its number, or
   UINT32_MAX.  */
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

/* List the entry RECORD, which is at OFFSET.  Of several for one path the
   first one counts.  */
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
  struct perf_part part = data->features[PERF_FEATURE_BUILD_ID];
  struct perf_record record;
  while (
      perf_record_read (data->bytes + part.offset, (size_t)part.size, &record))
    {
      uint64_t size = record.size + sizeof (struct perf_event_header);
      if (!add_build_id (data, &record, part.offset))
        return error_set_no_memory (err);
      part.offset += size;
      part.size -= size;
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
