/* Recordings of perf, and what is written of them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: the file.  Of one that can be read a copy with call chains is made,
   and read again: it has the same records, and samples have the chains that
   they were given.  */

#include <config.h>

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "stacks/perfdata/perfdata.h"

enum
{
  CHAIN = 5
};
static const uint64_t chain[CHAIN] = { 1, 2, 3, 4, UINT64_MAX };

/* Read all that RECORD may be.  Returns whether it is a sample that can be
   read.  */
static bool
read_record (struct perf_data *data, const struct perf_record *record,
             struct perf_sample *sample)
{
  struct perf_mapping mapping;
  struct perf_task task;
  if (perf_mapping_read (record, &mapping))
    {
      uint8_t id[PERF_BUILD_ID_MAX];
      FUZZ_CHECK (mapping.end > mapping.start
                  && mapping.build_id_size <= sizeof id);
      FUZZ_CHECK (perf_data_build_id (data, mapping.path, id) <= sizeof id);
    }
  if (perf_task_read (record, &task) && record->type == PERF_RECORD_COMM)
    FUZZ_CHECK (strlen (task.name) < record->size);
  if (record->type != PERF_RECORD_SAMPLE
      || !perf_data_sample (data, record, sample))
    return false;
  FUZZ_CHECK (sample->chain_start <= sample->chain_end
              && sample->chain_end <= sample->user_start
              && sample->user_start <= sample->user_end
              && sample->user_end <= record->size);
  if (sample->stack_size > 0)
    FUZZ_CHECK (sample->stack >= record->bytes
                && sample->stack + sample->stack_size
                       <= record->bytes + record->size);
  return true;
}

/* What became of a sample.  */
static void
check_chain (const struct perf_sample *sample)
{
  uint64_t word;
  FUZZ_CHECK (sample->registers == NULL && sample->stack == NULL);
  /* Behind the number of words: the kernel's part, a mark, the program's.  */
  FUZZ_CHECK (sample->chain_end - sample->chain_start
              == 8 * (1 + sample->n_chain + 1 + CHAIN));
  const uint8_t *own = sample->chain + 8 * sample->n_chain;
  memcpy (&word, own, sizeof word);
  FUZZ_CHECK (word == (uint64_t)PERF_CONTEXT_USER);
  FUZZ_CHECK (memcmp (own + 8, chain, sizeof chain) == 0);
}

/* Compare COPY, all of whose records are to be read, with DATA.  */
static void
compare (struct perf_data *data, struct perf_data *copy)
{
  enum
  {
    DEFERRED_CHAIN = 22
  };
  struct perf_record a, b;
  struct perf_sample before, after;
  while (perf_data_next (data, &a))
    {
      bool is_sample = read_record (data, &a, &before);
      if (a.type == DEFERRED_CHAIN
          || (a.type == PERF_RECORD_SAMPLE && !is_sample))
        continue;
      FUZZ_CHECK (perf_data_next (copy, &b) && a.type == b.type
                  && a.misc == b.misc);
      if (is_sample && before.user_end > before.user_start
          && a.size < UINT16_MAX - 200)
        {
          FUZZ_CHECK (read_record (copy, &b, &after));
          FUZZ_CHECK (before.pid == after.pid && before.time == after.time);
          check_chain (&after);
        }
      else if (!is_sample)
        FUZZ_CHECK (a.size == b.size
                    && memcmp (a.bytes, b.bytes, a.size) == 0);
    }
  FUZZ_CHECK (!perf_data_next (copy, &b));
}

/* Write DATA to OUT; returns how many records.  */
static unsigned
write_copy (struct perf_data *data, FILE *out)
{
  struct perf_writer writer;
  struct perf_record record;
  struct perf_sample sample;
  unsigned n = 0;
  FUZZ_CHECK (perf_writer_begin (&writer, data, out));
  for (; perf_data_next (data, &record); n++)
    if (record.type != PERF_RECORD_SAMPLE)
      perf_writer_copy (&writer, &record);
    else if (read_record (data, &record, &sample))
      perf_writer_sample (&writer, &record, &sample, chain, CHAIN);
  FUZZ_CHECK (perf_writer_end (&writer));
  return writer.data_size > 0 ? n : 0;
}

/* All SIZE bytes of OUT, which is closed; to be freed.  */
static uint8_t *
read_back (FILE *out, size_t *size)
{
  FUZZ_CHECK (fseek (out, 0, SEEK_END) == 0);
  *size = (size_t)ftell (out);
  rewind (out);
  uint8_t *bytes = malloc (*size);
  FUZZ_CHECK (bytes != NULL && fread (bytes, 1, *size, out) == *size);
  fclose (out);
  return bytes;
}

void
fuzz_perfdata (const uint8_t *bytes, size_t size)
{
  struct error err = { 0 };
  struct perf_data *data = perf_data_open (bytes, size, &err);
  if (data == NULL)
    {
      FUZZ_CHECK (err.reason[0] != '\0');
      return;
    }
  FILE *out = fdopen (memfd_create ("copy", MFD_CLOEXEC), "w+");
  FUZZ_CHECK (out != NULL);
  unsigned n = write_copy (data, out);
  size_t written_size;
  uint8_t *written = read_back (out, &written_size);
  perf_data_close (data);
  data = perf_data_open (bytes, size, &err);
  FUZZ_CHECK (data != NULL);
  struct perf_data *copy = NULL;
  /* A file without records is one that was not finished.  */
  if (n > 0)
    {
      copy = perf_data_open (written, written_size, &err);
      FUZZ_DONE (copy != NULL, &err);
      FUZZ_CHECK (perf_data_facts (copy)->register_mask == 0);
      compare (data, copy);
      perf_data_close (copy);
    }
  perf_data_close (data);
  free (written);
}
