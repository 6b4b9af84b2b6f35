/* Decoding the records of perf events.
   SPDX-License-Identifier: LGPL-2.1-or-later

   perf_event_open(2) and the comments in linux/perf_event.h have the order of
   the fields.  */

#include "stacks/perfdata/perfdata.h"

#include <string.h>
#include <sys/mman.h>

#include "stacks/perfdata/recording.h"

/* From linux/perf_event.h of newer kernels.  */
enum
{
  FORMAT_LOST = 1 << 4,
  MISC_BUILD_ID = 1 << 14
};
/* PERF_CONTEXT_USER_DEFERRED.  */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define BRANCH_HW_INDEX (UINT64_C (1) << 17)
#define BRANCH_COUNTERS (UINT64_C (1) << 19)

bool
perf_record_read (const uint8_t *bytes, size_t size,
                  struct perf_record *record)
{
  struct perf_event_header header;
  if (size < sizeof header)
    return false;
  memcpy (&header, bytes, sizeof header);
  *record
      = (struct perf_record){ header.type, header.misc, bytes + sizeof header,
                              header.size - sizeof header };
  return header.size >= sizeof header && header.size <= size;
}

/* Skip N words of 8 bytes and return the first one.  */
static const uint8_t *
take_words (struct cursor *at, uint64_t n)
{
  /* If there are fewer than N words, fail: N * 8 must not wrap around.  */
  if (n > cursor_left (at) / 8)
    n = cursor_left (at) / 8 + 1;
  return cursor_take (at, n * 8);
}

/* Skip the values of the event and of the others in its group.  */
static void
skip_values (struct cursor *at, uint64_t format)
{
  const uint64_t for_all
      = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const uint64_t for_each = PERF_FORMAT_ID | FORMAT_LOST;
  uint64_t times = (uint64_t)__builtin_popcountll (format & for_all);
  uint64_t each = 1 + (uint64_t)__builtin_popcountll (format & for_each);
  uint64_t n = 1;
  if (format & PERF_FORMAT_GROUP)
    n = cursor_u64 (at);
  take_words (at, times);
  take_words (at, n <= cursor_left (at) ? n * each : n);
}

static void
skip_branches (struct cursor *at, uint64_t kinds)
{
  uint64_t n = cursor_u64 (at);
  take_words (at, !!(kinds & BRANCH_HW_INDEX));
  n = n <= cursor_left (at) ? n : cursor_left (at);
  take_words (at, n * 3);
  if (kinds & BRANCH_COUNTERS)
    take_words (at, n);
}

static uint64_t
word_if (struct cursor *at, uint64_t type, uint64_t bit)
{
  return type & bit ? cursor_u64 (at) : 0;
}

/* Read the kernel's part of the call chain, which a mark ends.  */
static void
read_chain (struct cursor *at, struct perf_sample *sample)
{
  uint64_t n = cursor_u64 (at);
  sample->chain = take_words (at, n);
  if (sample->chain == NULL)
    return;
  struct cursor words = perf_cursor (sample->chain, (size_t)n * 8);
  for (; sample->n_chain < n; sample->n_chain++)
    {
      uint64_t word = cursor_u64 (&words);
      if (word == (uint64_t)PERF_CONTEXT_USER || word == CONTEXT_USER_DEFERRED)
        return;
    }
}

static void
read_user (struct cursor *at, const struct perf_event_attr *attr,
           struct perf_sample *sample)
{
  if (attr->sample_type & PERF_SAMPLE_REGS_USER)
    {
      sample->abi = cursor_u64 (at);
      if (sample->abi != PERF_SAMPLE_REGS_ABI_NONE)
        sample->registers = take_words (
            at, (unsigned)__builtin_popcountll (attr->sample_regs_user));
    }
  if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
    return;
  uint64_t room = cursor_u64 (at);
  if (room == 0)
    return;
  sample->stack = cursor_take (at, room);
  /* The kernel has filled only a part of the room.  */
  uint64_t used = cursor_u64 (at);
  sample->stack_size = (size_t)(used < room ? used : room);
}

