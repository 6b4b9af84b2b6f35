/* Checksums that a file's contents have to match.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A cryptographic library or program that claims FIPS 140 compares itself with
   a checksum when it starts, and ends if it was changed.  Most checksums are
   in a file of their own (Red Hat's and SUSE's packages of libgcrypt, GnuTLS,
   OpenSSL and OpenSSH; fipscheck(8); NSS's shlibsign(1); OpenSSL's
   fips_config(5); IBM's ICC; strongSwan), some in the file itself: in a note
   (libgcrypt 1.11, src/gen-note-integrity.sh), in the section .rodata1
   (libgcrypt before that, OpenSSL's module in Fedora) or in its data
   (SymCrypt).

   Julia does not load a package's code from a shared object that has another
   CRC than its cache file says; it compiles all anew then.  */

#ifndef ELF_CHECKSUM_H
#define ELF_CHECKSUM_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/file_location.h"
#include "elf/image.h"

/* Whether nothing has a checksum of IMAGE, the file at LOCATION.  The file
   that a checksum is of is known by the name of the checksum (it has the
   file's name, its soname, or that of a link to it in the same directory), or
   by the contents.  False with status CFI2SFRAME_CHECKSUMMED, which says where
   the checksum is.  The directory is read, unless LOCATION knows its names,
   and so are folders of checksums, unless LOCATION knows that there are none.
 */
bool checksum_check_none (const struct image *image,
                          const struct file_location *location,
                          struct error *err);

/* Whether the file NAME may be a checksum of another one in its directory.  */
bool checksum_may_be (const char *name);

/* Whether folders may be there that have checksums of the files in the open
   DIRECTORY.  */
bool checksum_has_folders (int directory);

#endif /* ELF_CHECKSUM_H */
