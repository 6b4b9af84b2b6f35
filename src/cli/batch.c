/* Many files: which thread works on which file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/batch.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/background.h"
#include "base/plural.h"
#include "base/printable.h"
#include "cli/job.h"
#include "cli/ordered_output.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/work_order.h"

struct batch
{
  const struct tool_options *options;
  const struct file_list *list;
  struct totals *totals;
  struct work_order work;
  struct ordered_output output;

  pthread_mutex_t lock;   /* guards everything below and the totals */
  size_t n_taken, n_done; /* how many of `work` were begun, and are done */
  uint64_t bytes_done;
};

/* Working on files.  */

/* Add JOB to the sums and print its results to STREAMS.  */
static void
add_result (struct batch *batch, const struct message_streams *streams,
            const struct job *job)
{
  report_job (job, streams->out,
              job->outcome == JOB_FAILED ? streams->failures
                                         : streams->errors);
  pthread_mutex_lock (&batch->lock);
  totals_add (batch->totals, job);
  pthread_mutex_unlock (&batch->lock);
}

/* Count the file of JOB, of the entry INDEX, add its results and close it.  */
static void
finish_job (struct batch *batch, size_t index,
            const struct message_streams *streams, struct job *job)
{
  progress_count (job->outcome == JOB_DONE || job->outcome == JOB_FOUND);
  /* Files in a tree that --lint is not for are not worth a word.  */
  if (batch->options->mode == MODE_LINT && job->outcome == JOB_SKIPPED)
    json_object_put (job->lint.findings);
  else
    add_result (batch, streams, job);
  /* The debug file is a file of its own: JOB's is what the outcome says.  */
  const struct job twin = { .options = job->options,
                            .path = job->path,
                            .outcome = JOB_FAILED,
                            .err = job->twin_problem };
  if (twin.err.status != CFI2SFRAME_OK)
    add_result (batch, streams, &twin);
  ordered_output_end (&batch->output, index);
  listed_file_leave (&job->work.input);
}

/* Skip the debug file of PROGRAM, which changes along with that.  */
static void
skip_twin (struct job *job, const struct listed_file *program)
{
  char name[sizeof job->err.reason / 2];
  printable_copy (name, sizeof name, program->path);
  error_set_word (&job->err, CFI2SFRAME_NOTHING, WORD_DEBUG_FILE,
                  "debug file of %s", name);
  job_fail (job);
}

/* Work on a file, whose first name is HEAD, by the name INDEX.  */
static void
run_name (const struct batch *batch, size_t head, size_t index, FILE *out,
          struct job *job)
{
  const struct listed_file *entry = &batch->list->files[index];
  const struct work_entry *file = &batch->work.entries[head];
  *job = (struct job){ .options = batch->options,
                       .path = entry->path,
                       .found = !file->named,
                       .out = out,
                       .outcome = JOB_FAILED };
  if (file->program != WORK_NONE)
    skip_twin (job, &batch->list->files[file->program]);
  else if (entry->problem != 0)
    error_set (&job->err, CFI2SFRAME_IO, "%s", strerror (entry->problem));
  else if (listed_file_locate (batch->list, entry, &job->work.input,
                               &job->err))
    {
      job->work.input.same = batch->work.entries[index].next_name != WORK_NONE;
      job_run (job);
    }
}

/* The file of FIRST was replaced: make LOCATION, which was a name of that very
   file, a name of the new one.  */
static bool
relink (const struct job *first, const struct file_location *location,
        struct cfi2sframe_error *err)
{
  struct file_location name = *location, replacement = first->work.input;
  name.identity = first->work.input.identity;
  replacement.identity = first->work.made;
  return location_relink (&name, &replacement, &first->options->convert, err);
}

/* Work on another name of the file of FIRST, which is done.  Where the link is
   lost, because another process replaced one of them, that name is a file of
   its own: what is in one folder by now is not for another one.  */
static void
run_further_name (const struct batch *batch, const struct job *first,
                  size_t index, FILE *out, struct job *job)
{
  const struct listed_file *entry = &batch->list->files[index];
  *job = (struct job){ .options = batch->options,
                       .path = entry->path,
                       .found = entry->found,
                       .out = out };
  char name[sizeof job->err.reason / 2];
  printable_copy (name, sizeof name, first->path);
  if (job_exclude (job))
    return;
  bool located = first->outcome == JOB_DONE
                 && listed_file_locate (batch->list, entry, &job->work.input,
                                        &job->err);
  if (first->outcome != JOB_DONE
      || (located && relink (first, &job->work.input, &job->err)))
    error_set_word (&job->err, CFI2SFRAME_NOTHING, WORD_HARD_LINK,
                    "same file as %s", name);
  if (located && job->err.word == WORD_CHANGED_MEANWHILE)
    {
      error_clear (&job->err);
      job_run (job);
    }
  else
    job_fail (job);
}

/* Warn of hard links that were not named in this call: those names still have
   the old contents.  FD is the old file.  */
static void
warn_of_old_names (const struct batch *batch, const struct job *job, int fd,
                   FILE *errors)
{
  struct stat old;
  if (fd < 0 || job->outcome != JOB_DONE || batch->options->quiet
      || batch->options->convert.dry_run || fstat (fd, &old) != 0
      || old.st_nlink == 0)
    return;
  if (file_identity_is (&job->work.made, &old))
    return; /* nothing was written */
  message_begin (job->path, errors);
  fprintf (errors,
           "warning: it has %ju other hard link%s, with the "
           "old contents\n",
           (uintmax_t)old.st_nlink, plural_s (old.st_nlink));
}

