/* In what order the files of a list are worked on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Files that change along with another one are not independent: their result
   would depend on which thread is first.  */

#include <config.h>

#include "cli/work_order.h"

#include <stdlib.h>

#include "convert/location.h"

/* What an entry is, or, as a TWIN, what its debug file is.  */
struct file_name
{
  struct file_identity identity;
  bool twin;
  size_t entry;
};

struct file_names
{
  struct file_name *list; /* owned */
  size_t n;
};

static int
compare_names (const void *a, const void *b)
{
  const struct file_name *left = a, *right = b;
  const struct file_identity *x = &left->identity, *y = &right->identity;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->inode != y->inode)
    return x->inode < y->inode ? -1 : 1;
  if (left->twin != right->twin)
    return left->twin ? 1 : -1;
  return (left->entry > right->entry) - (left->entry < right->entry);
}

/* Find out which entries have to do with each other: by NAMES that have one
   identity, the twins behind the others.  */
static void
relate (struct work_order *order, struct file_names *names)
{
  size_t first = 0;
  qsort (names->list, names->n, sizeof *names->list, compare_names);
  for (size_t i = 1; i < names->n; i++)
    {
      const struct file_name *name = &names->list[i], *before = name - 1;
      struct work_entry *entry = &order->entries[name->entry];
      struct work_entry *head = &order->entries[names->list[first].entry];
      if (!file_identity_equal (&name->identity, &before->identity))
        first = i;
      else if (!name->twin)
        {
          order->entries[before->entry].next_name = name->entry;
          head->named |= entry->named;
          entry->further_name = true;
        }
      else if (before->twin)
        entry->group = order->entries[before->entry].group;
      else
        head->program = name->entry;
    }
}

/* Add the debug files of all of LIST to NAMES.  */
static void
add_twins (struct file_names *names, const struct work_order *order,
           const struct file_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    {
      struct file_name *twin = &names->list[names->n];
      struct file_location location;
      struct error err = { 0 };
      if (!list->files[i].has_stat || order->entries[i].further_name)
        continue;
      *twin = (struct file_name){ .twin = true, .entry = i };
      if (listed_file_locate (list, &list->files[i], &location, &err)
          && location_find_debug_twin (&location, &twin->identity))
        names->n++;
      listed_file_leave (&location);
    }
}

static bool
relate_all (struct work_order *order, const struct tool_options *options,
            const struct file_list *list)
{
  struct file_names names
      = { calloc (2 * list->n + 1, sizeof *names.list), 0 };
  if (names.list == NULL)
    return false;
  for (size_t i = 0; i < list->n; i++)
    if (list->files[i].has_stat)
      names.list[names.n++]
          = (struct file_name){ .identity = list->files[i].identity,
                                .entry = i };
  relate (order, &names);
  if (options->debug_twin && list->n > 1)
    {
      add_twins (&names, order, list);
      relate (order, &names);
    }
  free (names.list);
  return true;
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
  if (tool_options_change_files (options)
      && !relate_all (order, options, list))
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
