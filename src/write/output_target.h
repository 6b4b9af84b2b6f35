/* Where an output goes: a name in a directory, or a stream.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_OUTPUT_TARGET_H
#define WRITE_OUTPUT_TARGET_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/file_location.h"

struct output_target
{
  int directory; /* held open, so that moving or replacing a directory on the
                    way has no effect; or -1 */
  char *name;    /* owned; in DIRECTORY, or the path of a stream */
  bool stream;   /* a pipe, a device or a descriptor, which cannot be
                    replaced */
  int stream_fd; /* a copy of the descriptor that a stream names, or -1 */
};

#define OUTPUT_TARGET_NONE \
  ((struct output_target){ .directory = -1, .stream_fd = -1 })

/* Let TARGET be what LOCATION names, behind all symbolic links if those are to
   be followed.  There need not be a file, but the directory must be there.  A
   link that dangles is refused, but with MAY_DANGLE.  TARGET is released also
   after failure.  */
bool output_target_find (struct output_target *target,
                         const struct file_location *location, bool may_dangle,
                         struct error *err);

/* Let TARGET be the name that LOCATION is, even if that is a symbolic link's.
   TARGET is released also after failure.  */
bool output_target_take (struct output_target *target,
                         const struct file_location *location,
                         struct error *err);

/* Does nothing to OUTPUT_TARGET_NONE, which TARGET becomes.  */
void output_target_release (struct output_target *target);

#endif /* WRITE_OUTPUT_TARGET_H */
