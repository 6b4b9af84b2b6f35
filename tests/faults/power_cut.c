/* What a power cut may leave of a file that is written in place.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "power_cut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "write/inject.h"
#include "write/undo.h"

enum
{
  SECTOR = 512,        /* what a disk writes as a whole, at least */
  EXHAUSTIVE_MAX = 12, /* so many pieces: every subset */
  RANDOM_SUBSETS = 1500
};

/* A part of a write, within one sector, or a change of the size.  */
struct piece
{
  bool truncates;
  uint64_t offset; /* or the new size */
  size_t size;
  uint8_t *bytes;
};

/* All pieces between two flushes.  */
struct epoch
{
  struct piece *pieces;
  size_t n;
};

static struct epoch *epochs;
static size_t n_epochs;
static bool recording;

static void *
more (void *array, size_t n, size_t size)
{
  void *grown = reallocarray (array, n, size);
  if (grown == NULL)
    abort ();
  return grown;
}

static void
begin_epoch (void)
{
  epochs = more (epochs, n_epochs + 1, sizeof *epochs);
  epochs[n_epochs++] = (struct epoch){ 0 };
}

static void
add_piece (struct piece piece)
{
  struct epoch *epoch = &epochs[n_epochs - 1];
  epoch->pieces = more (epoch->pieces, epoch->n + 1, sizeof piece);
  epoch->pieces[epoch->n++] = piece;
}

static void
record_write (const uint8_t *bytes, size_t size, uint64_t offset)
{
  while (size > 0)
    {
      size_t part = SECTOR - offset % SECTOR;
      if (part > size)
        part = size;
      struct piece piece = { .offset = offset, .size = part };
      piece.bytes = more (NULL, part, 1);
      memcpy (piece.bytes, bytes, part);
      add_piece (piece);
      bytes += part;
      offset += part;
      size -= part;
    }
}

void
power_cut_record (void)
{
  begin_epoch ();
  recording = true;
}

/* In front of the C library's (ld --wrap).  Which of two names it is depends
   on the size of off_t.  */

int __real_fdatasync (int fd);
int __wrap_fdatasync (int fd);

#define WRAP(pwrite, ftruncate)                                           \
  ssize_t __real_##pwrite (int fd, const void *bytes, size_t size,        \
                           off_t offset);                                 \
  ssize_t __wrap_##pwrite (int fd, const void *bytes, size_t size,        \
                           off_t offset);                                 \
  int __real_##ftruncate (int fd, off_t size);                            \
  int __wrap_##ftruncate (int fd, off_t size);                            \
  ssize_t __wrap_##pwrite (int fd, const void *bytes, size_t size,        \
                           off_t offset)                                  \
  {                                                                       \
    if (recording)                                                        \
      record_write (bytes, size, (uint64_t)offset);                       \
    return __real_##pwrite (fd, bytes, size, offset);                     \
  }                                                                       \
  int __wrap_##ftruncate (int fd, off_t size)                             \
  {                                                                       \
    if (recording)                                                        \
      add_piece (                                                         \
          (struct piece){ .truncates = true, .offset = (uint64_t)size }); \
    return __real_##ftruncate (fd, size);                                 \
  }

WRAP (pwrite, ftruncate)
WRAP (pwrite64, ftruncate64)

int
__wrap_fdatasync (int fd)
{
  if (recording)
    begin_epoch ();
  return __real_fdatasync (fd);
}

/* Files made of subsets.  */

static void
set_size (struct file_bytes *file, uint64_t size)
{
  file->bytes = more (file->bytes, size, 1);
  if (size > file->size)
    memset (file->bytes + file->size, 0, size - file->size);
  file->size = size;
}

static void
apply (struct file_bytes *file, const struct piece *piece)
{
  if (piece->truncates)
    {
      set_size (file, piece->offset);
      return;
    }
  if (piece->offset + piece->size > file->size)
    set_size (file, piece->offset + piece->size);
  memcpy (file->bytes + piece->offset, piece->bytes, piece->size);
}

static bool
is_same (const struct file_bytes *a, const struct file_bytes *b)
{
  return a->size == b->size && memcmp (a->bytes, b->bytes, a->size) == 0;
}

/* Whether undoing makes RESTORED of FILE.  */
static bool
is_repairable (const struct file_bytes *file,
               const struct file_bytes *restored)
{
  /* Undoing needs no more of a file.  */
  const struct image image
      = { .fd = -1, .bytes = file->bytes, .size = file->size };
  struct layout_plan plan = { 0 };
  struct error err = { 0 };
  int fd = memfd_create ("restored", MFD_CLOEXEC);
  bool good = fd >= 0 && undo_plan (&plan, &image, &err)
              && inject_write (&image, &plan, NULL, fd, &err);
  if (good)
    {
      struct file_bytes found = { .size = plan.new_size };
      found.bytes = more (NULL, found.size, 1);
      good = pread (fd, found.bytes, found.size, 0) == (ssize_t)found.size
             && is_same (&found, restored);
      free (found.bytes);
    }
  close (fd);
  layout_plan_free (&plan);
  return good;
}

