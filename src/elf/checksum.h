/* Finding out whether a checksum of a file exists.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A cryptographic library or program that claims FIPS 140 compares itself with
   a checksum when it starts, and ends if they differ.  Most checksums are in a
   file of their own (Red Hat's and SUSE's packages of libgcrypt, GnuTLS,
   OpenSSL and OpenSSH; fipscheck(8); NSS's shlibsign(1); OpenSSL's
   fips_config(5); IBM's ICC; strongSwan).  Others are in the file itself: in a
   note (libgcrypt 1.11, src/gen-note-integrity.sh), in the section .rodata1
   (older libgcrypt, OpenSSL's module in Fedora) or in its data (SymCrypt).

   Julia's cache file of a package contains the CRC of the shared object with
   the package's code.  If the CRC differs, Julia does not load the shared
   object, but compiles the package again.  */

#ifndef ELF_CHECKSUM_H
#define ELF_CHECKSUM_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/file_location.h"
#include "elf/image.h"

/* Return whether no checksum of IMAGE, the file at LOCATION, exists; otherwise
   ERR has status CFI2SFRAME_CHECKSUMMED and says where the checksum is.  A
   checksum in another file belongs to IMAGE if its name contains the name of
   the file, its soname, or the name of a link to it in the same directory;
   some checksums are known by their contents.  The directory is read, unless
   LOCATION has its names, and so are the folders of checksums, unless LOCATION
   says that there are none.  */
bool checksum_check_none (const struct image *image,
                          const struct file_location *location,
                          struct error *err);

/* Return whether NAME may be a checksum of another file in its directory.  */
bool checksum_may_be (const char *name);

/* Return whether folders with checksums of files in DIRECTORY may exist.  */
bool checksum_has_folders (int directory);

#endif /* ELF_CHECKSUM_H */
