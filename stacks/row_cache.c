/* The cache of sections that were made by analyzing files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/rows.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapped_file.h"
#include "base/prefix.h"
#include "write/output_file.h"

enum
{
  PATH_SIZE = 4096,
  KEPT_MAX = 64 << 20 /* bytes of all files */
};

static const char own_name[] = "/cfi2sframe", suffix[] = ".sframe";

/* ---- The folder */

static bool
is_own_folder (const char *path, int flags)
{
  struct stat status;
  return fstatat (AT_FDCWD, path, &status, flags) == 0
         && S_ISDIR (status.st_mode) && status.st_uid == geteuid ()
         && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Set PATH to the path of the folder.  MAKE: create the folder if it is
   missing.  False if it or the folder that contains it does not belong to the
   user, or others may write to it.  */
static bool
find_folder (char path[PATH_SIZE], bool make)
{
  const char *cache = secure_getenv ("XDG_CACHE_HOME"), *below = "";
  if (cache == NULL || cache[0] == '\0')
    {
      cache = secure_getenv ("HOME");
      below = "/.cache";
    }
  if (cache == NULL || cache[0] != '/')
    return false;
  int length = snprintf (path, PATH_SIZE, "%s%s", cache, below);
  if (length >= PATH_SIZE - 64 || !is_own_folder (path, 0))
    return false;
  memcpy (path + length, own_name, sizeof own_name);
  if (make)
    mkdir (path, 0700);
  return is_own_folder (path, AT_SYMLINK_NOFOLLOW);
}

/* Return a digest of this program's file, which another build does not have; 0
   if it cannot be read.  */
static uint64_t
own_digest (void)
{
  static uint64_t digest;
  struct error ignored;
  size_t size;
  if (digest != 0)
    return digest;
  int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const void *bytes = fd < 0 ? NULL : mapped_file_open (fd, &size, &ignored);
  digest = bytes != NULL ? hash_digest (bytes, size) : 0;
  if (bytes != NULL)
    mapped_file_close (bytes, size);
  if (fd >= 0)
    close (fd);
  return digest;
}

/* Set PATH to that of the section for DIGEST.  MAKE as for find_folder.  */
static bool
find_path (char path[PATH_SIZE], XXH128_hash_t digest, bool make)
{
  if (!find_folder (path, make))
    return false;
  size_t length = strlen (path);
  snprintf (path + length, PATH_SIZE - length,
            "/%016" PRIx64 "%016" PRIx64 "%s", (uint64_t)digest.high64,
            (uint64_t)digest.low64, suffix);
  return true;
}

static XXH128_hash_t
digest_of (const struct image *elf)
{
  return XXH3_128bits_withSeed (elf->bytes, elf->size, own_digest ());
}

XXH128_hash_t
row_cache_digest (const struct image *elf)
{
  mapped_files_forget ();
  return digest_of (elf);
}

/* ---- Finding */

bool
row_cache_find (const struct image *elf, XXH128_hash_t digest,
                struct detached_file *found)
{
  const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  char path[PATH_SIZE];
  struct stat status;
  int fd = own_digest () != 0 && find_path (path, digest, false)
               ? open (path, flags)
               : -1;
  if (fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && status.st_uid == geteuid ())
    return detached_file_open (found, fd, elf);
  if (fd >= 0)
    close (fd);
  return false;
}

/* ---- Keeping */

/* Return the size of all sections in FOLDER, and the name of the OLDEST.  */
static uint64_t
list_sections (DIR *folder, char oldest[NAME_MAX + 1])
{
  uint64_t sum = 0;
  int64_t least = 0;
  oldest[0] = '\0';
  rewinddir (folder);
  for (struct dirent *entry; (entry = readdir (folder)) != NULL;)
    {
      struct stat status;
      if (!has_suffix (entry->d_name, suffix)
          || fstatat (dirfd (folder), entry->d_name, &status,
                      AT_SYMLINK_NOFOLLOW)
                 != 0)
        continue;
      int64_t time = (int64_t)status.st_mtim.tv_sec * 1000000000
                     + status.st_mtim.tv_nsec;
      sum += (uint64_t)status.st_size;
      if (oldest[0] == '\0' || time < least)
        {
          least = time;
          memcpy (oldest, entry->d_name, strlen (entry->d_name) + 1);
        }
    }
  return sum;
}

static void
remove_oldest (const char *path)
{
  char oldest[NAME_MAX + 1];
  DIR *folder = opendir (path);
  if (folder == NULL)
    return;
  while (list_sections (folder, oldest) > KEPT_MAX
         && unlinkat (dirfd (folder), oldest, 0) == 0)
    continue;
  closedir (folder);
}

void
row_cache_keep (const struct image *elf, XXH128_hash_t digest,
                const struct sfw_section *section)
{
  char path[PATH_SIZE];
  struct error ignored;
  struct buffer file, rows = { .bytes = (uint8_t *)section->bytes };
  rows.size = section->size;
  if (own_digest () == 0 || section->size > KEPT_MAX
      || !XXH128_isEqual (digest_of (elf), digest)
      || !find_path (path, digest, true))
    return;
  buffer_init (&file, elf->big_endian);
  if (detached_file_compose (elf, &rows, section->address, &file, &ignored)
      && output_file_write (path, &file, -1, CFI2SFRAME_SYNC_FILE, &ignored))
    {
      *strrchr (path, '/') = '\0';
      remove_oldest (path);
    }
  buffer_free (&file);
}
