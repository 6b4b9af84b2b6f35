/* Reading the files that perf record writes, and writing them with call
   chains.
   SPDX-License-Identifier: LGPL-2.1-or-later

   perf_event_open(2) describes the records, and
   tools/perf/Documentation/perf.data-file-format.txt of the kernel the rest of
   the file.  Input is hostile: every size is checked.  Recordings of the other
   byte order are refused, so all numbers are native.  */

#ifndef STACKS_PERFDATA_PERFDATA_H
#define STACKS_PERFDATA_PERFDATA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* ---- Records */

/* A record of the kernel or, with types from 64 on, of perf.  BYTES follow the
   header and are borrowed.  */
struct perf_record
{
  uint32_t type;
  uint16_t misc;
  const uint8_t *bytes;
  size_t size;
};

/* Read the record at the start of SIZE BYTES.  False if they are too few.  */
bool perf_record_read (const uint8_t *bytes, size_t size,
                       struct perf_record *record);

/* The fields of a sample that are used here; 0: not asked for.  */
struct perf_sample
{
  uint32_t pid, tid;
  /* Number of the event, from 1 on in the order of the recording; 0: not
     known, or not from a recording.  */
  uint32_t event;
  uint64_t time, id;
  uint64_t abi; /* of the registers: PERF_SAMPLE_REGS_ABI_... */
  /* One register per bit of sample_regs_user, from the lowest on.  */
  const uint8_t *registers;
  const uint8_t *stack; /* STACK_SIZE bytes, from SP on */
  size_t stack_size;
  const uint8_t *chain; /* N_CHAIN words: the call chain in the kernel */
  size_t n_chain;
  /* Offsets in the record: of the call chain, and of registers and stack.  */
  size_t chain_start, chain_end, user_start, user_end;
};

/* Read RECORD, a sample of an event with ATTR.  False if damaged.  */
bool perf_sample_read (const struct perf_event_attr *attr,
                       const struct perf_record *record,
                       struct perf_sample *sample);

enum
{
  PERF_BUILD_ID_MAX = 20
};

/* The contents of a record of a mapping.  */
struct perf_mapping
{
  uint32_t pid;
  uint64_t start, end, offset; /* bytes; of the file */
  uint32_t major, minor;       /* of the device */
  uint64_t inode;              /* 0: not known, or no file */
  /* In place of device and inode; size 0: none.  */
  uint8_t build_id[PERF_BUILD_ID_MAX];
  size_t build_id_size;
  bool executable;
  const char *path; /* borrowed from the record */
};

/* Read RECORD, a PERF_RECORD_MMAP or MMAP2.  False if damaged.  */
bool perf_mapping_read (const struct perf_record *record,
                        struct perf_mapping *mapping);

/* A start, an end or a new name of a process or thread.  */
struct perf_task
{
  uint32_t pid, tid;
  uint32_t parent;     /* FORK, EXIT: the process that created it */
  uint32_t parent_tid; /* FORK, EXIT: the thread that created it */
  const char *name;    /* COMM: the name; borrowed from the record */
};

/* Read RECORD, a PERF_RECORD_COMM, FORK or EXIT.  False if damaged.  */
bool perf_task_read (const struct perf_record *record, struct perf_task *task);

/* The last fields of every record except samples (struct sample_id in
   perf_event_open(2)): the thread and the time.  They exist if the event has
   sample_id_all.  */
struct perf_sample_id
{
  uint32_t pid, tid;
  uint64_t time; /* nanoseconds; 0: not asked for */
};

/* Read the last fields of RECORD, which is not a sample, from an event with
   SAMPLE_TYPE.  False if it is damaged.  */
bool perf_sample_id_read (uint64_t sample_type,
                          const struct perf_record *record,
                          struct perf_sample_id *sample_id);

/* ---- Recordings */

struct perf_data; /* opaque */

/* Open a recording in SIZE BYTES, which outlive it.  NULL on failure.  */
struct perf_data *perf_data_open (const uint8_t *bytes, size_t size,
                                  struct error *err);
void perf_data_close (struct perf_data *data);

/* Read the next record: in the order of time if all records have times,
   otherwise of the file.  False at the end.  */
bool perf_data_next (struct perf_data *data, struct perf_record *record);

/* Read the sample in RECORD.  False if it is damaged or of no known event.  */
bool perf_data_sample (const struct perf_data *data,
                       const struct perf_record *record,
                       struct perf_sample *sample);

/* Properties of a recording and its events.  */
struct perf_data_facts
{
  const char *machine;     /* the machine of uname(2), or "" */
  const char *release;     /* the kernel's release of uname(2), or "" */
  uint64_t register_mask;  /* sample_regs_user; 0: no registers or stacks */
  uint64_t frequency;      /* samples per second, as asked for, or 0 */
  bool by_time;            /* all records have times, in nanoseconds */
  uint64_t sample_id_type; /* for perf_sample_id_read; 0: no such fields */
  size_t events;           /* number of events that can be told apart */
  uint32_t switches;       /* event number of context switches; 0: none */
};
const struct perf_data_facts *perf_data_facts (const struct perf_data *data);

/* Copy the build-id of PATH from the table.  Return its size, or 0.  */
size_t perf_data_build_id (struct perf_data *data, const char *path,
                           uint8_t build_id[PERF_BUILD_ID_MAX]);

/* ---- Writing a recording with call chains in place of copies of stacks */

struct perf_writer
{
  const struct perf_data *data;
  FILE *out; /* borrowed; fseek works */
  uint64_t data_start, data_size;
};

/* Begin to write DATA to OUT, in which nothing was written.  Errors of writing
   are left to ferror (OUT).  False when memory ran out.  */
bool perf_writer_begin (struct perf_writer *writer,
                        const struct perf_data *data, FILE *out);

/* Append RECORD unchanged, unless a sorted file must not have its type.  */
void perf_writer_copy (struct perf_writer *writer,
                       const struct perf_record *record);

/* Append RECORD, whose contents are SAMPLE, without registers and stack.  Its
   call chain consists of the kernel's part and of N ADDRESSES, the innermost
   one first, as far as a record has room.  */
void perf_writer_sample (struct perf_writer *writer,
                         const struct perf_record *record,
                         const struct perf_sample *sample,
                         const uint64_t *addresses, size_t n);

/* Write the rest of the file.  False when memory ran out.  */
bool perf_writer_end (struct perf_writer *writer);

#endif /* STACKS_PERFDATA_PERFDATA_H */
