/* A progress bar on the terminal, for work that takes long.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each change of the bar is one write to standard error, because a signal in
   another thread may end the program between two writes.  */

#include <config.h>

#include "cli/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

enum
{
  WIDTH_MAX = 200,
  BAR_WIDTH = 24
};

/* In seconds.  Work that ends before the first drawing shows no bar.  */
static const double first_drawing = 1.0, between_drawings = 0.2;

static atomic_bool on;
/* A boolean: on riscv64, GCC before 14 needs libatomic to exchange a byte.  */
static atomic_int visible;
static double started, looking_until, drawn;

/* For progress_interrupted.  The numbers of files fit into 32 bits, because
   the list is in memory; on 32-bit hosts, wider atomics need libatomic.  */
static atomic_uint n_done, n_passed_over;
static unsigned n_all;
static const char *done_word, *hint;

void
progress_init (bool enabled)
{
  on = enabled && isatty (STDERR_FILENO);
  started = looking_until = clock_now ();
}

bool
progress_is_on (void)
{
  return on;
}

static size_t
terminal_width (void)
{
  struct winsize window;
  if (ioctl (STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0)
    return 80;
  return window.ws_col < WIDTH_MAX ? window.ws_col : WIDTH_MAX;
}

static void
put (const char *bytes, size_t size)
{
  /* If the terminal is closed, continue without a bar.  */
  if (write (STDERR_FILENO, bytes, size) < 0)
    on = false;
}

/* Replace the contents of the line with TEXT.  */
static void
draw (const char *text)
{
  char line[WIDTH_MAX + 2];
  size_t width = terminal_width () - 1, length = strlen (text);
  line[0] = '\r';
  memset (line + 1, ' ', width);
  memcpy (line + 1, text, length < width ? length : width);
  atomic_store (&visible, true);
  put (line, width + 1);
}

void
progress_clear (void)
{
  if (!atomic_exchange (&visible, false))
    return;
  char line[WIDTH_MAX + 2];
  size_t width = terminal_width () - 1;
  memset (line, ' ', sizeof line);
  line[0] = '\r';
  line[width + 1] = '\r';
  put (line, width + 2);
}

static bool
is_time_to_draw (double now)
{
  if (!on || now - started < first_drawing || now - drawn < between_drawings)
    return false;
  drawn = now;
  return true;
}

void
progress_looking (uint64_t files)
{
  char text[WIDTH_MAX];
  double now = clock_now ();
  looking_until = now;
  if (!is_time_to_draw (now))
    return;
  snprintf (text, sizeof text, "looking for ELF files: %" PRIu64, files);
  draw (text);
}

/* Write BYTES with a decimal unit to TEXT, as in "350 MB".  */
static const char *
format_bytes (char *text, size_t size, double bytes)
{
  static const char units[] = "kMGTP";
  int unit = -1;
  for (; bytes >= 999.5 && unit < 4; unit++)
    bytes /= 1000;
  if (unit < 0)
    snprintf (text, size, "%.0f B", bytes);
  else
    snprintf (text, size, "%.*f %cB", bytes < 9.95 ? 1 : 0, bytes,
              units[unit]);
  return text;
}

static const char *
format_time (char *text, size_t size, double seconds)
{
  unsigned long whole
      = seconds < 359999 ? (unsigned long)(seconds + 0.5) : 359999;
  if (whole >= 3600)
    snprintf (text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60,
              whole % 60);
  else
    snprintf (text, size, "%lu:%02lu", whole / 60, whole % 60);
  return text;
}

void
progress_show (uint64_t files, uint64_t all_files, uint64_t bytes,
               uint64_t all_bytes)
{
  char text[WIDTH_MAX], bar[BAR_WIDTH + 1];
  char done[16], all[16], rate[16], left[32];
  double now = clock_now (), seconds = now - looking_until;
  if (!is_time_to_draw (now))
    return;
  double part = all_bytes > 0 ? (double)bytes / (double)all_bytes : 1;
  size_t filled = (size_t)(part * BAR_WIDTH);
  memset (bar, '.', BAR_WIDTH);
  memset (bar, '#', filled < BAR_WIDTH ? filled : BAR_WIDTH);
  bar[BAR_WIDTH] = '\0';
  double speed = seconds > 0 ? (double)bytes / seconds : 0;
  snprintf (text, sizeof text,
            "[%s] %" PRIu64 "/%" PRIu64 " files, %s of %s, %s/s, %s left", bar,
            files, all_files, format_bytes (done, sizeof done, (double)bytes),
            format_bytes (all, sizeof all, (double)all_bytes),
            format_bytes (rate, sizeof rate, speed),
            speed > 0 ? format_time (left, sizeof left,
                                     (double)(all_bytes - bytes) / speed)
                      : "?");
  draw (text);
}

void
progress_expect (size_t all, const char *done, bool goes_on)
{
  done_word = done;
  hint = goes_on ? "; run again to go on" : "";
  n_all = (unsigned)all;
}

void
progress_count (bool done)
{
  atomic_fetch_add (done ? &n_done : &n_passed_over, 1);
}

/* A line that a signal handler composes, where snprintf is not allowed.  */
struct line
{
  char text[WIDTH_MAX];
  size_t size;
};

static void
add_text (struct line *line, const char *text)
{
  size_t size = strnlen (text, sizeof line->text - line->size);
  memcpy (line->text + line->size, text, size);
  line->size += size;
}

static void
add_number (struct line *line, unsigned n)
{
  char digits[3 * sizeof n + 1], *at = digits + sizeof digits - 1;
  *at = '\0';
  do
    *--at = (char)('0' + n % 10);
  while ((n /= 10) > 0);
  add_text (line, at);
}

void
progress_interrupted (int number)
{
  struct line line = { .size = 0 };
  unsigned passed_over = atomic_load (&n_passed_over);
  if (n_all == 0 || (number != SIGINT && number != SIGTERM))
    return;
  progress_clear ();
  add_text (&line, "cfi2sframe: interrupted: ");
  add_number (&line, atomic_load (&n_done));
  add_text (&line, " of ");
  add_number (&line, n_all);
  add_text (&line, " files ");
  add_text (&line, done_word);
  if (passed_over > 0)
    {
      add_text (&line, ", ");
      add_number (&line, passed_over);
      add_text (&line, " passed over");
    }
  add_text (&line, hint);
  add_text (&line, "\n");
  put (line.text, line.size);
}
