/* Many files: which thread works on which file, and in what order results are
   printed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/batch.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/background.h"
#include "base/plural.h"
#include "base/io.h"
#include "base/printable.h"
#include "cli/job.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/work_order.h"

/* What is to be printed to a stream when its turn comes.  */
struct text
{
  FILE *stream;
  char *bytes; /* NULL: nothing */
  size_t size;
};

/* The results of one file of the list.  */
struct batch_entry
{
  bool finished; /* the texts are complete */
  struct text out, errors;
};

struct batch
{
  const struct tool_options *options;
  const struct file_list *list;
  struct totals *totals;
  struct message_streams streams;
  struct batch_entry *entries;
  bool direct; /* one file after the other, printing at once */
  struct work_order work;

  pthread_mutex_t lock;   /* guards everything below and entries[].finished */
  pthread_cond_t changed; /* entries[n_printed] was finished */
  size_t n_printed;       /* entries, from the first one on */
  size_t n_taken, n_done; /* how many of `work` were begun, and are done */
  uint64_t bytes_done;
  bool lost_texts; /* a part of what was to be printed is missing */
};

/* Texts.  */

/* Open the stream of TEXT.  When memory ran out, or when files are worked on
   in their order anyway, it is LAST, where the text ends up.  */
static void
text_open (struct text *text, const struct batch *batch, FILE *last)
{
  if (!batch->direct)
    text->stream = open_memstream (&text->bytes, &text->size);
  if (text->stream == NULL)
    text->stream = last;
}

/* Close the stream of TEXT.  False if a part was lost for want of memory.  An
   empty text is freed, because there may be many.  */
static bool
text_close (struct text *text, FILE *last)
{
  bool whole
      = text->stream == last || io_close_text (text->stream, &text->bytes);
  if (text->size == 0)
    {
      free (text->bytes);
      text->bytes = NULL;
    }
  return whole;
}

static void
text_print (struct text *text, FILE *last)
{
  if (text->bytes == NULL)
    return;
  progress_clear ();
  fwrite (text->bytes, 1, text->size, last);
  fflush (last);
  free (text->bytes);
  text->bytes = NULL;
}

static void
texts_open (struct batch *batch, size_t index)
{
  struct batch_entry *entry = &batch->entries[index];
  text_open (&entry->out, batch, batch->streams.out);
  text_open (&entry->errors, batch, batch->streams.errors);
}

static void
texts_close (struct batch *batch, size_t index)
{
  struct batch_entry *entry = &batch->entries[index];
  bool whole = text_close (&entry->out, batch->streams.out);
  whole = text_close (&entry->errors, batch->streams.errors) && whole;
  if (whole)
    return;
  pthread_mutex_lock (&batch->lock);
  batch->lost_texts = true;
  pthread_mutex_unlock (&batch->lock);
}

/* Working on files.  */

/* Add JOB, of the entry INDEX, to the sums and print its results.  */
static void
add_result (struct batch *batch, size_t index, const struct job *job)
{
  const struct batch_entry *entry = &batch->entries[index];
  bool tell_anyway = job->outcome == JOB_FAILED
                     && entry->errors.stream == batch->streams.errors;
  report_job (job, entry->out.stream,
              tell_anyway ? batch->streams.failures : entry->errors.stream);
  pthread_mutex_lock (&batch->lock);
  totals_add (batch->totals, job);
  pthread_mutex_unlock (&batch->lock);
}

