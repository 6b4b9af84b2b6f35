/* The mappings of a process, by address.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The list is an array with free entries at both ends, so that an insertion
   moves the smaller part of it.  A process shares its list with those that it
   forks until one of them changes it.  */

#include "stacks/mappings.h"

#include <stdlib.h>
#include <string.h>

#include "base/prefix.h"
#include "base/search.h"
#include "stacks/shortage.h"

/* Return how many mappings end at or before ADDRESS.  */
static size_t
mappings_before (const struct mappings *mappings, uint64_t address)
{
  return SEARCH_FIRST (mappings->n, i, mappings->list[i].end > address);
}

const struct mapping *
mappings_at (const struct mappings *mappings, uint64_t address)
{
  size_t at = mappings_before (mappings, address);
  return at < mappings->n && mappings->list[at].start <= address
             ? &mappings->list[at]
             : NULL;
}

bool
mapping_is_of_file (const char *path, bool is_known)
{
  /* The names that the kernel gives to shared memory (Linux, mm/shmem.c,
     ipc/shm.c and mm/mmap.c).  */
  static const char *const shared[]
      = { "/dev/zero", "/SYSV", "/anon_hugepage" };
  if (path[0] != '/')
    return strcmp (path, "[vdso]") == 0;
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
    if (has_prefix (path, shared[i]) && strstr (path, " (deleted)") != NULL)
      return false;
  return is_known;
}

/* ---- Changes */

void
mappings_forget (struct mappings *mappings, size_t *sum)
{
  if (mappings->owners == NULL || --*mappings->owners == 0)
    {
      free (mappings->list - mappings->front);
      free (mappings->owners);
      *sum -= mappings->capacity;
    }
  *mappings = (struct mappings){ 0 };
}

enum
{
  /* Limit on the entries that an insertion moves.  A hostile recording may
     have as many mappings as there is room for, in any order.  The kernel
     permits this many mappings of a process by default (vm.max_map_count).  */
  MOVED_MAX = 1 << 16
};

/* Make the list of ALL its own, and make room for two more mappings at both
   ends.  False when memory ran out, if all lists together would become too
   long, or if a shared list is too long to be copied for each process.  */
static bool
make_room (struct mappings *all, size_t *sum)
{
  enum
  {
    MORE = 2 /* an insertion may cut a mapping in two */
  };
  bool shared = all->owners != NULL && *all->owners > 1;
  if (!shared && all->front >= MORE
      && all->capacity - all->front - all->n >= MORE)
    return true;
  struct mappings own = { .n = all->n, .has_files = all->has_files };
  own.capacity = 2 * (all->n + 4 * MORE);
  if (own.capacity > MAPPINGS_MAX - *sum || (shared && own.n > 2 * MOVED_MAX))
    return shortage_note ();
  own.list = reallocarray (NULL, own.capacity, sizeof *own.list);
  if (own.list == NULL)
    return shortage_note ();
  own.front = (own.capacity - own.n) / 2;
  own.list += own.front;
  if (own.n > 0)
    memcpy (own.list, all->list, own.n * sizeof *own.list);
  mappings_forget (all, sum);
  *all = own;
  *sum += own.capacity;
  return true;
}

/* Make room for N mappings in place of those from FIRST up to LAST.  Move the
   smaller part of the list: most processes map from high addresses down.
   False as for make_room, or if too many entries would move.  */
static bool
replace_mappings (struct mappings *all, size_t *sum, size_t first, size_t last,
                  size_t n)
{
  size_t behind = all->n - last;
  if (!make_room (all, sum))
    return false;
  struct mapping *list = all->list;
  if (n == last - first)
    return true;
  if (first > MOVED_MAX && behind > MOVED_MAX)
    return shortage_note ();
  if (first < behind)
    {
      all->list = list + last - first - n;
      all->front = all->front + last - first - n;
      memmove (all->list, list, first * sizeof *list);
    }
  else
    memmove (list + first + n, list + last, behind * sizeof *list);
  all->n = first + n + behind;
  return true;
}

bool
mappings_put (struct mappings *all, size_t *sum, const struct mapping *mapping)
{
  struct mapping parts[3];
  all->has_files |= mapping->file != NULL;
  if (mapping->start >= mapping->end)
    return true;
  size_t n = 0, first = mappings_before (all, mapping->start);
  size_t last = SEARCH_FIRST (all->n, i, all->list[i].start >= mapping->end);
  const struct mapping *old = all->list;
  /* Cut the mappings that reach into the new one.  */
  if (first < last && old[first].start < mapping->start)
    {
      parts[n] = old[first];
      parts[n++].end = mapping->start;
    }
  parts[n++] = *mapping;
  if (first < last && old[last - 1].end > mapping->end)
    {
      parts[n] = old[last - 1];
      parts[n].offset += mapping->end - parts[n].start;
      parts[n++].start = mapping->end;
    }
  if (!replace_mappings (all, sum, first, last, n))
    return false;
  memcpy (all->list + first, parts, n * sizeof *parts);
  return true;
}

bool
mappings_share (struct mappings *to, struct mappings *from)
{
  if (from->owners == NULL)
    {
      from->owners = malloc (sizeof *from->owners);
      if (from->owners == NULL)
        return shortage_note ();
      *from->owners = 1;
    }
  ++*from->owners;
  *to = *from;
  return true;
}
