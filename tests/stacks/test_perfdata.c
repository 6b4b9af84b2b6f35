/* Unit tests of stacks/perfdata: sizes that a recording says, against those
   that it has.  Each buffer is as large as its contents, so that a read behind
   its end is one that sanitizers see.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stacks/perfdata/perfdata.h"
#include "stacks/perfdata/recording.h"
#include "tests/unit_test.h"

enum
{
  DEFERRED_CHAIN = 22,
  RECORD_MOST = 65528
};

/* Bytes that are appended to.  */
struct bytes
{
  uint8_t *at;
  size_t size, room;
};

static void
put (struct bytes *bytes, const void *what, size_t size)
{
  if (bytes->at == NULL || bytes->room < bytes->size + size)
    {
      bytes->room = 2 * (bytes->size + size) + 1;
      bytes->at = realloc (bytes->at, bytes->room);
    }
  assert_non_null (bytes->at);
  memcpy (bytes->at + bytes->size, what, size);
  bytes->size += size;
}

static void
put_word (struct bytes *bytes, uint64_t word)
{
  put (bytes, &word, sizeof word);
}

/* A copy of BYTES in a block of exactly their size, which replaces them.  */
static void
fit (struct bytes *bytes)
{
  uint8_t *exact = malloc (bytes->size);
  assert_non_null (exact);
  memcpy (exact, bytes->at, bytes->size);
  free (bytes->at);
  bytes->at = exact;
  bytes->room = bytes->size;
}

static struct perf_record
sample_of (struct bytes *bytes)
{
  fit (bytes);
  return (struct perf_record){ PERF_RECORD_SAMPLE, 0, bytes->at, bytes->size };
}

/* ---- Records and samples.  */

TEST (a_record_ends_where_its_header_says)
{
  const struct
  {
    uint16_t said;
    size_t there;
    bool whole;
  } cases[] = { { 16, 16, true },  { 16, 24, true }, { 16, 15, false },
                { 8, 8, true },    { 7, 16, false }, { 0, 16, false },
                { 24, 16, false }, { 16, 7, false } };
  FOR_EACH_ROW (given, cases)
    {
      struct perf_event_header header = { 9, 2, given->said };
      uint8_t *bytes = calloc (1, given->there);
      struct perf_record record;
      assert_non_null (bytes);
      memcpy (bytes, &header,
              given->there < sizeof header ? given->there : sizeof header);
      bool whole = perf_record_read (bytes, given->there, &record);
      assert_int_equal (whole, given->whole);
      if (whole)
        assert_int_equal (record.size, given->said - sizeof header);
      free (bytes);
    }
}

/* Numbers of words whose size in bytes wraps around would be a small part of
   the record.  */
TEST (numbers_of_words_do_not_wrap_around)
{
  const struct perf_event_attr chain
      = { .sample_type = PERF_SAMPLE_CALLCHAIN };
  const struct perf_event_attr values
      = { .sample_type = PERF_SAMPLE_READ,
          .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID };
  const struct perf_event_attr branches
      = { .sample_type = PERF_SAMPLE_BRANCH_STACK };
  const struct perf_event_attr *const attrs[] = { &chain, &values, &branches };
  const uint64_t numbers[] = { 3,
                               UINT64_C (1) << 61,
                               (UINT64_C (1) << 61) + 1,
                               UINT64_C (1) << 63,
                               UINT64_MAX,
                               UINT64_MAX / 3 + 1 };
  for (size_t i = 0; i < 3; i++)
    FOR_EACH_ROW (given, numbers)
      {
        struct bytes bytes = { 0 };
        struct perf_sample sample;
        put_word (&bytes, *given);
        put_word (&bytes, 1);
        put_word (&bytes, 2);
        struct perf_record record = sample_of (&bytes);
        assert_false (perf_sample_read (attrs[i], &record, &sample));
        free (bytes.at);
      }
}

TEST (a_chain_has_the_words_that_are_there)
{
  const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_CALLCHAIN };
  struct bytes bytes = { 0 };
  struct perf_sample sample;
  put_word (&bytes, 3);
  put_word (&bytes, 7);
  put_word (&bytes, (uint64_t)PERF_CONTEXT_USER);
  put_word (&bytes, 8);
  struct perf_record record = sample_of (&bytes);
  assert_true (perf_sample_read (&attr, &record, &sample));
  assert_int_equal (sample.n_chain, 1); /* up to the mark */
  assert_int_equal (sample.chain_end, 32);
  free (bytes.at);
}

/* A sample with one register and a stack of ROOM bytes, LEFT of which are
   there and USED were filled.  */
