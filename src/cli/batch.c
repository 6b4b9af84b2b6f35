/* Working on many files: their order, their groups, and threads.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Hard links to one file, and programs with one debug file, change along with
   each other, so the result would depend on which thread is first.  Therefore
   one thread works on all of them.  */

#include <config.h>

#include "cli/batch.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/background.h"
#include "base/printable.h"
#include "cli/job.h"
#include "cli/ordered_output.h"
#include "cli/progress.h"
#include "cli/report.h"

#define NO_ENTRY SIZE_MAX

/* The relations of a listed file to other files of the list.  */
struct entry
{
  size_t next_link;     /* the next hard link to the same file, or NO_ENTRY */
  bool is_further_link; /* an earlier entry is the same file */
  bool in_tree;         /* no name of the file is an operand */
  size_t program; /* the first program with this debug file, or NO_ENTRY */
  size_t group;   /* the first program with its debug file, or this one */
};

struct batch
{
  const struct tool_options *options;
  const struct file_list *list;
  struct totals *totals;
  struct ordered_output output;

  struct entry *entries; /* owned; one for each file of the list */
  size_t *order;         /* owned; indexes of the entries to work on, without
                            further links: groups by the size of their first
                            file, the largest first; files of a group in the
                            order of the list */
  size_t n;
  uint64_t all_bytes;

  pthread_mutex_t lock;   /* protects the members below and the totals */
  size_t n_taken, n_done; /* of `order': taken, and finished */
  uint64_t bytes_done;
};

/* ---- The order of the work */

/* The identity of an entry's file, or of its debug file.  */
struct entry_identity
{
  struct file_identity identity;
  bool of_debug_file;
  size_t entry;
};

struct identities
{
  struct entry_identity *list; /* owned */
  size_t n;
};

static int
compare_identities (const void *a, const void *b)
{
  const struct entry_identity *left = a, *right = b;
  const struct file_identity *x = &left->identity, *y = &right->identity;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->inode != y->inode)
    return x->inode < y->inode ? -1 : 1;
  if (left->of_debug_file != right->of_debug_file)
    return left->of_debug_file ? 1 : -1;
  return (left->entry > right->entry) - (left->entry < right->entry);
}

/* Set the relations of all entries from IDENTITIES.  Sorting brings equal ones
   together, those of debug files after those of the entries themselves.  */
static void
set_relations (struct batch *batch, struct identities *identities)
{
  struct entry *entries = batch->entries;
  size_t first = 0;
  qsort (identities->list, identities->n, sizeof *identities->list,
         compare_identities);
  for (size_t i = 1; i < identities->n; i++)
    {
      const struct entry_identity *item = &identities->list[i],
                                  *previous = item - 1;
      struct entry *entry = &entries[item->entry];
      struct entry *head = &entries[identities->list[first].entry];
      if (!file_identity_equal (&item->identity, &previous->identity))
        first = i;
      else if (!item->of_debug_file)
        {
          entries[previous->entry].next_link = item->entry;
          head->in_tree &= entry->in_tree;
          entry->is_further_link = true;
        }
      else if (previous->of_debug_file)
        entry->group = entries[previous->entry].group;
      else
        head->program = item->entry;
    }
}

/* Add to IDENTITIES those of the debug files of all files of the list.  */
static void
add_debug_files (struct identities *identities, const struct batch *batch)
{
  const struct file_list *list = batch->list;
  for (size_t i = 0; i < list->n; i++)
    {
      struct entry_identity *item = &identities->list[identities->n];
      struct file_location location;
      struct error err = { 0 };
      if (!list->files[i].has_stat || batch->entries[i].is_further_link)
        continue;
      *item = (struct entry_identity){ .of_debug_file = true, .entry = i };
      if (listed_file_locate (list, &list->files[i], &location, &err)
          && location_find_debug_twin (&location, &item->identity))
        identities->n++;
      listed_file_leave (&location);
    }
}

static bool
find_relations (struct batch *batch)
{
  const struct file_list *list = batch->list;
  struct identities identities
      = { calloc (2 * list->n + 1, sizeof *identities.list), 0 };
  if (identities.list == NULL)
    return false;
  for (size_t i = 0; i < list->n; i++)
    if (list->files[i].has_stat)
      identities.list[identities.n++]
          = (struct entry_identity){ .identity = list->files[i].identity,
                                     .entry = i };
  set_relations (batch, &identities);
  if (batch->options->debug_twin && list->n > 1)
    {
      add_debug_files (&identities, batch);
      set_relations (batch, &identities);
    }
  free (identities.list);
  return true;
}

