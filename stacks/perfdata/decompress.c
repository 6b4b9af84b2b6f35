/* Decompressing the records of perf record -z.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel's records are compressed by zstd as one stream.  perf cuts the
   stream into records of its own, wherever the kernel's records end.  */

#include <config.h>

#include "stacks/perfdata/recording.h"

#ifdef HAVE_ZSTD

#  include <zstd.h>

enum
{
  /* Stacks of one program are similar: in one of gcc a byte stood for 16.  */
  RATIO_MAX = 1000
};

/* Find the part of the stream in RECORD.  Records of type PERF_COMPRESSED2
   have its size, and may have padding behind it.  */
static bool
find_stream (const struct perf_record *record, ZSTD_inBuffer *stream)
{
  struct cursor at = perf_cursor (record->bytes, record->size);
  uint64_t size = record->size;
  if (record->type == PERF_COMPRESSED2)
    size = cursor_u64 (&at);
  *stream = (ZSTD_inBuffer){ .src = cursor_take (&at, size), .size = size };
  return stream->src != NULL;
}

static bool
damaged (const struct perf_record *record, const struct perf_data *data,
         struct error *err)
{
  return error_set_at (err, CFI2SFRAME_MALFORMED,
                       (uint64_t)(record->bytes - data->bytes),
                       "its records cannot be decompressed");
}

bool
perf_decompress (struct perf_data *data, const struct perf_record *record,
                 struct error *err)
{
  ZSTD_inBuffer from;
  const size_t room = ZSTD_DStreamOutSize ();
  bool full = true;
  if (!find_stream (record, &from))
    return damaged (record, data, err);
  if (data->decompressor == NULL)
    data->decompressor = ZSTD_createDStream ();
  if (data->decompressor == NULL)
    return error_set_no_memory (err);
  while (full || from.pos < from.size)
    {
      ZSTD_outBuffer to = { buffer_extend (&data->plain, room), room, 0 };
      if (to.dst == NULL)
        return error_set_no_memory (err);
      size_t left = ZSTD_decompressStream (data->decompressor, &to, &from);
      data->plain.size -= room - to.pos;
      full = to.pos == room;
      if (ZSTD_isError (left) || data->plain.size / RATIO_MAX > data->size)
        return damaged (record, data, err);
    }
  return true;
}

void
perf_decompress_end (struct perf_data *data)
{
  ZSTD_freeDStream (data->decompressor);
}

#else

bool
perf_decompress (struct perf_data *data, const struct perf_record *record,
                 struct error *err)
{
  (void)data;
  (void)record;
  return error_set (err, CFI2SFRAME_UNSUPPORTED,
                    "its records are compressed (perf record -z), and this "
                    "program was built without zstd");
}

void
perf_decompress_end (struct perf_data *data)
{
  (void)data;
}

#endif