static void
stack_is (uint64_t room, size_t left, uint64_t used, bool whole, size_t size)
{
  const struct perf_event_attr attr
      = { .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
          .sample_regs_user = 1 };
  struct bytes bytes = { 0 };
  struct perf_sample sample;
  put_word (&bytes, PERF_SAMPLE_REGS_ABI_64);
  put_word (&bytes, 5);
  put_word (&bytes, room);
  for (size_t i = 0; i < left; i += 8)
    put_word (&bytes, i);
  if (room != 0)
    put_word (&bytes, used);
  struct perf_record record = sample_of (&bytes);
  assert_int_equal (perf_sample_read (&attr, &record, &sample), whole);
  if (whole)
    {
      assert_int_equal (sample.stack_size, size);
      assert_int_equal (sample.user_end, bytes.size);
    }
  free (bytes.at);
}

TEST (a_stack_is_no_larger_than_its_room)
{
  stack_is (16, 16, 16, true, 16);
  stack_is (16, 16, 8, true, 8);
  stack_is (16, 16, 24, true, 16);
  stack_is (16, 16, UINT64_MAX, true, 16);
  stack_is (0, 0, 0, true, 0);
  stack_is (24, 8, 8, false, 0);
  stack_is (UINT64_MAX, 16, 16, false, 0);
}

/* ---- Recordings.  */

struct recording
{
  struct perf_event_attr attrs[3];
  unsigned n_events;
  uint64_t ids[3];
  struct bytes records;
  uint64_t machine_offset; /* is added to where the feature is */
  uint64_t machine_size;   /* is added to its size */
  bool no_table;           /* of features */
};

static struct bytes
write_recording (const struct recording *what)
{
  struct bytes file = { 0 };
  const size_t each = sizeof what->attrs[0] + sizeof (struct perf_section);
  struct perf_header header
      = { .magic = "PERFILE",
          .size = sizeof header,
          .attr_size = each,
          .attrs = { sizeof header, what->n_events * each } };
  header.magic[7] = '2';
  uint64_t ids = sizeof header + what->n_events * each;
  header.data.offset = ids + 8 * (uint64_t)what->n_events;
  header.data.size = what->records.size;
  header.features[0] = UINT64_C (1) << PERF_FEATURE_MACHINE;
  put (&file, &header, sizeof header);
  for (unsigned i = 0; i < what->n_events; i++)
    {
      const struct perf_section section = { ids + 8 * i, 8 };
      put (&file, &what->attrs[i], sizeof what->attrs[i]);
      put (&file, &section, sizeof section);
    }
  for (unsigned i = 0; i < what->n_events; i++)
    put_word (&file, what->ids[i]);
  put (&file, what->records.at, what->records.size);
  if (!what->no_table)
    {
      const uint32_t length = 8;
      const struct perf_section section
          = { file.size + sizeof section + what->machine_offset,
              12 + what->machine_size };
      put (&file, &section, sizeof section);
      put (&file, &length, sizeof length);
      put (&file, "machine", 8);
    }
  fit (&file);
  return file;
}

static void
put_record (struct bytes *bytes, uint32_t type, const void *contents,
            size_t size)
{
  struct perf_event_header header
      = { type, 0, (uint16_t)(size + sizeof header) };
  put (bytes, &header, sizeof header);
  put (bytes, contents, size);
}

static bool
opens (const struct recording *what, const char *reason)
{
  struct bytes file = write_recording (what);
  struct error err = { 0 };
  struct perf_data *data = perf_data_open (file.at, file.size, &err);
  bool open = data != NULL;
  if (open)
    perf_data_close (data);
  else
    assert_non_null (strstr (err.reason, reason));
  free (file.at);
  return open;
}

static struct recording
plain_recording (void)
{
  struct recording what = { .n_events = 1, .ids = { 1, 2, 3 } };
  uint64_t nothing[2] = { 0 };
  for (unsigned i = 0; i < 3; i++)
    what.attrs[i] = (struct perf_event_attr){ .size = sizeof what.attrs[i],
                                              .sample_type = PERF_SAMPLE_IP };
  put_record (&what.records, PERF_RECORD_EXIT, nothing, sizeof nothing);
  return what;
}

TEST (what_follows_the_records_is_in_the_file)
{
  struct recording what = plain_recording ();
  assert_true (opens (&what, ""));
  what.machine_size = 1;
  assert_false (opens (&what, "cut off"));
  what.machine_size = UINT64_MAX - 11;
  assert_true (opens (&what, "")); /* of size 0 */
  what.machine_size = 0;
  what.machine_offset = 1;
  assert_false (opens (&what, "cut off"));
  what.no_table = true;
  assert_false (opens (&what, "cut off"));
  what.no_table = false;
  what.machine_offset = UINT64_MAX / 2;
  assert_false (opens (&what, "cut off"));
  free (what.records.at);
}

