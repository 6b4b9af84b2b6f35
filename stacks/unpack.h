/* Compressed core files, as systemd-coredump keeps them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_UNPACK_H
#define STACKS_UNPACK_H

#include <stdbool.h>

#include "base/error.h"

/* If the file *FD begins as one of zstd, xz, lz4 or gzip does, have that
   program, which has to be installed, decompress it to a file without a name
   in $TMPDIR (/var/tmp), close *FD and put the new file's descriptor there. At
   most half of the space that is free is used.  */
bool unpack_file (int *fd, struct error *err);

#endif /* STACKS_UNPACK_H */
