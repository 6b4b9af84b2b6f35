/* The mappings of a process, by address.
   SPDX-License-Identifier: LGPL-2.1-or-later

   SUM, a parameter of some functions, counts the entries that the lists of all
   processes have allocated.  */

#ifndef STACKS_MAPPINGS_H
#define STACKS_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_file;

/* A mapping.  Memory between two mappings of a file is not the file's.  */
struct mapping
{
  uint64_t start, end;
  uint64_t offset;        /* of START, in FILE */
  struct code_file *file; /* one of the process's files, or NULL */
  bool executable;        /* it may be executed */
  bool compared; /* with the files of the neighbours (find_copied_file) */
};

struct mappings
{
  struct mapping *list;      /* ascending, disjoint */
  size_t n, front, capacity; /* FRONT: free entries before the first mapping */
  size_t *owners; /* how many processes share LIST, as a process and those that
                     it has forked do until one of them maps something; NULL:
                     one */
  bool has_files; /* a mapping of a file was ever put in */
};

/* Limit on the entries of all lists: in a recording, thousands of processes
   may each change one of thousands of mappings of their parent.  */
#define MAPPINGS_MAX ((size_t)1 << 23)

/* Return the mapping that contains ADDRESS, or NULL.  */
const struct mapping *mappings_at (const struct mappings *mappings,
                                   uint64_t address);

/* Whether a mapping with the name PATH is one of a file.  IS_KNOWN: the
   mapping has an inode or a build-id.  Shared memory has an inode, too, and a
   name that the kernel has made up.  */
bool mapping_is_of_file (const char *path, bool is_known);

/* Add MAPPING, which may be empty, in place of all that was mapped in its
   range.  False when memory ran out.  */
bool mappings_put (struct mappings *all, size_t *sum,
                   const struct mapping *mapping);

/* Let TO, an empty list, share FROM's.  False when memory ran out.  */
bool mappings_share (struct mappings *to, struct mappings *from);

void mappings_forget (struct mappings *mappings, size_t *sum);

#endif /* STACKS_MAPPINGS_H */