/* Samples of several events are told apart by an identifier that stands at the
   same place in all.  */
TEST (events_are_told_apart_or_refused)
{
  const uint64_t ip = PERF_SAMPLE_IP, tid = PERF_SAMPLE_TID,
                 id = PERF_SAMPLE_ID, first = PERF_SAMPLE_IDENTIFIER,
                 cpu = PERF_SAMPLE_CPU, addr = PERF_SAMPLE_ADDR;
  const struct
  {
    uint64_t a, b;
    bool apart;
  } cases[] = {
    { ip, ip, true },
    { ip, ip | tid, false },
    { ip | id, ip | id, true },
    { ip | id, ip, false },
    { ip, ip | id, false },
    { ip | first, ip | first | addr, true },
    { ip | id, ip | id | addr, false },
    { ip | id, ip | id | cpu, false },
    { ip | id, ip | first, false },
    { ip | id, tid | id, false },
    { ip | first, ip | first | cpu, false },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct recording what = plain_recording ();
      what.n_events = 2;
      what.attrs[0].sample_type = given->a;
      what.attrs[1].sample_type = given->b;
      assert_int_equal (opens (&what, "cannot be told apart"), given->apart);
      free (what.records.at);
    }
}

/* ---- Writing.  */

/* Copy RECORDS of an event with registers and stacks, samples with N addresses
   each, and return the records of the copy.  */
static struct bytes
copy_with_chains (struct bytes records, size_t n)
{
  struct recording what = { .n_events = 1, .ids = { 1 }, .records = records };
  what.attrs[0] = (struct perf_event_attr){
    .size = sizeof what.attrs[0],
    .sample_type
    = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
    .sample_regs_user = 1,
  };
  struct bytes file = write_recording (&what), copy = { 0 };
  struct error err = { 0 };
  struct perf_data *data = perf_data_open (file.at, file.size, &err);
  struct perf_writer writer;
  struct perf_record record;
  uint64_t *addresses = calloc (n + 1, sizeof *addresses);
  FILE *out = tmpfile ();
  assert_true (data != NULL && addresses != NULL && out != NULL);
  for (size_t i = 0; i < n; i++)
    addresses[i] = i + 1;
  assert_true (perf_writer_begin (&writer, data, out));
  while (perf_data_next (data, &record))
    {
      struct perf_sample sample;
      if (record.type == PERF_RECORD_SAMPLE)
        {
          assert_true (perf_data_sample (data, &record, &sample));
          perf_writer_sample (&writer, &record, &sample, addresses, n);
        }
      else
        perf_writer_copy (&writer, &record);
    }
  assert_true (perf_writer_end (&writer));
  copy.size = (size_t)writer.data_size;
  copy.at = malloc (copy.size + 1);
  assert_non_null (copy.at);
  fseek (out, (long)writer.data_start, SEEK_SET);
  assert_int_equal (fread (copy.at, 1, copy.size, out), copy.size);
  fclose (out);
  perf_data_close (data);
  free (addresses);
  free (file.at);
  return copy;
}

static struct bytes
one_sample (void)
{
  const uint64_t contents[] = { 77, PERF_SAMPLE_REGS_ABI_64, 5, 8, 1, 8 };
  struct bytes records = { 0 };
  put_record (&records, PERF_RECORD_SAMPLE, contents, sizeof contents);
  return records;
}

/* A record has 16 bits for its size: of more addresses the outer ones are left
   out.  */
TEST (a_chain_is_as_long_as_a_record_can_be)
{
  /* Header, IP, number of words, mark.  */
  const size_t most = (RECORD_MOST - 8 - 8 - 8 - 8) / 8;
  const size_t numbers[] = { 0, 1, most - 1, most, most + 1, 2 * most };
  FOR_EACH_ROW (given, numbers)
    {
      struct bytes records = one_sample ();
      struct bytes copy = copy_with_chains (records, *given);
      size_t n = *given < most ? *given : most;
      uint64_t words, last;
      struct perf_record record;
      assert_true (perf_record_read (copy.at, copy.size, &record));
      assert_int_equal (record.size + 8, copy.size);
      memcpy (&words, record.bytes + 8, sizeof words);
      assert_int_equal (words, n == 0 ? 0 : n + 1);
      assert_int_equal (record.size, 16 + 8 * words);
      if (n > 0)
        {
          memcpy (&last, record.bytes + record.size - 8, sizeof last);
          assert_int_equal (last, n);
        }
      free (copy.at);
      free (records.at);
    }
}

/* The kernel's part of a chain that it sends later has no place in a file
   whose chains are whole.  */