static int
compare_entries (const void *a, const void *b, void *context)
{
  const struct batch *batch = context;
  size_t left = *(const size_t *)a, right = *(const size_t *)b;
  size_t x = batch->entries[left].group, y = batch->entries[right].group;
  uint64_t x_size = batch->list->files[x].size;
  uint64_t y_size = batch->list->files[y].size;
  if (x_size != y_size)
    return x_size > y_size ? -1 : 1;
  return x != y ? (x > y) - (x < y) : (left > right) - (left < right);
}

/* Set batch->order.  False when memory ran out.  */
static bool
make_order (struct batch *batch)
{
  const struct file_list *list = batch->list;
  batch->entries = calloc (list->n + 1, sizeof *batch->entries);
  batch->order = calloc (list->n + 1, sizeof *batch->order);
  if (batch->entries == NULL || batch->order == NULL)
    return false;
  for (size_t i = 0; i < list->n; i++)
    batch->entries[i] = (struct entry){ .next_link = NO_ENTRY,
                                        .program = NO_ENTRY,
                                        .in_tree = list->files[i].in_tree,
                                        .group = i };
  if (tool_options_change_files (batch->options) && !find_relations (batch))
    return false;
  for (size_t i = 0; i < list->n; i++)
    if (!batch->entries[i].is_further_link)
      {
        batch->order[batch->n++] = i;
        batch->all_bytes += list->files[i].size;
      }
  if (batch->options->mode != MODE_DUMP)
    qsort_r (batch->order, batch->n, sizeof *batch->order, compare_entries,
             batch);
  return true;
}

/* ---- Working on files */

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

/* Count the file of JOB, entry INDEX, print its results and close it.  */
static void
finish_job (struct batch *batch, size_t index,
            const struct message_streams *streams, struct job *job)
{
  progress_count (job->outcome == JOB_DONE || job->outcome == JOB_FOUND);
  /* Print nothing for files of a tree that --lint cannot analyse.  */
  if (batch->options->mode == MODE_LINT && job->outcome == JOB_SKIPPED)
    json_object_put (job->findings.details);
  else
    add_result (batch, streams, job);
  /* Report a failure for the debug file apart, because the outcome of JOB is
     that of the program.  */
  const struct job twin = { .options = job->options,
                            .path = job->path,
                            .outcome = JOB_FAILED,
                            .err = job->twin_problem };
  if (twin.err.status != CFI2SFRAME_OK)
    add_result (batch, streams, &twin);
  ordered_output_end (&batch->output, index);
  listed_file_leave (&job->work.input);
}

/* Work on a file, whose first entry is HEAD, by the name of entry INDEX.
   Skip debug files, which change along with their program.  */
static void
run_link (const struct batch *batch, size_t head, size_t index, FILE *out,
          struct job *job)
{
  const struct listed_file *listed = &batch->list->files[index];
  const struct entry *file = &batch->entries[head];
  *job = (struct job){ .options = batch->options,
                       .path = listed->path,
                       .in_tree = file->in_tree,
                       .out = out,
                       .outcome = JOB_FAILED };
  if (file->program != NO_ENTRY)
    {
      char name[sizeof job->err.reason / 2];
      printable_copy (name, sizeof name,
                      batch->list->files[file->program].path);
      error_set_word (&job->err, CFI2SFRAME_NOTHING, WORD_DEBUG_FILE,
                      "debug file of %s", name);
      job_fail (job);
    }
  else if (listed->problem != 0)
    error_set (&job->err, CFI2SFRAME_IO, "%s", strerror (listed->problem));
  else if (listed_file_locate (batch->list, listed, &job->work.input,
                               &job->err))
    {
      job->work.input.same = batch->entries[index].next_link != NO_ENTRY;
      job_run (job);
    }
}

/* Make LOCATION, which was a hard link to the file of FIRST before FIRST
   replaced that file, a link to the new file.  */
static bool
relink (const struct job *first, const struct file_location *location,
        struct cfi2sframe_error *err)
{
  struct file_location name = *location, replacement = first->work.input;
  name.identity = first->work.input.identity;
  replacement.identity = first->work.made;
  return location_relink (&name, &replacement, &first->options->convert, err);
}

/* Work on entry INDEX, another hard link to the file of FIRST, which is
   finished.  If another process has replaced one of the two names meanwhile,
   the link is lost, and the entry is a file of its own: convert it by itself,
   because a file may only be linked to its own conversion.  */
