/* Checksums of a file that are kept in another one beside it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_CHECKSUM_FILE_H
#define TOOL_CHECKSUM_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "convert/located.h"

/* Whether beside the file at LOCATION there is one with checksums of its
   contents, which a cryptographic library compares when it starts (FIPS 140).
   The other's name, relative to the directory, goes to NAME, of SIZE
   bytes.  */
bool checksum_file_find (const struct file_location *location, char *name,
                         size_t size);

#endif /* TOOL_CHECKSUM_FILE_H */
