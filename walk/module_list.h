/* What lists of modules are made of: mappings in /proc/PID/maps, which stacks/
   reads, too, and what the dynamic linker tells.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_MODULE_LIST_H
#define WALK_MODULE_LIST_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sframewalk.h"

struct dl_phdr_info;

/* A mapping, as the kernel tells of it.  */
struct walk_mapping
{
  uint64_t start, end, offset; /* bytes; of the file */
  const char *path;            /* in the line; "" if there is none */
  dev_t device;
  ino_t inode; /* 0: no file */
  bool runs;   /* it may be executed */
};

/* Read LINE, START-END PERMISSIONS OFFSET DEVICE INODE [PATH] (proc(5)), which
   is cut behind the path.  False for any other line.  Called by handlers, too:
   it neither allocates nor locks.  */
bool walk_maps_line (char *line, struct walk_mapping *mapping);

/* Give TAKE, with CONTEXT, each mapping of process PID, in ascending order,
   until TAKE returns false.  Returns whether TAKE never did and the list was
   read to its end; errno says why it was not.  */
bool walk_maps_read (int pid,
                     bool (*take) (void *context,
                                   const struct walk_mapping *mapping),
                     void *context);

/* Set *BIAS to what is added to the addresses of a file in the process that
   has MAPPING of one of its N SEGMENTS with code.  PAGE is the size of the
   kernel's pages.  False where that is not known: no segment can be the one,
   or two that differ in the bias.  */
bool walk_mapping_bias (const struct walk_mapping *mapping,
                        const ElfW (Phdr) * segments, unsigned n,
                        uint64_t page, uint64_t *bias);

/* Set *SECTION to the section of the module that the dynamic linker tells of
   by INFO.  False if the module has none in its memory that can be opened:
   tools that take sections out of files may leave the program header.  */
bool walk_listed_section (const struct dl_phdr_info *info,
                          struct sfw_section *section);

#endif /* WALK_MODULE_LIST_H */