static void
run_other_link (const struct batch *batch, const struct job *first,
                size_t index, FILE *out, struct job *job)
{
  const struct listed_file *listed = &batch->list->files[index];
  *job = (struct job){ .options = batch->options,
                       .path = listed->path,
                       .in_tree = listed->in_tree,
                       .out = out };
  char name[sizeof job->err.reason / 2];
  printable_copy (name, sizeof name, first->path);
  if (job_exclude (job))
    return;
  bool located = first->outcome == JOB_DONE
                 && listed_file_locate (batch->list, listed, &job->work.input,
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

/* Warn if the old file, open as FD, has hard links that were not named in this
   call, because these still have the old contents.  */
static void
warn_of_old_links (const struct batch *batch, const struct job *job, int fd,
                   FILE *errors)
{
  struct stat old;
  if (fd < 0 || job->outcome != JOB_DONE || batch->options->quiet
      || batch->options->convert.dry_run || fstat (fd, &old) != 0
      || old.st_nlink == 0)
    return;
  if (file_identity_is (&job->work.made, &old))
    return; /* the file was not changed */
  message_begin (job->path, errors);
  fprintf (errors,
           "warning: it has %ju other hard link%s, with the "
           "old contents\n",
           (uintmax_t)old.st_nlink, plural_s (old.st_nlink));
}

/* Work on entry HEAD and the other hard links to its file.  If the
   configuration or a checksum forbids a change by one name, that name keeps
   the old file, and the work continues by the next name.  */
static void
run_file (struct batch *batch, size_t head)
{
  const struct listed_file *listed = &batch->list->files[head];
  const struct entry *entries = batch->entries;
  const struct message_streams *streams;
  struct job first;
  size_t index = head;
  int old = -1;
  if (listed->hard_links && tool_options_change_files (batch->options))
    old = open (listed->path, O_PATH | O_CLOEXEC);
  for (;; index = entries[index].next_link)
    {
      streams = ordered_output_begin (&batch->output, index);
      run_link (batch, head, index, streams->out, &first);
      if (entries[index].next_link == NO_ENTRY
          || (first.reason != JOB_REASON_EXCLUDED
              && first.reason != JOB_REASON_CHECKSUMMED))
        break;
      finish_job (batch, index, streams, &first);
    }
  for (size_t i = entries[index].next_link; i != NO_ENTRY;
       i = entries[i].next_link)
    {
      const struct message_streams *others
          = ordered_output_begin (&batch->output, i);
      struct job job;
      run_other_link (batch, &first, i, others->out, &job);
      finish_job (batch, i, others, &job);
    }
  warn_of_old_links (batch, &first, old, streams->errors);
  finish_job (batch, index, streams, &first);
  if (old >= 0)
    close (old);
}

/* Take the next group, batch->order[*FIRST] up to *END.  False at the end.  */
static bool
take_group (struct batch *batch, size_t *first, size_t *end)
{
  pthread_mutex_lock (&batch->lock);
  *first = *end = batch->n_taken;
  while (*end < batch->n
         && batch->entries[batch->order[*end]].group
                == batch->entries[batch->order[*first]].group)
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
        run_file (batch, batch->order[i]);
        pthread_mutex_lock (&batch->lock);
        batch->bytes_done += batch->list->files[batch->order[i]].size;
        batch->n_done++;
        pthread_mutex_unlock (&batch->lock);
      }
}

/* ---- Threads */

static void
print_all (struct batch *batch)
{
  while (ordered_output_print (&batch->output))
    {
      pthread_mutex_lock (&batch->lock);
      size_t n = batch->n_done;
      uint64_t bytes = batch->bytes_done;
      pthread_mutex_unlock (&batch->lock);
      progress_show (n, batch->n, bytes, batch->all_bytes);
      ordered_output_wait (&batch->output);
    }
  progress_clear ();
}

static bool
run_threads (struct batch *batch)
{
  unsigned n = batch->options->jobs;
  if (n > batch->n)
    n = (unsigned)batch->n;
  struct background *threads = calloc (n, sizeof *threads);
  if (threads == NULL)
    return false;
  for (unsigned i = 0; i < n; i++)
    background_start (&threads[i], work_on_files, batch);
  /* print_all waits for the files.  If no thread could be started, work on all
     files here first.  */
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
  const struct mode_names *names = &mode_names[options->mode];
  bool direct = list->n == 1 || options->mode == MODE_DUMP;
  bool dry = options->convert.dry_run;
  pthread_mutex_init (&batch.lock, NULL);
  bool done = ordered_output_init (&batch.output, streams, list->n, direct);
  done = make_order (&batch) && done;
  /* With fewer files than jobs, several threads analyse each file.  */
  if (batch.n > 0 && batch.n <= options->jobs)
    shared.convert.threads = options->jobs / (unsigned)batch.n;
  /* An interruption prints how many of several files are done.  */
  if (list->n > 1 && !options->quiet)
    progress_expect (list->n, dry ? names->could_be : names->done,
                     tool_options_change_files (options) && !dry);
  if (done && direct)
    work_on_files (&batch);
  else if (done && batch.n > 0)
    done = run_threads (&batch);
  totals->lost_texts = batch.output.lost;
  free (batch.entries);
  free (batch.order);
  ordered_output_free (&batch.output);
  pthread_mutex_destroy (&batch.lock);
  return done;
}
