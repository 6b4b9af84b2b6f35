/* A table of modules, which walks read while other threads change it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A walk takes a reference to the current table when it looks up its first
   rule.  A change publishes a new table, and frees old tables that no walk
   refers to (modules_reclaim).  Walks never wait.  Changes wait for each
   other.  modules_reclaim relies on sequential consistency: all threads see
   the atomic operations in one order, which keeps the order of each thread's
   code (C17, 7.17.3).  */

#include <config.h>

#include "walk/module_table.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

struct sfw_modules
{
  _Atomic (struct walk_table *) current;
  atomic_ulong generation;
  atomic_uint epoch;
  atomic_uint readers[2]; /* [epoch & 1]: walks that began in EPOCH */
  pthread_mutex_t lock;   /* held by whoever changes the table */
  /* Tables that were current in this epoch, and in the one before.  */
  struct walk_table *retired, *waiting;
  struct walk_counters counters;
};

/* ---- Readers */

struct walk_hold
walk_modules_hold (struct sfw_modules *modules)
{
  unsigned side = atomic_load (&modules->epoch) & 1;
  atomic_fetch_add (&modules->readers[side], 1);
  return (struct walk_hold){ atomic_load (&modules->current), side };
}

void
walk_modules_release (struct sfw_modules *modules, struct walk_hold hold)
{
  atomic_fetch_sub (&modules->readers[hold.side], 1);
}

enum sfw_end
walk_table_lookup (const struct walk_table *table, uint64_t pc,
                   struct unwind_rules *rules)
{
  size_t at = SEARCH_FIRST (table->n, i, table->modules[i].end > pc);
  if (at == table->n || table->modules[at].start > pc
      || table->modules[at].section == NULL)
    return SFW_NO_SECTION;
  const struct walk_section_copy *section = table->modules[at].section;
  const struct unwind_section *opened = &section->opened;
  uint64_t bucket = (pc - section->first) >> section->shift;
  uint32_t low = 0, high = opened->n_fdes;
  if (section->buckets != NULL && bucket < section->n_buckets)
    {
      low = section->buckets[bucket];
      high = section->buckets[bucket + 1];
    }
  rules->arch = opened->arch;
  uint32_t count = unwind_section_count (opened, pc, low, high);
  return count == 0 ? SFW_NO_ROW
                    : unwind_section_rules (opened, count - 1, pc, rules);
}

unsigned long
sfw_modules_generation (const struct sfw_modules *modules)
{
  return atomic_load_explicit (&modules->generation, memory_order_acquire);
}

/* ---- Copies of sections */

/* Give up one use of SECTION, which may be NULL.  */
static void
section_drop (struct walk_section_copy *section)
{
  if (section == NULL || --section->users > 0)
    return;
  free (section->buckets);
  free (section);
}

/* Make SECTION's index, three FDEs a bucket.  False when memory ran out.  */
static bool
section_index (struct walk_section_copy *section)
{
  const struct unwind_section *opened = &section->opened;
  uint32_t n = opened->n_fdes;
  if (n < 8)
    return true;
  section->first = unwind_section_start (opened, 0);
  uint64_t span = unwind_section_start (opened, n - 1) - section->first;
  while (span >> section->shift > n / 3)
    section->shift++;
  section->n_buckets = (uint32_t)(span >> section->shift) + 1;
  section->buckets
      = reallocarray (NULL, section->n_buckets + 1, sizeof (uint32_t));
  if (section->buckets == NULL)
    return false;
  uint32_t fde = 0;
  for (uint32_t i = 0; i < section->n_buckets; i++)
    {
      uint64_t limit = (uint64_t)i << section->shift;
      while (fde < n
             && unwind_section_start (opened, fde) - section->first < limit)
        fde++;
      section->buckets[i] = fde;
    }
  section->buckets[section->n_buckets] = n;
  return true;
}

/* Return a copy of FROM with an index and one user.  NULL with errno: EINVAL
   for a section that cannot be read or is not sorted.  */
