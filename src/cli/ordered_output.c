/* Printing the results of many files in their order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/ordered_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/io.h"
#include "cli/progress.h"

/* Text kept for a stream until it can be printed.  */
struct text
{
  char *bytes; /* NULL: none */
  size_t size;
};

/* The results of one file.  */
struct file_results
{
  bool complete;                  /* both texts are whole */
  struct message_streams streams; /* open until then */
  struct text out, errors;
};

/* ---- Texts kept for a stream */

/* Open a stream for TEXT.  If the text need not be KEPT, or if memory ran out,
   return the stream LAST, to which it is printed in the end.  */
static FILE *
text_open (struct text *text, bool kept, FILE *last)
{
  FILE *stream = kept ? open_memstream (&text->bytes, &text->size) : NULL;
  return stream != NULL ? stream : last;
}

/* Close STREAM of TEXT.  False if memory ran out for a part of the text.
   Empty texts are freed at once, because there may be many.  */
static bool
text_close (struct text *text, FILE *stream, FILE *last)
{
  bool whole = stream == last || io_close_text (stream, &text->bytes);
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

/* ---- Results of files */

bool
ordered_output_init (struct ordered_output *output,
                     const struct message_streams *last, size_t n, bool direct)
{
  *output = (struct ordered_output){ .last = *last,
                                     .files
                                     = calloc (n + 1, sizeof *output->files),
                                     .n = n,
                                     .direct = direct };
  pthread_mutex_init (&output->lock, NULL);
  pthread_cond_init (&output->changed, NULL);
  return output->files != NULL;
}

void
ordered_output_free (struct ordered_output *output)
{
  free (output->files);
  pthread_cond_destroy (&output->changed);
  pthread_mutex_destroy (&output->lock);
}

const struct message_streams *
ordered_output_begin (struct ordered_output *output, size_t index)
{
  struct file_results *results = &output->files[index];
  const struct message_streams *last = &output->last;
  FILE *out = text_open (&results->out, !output->direct, last->out);
  FILE *errors = text_open (&results->errors, !output->direct, last->errors);
  FILE *failures = errors == last->errors ? last->failures : errors;
  results->streams = (struct message_streams){ out, errors, failures };
  return &results->streams;
}

/* Wake up ordered_output_wait only if it can print the results of this file
   next.  In a tree of small files, waking it for each of them takes a twelfth
   of the processor time.  */
void
ordered_output_end (struct ordered_output *output, size_t index)
{
  struct file_results *results = &output->files[index];
  bool whole
      = text_close (&results->out, results->streams.out, output->last.out);
  whole = text_close (&results->errors, results->streams.errors,
                      output->last.errors)
          && whole;
  pthread_mutex_lock (&output->lock);
  results->complete = true;
  output->lost |= !whole;
  if (index == output->n_printed)
    pthread_cond_signal (&output->changed);
  pthread_mutex_unlock (&output->lock);
}

bool
ordered_output_print (struct ordered_output *output)
{
  pthread_mutex_lock (&output->lock);
  while (output->files[output->n_printed].complete)
    {
      struct file_results *results = &output->files[output->n_printed++];
      if (results->errors.bytes == NULL && results->out.bytes == NULL)
        continue;
      pthread_mutex_unlock (&output->lock);
      text_print (&results->errors, output->last.errors);
      text_print (&results->out, output->last.out);
      pthread_mutex_lock (&output->lock);
    }
  bool more = output->n_printed < output->n;
  pthread_mutex_unlock (&output->lock);
  return more;
}

void
ordered_output_wait (struct ordered_output *output)
{
  struct timespec until; /* when to redraw the progress bar */
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec += 200 * 1000 * 1000;
  if (until.tv_nsec >= 1000 * 1000 * 1000)
    {
      until.tv_sec++;
      until.tv_nsec -= 1000 * 1000 * 1000;
    }
  pthread_mutex_lock (&output->lock);
  bool complete = output->files[output->n_printed].complete;
  if (!complete && progress_is_on ())
    pthread_cond_timedwait (&output->changed, &output->lock, &until);
  else if (!complete)
    pthread_cond_wait (&output->changed, &output->lock);
  pthread_mutex_unlock (&output->lock);
}
