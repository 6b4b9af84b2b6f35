/* The results of many files, printed in the order of the files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/ordered_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/io.h"
#include "cli/progress.h"

/* What is to be printed to a stream when its turn comes.  */
struct text
{
  char *bytes; /* NULL: nothing */
  size_t size;
};

/* The results of one file.  */
struct output_turn
{
  bool over;                      /* the texts are complete */
  struct message_streams streams; /* until then */
  struct text out, errors;
};

/* ---- Texts */

/* Open a stream for TEXT.  If TEXT is not to be KEPT, or memory ran out, the
   stream is LAST, where the text ends up.  */
static FILE *
text_open (struct text *text, bool kept, FILE *last)
{
  FILE *stream = kept ? open_memstream (&text->bytes, &text->size) : NULL;
  return stream != NULL ? stream : last;
}

/* Close STREAM, of TEXT.  False if a part was lost for want of memory.  An
   empty text is freed, because there may be many.  */
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

/* ---- Turns */

bool
ordered_output_init (struct ordered_output *output,
                     const struct message_streams *last, size_t n, bool direct)
{
  *output = (struct ordered_output){ .last = *last,
                                     .turns
                                     = calloc (n + 1, sizeof *output->turns),
                                     .n = n,
                                     .direct = direct };
  pthread_mutex_init (&output->lock, NULL);
  pthread_cond_init (&output->changed, NULL);
  return output->turns != NULL;
}

void
ordered_output_free (struct ordered_output *output)
{
  free (output->turns);
  pthread_cond_destroy (&output->changed);
  pthread_mutex_destroy (&output->lock);
}

const struct message_streams *
ordered_output_begin (struct ordered_output *output, size_t index)
{
  struct output_turn *turn = &output->turns[index];
  const struct message_streams *last = &output->last;
  FILE *out = text_open (&turn->out, !output->direct, last->out);
  FILE *errors = text_open (&turn->errors, !output->direct, last->errors);
  FILE *failures = errors == last->errors ? last->failures : errors;
  turn->streams = (struct message_streams){ out, errors, failures };
  return &turn->streams;
}

/* Printing waits for the first turn that is not printed yet, and is woken up
   for no other: in a tree of small files, a wakeup for each of them takes a
   twelfth of the processor time.  */
void
ordered_output_end (struct ordered_output *output, size_t index)
{
  struct output_turn *turn = &output->turns[index];
  bool whole = text_close (&turn->out, turn->streams.out, output->last.out);
  whole = text_close (&turn->errors, turn->streams.errors, output->last.errors)
          && whole;
  pthread_mutex_lock (&output->lock);
  turn->over = true;
  output->lost |= !whole;
  if (index == output->n_printed)
    pthread_cond_signal (&output->changed);
  pthread_mutex_unlock (&output->lock);
}

bool
ordered_output_print (struct ordered_output *output)
{
  pthread_mutex_lock (&output->lock);
  while (output->turns[output->n_printed].over)
    {
      struct output_turn *turn = &output->turns[output->n_printed++];
      if (turn->errors.bytes == NULL && turn->out.bytes == NULL)
        continue;
      pthread_mutex_unlock (&output->lock);
      text_print (&turn->errors, output->last.errors);
      text_print (&turn->out, output->last.out);
      pthread_mutex_lock (&output->lock);
    }
  bool more = output->n_printed < output->n;
  pthread_mutex_unlock (&output->lock);
  return more;
}

void
ordered_output_wait (struct ordered_output *output)
{
  struct timespec until; /* when the progress bar is to be drawn again */
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec += 200 * 1000 * 1000;
  if (until.tv_nsec >= 1000 * 1000 * 1000)
    {
      until.tv_sec++;
      until.tv_nsec -= 1000 * 1000 * 1000;
    }
  pthread_mutex_lock (&output->lock);
  bool over = output->turns[output->n_printed].over;
  if (!over && progress_is_on ())
    pthread_cond_timedwait (&output->changed, &output->lock, &until);
  else if (!over)
    pthread_cond_wait (&output->changed, &output->lock);
  pthread_mutex_unlock (&output->lock);
}