struct judge
{
  const struct file_bytes *old, *new, *restored;
  struct file_bytes base; /* what the last flush has made sure of */
  uint64_t n_old, n_new, n_repairable, n_lost;
};

static void
judge_file (struct judge *judge, const struct file_bytes *file, size_t epoch,
            const char *subset)
{
  if (is_same (file, judge->old))
    judge->n_old++;
  else if (is_same (file, judge->new))
    judge->n_new++;
  else if (is_repairable (file, judge->restored))
    judge->n_repairable++;
  else if (judge->n_lost++ == 0)
    fprintf (stderr,
             "lost: a power cut after %zu flushes, with %s of %zu sectors "
             "written\n",
             epoch, subset, epochs[epoch].n);
}

/* A subset of an epoch's pieces, one byte each.  */
static void
judge_subset (struct judge *judge, size_t epoch, const uint8_t *chosen,
              const char *name)
{
  recording = false;
  struct file_bytes file = { 0 };
  set_size (&file, judge->base.size);
  memcpy (file.bytes, judge->base.bytes, judge->base.size);
  for (size_t i = 0; i < epochs[epoch].n; i++)
    if (chosen[i])
      apply (&file, &epochs[epoch].pieces[i]);
  judge_file (judge, &file, epoch, name);
  free (file.bytes);
}

static void
judge_every_subset (struct judge *judge, size_t epoch, uint8_t *chosen)
{
  size_t n = epochs[epoch].n;
  for (unsigned long subset = 0; subset < 1ul << n; subset++)
    {
      for (size_t i = 0; i < n; i++)
        chosen[i] = subset >> i & 1;
      judge_subset (judge, epoch, chosen, "some");
    }
}

/* Beginnings, ends, one alone, all but one, and a selection that is the same
   every time.  */
static void
judge_some_subsets (struct judge *judge, size_t epoch, uint8_t *chosen)
{
  size_t n = epochs[epoch].n;
  for (size_t i = 0; i <= n; i++)
    {
      for (size_t j = 0; j < n; j++)
        chosen[j] = j < i;
      judge_subset (judge, epoch, chosen, "the first");
      for (size_t j = 0; j < n; j++)
        chosen[j] = j >= i;
      judge_subset (judge, epoch, chosen, "the last");
      for (size_t j = 0; j < n; j++)
        chosen[j] = j == i;
      judge_subset (judge, epoch, chosen, "one");
      for (size_t j = 0; j < n; j++)
        chosen[j] = j != i;
      judge_subset (judge, epoch, chosen, "all but one");
    }
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < RANDOM_SUBSETS; i++)
    {
      for (size_t j = 0; j < n; j++)
        {
          random ^= random << 13;
          random ^= random >> 7;
          random ^= random << 17;
          chosen[j] = random >> 32 & 1;
        }
      judge_subset (judge, epoch, chosen, "some");
    }
}

bool
power_cut_judge (const struct file_bytes *old, const struct file_bytes *new,
                 const struct file_bytes *restored)
{
  struct judge judge = { .old = old, .new = new, .restored = restored };
  recording = false;
  set_size (&judge.base, old->size);
  memcpy (judge.base.bytes, old->bytes, old->size);
  for (size_t i = 0; i < n_epochs; i++)
    {
      uint8_t *chosen = more (NULL, epochs[i].n + 1, 1);
      if (epochs[i].n <= EXHAUSTIVE_MAX)
        judge_every_subset (&judge, i, chosen);
      else
        judge_some_subsets (&judge, i, chosen);
      free (chosen);
      for (size_t j = 0; j < epochs[i].n; j++)
        apply (&judge.base, &epochs[i].pieces[j]);
    }
  /* What was recorded must be what was done.  */
  bool complete = is_same (&judge.base, new);
  if (!complete)
    fprintf (stderr, "the writes that were recorded do not make the file\n");
  printf ("%zu flushes; old %llu, new %llu, repairable %llu, lost %llu\n",
          n_epochs - 1, (unsigned long long)judge.n_old,
          (unsigned long long)judge.n_new,
          (unsigned long long)judge.n_repairable,
          (unsigned long long)judge.n_lost);
  free (judge.base.bytes);
  return complete && judge.n_lost == 0 && judge.n_repairable > 0;
}
