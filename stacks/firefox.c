/* Profiles for the Firefox profiler.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each thread has tables of its own: strings, frames (a string each), stacks
   (a frame and the caller's stack each) and samples (a stack each).  In this
   writer, the frame and the string of a function have the same index.

   Samples of this format have no weight.  So time off the processor is written
   as samples at equal intervals, as a clock would have taken them.  */

#include <config.h>

#include "stacks/profile_writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

/* Categories of functions.  The format requires a grey one.  */
enum
{
  CATEGORY_OTHER,
  CATEGORY_USER,
  CATEGORY_KERNEL
};
static const char categories[]
    = "\"categories\":["
      "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
      "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
      "{\"name\":\"Kernel\",\"color\":\"orange\","
      "\"subcategories\":[\"Other\"]}]";

/* The entries of a table of the current thread.  */
struct numbers
{
  uint32_t *of;    /* owned; index plus 1, by node or name; 0: none */
  uint32_t *order; /* owned; the node or name of each entry */
  uint32_t n;
};

enum
{
  INTERVAL = 1000000, /* nanoseconds off the processor between samples */
  TICKS_MAX = 1000000 /* limit on samples; longer intervals avoid more */
};

struct writer
{
  const struct named_profile *profile;
  FILE *out;
  struct profile_sample *log; /* owned; sorted by thread and time */
  size_t n_log;
  uint64_t interval; /* nanoseconds between samples */
  struct numbers stacks, names;
  uint32_t *path; /* owned; room for all nodes */
  uint64_t start; /* time of the first sample */
};

static bool
numbers_init (struct numbers *numbers, uint64_t n)
{
  numbers->of = calloc (n + 1, sizeof *numbers->of);
  numbers->order = calloc (n + 1, sizeof *numbers->order);
  return numbers->of != NULL && numbers->order != NULL;
}

/* Append WHAT to the table, unless it is there.  */
static void
assign_number (struct numbers *numbers, uint32_t what)
{
  if (numbers->of[what] != 0)
    return;
  numbers->order[numbers->n++] = what;
  numbers->of[what] = numbers->n;
}

static void
numbers_forget (struct numbers *numbers)
{
  for (uint32_t i = 0; i < numbers->n; i++)
    numbers->of[numbers->order[i]] = 0;
  numbers->n = 0;
}

/* Return TIME in intervals, rounded up.  */
static uint64_t
tick_from (const struct writer *writer, uint64_t time)
{
  return time / writer->interval + (time % writer->interval != 0);
}

/* Return how many multiples of the interval lie in the wait of SAMPLE.  */
static uint64_t
ticks_in (const struct writer *writer, const struct profile_sample *sample)
{
  return tick_from (writer, sample->time + sample->weight)
         - tick_from (writer, sample->time);
}

/* Return how many samples the log's time off the processor makes; some number
   above TICKS_MAX if there are more.  */
static uint64_t
count_ticks (const struct writer *writer)
{
  uint64_t n = 0;
  for (size_t i = 0; i < writer->profile->n_log && n <= TICKS_MAX; i++)
    n += ticks_in (writer, &writer->profile->log[i]);
  return n;
}

static bool
sample_waits (struct writer *writer)
{
  const struct named_profile *profile = writer->profile;
  uint64_t room;
  writer->interval = INTERVAL;
  while ((room = count_ticks (writer)) > TICKS_MAX
         && writer->interval <= UINT64_MAX / 2)
    writer->interval *= 2;
  writer->log = calloc (room + 1, sizeof *writer->log);
  for (size_t i = 0; writer->log != NULL && i < profile->n_log; i++)
    {
      const struct profile_sample *wait = &profile->log[i];
      uint64_t first = tick_from (writer, wait->time);
      for (uint64_t n = ticks_in (writer, wait); n > 0 && writer->n_log < room;
           n--, first++)
        {
          struct profile_sample *sample = &writer->log[writer->n_log++];
          *sample = *wait;
          sample->time = first * writer->interval;
        }
    }
  return writer->log != NULL;
}

static bool
copy_log (struct writer *writer)
{
  size_t n = writer->profile->n_log;
  if (writer->profile->off_cpu)
    return sample_waits (writer);
  writer->log = calloc (n + 1, sizeof *writer->log);
  if (writer->log == NULL)
    return false;
  memcpy (writer->log, writer->profile->log, n * sizeof *writer->log);
  writer->n_log = n;
  return true;
}

static int
by_thread (const void *a, const void *b)
{
  const struct profile_sample *x = a, *y = b;
  return x->thread != y->thread ? (x->thread > y->thread ? 1 : -1)
         : x->time != y->time   ? (x->time > y->time ? 1 : -1)
                                : (x->node > y->node) - (x->node < y->node);
}

static const char *
comma (size_t i)
{
  return i > 0 ? "," : "";
}

/* Append the stack of NODE and its names to the tables.  A stack has to follow
   that of its caller.  */
static void
number_stack (struct writer *writer, uint32_t node)
{
  const struct call_node *nodes = writer->profile->calls.nodes;
  uint32_t depth = 0;
  for (uint32_t i = node; i != 0 && writer->stacks.of[i] == 0;
       i = nodes[i].parent)
    writer->path[depth++] = i;
  while (depth-- > 0)
    {
      uint32_t at = writer->path[depth];
      assign_number (&writer->stacks, at);
      assign_number (&writer->names, (uint32_t)nodes[at].key);
    }
}

