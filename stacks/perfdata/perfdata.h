/* Recordings of perf: the files that perf record writes, read and written.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The records are those that perf_event_open(2) describes; what is around them
   is in tools/perf/Documentation/perf.data-file-format.txt of the kernel.
   Input is hostile: every size is checked.  Recordings of the other byte order
   are refused, so all numbers are native.  */

#ifndef STACKS_PERFDATA_PERFDATA_H
#define STACKS_PERFDATA_PERFDATA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* ---- Records */

/* A record, of the kernel or of perf (types from 64 on); BYTES is what follows
   the header and stays its owner's.  */
struct perf_record
{
  uint32_t type;
  uint16_t misc;
  const uint8_t *bytes;
  size_t size;
};

/* Read the record at the start of SIZE BYTES.  False when they are too few. */
bool perf_record_read (const uint8_t *bytes, size_t size,
                       struct perf_record *record);

/* A sample, as far as it is of use here; what was not asked for is 0.  */
struct perf_sample
{
  uint32_t pid, tid;
  /* From 1 on in the order of the recording; 0: it cannot be told, or the
     record is of no recording.  */
  uint32_t event;
  uint64_t time, id;
  uint64_t abi; /* of the registers: PERF_SAMPLE_REGS_ABI_... */
  /* One register per bit of sample_regs_user, from the lowest on.  */
  const uint8_t *registers;
  const uint8_t *stack; /* STACK_SIZE bytes from SP on */
  size_t stack_size;
  const uint8_t *chain; /* N_CHAIN words: the kernel's part of the stack */
  size_t n_chain;
  /* Where the record has the chain, and then registers and stack; offsets in
     it.  */
  size_t chain_start, chain_end, user_start, user_end;
};

/* Read RECORD, of type PERF_RECORD_SAMPLE, made as ATTR asks.  False when it
   is damaged.  */
bool perf_sample_read (const struct perf_event_attr *attr,
                       const struct perf_record *record,
                       struct perf_sample *sample);

enum
{
  PERF_BUILD_ID_MAX = 20
};

/* A mapping.  */
struct perf_mapping
{
  uint32_t pid;
  uint64_t start, end, offset; /* bytes; of the file */
  uint32_t major, minor;       /* of the device */
  uint64_t inode;              /* 0: not known, or no file */
  /* Instead of device and inode; size 0: there is none.  */
  uint8_t build_id[PERF_BUILD_ID_MAX];
  size_t build_id_size;
  bool executable;
  const char *path; /* it is in the record */
};

/* Read RECORD, of type PERF_RECORD_MMAP or MMAP2.  False when it is damaged.
 */
bool perf_mapping_read (const struct perf_record *record,
                        struct perf_mapping *mapping);

/* What else happened to a process.  */
struct perf_task
{
  uint32_t pid, tid;
  uint32_t parent;     /* FORK, EXIT: the process that made it ... */
  uint32_t parent_tid; /* ... and its thread that did */
  const char *name;    /* COMM; it is in the record */
};

/* Read RECORD, of type PERF_RECORD_COMM, FORK or EXIT.  False when it is
   damaged.  */
bool perf_task_read (const struct perf_record *record, struct perf_task *task);

/* The last fields of every record but a sample: which thread it is of, and
   when it was made.  They are there if the event asked for sample_id_all.  */
struct perf_sample_id
{
  uint32_t pid, tid;
  uint64_t time; /* nanoseconds; 0: not asked for */
};

/* Read the end of RECORD, which is not a sample, of an event with SAMPLE_TYPE.
   False when it is damaged.  */
bool perf_sample_id_read (uint64_t sample_type,
                          const struct perf_record *record,
                          struct perf_sample_id *sample_id);

/* ---- Recordings */

struct perf_data; /* opaque */

/* Read the SIZE BYTES of a recording, which stay the caller's until it is
   closed.  NULL on failure.  */
struct perf_data *perf_data_open (const uint8_t *bytes, size_t size,
                                  struct error *err);
void perf_data_close (struct perf_data *data);

/* The next record, by time if all have one, otherwise as the file has them.
   False at the end.  */
bool perf_data_next (struct perf_data *data, struct perf_record *record);

/* Read the sample in RECORD.  False when it is damaged, or of no event of the
   recording.  */
bool perf_data_sample (const struct perf_data *data,
                       const struct perf_record *record,
                       struct perf_sample *sample);

/* What the recording says of itself.  */
struct perf_data_facts
{
  const char *machine;     /* of uname(2), or "" */
  const char *release;     /* likewise of the kernel */
  uint64_t register_mask;  /* sample_regs_user; 0: no registers or no stacks */
  uint64_t frequency;      /* samples per second that were asked for, or 0 */
  bool by_time;            /* records have times, in nanoseconds */
  uint64_t sample_id_type; /* sample type that other records end by; 0: they do
                              not */
  size_t events;           /* that can be told apart */
  uint32_t switches;       /* which of them counts context switches; 0: none */
};
const struct perf_data_facts *perf_data_facts (const struct perf_data *data);

/* The build-id that the recording's table has of the file at PATH; returns its
   size, or 0.  */
size_t perf_data_build_id (struct perf_data *data, const char *path,
                           uint8_t build_id[PERF_BUILD_ID_MAX]);

/* ---- Writing: the same recording with call chains instead of stacks */

struct perf_writer
{
  const struct perf_data *data;
  FILE *out; /* borrowed; can be sought in */
  uint64_t data_start, data_size;
};

/* Begin a copy of DATA at the start of OUT, where nothing was written.
   Failures to write stay with OUT.  False when memory ran out.  */
bool perf_writer_begin (struct perf_writer *writer,
                        const struct perf_data *data, FILE *out);

/* Append RECORD as it is; some kinds have no place in a sorted file.  */
void perf_writer_copy (struct perf_writer *writer,
                       const struct perf_record *record);

/* Append RECORD, which is SAMPLE, without registers and stack.  Its chain is
   the kernel's part and N addresses, the innermost one first, of which so many
   are taken as a record has room for.  */
void perf_writer_sample (struct perf_writer *writer,
                         const struct perf_record *record,
                         const struct perf_sample *sample,
                         const uint64_t *addresses, size_t n);

/* Write what follows the records.  False when memory ran out.  */
bool perf_writer_end (struct perf_writer *writer);

#endif /* STACKS_PERFDATA_PERFDATA_H */