TEST (a_chain_that_comes_later_is_left_out)
{
  const uint64_t contents[] = { 1, 2 };
  struct bytes records = { 0 };
  put_record (&records, DEFERRED_CHAIN, contents, sizeof contents);
  put_record (&records, PERF_RECORD_EXIT, contents, sizeof contents);
  struct bytes copy = copy_with_chains (records, 1);
  struct perf_record record;
  assert_true (perf_record_read (copy.at, copy.size, &record));
  assert_int_equal (record.type, PERF_RECORD_EXIT);
  assert_int_equal (copy.size, 8 + sizeof contents);
  free (copy.at);
  free (records.at);
}

/* ---- Other records.  */

/* Who and when stands at the end of records that are not samples: two words of
   which there may be fewer.  */
TEST (a_stamp_is_in_its_record)
{
  for (size_t words = 0; words <= 3; words++)
    {
      struct bytes bytes = { NULL, 0, 0 };
      struct perf_sample_id sample_id;
      for (size_t i = 0; i < words; i++)
        put_word (&bytes, UINT64_C (0x200000001) + i);
      put (&bytes, "", 0);
      fit (&bytes);
      const struct perf_record record
          = { PERF_RECORD_COMM, 0, bytes.at, bytes.size };
      assert_int_equal (
          perf_sample_id_read (PERF_SAMPLE_TID | PERF_SAMPLE_TIME, &record,
                               &sample_id),
          words >= 2);
      assert_int_equal (sample_id.pid, words >= 2 ? words - 1 : 0);
      assert_int_equal (sample_id.tid, words >= 2 ? 2 : 0);
      free (bytes.at);
    }
}

/* In place of device and inode a mapping has a build-id of 20 bytes at
   most.  */
TEST (a_build_id_has_twenty_bytes_at_most)
{
  enum
  {
    BUILD_ID_MARK = 1 << 14 /* PERF_RECORD_MISC_MMAP_BUILD_ID */
  };
  for (uint8_t size = 19; size <= 21; size++)
    {
      struct bytes bytes = { NULL, 0, 0 };
      struct perf_mapping mapping;
      const uint8_t id[24] = { size, 0, 0, 0, 0xaa };
      const uint64_t fields[] = { 1, 0x1000, 0x2000, 0 };
      put (&bytes, fields, sizeof fields);
      put (&bytes, id, sizeof id);
      put_word (&bytes, 4); /* PROT_EXEC, flags */
      put (&bytes, "/file", 6);
      fit (&bytes);
      const struct perf_record record
          = { PERF_RECORD_MMAP2, BUILD_ID_MARK, bytes.at, bytes.size };
      assert_int_equal (perf_mapping_read (&record, &mapping), size <= 20);
      if (size <= 20)
        {
          assert_int_equal (mapping.build_id_size, size);
          assert_int_equal (mapping.build_id[0], 0xaa);
          assert_true (mapping.executable);
          assert_int_equal (mapping.end, 0x3000);
          assert_string_equal (mapping.path, "/file");
        }
      free (bytes.at);
    }
}

/* Each file was looked for in the whole table.  */
TEST (of_many_files_the_build_ids_are_found)
{
  enum
  {
    MANY = 50000
  };
  struct bytes table = { NULL, 0, 0 };
  struct perf_data data = { 0 };
  struct error err;
  uint8_t id[PERF_BUILD_ID_MAX];
  for (uint32_t i = 0; i < MANY; i++)
    {
      /* Every second one is there twice.  */
      const uint32_t fields[7] = { 1, i, i };
      uint8_t entry[sizeof fields + 16] = { 0 };
      memcpy (entry, fields, sizeof fields);
      snprintf ((char *)entry + sizeof fields, 16, "/%x", i / 4 * 4 + i % 2);
      put_record (&table, 0, entry, sizeof entry);
    }
  /* A path without an end, and one that is not there.  */
  const uint8_t endless[29] = { [28] = '/' };
  put_record (&table, 0, endless, sizeof endless);
  fit (&table);
  data.bytes = table.at;
  data.size = table.size;
  data.features[PERF_FEATURE_BUILD_ID]
      = (struct perf_section){ 0, table.size };
  limit_processor (10);
  assert_true (perf_build_ids_list (&data, &err));
  for (uint32_t i = 0; i < MANY; i += 1)
    {
      char path[16];
      uint32_t found;
      snprintf (path, sizeof path, "/%x", i);
      size_t size = perf_data_build_id (&data, path, id);
      assert_int_equal (size, i % 4 < 2 ? PERF_BUILD_ID_MAX : 0);
      memcpy (&found, id, sizeof found);
      if (size > 0)
        assert_int_equal (found, i);
    }
  limit_processor (0);
  free (data.build_ids);
  key_table_free (&data.build_id_numbers);
  free (table.at);
}
