/* Samples from a recording of perf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The processes have ended, and only the files with their code are left, which
   may have been replaced since.  To recognise a file (file_finder.c), perf has
   recorded its inode or its build-id.  Build-ids are recorded for files in
   which a sample was taken, or for all files with --buildid-mmap and
   --buildid-all.  */

#include <config.h>

#include "stacks/sampling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "stacks/live.h"
#include "stacks/perfdata/perfdata.h"
#include "stacks/perf_events.h"
#include "stacks/profile_writers.h"

struct perf_input
{
  struct profile *profile;
  struct perf_events events;
  struct perf_data *data;
  const uint8_t *bytes; /* mapped */
  size_t size;
  unsigned event;      /* the only one that is counted; 0: all */
  uint64_t *addresses; /* owned; return addresses of a walk */
  uint64_t first;      /* time of the first sample */
  struct perf_writer writer;
};

static bool
map_file (struct perf_input *input, const char *path, struct error *err)
{
  int fd = io_open_regular (path);
  struct stat status;
  if (fd < 0 && stat (path, &status) == 0 && S_ISDIR (status.st_mode))
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "a folder, not a recording (perf record without "
                      "--threads makes one file)");
  if (fd < 0)
    return error_set (err, CFI2SFRAME_IO, "%s", strerror (errno));
  if (fstat (fd, &status) != 0)
    error_set_errno (err, "fstat");
  else if (status.st_size == 0)
    error_set (err, CFI2SFRAME_MALFORMED, "it is empty");
  else
    input->bytes = mapped_file_open (fd, &input->size, err);
  close (fd);
  return input->bytes != NULL;
}

/* Check that the recording is of this machine and has what walks need.  */
static bool
check_facts (struct perf_input *input, struct error *err)
{
  const struct perf_data_facts *facts = perf_data_facts (input->data);
  uint64_t needed = registers_mask (live_arch (), ORDER_PERF);
  struct utsname host = { 0 };
  if (uname (&host) == 0 && facts->machine[0] != '\0'
      && strcmp (facts->machine, host.machine) != 0)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "it was recorded on another machine (%s)",
                      facts->machine);
  if (facts->register_mask == 0)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "its samples have no stacks (perf record --call-graph "
                      "dwarf)");
  if ((facts->register_mask & needed) != needed)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "its samples do not have all registers");
  if (input->event > facts->events)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "its samples are of %zu events that can be told apart",
                      facts->events);
  if (input->profile->off_cpu && input->event == 0)
    input->event = facts->switches;
  if (input->profile->off_cpu && (input->event == 0 || !facts->by_time))
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "it has no samples of context switches with times (perf "
                      "record -e context-switches -c 1 --switch-events)");
  input->profile->hz
      = input->profile->off_cpu ? 0 : (unsigned)facts->frequency;
  input->events.recording = input->data;
  input->events.same_kernel = strcmp (facts->release, host.release) == 0;
  return true;
}

/* ---- Records */

static void
take_sample (struct perf_input *input, const struct perf_record *record)
{
  struct perf_sample sample;
  if (!perf_data_sample (input->data, record, &sample))
    {
      input->profile->damaged++;
      return;
    }
  if (input->event != 0 && sample.event != input->event)
    return;
  input->first = sample.time < input->first ? sample.time : input->first;
  if (sample.time > input->events.last)
    input->events.last = sample.time;
  const struct process *process = perf_events_sample (
      &input->events, &sample, perf_data_facts (input->data)->register_mask);
  const struct stack_walk *walk = &input->profile->walk;
  size_t n = process != NULL ? walk->n : 0;
  /* As in perf's own chains, the address of a caller lies in the call.  */
  for (size_t i = 0; i < n; i++)
    input->addresses[i] = walk->frames[i].pc - !walk->frames[i].at_pc;
  input->profile->without_registers += process == NULL;
  input->profile->unmapped += process != NULL && !process->mappings.has_files;
  if (input->writer.out != NULL)
    perf_writer_sample (&input->writer, record, &sample, input->addresses, n);
}

static void
take_records (struct perf_input *input)
{
  const uint64_t sample_id_type
      = perf_data_facts (input->data)->sample_id_type;
  struct perf_events *events = &input->events;
  struct perf_record record;
  while (perf_data_next (input->data, &record))
    if (record.type == PERF_RECORD_SAMPLE)
      take_sample (input, &record);
    else
      {
        perf_events_apply (events, &record, sample_id_type, true);
        if (input->writer.out != NULL)
          perf_writer_copy (&input->writer, &record);
      }
  off_cpu_end (&events->waits, events->last);
  if (events->last > input->first)
    input->profile->seconds = (double)(events->last - input->first) * 1e-9;
}

static bool
print_output (void *context, FILE *out, struct error *err)
{
  struct perf_input *input = context;
  if (!perf_writer_begin (&input->writer, input->data, out))
    return error_set_no_memory (err);
  take_records (input);
  return perf_writer_end (&input->writer) || error_set_no_memory (err);
}

static bool
run (struct perf_input *input, const char *output, struct error *err)
{
  size_t room = input->profile->walk.max;
  input->addresses = reallocarray (NULL, room, sizeof *input->addresses);
  if (input->addresses == NULL)
    return error_set_no_memory (err);
  if (output != NULL)
    return printed_file_make (output, print_output, input, err);
  take_records (input);
  return !input->profile->off_cpu || input->events.waits.switches > 0
         || error_set (err, CFI2SFRAME_UNSUPPORTED,
                       "it does not say when threads had a processor "
                       "(perf record --switch-events)");
}

bool
perf_input_take (struct profile *profile, const char *path, unsigned event,
                 const char *output, const char **at_fault, struct error *err)
{
  struct perf_input input
      = { .profile = profile,
          .events = { .profile = profile, .waits.profile = profile },
          .event = event,
          .first = UINT64_MAX };
  error_clear (err);
  *at_fault = path;
  profile->family.recorded = profile->kernel.recorded = true;
  if (map_file (&input, path, err))
    input.data = perf_data_open (input.bytes, input.size, err);
  bool done = input.data != NULL && check_facts (&input, err);
  if (done && output != NULL)
    *at_fault = output;
  done = done && run (&input, output, err);
  if (input.data != NULL)
    perf_data_close (input.data);
  if (input.bytes != NULL)
    mapped_file_close (input.bytes, input.size);
  free (input.addresses);
  return done;
}
