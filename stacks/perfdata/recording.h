/* The representation of a recording, for the files of this folder.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PERFDATA_RECORDING_H
#define STACKS_PERFDATA_RECORDING_H

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/table.h"
#include "stacks/perfdata/perfdata.h"

/* A range of bytes of the file: perf_file_section.  */
struct perf_section
{
  uint64_t offset, size;
};

enum
{
  PERF_MAGIC_SIZE = 8,
  PERF_FEATURES = 256 /* bits of the header */
};

/* The start of the file: perf_file_header.  */
struct perf_header
{
  uint8_t magic[PERF_MAGIC_SIZE];
  uint64_t size;      /* of the header */
  uint64_t attr_size; /* of each entry in `attrs' */
  struct perf_section attrs, data, event_types;
  uint64_t features[PERF_FEATURES / 64];
};

/* The features that are used here (tools/perf/util/header.h, HEADER_*).  */
enum
{
  PERF_FEATURE_BUILD_ID = 2,
  PERF_FEATURE_RELEASE = 4,
  PERF_FEATURE_MACHINE = 6,
  PERF_FEATURE_EVENTS = 12,
  PERF_FEATURE_AUXTRACE = 18,
  PERF_FEATURE_FOLDER = 24,
  PERF_FEATURE_COMPRESSED = 27
};

/* Types of records of perf itself.  */
enum
{
  PERF_USER_TYPES = 64,
  PERF_FINISHED_ROUND = 68,
  PERF_AUXTRACE = 71,
  PERF_COMPRESSED = 81,
  PERF_COMPRESSED2 = 83
};

struct perf_event
{
  struct perf_event_attr attr;
  struct perf_section ids; /* words */
};

/* The identifier of an event.  */
struct perf_id
{
  uint64_t id;
  uint32_t event;
};

/* The time and the offset of a record.  */
struct perf_entry
{
  uint64_t time, offset;
};

struct perf_data
{
  const uint8_t *bytes; /* the file */
  size_t size;
  /* Decompressed records (decompress.c).  Their offsets continue those of the
     file: the first one is at SIZE.  */
  struct buffer plain; /* owned */
  size_t n_plain;      /* bytes of `plain' whose records are listed */
  void *decompressor;  /* owned; opaque */
  struct perf_header header;
  size_t entry_size;         /* header.attr_size, checked */
  struct perf_event *events; /* owned */
  size_t n_events;
  struct perf_id *ids; /* owned; ascending */
  size_t n_ids;
  struct perf_entry *entries; /* owned; records as perf_data_next has them */
  size_t n_entries, entries_capacity, next;
  struct perf_section features[PERF_FEATURES]; /* size 0: the file lacks it */
  /* Owned: offsets of the build-id table's entries, one for each path.  */
  uint64_t *build_ids;
  size_t n_build_ids, build_ids_capacity;
  struct key_table build_id_numbers; /* by path */
  struct perf_data_facts facts;
  char machine[65], release[65];
};

/* Whether the header of DATA says that the file has FEATURE.  */
static inline bool
perf_has (const struct perf_data *data, unsigned feature)
{
  return data->header.features[feature / 64] >> feature % 64 & 1;
}

/* Return a cursor over SIZE BYTES with this machine's byte order.  */
static inline struct cursor
perf_cursor (const uint8_t *bytes, size_t size)
{
  return cursor_over (bytes, size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline struct cursor
perf_section_cursor (const struct perf_data *data, struct perf_section section)
{
  return perf_cursor (data->bytes + section.offset, (size_t)section.size);
}

/* List the entries of the table of build-ids.  False when memory ran out.  */
bool perf_build_ids_list (struct perf_data *data, struct error *err);

/* Decompress RECORD, of type PERF_COMPRESSED or PERF_COMPRESSED2, and append
   the result to data->plain.  The last record there may be continued by the
   next compressed RECORD.  */
bool perf_decompress (struct perf_data *data, const struct perf_record *record,
                      struct error *err);

/* Free the decompressor, but not data->plain.  */
void perf_decompress_end (struct perf_data *data);

#endif /* STACKS_PERFDATA_RECORDING_H */
