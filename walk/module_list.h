/* The parts that lists of modules are made of: lines of /proc/PID/maps, which
   stacks/ reads, too, and modules of the dynamic linker.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_MODULE_LIST_H
#define WALK_MODULE_LIST_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sframewalk.h"

struct dl_phdr_info;

/* A mapping of a process, from the kernel.  */
struct walk_mapping
{
  uint64_t start, end, offset; /* bytes; of the file */
  const char *path;            /* in the line; "" if there is none */
  dev_t device;
  ino_t inode;     /* 0: no file */
  bool executable; /* it may be executed */
};

/* Read LINE of /proc/PID/maps: START-END PERMISSIONS OFFSET DEVICE INODE
   [PATH] (proc(5)).  LINE is cut off after the path.  False for any other
   line.  For signal handlers: it neither allocates nor locks.  */
bool walk_maps_line (char *line, struct walk_mapping *mapping);

/* Call TAKE, with CONTEXT, for each mapping of process PID, in ascending
   order, until TAKE returns false.  True if TAKE never did and the list was
   read to its end.  Otherwise errno says why.  */
bool walk_maps_read (int pid,
                     bool (*take) (void *context,
                                   const struct walk_mapping *mapping),
                     void *context);

/* Set *BIAS to the load bias of a file: addresses in the process minus those
   in the file.  MAPPING is a mapping of one of the N SEGMENTS with code.  PAGE
   is the size of the kernel's pages.  False if no segment fits, or if two fit
   with different biases.  */
bool walk_mapping_bias (const struct walk_mapping *mapping,
                        const ElfW (Phdr) * segments, unsigned n,
                        uint64_t page, uint64_t *bias);

/* Set *SECTION to the SFrame section of the module INFO of the dynamic linker.
   False if the module has no section that is in memory and can be read: tools
   that remove sections from files may leave the program header.  */
bool walk_listed_section (const struct dl_phdr_info *info,
                          struct sfw_section *section);

#endif /* WALK_MODULE_LIST_H */