static void
print_stacks (struct writer *writer)
{
  const struct call_node *nodes = writer->profile->calls.nodes;
  fputs ("\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[",
         writer->out);
  for (uint32_t i = 0; i < writer->stacks.n; i++)
    {
      const struct call_node *node = &nodes[writer->stacks.order[i]];
      fprintf (writer->out, "%s[", comma (i));
      if (node->parent == 0)
        fputs ("null", writer->out);
      else
        fprintf (writer->out, "%" PRIu32, writer->stacks.of[node->parent] - 1);
      fprintf (writer->out, ",%" PRIu32 "]", writer->names.of[node->key] - 1);
    }
  fputs ("]},\n", writer->out);
}

static int
category_of (const char *name)
{
  return profile_is_of_kernel (name) ? CATEGORY_KERNEL
         : name[0] == '['            ? CATEGORY_OTHER
                                     : CATEGORY_USER;
}

static void
print_frames (struct writer *writer)
{
  fputs ("\"frameTable\":{\"schema\":{\"location\":0,\"relevantForJS\":1,"
         "\"innerWindowID\":2,\"implementation\":3,\"optimizations\":4,"
         "\"line\":5,\"column\":6,\"category\":7,\"subcategory\":8},"
         "\"data\":[",
         writer->out);
  for (uint32_t i = 0; i < writer->names.n; i++)
    fprintf (
        writer->out, "%s[%" PRIu32 ",false,0,null,null,null,null,%d,0]",
        comma (i), i,
        category_of (writer->profile->names.list[writer->names.order[i]]));
  fputs ("]},\n\"stringTable\":[", writer->out);
  for (uint32_t i = 0; i < writer->names.n; i++)
    {
      fputs (comma (i), writer->out);
      printable_put_json (writer->profile->names.list[writer->names.order[i]],
                          writer->out);
    }
  fputs ("],\n", writer->out);
}

static void
print_samples (struct writer *writer, size_t first, size_t end)
{
  fputs ("\"samples\":{\"schema\":{\"stack\":0,\"time\":1,"
         "\"responsiveness\":2},\"data\":[",
         writer->out);
  for (size_t i = first; i < end; i++)
    {
      const struct profile_sample *sample = &writer->log[i];
      uint64_t time = sample->time - writer->start;
      fprintf (writer->out, "%s[", comma (i - first));
      if (sample->node == 0)
        fputs ("null", writer->out);
      else
        fprintf (writer->out, "%" PRIu32, writer->stacks.of[sample->node] - 1);
      /* The format has times in milliseconds.  */
      fprintf (writer->out, ",%" PRIu64 ".%06" PRIu64 ",0]", time / 1000000,
               time % 1000000);
    }
  fputs ("]}", writer->out);
}

static void
print_thread (struct writer *writer, size_t first, size_t end)
{
  const struct profile_thread *thread
      = &writer->profile->threads[writer->log[first].thread];
  for (size_t i = first; i < end; i++)
    number_stack (writer, writer->log[i].node);
  fprintf (writer->out,
           "{\"processType\":\"default\",\"pid\":%d,\"tid\":%d,"
           "\"registerTime\":0,\"unregisterTime\":null,\"name\":",
           (int)thread->pid, (int)thread->tid);
  printable_put_json (thread->own_name[0] != '\0' ? thread->own_name
                                                  : thread->name,
                      writer->out);
  fputs (",\"processName\":", writer->out);
  printable_put_json (thread->name, writer->out);
  fputs (
      ",\n\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,"
      "\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},\"data\":[]},\n",
      writer->out);
  print_stacks (writer);
  print_frames (writer);
  print_samples (writer, first, end);
  fputc ('}', writer->out);
  numbers_forget (&writer->stacks);
  numbers_forget (&writer->names);
}

static void
print_profile (struct writer *writer)
{
  size_t n = writer->n_log;
  uint64_t interval = writer->interval / 1000; /* microseconds */
  fprintf (writer->out,
           "{\"meta\":{\"version\":24,\"interval\":%" PRIu64 ".%03" PRIu64
           ",\"startTime\":0,"
           "\"shutdownTime\":null,\"processType\":0,"
           "\"product\":\"sframe-profile\",\"stackwalk\":1,\"debug\":0,"
           "\"gcpoison\":0,\"asyncstack\":1,\"presymbolicated\":true,"
           "%s,\"markerSchema\":[]},\n"
           "\"libs\":[],\"processes\":[],\"pausedRanges\":[],\n\"threads\":[",
           interval / 1000, interval % 1000, categories);
  for (size_t i = 0, next; i < n; i = next)
    {
      for (next = i;
           next < n && writer->log[next].thread == writer->log[i].thread;)
        next++;
      fputs (comma (i), writer->out);
      print_thread (writer, i, next);
    }
  fputs ("]}\n", writer->out);
}

bool
firefox_print (const struct named_profile *profile, unsigned hz, FILE *out)
{
  struct writer writer = { .profile = profile, .out = out };
  writer.interval = hz > 0 ? 1000000000 / hz : INTERVAL;
  writer.path = calloc (profile->calls.n, sizeof *writer.path);
  bool done = writer.path != NULL
              && numbers_init (&writer.stacks, profile->calls.n)
              && numbers_init (&writer.names, profile->names.n)
              && copy_log (&writer);
  if (done)
    {
      writer.start = UINT64_MAX;
      for (size_t i = 0; i < writer.n_log; i++)
        if (writer.log[i].time < writer.start)
          writer.start = writer.log[i].time;
      qsort (writer.log, writer.n_log, sizeof *writer.log, by_thread);
      print_profile (&writer);
    }
  free (writer.log);
  free (writer.path);
  free (writer.stacks.of);
  free (writer.stacks.order);
  free (writer.names.of);
  free (writer.names.order);
  return done;
}
