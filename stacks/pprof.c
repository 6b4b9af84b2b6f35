/* Profiles for pprof.
   SPDX-License-Identifier: LGPL-2.1-or-later

   profile.proto has the numbers of the fields, and "Protocol Buffers:
   Encoding" (protobuf.dev) their encoding.  The format requires gzip (RFC
   1952); the data are stored without compression (RFC 1951, section
   3.2.4).  */

#include <config.h>

#include "stacks/profile_writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/crc32.h"
#include "base/printable.h"
#include "base/radix.h"

/* Numbers of fields.  */
enum
{
  PROFILE_SAMPLE_TYPE = 1,
  PROFILE_SAMPLE = 2,
  PROFILE_LOCATION = 4,
  PROFILE_FUNCTION = 5,
  PROFILE_STRING = 6,
  PROFILE_DURATION = 10,
  PROFILE_PERIOD_TYPE = 11,
  PROFILE_PERIOD = 12,
  TYPE_TYPE = 1,
  TYPE_UNIT = 2,
  SAMPLE_LOCATION = 1,
  SAMPLE_VALUE = 2,
  SAMPLE_LABEL = 3,
  LABEL_KEY = 1,
  LABEL_STRING = 2,
  LABEL_NUMBER = 3,
  LOCATION_ID = 1,
  LOCATION_LINE = 4,
  LINE_FUNCTION = 1,
  FUNCTION_ID = 1,
  FUNCTION_NAME = 2,
  FUNCTION_SYSTEM_NAME = 3
};

/* Strings: these, then the names of functions, then of threads' processes.  */
enum
{
  STRING_EMPTY,
  STRING_SAMPLES,
  STRING_COUNT,
  STRING_CPU,
  STRING_OFF_CPU,
  STRING_NANOSECONDS,
  STRING_PROCESS,
  STRING_PID,
  STRING_TID,
  STRING_NAMES
};
static const char *const fixed_strings[STRING_NAMES]
    = { "",        "samples", "count", "cpu", "off-cpu", "nanoseconds",
        "process", "pid",     "tid" };

/* ---- Encoding: a varint is an ULEB128 */

static void
put_number (struct buffer *to, unsigned field, uint64_t value)
{
  buffer_uleb (to, field << 3);
  buffer_uleb (to, value);
}

static void
put_bytes (struct buffer *to, unsigned field, const void *bytes, size_t size)
{
  buffer_uleb (to, field << 3 | 2);
  buffer_uleb (to, size);
  buffer_append (to, bytes, size);
}

/* Append the message INNER, and empty it.  */
static void
put_message (struct buffer *to, unsigned field, struct buffer *inner)
{
  put_bytes (to, field, inner->bytes, inner->size);
  to->failed |= inner->failed;
  inner->size = 0;
}

struct writer
{
  const struct named_profile *profile;
  struct buffer whole, inner, innermost;
  uint64_t period; /* nanoseconds; 0: not known */
};

/* ---- Parts of the profile */

static void
put_type (struct writer *writer, unsigned field, unsigned type, unsigned unit)
{
  put_number (&writer->inner, TYPE_TYPE, type);
  put_number (&writer->inner, TYPE_UNIT, unit);
  put_message (&writer->whole, field, &writer->inner);
}

static void
put_label (struct writer *writer, unsigned key, unsigned field, uint64_t value)
{
  put_number (&writer->innermost, LABEL_KEY, key);
  put_number (&writer->innermost, field, value);
  put_message (&writer->inner, SAMPLE_LABEL, &writer->innermost);
}

/* Append COUNT samples of THREAD in NODE with the sum WEIGHT.  */
static void
put_sample (struct writer *writer, uint32_t thread, uint32_t node,
            uint64_t count, uint64_t weight)
{
  const struct named_profile *profile = writer->profile;
  const struct call_node *nodes = profile->calls.nodes;
  /* The innermost function comes first.  The root is not a function.  */
  for (uint32_t i = node; i != 0; i = nodes[i].parent)
    buffer_uleb (&writer->innermost, nodes[i].key + 1);
  put_message (&writer->inner, SAMPLE_LOCATION, &writer->innermost);
  buffer_uleb (&writer->innermost, count);
  if (profile->off_cpu)
    buffer_uleb (&writer->innermost, weight);
  else if (writer->period > 0)
    buffer_uleb (&writer->innermost, count * writer->period);
  put_message (&writer->inner, SAMPLE_VALUE, &writer->innermost);
  put_label (writer, STRING_PROCESS, LABEL_STRING,
             STRING_NAMES + profile->names.n + thread);
  put_label (writer, STRING_PID, LABEL_NUMBER,
             (uint64_t)profile->threads[thread].pid);
  put_label (writer, STRING_TID, LABEL_NUMBER,
             (uint64_t)profile->threads[thread].tid);
  put_message (&writer->whole, PROFILE_SAMPLE, &writer->inner);
}

/* Samples and their keys, for sorting by thread and node.  */
struct keyed_sample
{
  uint64_t key, weight;
};

