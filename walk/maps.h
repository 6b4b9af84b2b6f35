/* Lines of /proc/PID/maps.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_MAPS_H
#define WALK_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
   is cut behind the path.  False for any other line.  */
bool walk_maps_line (char *line, struct walk_mapping *mapping);

#endif /* WALK_MAPS_H */