/* Work on an entry and the other names of its file.  A name that the file is
   left alone for, by the configuration or a checksum, keeps it as it is; the
   names behind it do not.  */
static void
run_file (struct batch *batch, size_t head)
{
  const struct listed_file *entry = &batch->list->files[head];
  const struct work_entry *entries = batch->work.entries;
  const struct message_streams *streams;
  struct job first;
  size_t index = head;
  int old = -1;
  if (entry->hard_links && tool_options_change_files (batch->options))
    old = open (entry->path, O_PATH | O_CLOEXEC);
  for (;; index = entries[index].next_name)
    {
      streams = ordered_output_begin (&batch->output, index);
      run_name (batch, head, index, streams->out, &first);
      if (entries[index].next_name == WORK_NONE
          || (first.reason != JOB_REASON_EXCLUDED
              && first.reason != JOB_REASON_CHECKSUMMED))
        break;
      finish_job (batch, index, streams, &first);
    }
  for (size_t i = entries[index].next_name; i != WORK_NONE;
       i = entries[i].next_name)
    {
      const struct message_streams *others
          = ordered_output_begin (&batch->output, i);
      struct job job;
      run_further_name (batch, &first, i, others->out, &job);
      finish_job (batch, i, others, &job);
    }
  warn_of_old_names (batch, &first, old, streams->errors);
  finish_job (batch, index, streams, &first);
  if (old >= 0)
    close (old);
}

/* Count the entry INDEX, which run_file is done with.  */
static void
count_done (struct batch *batch, size_t index)
{
  pthread_mutex_lock (&batch->lock);
  batch->bytes_done += batch->list->files[index].size;
  batch->n_done++;
  pthread_mutex_unlock (&batch->lock);
}

/* Take the next group of files: from *FIRST up to *END of the order of work.
   False when there is none.  */
static bool
take_group (struct batch *batch, size_t *first, size_t *end)
{
  const struct work_order *work = &batch->work;
  pthread_mutex_lock (&batch->lock);
  *first = *end = batch->n_taken;
  while (*end < work->n
         && work->entries[work->order[*end]].group
                == work->entries[work->order[*first]].group)
    ++*end;
  batch->n_taken = *end;
  pthread_mutex_unlock (&batch->lock);
  return *first < *end;
}

static void
work_on_files (void *argument)
{
  struct batch *batch = argument;
  size_t first, end;
  while (take_group (batch, &first, &end))
    for (size_t i = first; i < end; i++)
      {
        run_file (batch, batch->work.order[i]);
        count_done (batch, batch->work.order[i]);
      }
}

/* Results.  */

static void
show_progress (struct batch *batch)
{
  pthread_mutex_lock (&batch->lock);
  size_t n = batch->n_done;
  uint64_t bytes = batch->bytes_done;
  pthread_mutex_unlock (&batch->lock);
  progress_show (n, batch->work.n, bytes, batch->work.all_bytes);
}

static void
print_all (struct batch *batch)
{
  while (ordered_output_print (&batch->output))
    {
      show_progress (batch);
      ordered_output_wait (&batch->output);
    }
  progress_clear ();
}

/* Have an interruption tell how many of several files are done.  */
static void
expect_interruption (const struct batch *batch)
{
  const struct tool_options *options = batch->options;
  const struct mode_names *names = &mode_names[options->mode];
  bool dry = options->convert.dry_run;
  if (batch->list->n > 1 && !options->quiet)
    progress_expect (batch->list->n, dry ? names->could_be : names->done,
                     tool_options_change_files (options) && !dry);
}

/* Threads.  */

static bool
run_threads (struct batch *batch)
{
  unsigned n = batch->options->jobs;
  if (n > batch->work.n)
    n = (unsigned)batch->work.n;
  struct background *threads = calloc (n, sizeof *threads);
  if (threads == NULL)
    return false;
  for (unsigned i = 0; i < n; i++)
    background_start (&threads[i], work_on_files, batch);
  /* Printing waits for the files.  Where no thread can be had, this one works
     on them first.  */
  if (n > 0 && !threads[0].threaded)
    work_on_files (batch);
  print_all (batch);
  for (unsigned i = 0; i < n; i++)
    background_wait (&threads[i]);
  free (threads);
  return true;
}

bool
batch_run (const struct tool_options *options, const struct file_list *list,
           struct totals *totals, const struct message_streams *streams)
{
  struct tool_options shared = *options;
  struct batch batch = { .options = &shared, .list = list, .totals = totals };
  bool direct = list->n == 1 || options->mode == MODE_DUMP;
  pthread_mutex_init (&batch.lock, NULL);
  bool done = ordered_output_init (&batch.output, streams, list->n, direct);
  done = work_order_make (&batch.work, options, list) && done;
  /* What is left of the jobs when each file has one.  */
  if (batch.work.n > 0 && batch.work.n <= options->jobs)
    shared.convert.threads = options->jobs / (unsigned)batch.work.n;
  expect_interruption (&batch);
  if (done && direct)
    work_on_files (&batch);
  else if (done && batch.work.n > 0)
    done = run_threads (&batch);
  totals->lost_texts = batch.output.lost;
  work_order_free (&batch.work);
  ordered_output_free (&batch.output);
  pthread_mutex_destroy (&batch.lock);
  return done;
}
