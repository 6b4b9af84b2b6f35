/* What a program has mapped, by address.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Where a function takes SUM, it counts for how many mappings the lists of all
   programs have room.  */

#ifndef STACKS_MAPPINGS_H
#define STACKS_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_file;

/* A mapping.  What lies between two mappings of a file is not the file's.  */
struct mapping
{
  uint64_t start, end;
  uint64_t offset; /* of START in FILE */
  struct code_file
      *file;       /* one of the process's files; NULL: memory without */
  bool executable; /* it may be executed */
  bool compared;   /* with what the files beside it have there */
};

struct mappings
{
  struct mapping *list;      /* ascending, disjoint */
  size_t n, front, capacity; /* FRONT: room before the first one */
  size_t *owners; /* how many processes have LIST, as a process and those that
                     it has forked do until one of them maps something; NULL:
                     one has it */
  bool has_files; /* one of a file was among them */
};

/* Lists of mappings have room for no more: in a recording, each of thousands
   of processes may have changed one mapping of thousands that its parent has.
 */
#define MAPPINGS_MAX ((size_t)1 << 23)

/* The mapping with ADDRESS, or NULL.  */
const struct mapping *mappings_at (const struct mappings *mappings,
                                   uint64_t address);

/* Whether a mapping that is called PATH is of a file.  IS_KNOWN: it has an
   inode or a build-id, as shared memory has, too, whose name the kernel has
   made up.  */
bool mapping_is_of_file (const char *path, bool is_known);

/* Put MAPPING, which may be empty, in the place of whatever was mapped there.
   False when memory ran out.  */
bool mappings_put (struct mappings *all, size_t *sum,
                   const struct mapping *mapping);

/* Give TO, which has none, the mappings of FROM, too.  False when memory ran
   out.  */
bool mappings_share (struct mappings *to, struct mappings *from);

void mappings_forget (struct mappings *mappings, size_t *sum);

#endif /* STACKS_MAPPINGS_H */