/* Count the file of JOB, of the entry INDEX, add its results and close it.  */
static void
finish_job (struct batch *batch, size_t index, struct job *job)
{
  progress_count (job->outcome == JOB_DONE || job->outcome == JOB_FOUND);
  /* Files in a tree that --lint is not for are not worth a word.  */
  if (batch->options->mode == MODE_LINT && job->outcome == JOB_SKIPPED)
    json_object_put (job->lint.findings);
  else
    add_result (batch, index, job);
  /* The debug file is a file of its own: JOB's is what the outcome says.  */
  const struct job twin = { .options = job->options,
                            .path = job->path,
                            .outcome = JOB_FAILED,
                            .err = job->twin_problem };
  if (twin.err.status != CFI2SFRAME_OK)
    add_result (batch, index, &twin);
  texts_close (batch, index);
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
run_name (struct batch *batch, size_t head, size_t index, struct job *job)
{
  const struct listed_file *entry = &batch->list->files[index];
  const struct work_entry *file = &batch->work.entries[head];
  *job = (struct job){ .options = batch->options,
                       .path = entry->path,
                       .found = !file->named,
                       .out = batch->entries[index].out.stream,
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
run_further_name (struct batch *batch, const struct job *first, size_t index,
                  struct job *job)
{
  const struct listed_file *entry = &batch->list->files[index];
  *job = (struct job){ .options = batch->options,
                       .path = entry->path,
                       .found = entry->found,
                       .out = batch->entries[index].out.stream };
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
  struct job first, job;
  size_t index = head;
  int old = -1;
  if (entry->hard_links && tool_options_change_files (batch->options))
    old = open (entry->path, O_PATH | O_CLOEXEC);
  for (;; index = entries[index].next_name)
    {
      texts_open (batch, index);
      run_name (batch, head, index, &first);
      if (entries[index].next_name == WORK_NONE
          || (first.reason != JOB_REASON_EXCLUDED
              && first.reason != JOB_REASON_CHECKSUMMED))
        break;
      finish_job (batch, index, &first);
    }
  for (size_t i = entries[index].next_name; i != WORK_NONE;
       i = entries[i].next_name)
    {
      texts_open (batch, i);
      run_further_name (batch, &first, i, &job);
      finish_job (batch, i, &job);
    }
  warn_of_old_names (batch, &first, old, batch->entries[index].errors.stream);
  finish_job (batch, index, &first);
  if (old >= 0)
    close (old);
}

/* Record that run_file is done with the entry.  Printing waits for the first
   entry that is not printed yet, and is woken up for no other: in a tree of
   small files, a wakeup for each of them takes a twelfth of the processor
   time.  */
static void
note_finished (struct batch *batch, size_t index)
{
  pthread_mutex_lock (&batch->lock);
  for (size_t i = index; i != WORK_NONE; i = batch->work.entries[i].next_name)
    batch->entries[i].finished = true;
  batch->bytes_done += batch->list->files[index].size;
  batch->n_done++;
  if (batch->entries[batch->n_printed].finished)
    pthread_cond_signal (&batch->changed);
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
        note_finished (batch, batch->work.order[i]);
      }
}

/* Results.  */

/* Print the results of finished entries, up to the first unfinished one.  The
   caller holds the lock, which is released while printing.  */
static void
print_finished (struct batch *batch)
{
  while (batch->entries[batch->n_printed].finished)
    {
      struct batch_entry *entry = &batch->entries[batch->n_printed++];
      if (entry->errors.bytes == NULL && entry->out.bytes == NULL)
        continue;
      pthread_mutex_unlock (&batch->lock);
      text_print (&entry->errors, batch->streams.errors);
      text_print (&entry->out, batch->streams.out);
      pthread_mutex_lock (&batch->lock);
    }
}

/* Wait until the next entry is finished, or the progress bar is to be drawn
   again.  */
static void
wait_for_change (struct batch *batch)
{
  if (!progress_is_on ())
    {
      pthread_cond_wait (&batch->changed, &batch->lock);
      return;
    }
  struct timespec until;
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec += 200 * 1000 * 1000;
  if (until.tv_nsec >= 1000 * 1000 * 1000)
    {
      until.tv_sec++;
      until.tv_nsec -= 1000 * 1000 * 1000;
    }
  pthread_cond_timedwait (&batch->changed, &batch->lock, &until);
}

static void
print_all (struct batch *batch)
{
  pthread_mutex_lock (&batch->lock);
  print_finished (batch);
  while (batch->n_printed < batch->list->n)
    {
      progress_show (batch->n_done, batch->work.n, batch->bytes_done,
                     batch->work.all_bytes);
      wait_for_change (batch);
      print_finished (batch);
    }
  pthread_mutex_unlock (&batch->lock);
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
  struct batch batch = {
    .options = &shared, .list = list, .totals = totals, .streams = *streams
  };
  pthread_mutex_init (&batch.lock, NULL);
  pthread_cond_init (&batch.changed, NULL);
  batch.direct = list->n == 1 || options->mode == MODE_DUMP;
  batch.entries = calloc (list->n + 1, sizeof *batch.entries);
  bool done
      = work_order_make (&batch.work, options, list) && batch.entries != NULL;
  /* What is left of the jobs when each file has one.  */
  if (batch.work.n > 0 && batch.work.n <= options->jobs)
    shared.convert.threads = options->jobs / (unsigned)batch.work.n;
  expect_interruption (&batch);
  if (done && batch.direct)
    work_on_files (&batch);
  else if (done && batch.work.n > 0)
    done = run_threads (&batch);
  work_order_free (&batch.work);
  free (batch.entries);
  pthread_cond_destroy (&batch.changed);
  pthread_mutex_destroy (&batch.lock);
  totals->lost_texts = batch.lost_texts;
  return done;
}
