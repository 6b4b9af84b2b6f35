/* Profiles from recordings of perf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Of the processes only the files of their code are left, which may have been
   replaced since (file_finder).  perf writes down the build-ids of the files
   of interrupted code, or of all with --buildid-mmap and --buildid-all, and
   inodes.  */

#include <config.h>

#include "stacks/perf_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "stacks/perfdata/perfdata.h"
#include "stacks/perf_events.h"
#include "stacks/printed_file.h"

struct perf_input
{
  struct profile *profile;
  struct perf_events events;
  struct perf_data *data;
  const uint8_t *bytes; /* mapped */
  size_t size;
  unsigned event;      /* that is counted; 0: all */
  uint64_t *addresses; /* owned; room for a walk */
  struct utsname host;
  uint64_t first, last; /* times of samples */
  struct perf_input_facts facts;
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

/* Whether the recording has what walks need, of this machine.  */
static bool
check_facts (struct perf_input *input, struct error *err)
{
  const struct perf_data_facts *facts = perf_data_facts (input->data);
  uint64_t needed = perf_events_registers ();
  if (uname (&input->host) == 0 && facts->machine[0] != '\0'
      && strcmp (facts->machine, input->host.machine) != 0)
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
  input->facts.hz = (unsigned)facts->frequency;
  return true;
}

struct perf_input *
perf_input_open (struct profile *profile, const char *path, unsigned event,
                 struct error *err)
{
  struct perf_input *input = calloc (1, sizeof *input);
  if (input == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  error_clear (err);
  input->profile = profile;
  perf_events_init (&input->events, profile);
  input->event = event;
  profile->family.recorded = profile->kernel.recorded = true;
  input->first = UINT64_MAX;
  if (map_file (input, path, err))
    input->data = perf_data_open (input->bytes, input->size, err);
  if (input->data != NULL && check_facts (input, err))
    return input;
  perf_input_close (input);
  return NULL;
}

void
perf_input_close (struct perf_input *input)
{
  if (input->data != NULL)
    perf_data_close (input->data);
  if (input->bytes != NULL)
    mapped_file_close (input->bytes, input->size);
  free (input->addresses);
  perf_events_free (&input->events);
  free (input);
}

/* Files.  */

/* The file of MAPPING; NULL when memory ran out.  */
static struct code_file *
file_of (struct perf_input *input, const struct perf_mapping *mapping)
{
  struct mapped_identity identity
      = { .inode = mapping->inode, .build_id_size = mapping->build_id_size };
  memcpy (identity.build_id, mapping->build_id, mapping->build_id_size);
  struct code_files *files = &input->profile->family.files;
  uint32_t before = files->n;
  struct code_file *file = code_files_get (files, mapping->path, &identity);
  if (file != NULL && files->n > before && identity.build_id_size == 0)
    file->recorded.build_id_size = perf_data_build_id (
        input->data, mapping->path, file->recorded.build_id);
  return file;
}

/* Whether this kernel's vdso is the one that was recorded.  */
static bool
same_kernel (const struct perf_input *input)
{
  const char *release = perf_data_facts (input->data)->release;
  return strcmp (release, input->host.release) == 0;
}

/* Records.  */

/* The process PID; NULL when memory ran out.  */
static struct member *
member_of (struct perf_input *input, uint32_t pid)
{
  struct error ignored;
  return family_get (&input->profile->family, (pid_t)pid, &ignored);
}

static void
take_mapping (struct perf_input *input, const struct perf_mapping *recorded)
{
  struct walk_mapping report = { .start = recorded->start,
                                 .end = recorded->end,
                                 .offset = recorded->offset,
                                 .runs = recorded->executable };
  struct member *member = member_of (input, recorded->pid);
  bool is_file = recorded->inode != 0 || recorded->build_id_size != 0;
  if (member == NULL)
    return;
  if (is_file && recorded->path[0] == '/')
    {
      process_map_file (&member->process, &report, file_of (input, recorded));
      return;
    }
  if (same_kernel (input) && strcmp (recorded->path, "[vdso]") == 0)
    report.path = recorded->path;
  process_map (&member->process, &report);
}

/* Addresses as perf writes them: of callers, in the middle of the call.  */
static size_t
list_addresses (struct perf_input *input)
{
  const struct stack_walk *walk = &input->profile->walk;
  for (size_t i = 0; i < walk->n; i++)
    input->addresses[i] = walk->frames[i].pc - !walk->frames[i].at_pc;
  return walk->n;
}

static void
take_sample (struct perf_input *input, const struct perf_record *record)
{
  struct perf_sample sample;
  struct member *member = NULL;
  size_t n = 0;
  if (!perf_data_sample (input->data, record, &sample))
    {
      input->facts.damaged++;
      return;
    }
  if (input->event != 0 && sample.event != input->event)
    return;
  input->first = sample.time < input->first ? sample.time : input->first;
  input->last = sample.time > input->last ? sample.time : input->last;
  if (sample.registers != NULL)
    member = member_of (input, sample.pid);
  if ((member != NULL || sample.registers == NULL)
      && perf_events_sample (&input->events, member, &sample,
                             perf_data_facts (input->data)->register_mask))
    {
      n = list_addresses (input);
      input->facts.unmapped
          += member != NULL && !member->process.mappings.has_files;
    }
  else
    input->facts.skipped++;
  if (input->writer.out != NULL)
    perf_writer_sample (&input->writer, record, &sample, input->addresses, n);
}

/* Where the kernel was: "[kernel.kallsyms]" and behind that a symbol, of which
   the address is in the place of an offset.  */
static void
take_kernel (struct perf_input *input, const struct perf_mapping *recorded)
{
  struct kernel_names *kernel = &input->profile->kernel;
  const char *end = strchr (recorded->path, ']');
  if (strncmp (recorded->path, "[kernel", 7) != 0 || end == NULL
      || !same_kernel (input))
    return;
  snprintf (kernel->reference, sizeof kernel->reference, "%s", end + 1);
  kernel->reference_address = recorded->offset;
}

static void
take_event (struct perf_input *input, const struct perf_record *record)
{
  bool of_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK)
                   == PERF_RECORD_MISC_KERNEL;
  struct perf_mapping mapping;
  struct perf_task task;
  struct perf_stamp stamp;
  switch (record->type)
    {
    case PERF_RECORD_MMAP:
      if (perf_mapping_read (record, &mapping) && of_kernel)
        take_kernel (input, &mapping);
      break;
    case PERF_RECORD_MMAP2:
      if (!perf_mapping_read (record, &mapping))
        input->facts.damaged++;
      /* Those of the kernel are of no process.  */
      else if (of_kernel)
        take_kernel (input, &mapping);
      else if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK)
               == PERF_RECORD_MISC_USER)
        take_mapping (input, &mapping);
      break;
    case PERF_RECORD_COMM:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      if (!perf_task_read (record, &task))
        input->facts.damaged++;
      else
        {
          if (record->type == PERF_RECORD_COMM)
            member_of (input, task.pid);
          perf_events_task (&input->events, record, &task);
        }
      break;
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
      if (perf_data_stamp (input->data, record, &stamp))
        {
          perf_events_switch (&input->events, record, &stamp);
          input->last = stamp.time > input->last ? stamp.time : input->last;
        }
      else
        input->facts.damaged++;
      break;
    case PERF_RECORD_LOST:
      perf_events_lost (&input->events, record, true);
      break;
    default:
      break;
    }
}

static void
take_records (struct perf_input *input)
{
  struct perf_record record;
  while (perf_data_next (input->data, &record))
    if (record.type == PERF_RECORD_SAMPLE)
      take_sample (input, &record);
    else
      {
        take_event (input, &record);
        if (input->writer.out != NULL)
          perf_writer_copy (&input->writer, &record);
      }
  off_cpu_end (&input->events.waits, input->last);
  input->facts.unknown = input->events.waits.unknown;
  if (input->last > input->first)
    input->facts.seconds = (double)(input->last - input->first) * 1e-9;
}

/* Print the recording of CONTEXT, an input, with call chains.  */
static bool
print_output (void *context, FILE *out, struct error *err)
{
  struct perf_input *input = context;
  if (!perf_writer_begin (&input->writer, input->data, out))
    return error_set_no_memory (err);
  take_records (input);
  return perf_writer_end (&input->writer) || error_set_no_memory (err);
}

bool
perf_input_run (struct perf_input *input, const char *output,
                struct error *err)
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

const struct perf_input_facts *
perf_input_facts (const struct perf_input *input)
{
  return &input->facts;
}
