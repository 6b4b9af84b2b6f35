/* Converts with a made-up .sframe: the writing half of the program alone, to
   test it on any file and under fault injection.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: rewrite [-s SIZE] ACTION FILE
     -s SIZE  bytes of .sframe, default 3000
   ACTION: inject, replace (a foreign .sframe), remove, undo.  */

#include <config.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mapped_file.h"
#include "write/existing.h"
#include "write/file_metadata.h"
#include "write/inject.h"
#include "write/inject_check.h"
#include "place/choose_strategy.h"
#include "write/output_file.h"
#include "write/temporary.h"
#include "write/undo.h"

struct job
{
  const char *path;
  bool keep_record;
  struct image image;
  struct existing existing;
  struct plan plan;
  struct buffer sframe, record;
};

static bool
plan_inject (struct job *job, bool replace, struct error *err)
{
  struct plan_request request
      = { .sframe_size = job->sframe.size, .section_type = SHT_GNU_SFRAME };
  if (job->existing.place.size > 0 && !replace)
    return error_set (err, CFI2SFRAME_REFUSED, "has an .sframe already");
  if (replace)
    {
      if (!existing_check_replaceable (&job->existing, &job->image, err))
        return false;
      request.replaced = &job->existing.place;
    }
  job->keep_record = true;
  return choose_strategy (&job->plan, &job->image, &request, err);
}

static bool
make_plan (struct job *job, const char *action, struct error *err)
{
  job->existing = existing_find (&job->image);
  if (strcmp (action, "inject") == 0)
    return plan_inject (job, false, err);
  if (strcmp (action, "replace") == 0)
    return plan_inject (job, true, err);
  if (strcmp (action, "remove") == 0)
    return existing_plan_removal (&job->plan, &job->existing, &job->image,
                                  err);
  return undo_plan (&job->plan, &job->image, err);
}

static bool
write_record (const struct job *job, int fd, struct error *err)
{
  ssize_t size = (ssize_t)job->record.size;
  return pwrite (fd, job->record.bytes, job->record.size,
                 (off_t)job->plan.new_size)
             == size
         || error_set_errno (err, "write");
}

static bool
check (const struct job *job, const char *action, int fd, struct error *err)
{
  size_t size;
  const void *bytes = mapped_file_open (fd, &size, err);
  if (bytes == NULL)
    return false;
  bool good;
  if (strcmp (action, "undo") == 0)
    good = undo_check (&job->image, bytes, size, err);
  else if (strcmp (action, "remove") == 0)
    good = inject_check_removed (&job->image, bytes, size, err);
  else
    good = inject_check_bytes (&job->image, &job->plan, job->sframe.bytes,
                               bytes, size, err);
  mapped_file_close (bytes, size);
  return good;
}

static bool
write_replacement (const struct job *job, const char *action,
                   struct error *err)
{
  struct output_file file;
  struct file_location location = file_location_of_path (job->path);
  const struct output_request request
      = { .input = &location, .input_fd = job->image.fd };
  if (!output_file_begin (&file, &request, err))
    return false;
  bool written
      = inject_write (&job->image, &job->plan, job->sframe.bytes, file.fd, err)
        && check (job, action, file.fd, err)
        && (!job->keep_record || write_record (job, file.fd, err));
  return output_file_finish (&file, &request, written, err);
}

static bool
run (struct job *job, const char *action, struct error *err)
{
  return make_plan (job, action, err)
         && (!job->keep_record
             || undo_record_build (&job->record, &job->image, &job->plan, err))
         && write_replacement (job, action, err);
}

static void
on_signal (int number)
{
  temporary_discard_all ();
  signal (number, SIG_DFL);
  raise (number);
}

int
main (int argc, char **argv)
{
  struct job job = { 0 };
  struct error err = { 0 };
  size_t size = 3000;
  int option;
  while ((option = getopt (argc, argv, "s:")) != -1)
    if (option == 's')
      size = strtoul (optarg, NULL, 0);
    else
      return 2;
  if (argc - optind != 2)
    return 2;
  signal (SIGTERM, on_signal);
  signal (SIGINT, on_signal);
  job.path = argv[optind + 1];
  buffer_fill (&job.sframe, 0x5f, size);
  bool ok = image_open (&job.image, job.path, &err);
  if (ok)
    {
      ok = run (&job, argv[optind], &err);
      if (ok)
        printf ("%s record %zu\n", job.plan.strategy, job.record.size);
      plan_free (&job.plan);
      image_close (&job.image);
    }
  if (!ok)
    fprintf (stderr, "rewrite: %s: %s\n", job.path, err.reason);
  buffer_free (&job.sframe);
  buffer_free (&job.record);
  return ok ? 0 : 1;
}