/* Append all samples.  Those of one thread in one node are added up.  */
static bool
put_samples (struct writer *writer)
{
  const struct named_profile *profile = writer->profile;
  size_t n = profile->n_log;
  struct keyed_sample *samples = calloc (n + 1, sizeof *samples);
  if (samples == NULL)
    return false;
  for (size_t i = 0; i < n; i++)
    {
      const struct profile_sample *from = &profile->log[i];
      samples[i]
          = (struct keyed_sample){ (uint64_t)from->thread << 32 | from->node,
                                   from->weight };
    }
  bool done = RADIX_SORT (samples, n);
  for (size_t i = 0, next; done && i < n; i = next)
    {
      uint64_t key = samples[i].key, weight = 0;
      for (next = i; next < n && samples[next].key == key; next++)
        weight += samples[next].weight;
      put_sample (writer, (uint32_t)(key >> 32), (uint32_t)key, next - i,
                  weight);
    }
  free (samples);
  return done;
}

static void
put_functions (struct writer *writer)
{
  for (uint64_t i = 0; i < writer->profile->names.n; i++)
    {
      put_number (&writer->inner, LOCATION_ID, i + 1);
      put_number (&writer->innermost, LINE_FUNCTION, i + 1);
      put_message (&writer->inner, LOCATION_LINE, &writer->innermost);
      put_message (&writer->whole, PROFILE_LOCATION, &writer->inner);
      put_number (&writer->inner, FUNCTION_ID, i + 1);
      put_number (&writer->inner, FUNCTION_NAME, STRING_NAMES + i);
      put_number (&writer->inner, FUNCTION_SYSTEM_NAME, STRING_NAMES + i);
      put_message (&writer->whole, PROFILE_FUNCTION, &writer->inner);
    }
}

/* Append TEXT to the table of strings, as valid UTF-8.  */
static void
put_string (struct writer *writer, const char *text)
{
  char printable[1024];
  printable_copy (printable, sizeof printable, text);
  put_bytes (&writer->whole, PROFILE_STRING, printable, strlen (printable));
}

static void
put_strings (struct writer *writer)
{
  const struct named_profile *profile = writer->profile;
  for (unsigned i = 0; i < STRING_NAMES; i++)
    put_string (writer, fixed_strings[i]);
  for (uint64_t i = 0; i < profile->names.n; i++)
    put_string (writer, profile->names.list[i]);
  for (size_t i = 0; i < profile->n_threads; i++)
    put_string (writer, profile->threads[i].name);
}

/* Return the time from the first sample to the last one, or to the end of the
   last wait, in nanoseconds.  */
static uint64_t
duration (const struct named_profile *profile)
{
  uint64_t first = UINT64_MAX, last = 0;
  for (size_t i = 0; i < profile->n_log; i++)
    {
      uint64_t time = profile->log[i].time;
      first = time < first ? time : first;
      if (profile->off_cpu)
        time += profile->log[i].weight;
      last = time > last ? time : last;
    }
  return last > first ? last - first : 0;
}

static bool
put_profile (struct writer *writer)
{
  put_type (writer, PROFILE_SAMPLE_TYPE, STRING_SAMPLES, STRING_COUNT);
  if (writer->profile->off_cpu)
    put_type (writer, PROFILE_SAMPLE_TYPE, STRING_OFF_CPU, STRING_NANOSECONDS);
  else if (writer->period > 0)
    {
      put_type (writer, PROFILE_SAMPLE_TYPE, STRING_CPU, STRING_NANOSECONDS);
      put_type (writer, PROFILE_PERIOD_TYPE, STRING_CPU, STRING_NANOSECONDS);
      put_number (&writer->whole, PROFILE_PERIOD, writer->period);
    }
  put_number (&writer->whole, PROFILE_DURATION, duration (writer->profile));
  if (!put_samples (writer))
    return false;
  put_functions (writer);
  put_strings (writer);
  return !writer->whole.failed;
}

/* ---- gzip */

enum
{
  STORED_MAX = 65535 /* bytes of a block */
};

static void
print_gzip (const struct buffer *contents, FILE *out)
{
  static const uint8_t header[]
      = { 0x1f, 0x8b, 8 /* deflate */, 0, 0, 0, 0, 0 /* no time */, 0, 255 };
  uint8_t end[8];
  size_t left = contents->size;
  fwrite (header, sizeof header, 1, out);
  do
    {
      size_t part = left < STORED_MAX ? left : STORED_MAX;
      uint8_t block[5] = { part == left }; /* whether it is the last block */
      store_u16 (block + 1, (uint16_t)part, false);
      store_u16 (block + 3, (uint16_t)~part, false);
      fwrite (block, sizeof block, 1, out);
      fwrite (contents->bytes + contents->size - left, 1, part, out);
      left -= part;
    }
  while (left > 0);
  store_u32 (end, crc32_of (contents->bytes, contents->size), false);
  store_u32 (end + 4, (uint32_t)contents->size, false);
  fwrite (end, sizeof end, 1, out);
}

bool
pprof_print (const struct named_profile *profile, unsigned hz, FILE *out)
{
  struct writer writer = { .profile = profile };
  writer.period = hz > 0 ? 1000000000 / hz : 0;
  buffer_init (&writer.whole, false);
  buffer_init (&writer.inner, false);
  buffer_init (&writer.innermost, false);
  bool done = put_profile (&writer);
  if (done)
    print_gzip (&writer.whole, out);
  buffer_free (&writer.whole);
  buffer_free (&writer.inner);
  buffer_free (&writer.innermost);
  return done;
}