static struct walk_section_copy *
section_new (const struct sfw_section *from)
{
  struct walk_section_copy *section = NULL;
  if (from->size <= SIZE_MAX - sizeof *section)
    section = malloc (sizeof *section + from->size);
  if (section == NULL)
    {
      errno = ENOMEM;
      return NULL;
    }
  *section = (struct walk_section_copy){ .size = from->size,
                                         .address = from->address,
                                         .users = 1 };
  memcpy (section->bytes, from->bytes, from->size);
  bool sound = unwind_section_open (&section->opened, section->bytes,
                                    from->size, from->address)
               && unwind_section_is_sorted (&section->opened);
  if (sound && section_index (section))
    return section;
  section_drop (section);
  errno = sound ? ENOMEM : EINVAL;
  return NULL;
}

/* Return COPY with one more user; NULL if it is NULL or not of SECTION.  */
static struct walk_section_copy *
section_share (struct walk_section_copy *copy,
               const struct sfw_section *section)
{
  if (copy == NULL || copy->address != section->address
      || copy->size != section->size
      || memcmp (copy->bytes, section->bytes, section->size) != 0)
    return NULL;
  copy->users++;
  return copy;
}

/* ---- Changes */

struct sfw_modules *
sfw_modules_new (void)
{
  struct sfw_modules *modules = calloc (1, sizeof *modules);
  struct walk_table *table = calloc (1, sizeof *table);
  if (modules == NULL || table == NULL)
    {
      free (modules);
      free (table);
      return NULL;
    }
  table->generation = 1;
  pthread_mutex_init (&modules->lock, NULL);
  atomic_init (&modules->current, table);
  atomic_init (&modules->generation, 1);
  return modules;
}

static void
table_free (struct walk_table *table)
{
  for (size_t i = 0; i < table->n; i++)
    section_drop (table->modules[i].section);
  free (table);
}

static void
tables_free (struct walk_table **list)
{
  while (*list != NULL)
    {
      struct walk_table *table = *list;
      *list = table->retired;
      table_free (table);
    }
}

void
sfw_modules_free (struct sfw_modules *modules)
{
  if (modules == NULL)
    return;
  tables_free (&modules->retired);
  tables_free (&modules->waiting);
  table_free (atomic_load (&modules->current));
  pthread_mutex_destroy (&modules->lock);
  free (modules);
}

/* Free the tables that no walk can refer to, and begin the next epoch, twice.

   No table is freed while a walk refers to it.  A walk first adds 1 to one of
   the two counters, then takes the current table, and subtracts 1 when it
   releases the table.  So a walk that refers to table A was counted before A
   was retired.  A is freed after each counter was seen to be 0 since then: one
   when the epoch of the retirement ended and A began to wait, the other when
   the next epoch ended.  This holds whichever epoch the walk has read.

   No table stays for ever, even if there is always some walk.  A walk that
   begins is counted in the counter of the current epoch.  If it read the epoch
   just before that epoch ended, it is in the other counter.  The end of an
   epoch waits for the other counter alone.

   tests/walk/test_publishing.c tries all orders of these steps.  */
static void
modules_reclaim (struct sfw_modules *modules)
{
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned epoch = atomic_load (&modules->epoch);
      if (atomic_load (&modules->readers[~epoch & 1]) > 0)
        return;
      tables_free (&modules->waiting);
      modules->waiting = modules->retired;
      modules->retired = NULL;
      atomic_store (&modules->epoch, epoch + 1);
    }
}

struct walk_table *
walk_edit_begin (struct sfw_modules *modules, bool relist)
{
  pthread_mutex_lock (&modules->lock);
  const struct walk_table *table = atomic_load (&modules->current);
  size_t capacity = table->n + 1;
  struct walk_table *edited
      = malloc (sizeof *edited + capacity * sizeof edited->modules[0]);
  if (edited == NULL)
    {
      pthread_mutex_unlock (&modules->lock);
      return NULL;
    }
  *edited = (struct walk_table){ .generation = table->generation + 1,
                                 .capacity = capacity };
  for (size_t i = 0; i < table->n; i++)
    if (!relist || table->modules[i].origin != WALK_LISTED)
      {
        edited->modules[edited->n++] = table->modules[i];
        if (table->modules[i].section != NULL)
          table->modules[i].section->users++;
      }
  return edited;
}

