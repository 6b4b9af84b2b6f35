/* In what order the files of a list are worked on, and which of them by one
   thread.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_WORK_ORDER_H
#define CLI_WORK_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/file_list.h"
#include "cli/options.h"

#define WORK_NONE SIZE_MAX

/* What one file of the list has to do with others of it.  */
struct work_entry
{
  size_t next_name;  /* the next entry that is the same file, or WORK_NONE */
  bool further_name; /* not the first name of its file */
  bool named;        /* the file was named, by this name or a further one */
  size_t program;    /* the first of the entries that have this one for their
                        debug file, which follows them, or WORK_NONE */
  size_t group;      /* the first of the entries with one debug file, or this
                        one; what is in a group is worked on by one thread, in
                        the order of the list */
};

struct work_order
{
  struct work_entry *entries;
  size_t *order; /* entries to work on: first names, largest first, groups
                    without gaps */
  size_t n;
  uint64_t all_bytes;
};

/* Make the ORDER for LIST.  False when memory ran out.  */
bool work_order_make (struct work_order *order,
                      const struct tool_options *options,
                      const struct file_list *list);

/* Also after work_order_make failed.  */
void work_order_free (struct work_order *order);

#endif /* CLI_WORK_ORDER_H */
