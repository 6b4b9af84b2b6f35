/* Finding out whether a checksum of a file exists.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "elf/checksum.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/prefix.h"
#include "base/printable.h"
#include "elf/dynamic.h"
#include "elf/notes.h"

enum
{
  /* A directory is read once for each of its files.  So only this many of its
     entries, and of its lists of checksums, are read.  */
  ENTRIES_MAX = 1 << 15,
  LISTS_MAX = 64,
  LIST_SIZE_MAX = 1 << 14 /* bytes of a list that are read */
};

#define NT_FDO_INTEGRITY UINT32_C (0xcafe2a8e) /* libgcrypt's */

/* Julia's cache of a package ends in a CRC of the shared object with the
   package's code, and is not used with another one (isvalid_pkgimage_crc in
   base/loading.jl).  */
#define JULIA_CACHE ".ji"

/* IBM's ICC writes signatures of the libraries in a directory to this file
   (GSKit, Db2, MQ, Java; OpenCryptographyKitC).  */
#define ICC_SIGNATURES "ICCSIG.txt"

/* The folders with files of checksums, relative to the file's own directory,
   which comes first.  Those of fipscheck and hmaccalc are next to the
   directory of the libraries.  */
static const char *const folders[] = { ".",
                                       "fipscheck",
                                       "fipshmac",
                                       "hmaccalc",
                                       "../lib/fipscheck",
                                       "../lib/fipshmac",
                                       "../lib/hmaccalc",
                                       "../lib64/fipscheck",
                                       "../lib64/fipshmac",
                                       "../lib64/hmaccalc" };

enum
{
  N_FOLDERS = sizeof folders / sizeof *folders
};

/* The file whose checksum is looked for.  */
struct checked_file
{
  int directory;      /* with the file */
  const char *folder; /* path of the directory */
  const char *names;  /* in it, that may be of checksums; or NULL */
  size_t n_folders;   /* number of `folders' that may have a checksum */
  const char *name, *soname;
  bool needs_strongswan;
  struct file_identity identity;
  unsigned n_lists; /* number of lists that were read */
};

/* Return whether NAME is the file's name or soname, or of a link to it.  */
static bool
is_name_of (const struct checked_file *subject, const char *name)
{
  struct stat status;
  if (strcmp (name, subject->name) == 0
      || (subject->soname != NULL && strcmp (name, subject->soname) == 0))
    return true;
  return fstatat (subject->directory, name, &status, 0) == 0
         && file_identity_is (&subject->identity, &status);
}

/* Return whether LIST has a part for NAME.  GnuTLS's fipshmac has a part for
   each of several libraries.  */
static bool
has_part (const char *list, const char *name)
{
  char part[NAME_MAX + 3];
  if (name == NULL
      || snprintf (part, sizeof part, "[%s]", name) >= (int)sizeof part)
    return false;
  return strstr (list, part) != NULL;
}

/* Return whether the file ENTRY in DIRECTORY, of any type, is a list of
   checksums that names the file.  */