bool
perf_sample_read (const struct perf_event_attr *attr,
                  const struct perf_record *record, struct perf_sample *sample)
{
  uint64_t type = attr->sample_type;
  struct cursor at = perf_cursor (record->bytes, record->size);
  *sample = (struct perf_sample){ .id = word_if (&at, type,
                                                 PERF_SAMPLE_IDENTIFIER) };
  word_if (&at, type, PERF_SAMPLE_IP);
  if (type & PERF_SAMPLE_TID)
    {
      sample->pid = cursor_u32 (&at);
      sample->tid = cursor_u32 (&at);
    }
  sample->time = word_if (&at, type, PERF_SAMPLE_TIME);
  word_if (&at, type, PERF_SAMPLE_ADDR);
  uint64_t id = word_if (&at, type, PERF_SAMPLE_ID);
  if (!(type & PERF_SAMPLE_IDENTIFIER))
    sample->id = id;
  word_if (&at, type, PERF_SAMPLE_STREAM_ID);
  word_if (&at, type, PERF_SAMPLE_CPU);
  word_if (&at, type, PERF_SAMPLE_PERIOD);
  if (type & PERF_SAMPLE_READ)
    skip_values (&at, attr->read_format);
  sample->chain_start = (size_t)(at.at - record->bytes);
  if (type & PERF_SAMPLE_CALLCHAIN)
    read_chain (&at, sample);
  sample->chain_end = (size_t)(at.at - record->bytes);
  if (type & PERF_SAMPLE_RAW)
    cursor_take (&at, cursor_u32 (&at));
  if (type & PERF_SAMPLE_BRANCH_STACK)
    skip_branches (&at, attr->branch_sample_type);
  sample->user_start = (size_t)(at.at - record->bytes);
  read_user (&at, attr, sample);
  sample->user_end = (size_t)(at.at - record->bytes);
  return !at.failed;
}

bool
perf_sample_id_read (uint64_t sample_type, const struct perf_record *record,
                     struct perf_sample_id *sample_id)
{
  const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID
                          | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU
                          | PERF_SAMPLE_IDENTIFIER;
  size_t size = 8 * (size_t)__builtin_popcountll (sample_type & fields);
  *sample_id = (struct perf_sample_id){ 0 };
  if (size > record->size)
    return false;
  struct cursor at = perf_cursor (record->bytes + record->size - size, size);
  if (sample_type & PERF_SAMPLE_TID)
    {
      sample_id->pid = cursor_u32 (&at);
      sample_id->tid = cursor_u32 (&at);
    }
  sample_id->time = word_if (&at, sample_type, PERF_SAMPLE_TIME);
  return true;
}

/* Return the zero-terminated string in the rest of the range, or NULL.  */
static const char *
take_text (struct cursor *at)
{
  size_t size = cursor_left (at);
  const uint8_t *text = cursor_take (at, size);
  return text != NULL && memchr (text, '\0', size) != NULL ? (const char *)text
                                                           : NULL;
}

static bool
end_mapping (struct perf_mapping *mapping, uint64_t size)
{
  return mapping->path != NULL && size > 0
         && !__builtin_add_overflow (mapping->start, size, &mapping->end);
}

bool
perf_mapping_read (const struct perf_record *record,
                   struct perf_mapping *mapping)
{
  struct cursor at = perf_cursor (record->bytes, record->size);
  *mapping = (struct perf_mapping){ .pid = cursor_u32 (&at) };
  cursor_u32 (&at); /* the thread */
  mapping->start = cursor_u64 (&at);
  uint64_t size = cursor_u64 (&at);
  mapping->offset = cursor_u64 (&at);
  if (record->type == PERF_RECORD_MMAP)
    {
      mapping->executable = !(record->misc & PERF_RECORD_MISC_MMAP_DATA);
      mapping->path = take_text (&at);
      return end_mapping (mapping, size);
    }
  if (record->misc & MISC_BUILD_ID)
    {
      mapping->build_id_size = cursor_u8 (&at);
      cursor_take (&at, 3);
      const uint8_t *id = cursor_take (&at, PERF_BUILD_ID_MAX);
      if (id == NULL || mapping->build_id_size > PERF_BUILD_ID_MAX)
        return false;
      memcpy (mapping->build_id, id, mapping->build_id_size);
    }
  else
    {
      mapping->major = cursor_u32 (&at);
      mapping->minor = cursor_u32 (&at);
      mapping->inode = cursor_u64 (&at);
      cursor_u64 (&at); /* the inode's generation */
    }
  mapping->executable = (cursor_u32 (&at) & PROT_EXEC) != 0;
  cursor_u32 (&at); /* flags */
  mapping->path = take_text (&at);
  return end_mapping (mapping, size);
}

bool
perf_task_read (const struct perf_record *record, struct perf_task *task)
{
  struct cursor at = perf_cursor (record->bytes, record->size);
  *task = (struct perf_task){ .pid = cursor_u32 (&at) };
  if (record->type == PERF_RECORD_COMM)
    {
      task->tid = cursor_u32 (&at);
      task->name = take_text (&at);
      return task->name != NULL;
    }
  task->parent = cursor_u32 (&at);
  task->tid = cursor_u32 (&at);
  task->parent_tid = cursor_u32 (&at);
  return !at.failed;
}
