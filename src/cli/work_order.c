/* In what order the files of a list are worked on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Files that change along with another one are not independent: their result
   would depend on which thread is first.  */

#include <config.h>

#include "cli/work_order.h"

#include <stdlib.h>

#include "base/search.h"
#include "convert/location.h"

/* Entries by what they are, or by what their debug files are.  */

struct file_name
{
  struct file_identity identity;
  size_t entry;
};

struct file_names
{
  struct file_name *names; /* sorted; owned */
  size_t n;
};

static int
compare_identities (const struct file_identity *x,
                    const struct file_identity *y)
{
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  return (x->inode > y->inode) - (x->inode < y->inode);
}

static int
compare_names (const void *a, const void *b)
{
  const struct file_name *left = a, *right = b;
  int difference = compare_identities (&left->identity, &right->identity);
  return difference != 0
             ? difference
             : (left->entry > right->entry) - (left->entry < right->entry);
}

/* The entry in front of name I of NAMES that has the same identity, or
   WORK_NONE.  */
static size_t
same_before (const struct file_names *names, size_t i)
{
  const struct file_name *name = &names->names[i];
  return i > 0 && file_identity_equal (&name[-1].identity, &name->identity)
             ? name[-1].entry
             : WORK_NONE;
}

/* Chain the entries that are NAMES of one file, in their order.  */
static void
chain_names (struct work_order *order, const struct file_names *names)
{
  for (size_t i = names->n; i-- > 1;)
    {
      size_t before = same_before (names, i);
      struct work_entry *entry = &order->entries[names->names[i].entry];
      if (before == WORK_NONE)
        continue;
      order->entries[before].next_name = names->names[i].entry;
      order->entries[before].named |= entry->named;
      entry->further_name = true;
    }
}

/* Make NAMES, which have room, those of all of LIST.  */
static void
collect_names (struct file_names *names, const struct file_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    if (list->files[i].has_stat)
      names->names[names->n++]
          = (struct file_name){ list->files[i].identity, i };
  qsort (names->names, names->n, sizeof *names->names, compare_names);
}

/* Make TWINS, which have room, the debug files of all of LIST.  */
static void
collect_twins (struct file_names *twins, const struct work_order *order,
               const struct tool_options *options,
               const struct file_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    {
      const struct listed_file *file = &list->files[i];
      struct file_location location;
      struct error err = { 0 };
      if (!file->has_stat || order->entries[i].further_name)
        continue;
      if (listed_file_locate (list, file, &location, &err)
          && location_find_debug_twin (&location, &options->convert,
                                       &twins->names[twins->n].identity))
        twins->names[twins->n++].entry = i;
      listed_file_leave (&location);
    }
  qsort (twins->names, twins->n, sizeof *twins->names, compare_names);
}

/* Group the programs of each debug file in TWINS.  The debug file itself, if
   it is one of NAMES, is left to them.  */
static void
group_programs (struct work_order *order, const struct file_names *names,
                const struct file_names *twins)
{
  for (size_t i = 0; i < twins->n; i++)
    {
      const struct file_name *twin = &twins->names[i];
      size_t before = same_before (twins, i);
      if (before != WORK_NONE)
        {
          order->entries[twin->entry].group = order->entries[before].group;
          continue;
        }
      size_t at = SEARCH_FIRST (
          names->n, j,
          compare_identities (&names->names[j].identity, &twin->identity)
              >= 0);
      if (at < names->n
          && file_identity_equal (&names->names[at].identity, &twin->identity))
        order->entries[names->names[at].entry].program = twin->entry;
    }
}

/* Find out which entries have to do with each other.  */
static bool
relate (struct work_order *order, const struct tool_options *options,
        const struct file_list *list)
{
  struct file_names names = { calloc (list->n + 1, sizeof *names.names), 0 };
  struct file_names twins = { calloc (list->n + 1, sizeof *twins.names), 0 };
  bool done = names.names != NULL && twins.names != NULL;
  if (done)
    {
      collect_names (&names, list);
      chain_names (order, &names);
    }
  if (done && options->debug_twin && list->n > 1)
    {
      collect_twins (&twins, order, options, list);
      group_programs (order, &names, &twins);
    }
  free (names.names);
  free (twins.names);
  return done;
}

/* What entries are sorted by.  */
struct sorting
{
  const struct work_order *order;
  const struct listed_file *files;
};

static int
compare_entries (const void *a, const void *b, void *context)
{
  const struct sorting *sorting = context;
  size_t left = *(const size_t *)a, right = *(const size_t *)b;
  size_t x = sorting->order->entries[left].group;
  size_t y = sorting->order->entries[right].group;
  if (sorting->files[x].size != sorting->files[y].size)
    return sorting->files[x].size > sorting->files[y].size ? -1 : 1;
  return x != y ? (x > y) - (x < y) : (left > right) - (left < right);
}

bool
work_order_make (struct work_order *order, const struct tool_options *options,
                 const struct file_list *list)
{
  struct sorting sorting = { order, list->files };
  *order = (struct work_order){ .entries
                                = calloc (list->n + 1, sizeof *order->entries),
                                .order
                                = calloc (list->n + 1, sizeof *order->order) };
  if (order->entries == NULL || order->order == NULL)
    return false;
  for (size_t i = 0; i < list->n; i++)
    order->entries[i] = (struct work_entry){ .next_name = WORK_NONE,
                                             .program = WORK_NONE,
                                             .named = !list->files[i].found,
                                             .group = i };
  if (tool_options_change_files (options) && !relate (order, options, list))
    return false;
  for (size_t i = 0; i < list->n; i++)
    if (!order->entries[i].further_name)
      {
        order->order[order->n++] = i;
        order->all_bytes += list->files[i].size;
      }
  if (options->mode != MODE_DUMP)
    qsort_r (order->order, order->n, sizeof *order->order, compare_entries,
             &sorting);
  return true;
}

void
work_order_free (struct work_order *order)
{
  free (order->entries);
  free (order->order);
}