void
walk_edit_end (struct sfw_modules *modules, struct walk_table *edited,
               bool publish)
{
  int saved = errno;
  if (publish)
    {
      struct walk_table *old = atomic_exchange (&modules->current, edited);
      atomic_store (&modules->generation, edited->generation);
      old->retired = modules->retired;
      modules->retired = old;
      modules_reclaim (modules);
    }
  else
    table_free (edited);
  pthread_mutex_unlock (&modules->lock);
  errno = saved;
}

/* Return a copy of SECTION for module number AT of EDITED, which will start at
   START.  To share a copy, SECTION is compared with two others and no more,
   because a process may map tens of thousands of files.  NULL with errno.  */
static struct walk_section_copy *
section_take (struct sfw_modules *modules, const struct walk_table *edited,
              size_t at, uint64_t start, const struct sfw_section *section)
{
  const struct walk_table *table = atomic_load (&modules->current);
  size_t same = SEARCH_FIRST (table->n, i, table->modules[i].start >= start);
  struct walk_section_copy *shared = section_share (
      at > 0 ? edited->modules[at - 1].section : NULL, section);
  if (shared == NULL && same < table->n && table->modules[same].start == start)
    shared = section_share (table->modules[same].section, section);
  return shared != NULL ? shared : section_new (section);
}

/* Make room in *EDITED for one more module, from START up to END, and set *AT
   to its index.  False with errno if another module is in the way or memory
   ran out.  */
static bool
edit_make_room (struct walk_table **edited, uint64_t start, uint64_t end,
                size_t *at)
{
  struct walk_table *table = *edited;
  size_t i = table->n;
  while (i > 0 && table->modules[i - 1].start >= start)
    i--;
  *at = i;
  if (start >= end || (i > 0 && table->modules[i - 1].end > start)
      || (i < table->n && table->modules[i].start < end))
    {
      errno = start < end ? EEXIST : EINVAL;
      return false;
    }
  if (table->n == table->capacity)
    {
      size_t capacity = 2 * table->capacity;
      table = realloc (table,
                       sizeof *table + capacity * sizeof table->modules[0]);
      if (table == NULL)
        return false;
      table->capacity = capacity;
      *edited = table;
    }
  return true;
}

bool
walk_edit_add (struct sfw_modules *modules, struct walk_table **edited,
               struct walk_module module, const struct sfw_section *section)
{
  size_t at;
  module.section = NULL;
  if (!edit_make_room (edited, module.start, module.end, &at))
    return false;
  struct walk_table *table = *edited;
  if (section != NULL)
    module.section = section_take (modules, table, at, module.start, section);
  if (section != NULL && module.section == NULL)
    return false;
  memmove (&table->modules[at + 1], &table->modules[at],
           (table->n - at) * sizeof table->modules[0]);
  table->modules[at] = module;
  table->n++;
  return true;
}

bool
sfw_modules_add (struct sfw_modules *modules, uint64_t start, uint64_t end,
                 const struct sfw_section *section)
{
  struct walk_table *edited = walk_edit_begin (modules, false);
  if (edited == NULL)
    return false;
  bool added = walk_edit_add (
      modules, &edited, (struct walk_module){ .start = start, .end = end },
      section);
  walk_edit_end (modules, edited, added);
  return added;
}

bool
sfw_modules_remove (struct sfw_modules *modules, uint64_t start)
{
  struct walk_table *edited = walk_edit_begin (modules, false);
  if (edited == NULL)
    return false;
  size_t i = 0;
  while (i < edited->n && edited->modules[i].start != start)
    i++;
  bool found = i < edited->n;
  if (found)
    {
      /* The table now lacks a module of the dynamic linker's list.  */
      if (modules->counters.covered
          || edited->modules[i].origin == WALK_LISTED)
        modules->counters = (struct walk_counters){ 0 };
      section_drop (edited->modules[i].section);
      edited->n--;
      memmove (&edited->modules[i], &edited->modules[i + 1],
               (edited->n - i) * sizeof edited->modules[0]);
    }
  else
    errno = ENOENT;
  walk_edit_end (modules, edited, found);
  return found;
}

struct walk_counters *
walk_modules_counters (struct sfw_modules *modules)
{
  return &modules->counters;
}