static bool
is_listed (struct checked_file *subject, int directory, const char *entry)
{
  char list[LIST_SIZE_MAX];
  struct stat status;
  if (subject->n_lists++ >= LISTS_MAX)
    return false;
  int fd = openat (directory, entry,
                   O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
                  ? pread (fd, list, sizeof list - 1, 0)
                  : -1;
  close (fd);
  list[n > 0 ? n : 0] = '\0';
  return has_part (list, subject->name) || has_part (list, subject->soname);
}

bool
checksum_may_be (const char *name)
{
  return has_suffix (name, ".hmac") || has_suffix (name, ".chk")
         || has_suffix (name, JULIA_CACHE)
         || strcmp (name, ICC_SIGNATURES) == 0;
}

bool
checksum_has_folders (int directory)
{
  for (size_t i = 1; i < N_FOLDERS; i++)
    if (faccessat (directory, folders[i], F_OK, 0) == 0 || errno != ENOENT)
      return true;
  return false;
}

/* Remove ENDING from NAME, of LENGTH bytes.  Returns false if NAME does not
   end in it, or consists of it.  */
static bool
cut (char *name, size_t *length, const char *ending)
{
  size_t size = strlen (ending);
  if (*length <= size || !has_suffix (name, ending))
    return false;
  *length -= size;
  name[*length] = '\0';
  return true;
}

/* Return whether ENTRY of DIRECTORY is a checksum of the file: [.]NAME.hmac;
   NAME.chk or NAME.ji, where NAME may lack its ".so"; or ICC's.  */
static bool
is_checksum (struct checked_file *subject, int directory, const char *entry)
{
  char name[NAME_MAX + 1 + sizeof ".so"];
  size_t length = strlen (entry);
  if (strcmp (entry, ICC_SIGNATURES) == 0)
    return true;
  if (length > NAME_MAX)
    return false;
  memcpy (name, entry, length + 1);
  if (cut (name, &length, ".hmac"))
    return is_name_of (subject, name + (name[0] == '.'))
           || is_listed (subject, directory, entry);
  if (!cut (name, &length, ".chk") && !cut (name, &length, JULIA_CACHE))
    return false;
  if (is_name_of (subject, name))
    return true;
  memcpy (name + length, ".so", sizeof ".so");
  return is_name_of (subject, name);
}

/* Report that the file ENTRY in FOLDER has a checksum.  Returns true.  */
static bool
report_file (const char *folder, const char *entry, struct error *err)
{
  char shown[sizeof err->reason / 2];
  bool own = strcmp (folder, ".") == 0;
  printable_copy (shown, sizeof shown, entry);
  return !error_set (err, CFI2SFRAME_CHECKSUMMED,
                     "%s%s%s has a checksum of it (%s)", own ? "" : folder,
                     own ? "" : "/", shown,
                     has_suffix (entry, JULIA_CACHE) ? "Julia" : "FIPS 140");
}

/* Return whether FOLDER, relative to the file's directory, has a checksum.
   Also returns true, with another error, if FOLDER may exist and cannot be
   read now, because a checksum in it would go unnoticed.  A folder without
   permission to read it does not count: programs of this user cannot read a
   checksum in it either.  */
static bool
find_in_folder (struct checked_file *subject, const char *folder,
                struct error *err)
{
  int fd = openat (subject->directory, folder,
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  bool found = false;
  if (directory == NULL)
    {
      found = (errno == EMFILE || errno == ENFILE || errno == ENOMEM
               || errno == EIO)
              && !error_set_errno (err, "open");
      if (fd >= 0)
        close (fd);
      return found;
    }
  for (size_t n = 0; !found && n < ENTRIES_MAX; n++)
    {
      errno = 0;
      const struct dirent *entry = readdir (directory);
      if (entry == NULL)
        {
          found = errno != 0 && !error_set_errno (err, "readdir");
          break;
        }
      if (is_checksum (subject, fd, entry->d_name))
        found = report_file (folder, entry->d_name, err);
    }
  closedir (directory);
  return found;
}

/* OpenSSL's module is compared with a configuration file, which may be
   anywhere.  So the module is known by its own name and place.  */
static bool
is_openssl_module (const struct checked_file *subject, struct error *err)
{
  const char *slash = strrchr (subject->folder, '/');
  const char *last = slash != NULL ? slash + 1 : subject->folder;
  bool fips_module
      = has_prefix (subject->name, "fips")
        && faccessat (subject->directory, "fipsmodule.cnf", F_OK, 0) == 0;
  if (!fips_module
      && (strcmp (subject->name, "fips.so") != 0
          || strcmp (last, "ossl-modules") != 0))
    return false;
  return report_file (".", "fipsmodule.cnf", err);
}

/* strongSwan compares its libraries, plugins and daemons with a library that
   contains their sizes and checksums (libstrongswan/utils/integrity_checker.c,
   if built with --enable-integrity-test).  */
static bool
is_of_strongswan (const struct checked_file *subject, struct error *err)
{
  static const char *const lists[] = {
    "libchecksum.so",
    "../libchecksum.so", /* for plugins */
    "../lib/ipsec/libchecksum.so",
    "../lib/strongswan/libchecksum.so",
    "../lib64/ipsec/libchecksum.so",
    "../lib64/strongswan/libchecksum.so",
    "../../lib/ipsec/libchecksum.so",
    "../../lib/strongswan/libchecksum.so",
    "../../lib64/ipsec/libchecksum.so",
    "../../lib64/strongswan/libchecksum.so",
  };
  if (!subject->needs_strongswan
      && !has_prefix (subject->name, "libstrongswan"))
    return false;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (faccessat (subject->directory, lists[i], F_OK, 0) == 0)
      return report_file (".", lists[i], err);
  return false;
}

/* Return whether IMAGE depends on strongSwan's main library, whatever the
   version in its name.  */
static bool
needs_strongswan (const struct image *image)
{
  uint64_t size, at = 0, value;
  const char *strings = dynamic_strings (image, &size);
  int64_t tag;
  while (strings != NULL && dynamic_next (image, &at, &tag, &value))
    if (tag == DT_NEEDED && value < size
        && has_prefix (strings + value, "libstrongswan.so"))
      return true;
  return false;
}

/* ---- Checksums in the file itself */

static bool
has_integrity_note (const struct image *image)
{
  FOR_EACH_SEGMENT (segment, image)
    {
      struct note_walk walk = note_walk_segment (image, segment, false);
      struct note note;
      while (note_next (&walk, &note))
        if (note_is (&note, "FDO", NT_FDO_INTEGRITY))
          return true;
    }
  FOR_EACH_SECTION (section, image)
    if (section->header.sh_type == SHT_NOTE
        && strstr (section->name, "integrity") != NULL)
      return true;
  return false;
}

/* Return the part of IMAGE that contains a checksum of IMAGE, or NULL.  */
static const char *
own_checksum (const struct image *image, const char *soname)
{
  if (has_integrity_note (image))
    return "a note in it";
  /* An HMAC-SHA256 of the file, stored by objcopy --update-section: libgcrypt
     1.10.2 (src/fips.c), and OpenSSL's module of Fedora and Red Hat.
     Compilers do not make a section of this name.  */
  const struct image_section *section = image_find_section (image, ".rodata1");
  if (section != NULL && section->header.sh_size == 32)
    return "its section .rodata1";
  /* SymCrypt hashes its segments in memory, of which the first contains the
     program headers (modules_linux/common/integrity.c).  In a stripped file
     only the soname reveals this.  */
  return soname != NULL && has_prefix (soname, "libsymcrypt.so")
             ? "SymCrypt's data"
             : NULL;
}

/* ---- Files of checksums */

static bool
find_file (struct checked_file *subject, struct error *err)
{
  bool found
      = is_openssl_module (subject, err) || is_of_strongswan (subject, err);
  /* If the names are known, the file's own directory need not be read.  */
  const bool seen = subject->names != NULL;
  const char *name = subject->names;
  for (size_t n = 0; !found && seen && n < ENTRIES_MAX && *name != '\0'; n++)
    {
      if (is_checksum (subject, subject->directory, name))
        found = report_file (".", name, err);
      name += strlen (name) + 1;
    }
  for (size_t i = seen ? 1 : 0; !found && i < subject->n_folders; i++)
    found = find_in_folder (subject, folders[i], err);
  return found;
}

/* Do as find_file for the file PATH; a zero byte replaces the last slash of
   PATH.  DIRECTORY is the open directory of PATH, or -1.  Also returns true,
   with another error, if the directory cannot be opened, because a checksum in
   it would go unnoticed.  */
static bool
find_file_at (struct checked_file *subject, char *path, int directory,
              struct error *err)
{
  char *slash = strrchr (path, '/');
  subject->name = slash != NULL ? slash + 1 : path;
  subject->folder = slash != NULL ? path : ".";
  if (slash != NULL)
    *slash = '\0';
  if (directory >= 0)
    {
      subject->directory = directory;
      return find_file (subject, err);
    }
  subject->directory
      = open (subject->folder[0] != '\0' ? subject->folder : "/",
              O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (subject->directory < 0)
    return !error_set_errno (err, "open");
  bool found = find_file (subject, err);
  close (subject->directory);
  return found;
}

bool
checksum_check_none (const struct image *image,
                     const struct file_location *location, struct error *err)
{
  struct stat status;
  struct checked_file subject
      = { .soname = dynamic_soname (image),
          .needs_strongswan = needs_strongswan (image),
          .names = location->checksums,
          .n_folders = location->no_checksum_folders ? 1 : N_FOLDERS };
  const char *own = own_checksum (image, subject.soname);
  if (own != NULL)
    return error_set (err, CFI2SFRAME_CHECKSUMMED,
                      "%s has a checksum of it (FIPS 140)", own);
  if (fstat (image->fd, &status) != 0)
    return error_set_errno (err, "fstat");
  subject.identity = file_identity_of (&status);
  char *path = location->fixed ? strdup (location->path)
                               : realpath (location->name, NULL);
  if (path == NULL)
    return error_set_errno (err, "realpath");
  bool found = find_file_at (&subject, path,
                             location->fixed ? location->directory : -1, err);
  free (path);
  return !found;
}
