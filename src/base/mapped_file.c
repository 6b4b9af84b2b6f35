/* Mapping files for reading, while other programs may cut them off.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "base/mapped_file.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The worst that happened to one of the files that this thread has mapped.  */
enum file_state
{
  WHOLE,
  CHANGED,
  CUT_OFF
};
static _Thread_local atomic_int state;
static _Thread_local unsigned n_mapped; /* mappings of this thread */

/* An entry of the list of mappings, which the SIGBUS handlers of all threads
   read.  The thread that mapped the file is its owner, and alone changes the
   other members, while `begin' is TAKEN.  A thread that takes a free entry
   sees all that the last owner wrote before it set `begin' to 0.  helgrind
   does not know atomic operations, and reports a race here.  */
struct mapping
{
  atomic_uintptr_t begin; /* 0: the entry is free */
  atomic_size_t size;
  atomic_int protection;
  _Atomic (atomic_int *) state; /* of the owner */
  int fd;             /* borrowed; may be closed, or another file's, by now */
  struct stat status; /* of the file when it was mapped */
};

enum
{
  TAKEN = 1,
  /* A conversion has four mappings at most.  With more than this number, files
     are mapped all the same, but SIGBUS handlers do not know them.  */
  MAPPINGS_MAX = 1024
};
static struct mapping mappings[MAPPINGS_MAX];
static atomic_int n_mappings; /* entries used so far: all below this */

/* Take a free entry and return it, or NULL.  */
static struct mapping *
take_entry (void)
{
  for (int i = 0; i < MAPPINGS_MAX; i++)
    {
      uintptr_t unused = 0;
      if (!atomic_compare_exchange_strong (&mappings[i].begin, &unused, TAKEN))
        continue;
      int n = atomic_load (&n_mappings);
      while (n <= i && !atomic_compare_exchange_weak (&n_mappings, &n, i + 1))
        continue;
      return &mappings[i];
    }
  return NULL;
}

void
mapped_files_forget (void)
{
  atomic_store (&state, WHOLE);
}

/* Enter the mapping of SIZE BYTES into the list, if the list is not full.  */
static void
register_mapping (void *bytes, size_t size, int protection, int fd,
                  const struct stat *status)
{
  struct mapping *mapping = take_entry ();
  if (mapping == NULL)
    return;
  if (n_mapped++ == 0)
    mapped_files_forget ();
  mapping->size = size;
  mapping->protection = protection;
  mapping->state = &state;
  mapping->fd = fd;
  mapping->status = *status;
  atomic_store (&mapping->begin, (uintptr_t)bytes);
}

bool
mapped_file_check_size (const struct stat *status, struct error *err)
{
  return (uint64_t)status->st_size <= PTRDIFF_MAX
         || error_set (err, CFI2SFRAME_NO_MEMORY,
                       "too large for a %zu-bit program", 8 * sizeof (void *));
}

static void *
map_file (int fd, int protection, size_t *size, struct error *err)
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    {
      error_set_errno (err, "fstat");
      return NULL;
    }
  if (status.st_size <= 0)
    {
      error_set (err, CFI2SFRAME_IO, "the file is empty");
      return NULL;
    }
  if (!mapped_file_check_size (&status, err))
    return NULL;
  *size = (size_t)status.st_size;
  void *bytes = mmap (NULL, *size, protection, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED)
    {
      error_set_errno (err, "mmap");
      return NULL;
    }
  register_mapping (bytes, *size, protection, fd, &status);
  return bytes;
}

const void *
mapped_file_open (int fd, size_t *size, struct error *err)
{
  return map_file (fd, PROT_READ, size, err);
}

void *
mapped_file_open_private (int fd, size_t *size, struct error *err)
{
  return map_file (fd, PROT_READ | PROT_WRITE, size, err);
}

void *
mapped_file_open_longer (int fd, size_t size, size_t whole, struct error *err)
{
  struct stat status;
  void *bytes = mmap (NULL, whole, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bytes != MAP_FAILED && fstat (fd, &status) == 0
      && mmap (bytes, size, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0)
             != MAP_FAILED)
    {
      /* The last page of the file is mapped as a whole, with the bytes after
         the end of the file, which the caller may change.  */
      size_t page = (size_t)sysconf (_SC_PAGESIZE);
      register_mapping (bytes, (size + page - 1) / page * page,
                        PROT_READ | PROT_WRITE, fd, &status);
      return bytes;
    }
  error_set_errno (err, "mmap");
  if (bytes != MAP_FAILED)
    munmap (bytes, whole);
  return NULL;
}

/* Set the state to CHANGED if the file of MAPPING, which this thread owns, was
   changed.  This is no longer known if its descriptor was closed.  */
static void
note_changes (const struct mapping *mapping)
{
  const struct stat *then = &mapping->status;
  struct stat now;
  int whole = WHOLE;
  if (fstat (mapping->fd, &now) == 0 && now.st_dev == then->st_dev
      && now.st_ino == then->st_ino
      && (now.st_size != then->st_size
          || now.st_mtim.tv_sec != then->st_mtim.tv_sec
          || now.st_mtim.tv_nsec != then->st_mtim.tv_nsec))
    atomic_compare_exchange_strong (&state, &whole, CHANGED);
}

void
mapped_file_close (const void *bytes, size_t size)
{
  for (int i = 0; i < atomic_load (&n_mappings); i++)
    {
      struct mapping *mapping = &mappings[i];
      if (atomic_load (&mapping->begin) != (uintptr_t)bytes)
        continue;
      note_changes (mapping);
      atomic_store (&mapping->begin, 0);
      n_mapped--;
      break;
    }
  munmap ((void *)bytes, size);
}

bool
mapped_file_patch (const void *address)
{
  size_t in_page
      = (uintptr_t)address & ((uintptr_t)sysconf (_SC_PAGESIZE) - 1);
  char *page = (char *)address - in_page;
  for (int i = 0; i < atomic_load (&n_mappings); i++)
    {
      struct mapping *mapping = &mappings[i];
      uintptr_t begin = atomic_load (&mapping->begin);
      size_t size = atomic_load (&mapping->size);
      /* If the entry changes meanwhile, it is not the entry with ADDRESS,
         because the owner of that entry is still reading the file.  */
      if (begin <= TAKEN || (uintptr_t)address - begin >= size
          || atomic_load (&mapping->begin) != begin)
        continue;
      atomic_store (atomic_load (&mapping->state), CUT_OFF);
      return mmap (page, size - ((uintptr_t)page - begin), mapping->protection,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
             != MAP_FAILED;
    }
  return false;
}

bool
mapped_files_check (struct error *err)
{
  for (int i = 0; i < atomic_load (&n_mappings); i++)
    if (atomic_load (&mappings[i].begin) > TAKEN
        && atomic_load (&mappings[i].state) == &state)
      note_changes (&mappings[i]);
  switch (atomic_load (&state))
    {
    case WHOLE:
      return true;
    case CHANGED:
      return error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                             "the file changed meanwhile");
    default:
      return error_set_word (
          err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
          "the file was cut off meanwhile, or cannot be read");
    }
}
