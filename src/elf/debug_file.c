/* Finding separate debug files, and decompressing sections.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "elf/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/mapped_file.h"
#include "base/prefix.h"
#include "elf/notes.h"

_Static_assert(sizeof ((struct debug_file *)0)->path >= PATH_MAX,
               "a path may be longer");

/* The contents of .gnu_debuglink.  */
struct debug_link
{
  const char *name; /* NULL without .gnu_debuglink */
  uint32_t crc;
};

static struct debug_link
find_link (const struct image *image)
{
  const struct image_section *section
      = image_find_section (image, ".gnu_debuglink");
  const uint8_t *bytes
      = section != NULL ? image_section_bytes (image, section) : NULL;
  uint64_t size = bytes != NULL ? section->header.sh_size : 0;
  const uint8_t *nul = size > 0 ? memchr (bytes, '\0', size) : NULL;
  if (nul == NULL || nul == bytes)
    return (struct debug_link){ NULL, 0 };
  uint64_t crc_at = ((uint64_t)(nul - bytes) + 4) & ~UINT64_C (3);
  if (crc_at > size || size - crc_at < 4)
    return (struct debug_link){ NULL, 0 };
  return (struct debug_link){ (const char *)bytes,
                              load_u32 (bytes + crc_at, image->big_endian) };
}

/* ---- Does the debug file belong to a file? */

static bool
is_same_build (const struct image *debug, const struct image *image,
               struct error *err)
{
  struct build_id own = build_id_find (image), its = build_id_find (debug);
  struct debug_link link = find_link (image);
  if (own.size > 0 && its.size > 0)
    return build_id_equal (&own, &its)
           || error_set (err, CFI2SFRAME_REFUSED, "another build-id");
  if (link.name != NULL)
    return crc32_of (debug->bytes, debug->size) == link.crc
           || error_set (err, CFI2SFRAME_REFUSED,
                         "not the CRC that .gnu_debuglink has");
  return error_set (err, CFI2SFRAME_REFUSED,
                    "neither a build-id nor a .gnu_debuglink says that it "
                    "belongs to the file");
}

/* Return whether IMAGE has the executable SECTION of a debug file, too.  */
static bool
is_section_of (const struct image_section *section, const struct image *image)
{
  const GElf_Shdr *theirs = &section->header;
  if (image->n_sections == 0)
    return image_is_executable (image, theirs->sh_addr, theirs->sh_size);
  const struct image_section *own = image_find_section (image, section->name);
  return own != NULL && own->header.sh_addr == theirs->sh_addr
         && own->header.sh_size == theirs->sh_size
         && (own->header.sh_flags & SHF_EXECINSTR);
}

/* Return whether DEBUG describes code, and all of this code has the same
   address in IMAGE.  The number of sections is limited, because each is looked
   up by name, and a damaged file may have thousands.  */
static bool
has_same_code (const struct image *debug, const struct image *image,
               struct error *err)
{
  enum
  {
    CODE_SECTIONS_MAX = 1024
  };
  size_t n = 0;
  FOR_EACH_SECTION (section, debug)
    {
      if (!image_section_is_code (section))
        continue;
      if (++n > CODE_SECTIONS_MAX || !is_section_of (section, image))
        return error_set (err, CFI2SFRAME_REFUSED,
                          "its code (%.32s) is at other addresses",
                          section->name);
    }
  return n > 0
         || error_set (err, CFI2SFRAME_REFUSED, "it tells of no code at all");
}

bool
debug_file_check_split (const struct image *file, struct error *err)
{
  FOR_EACH_SECTION (section, file)
    if (image_section_is_code (section)
        && section->header.sh_type != SHT_NOBITS)
      return error_set (err, CFI2SFRAME_REFUSED,
                        "it has code, so it is not a separate debug file");
  return true;
}

bool
debug_file_blame (struct error *err, const char *path)
{
  char reason[sizeof err->reason];
  enum cfi2sframe_status status
      = err->status == CFI2SFRAME_IO || err->status == CFI2SFRAME_NO_MEMORY
            ? err->status
            : CFI2SFRAME_REFUSED;
  /* Other words would describe the file that was to be worked on.  */
  enum error_word word = err->word == WORD_CHANGED_MEANWHILE
                             ? WORD_CHANGED_MEANWHILE
                             : WORD_NONE;
  memcpy (reason, err->reason, sizeof reason);
  error_clear (err);
  return error_set_word (err, status, word, "debug file %.120s: %.120s", path,
                         reason);
}

bool
debug_file_open (struct debug_file *file, const char *path,
                 const struct image *image, struct error *err)
{
  *file = (struct debug_file){ 0 };
  if (!image_open (&file->image, path, err))
    return debug_file_blame (err, path);
  if (!(image_same_machine (&file->image, image)
        || error_set (err, CFI2SFRAME_REFUSED, "another machine's"))
      || !is_same_build (&file->image, image, err)
      || !has_same_code (&file->image, image, err))
    {
      debug_file_close (file);
      return debug_file_blame (err, path);
    }
  snprintf (file->path, sizeof file->path, "%s", path);
  return true;
}

void
debug_file_close (struct debug_file *file)
{
  image_close (&file->image);
  *file = (struct debug_file){ 0 };
}

/* ---- Searching for a debug file */

struct debug_places
debug_places_usual (void)
{
  static const struct
  {
    const char *variable, *directory;
  } caches[] = { { "DEBUGINFOD_CACHE_PATH", "" },
                 { "XDG_CACHE_HOME", "/debuginfod_client" },
                 { "HOME", "/.cache/debuginfod_client" } };
  struct debug_places places = { .global = "/usr/lib/debug" };
  for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
    {
      const char *value = getenv (caches[i].variable);
      if (value == NULL || value[0] == '\0')
        continue;
      int length = snprintf (places.cache, sizeof places.cache, "%s%s", value,
                             caches[i].directory);
      if (length >= (int)sizeof places.cache)
        places.cache[0] = '\0';
      break;
    }
  return places;
}

/* A search for the debug file of IMAGE.  */
struct debug_search
{
  struct debug_file *file;
  const struct image *image;
  const struct debug_places *places;
  struct error *err; /* why the first file that was found is not usable */
};

/* Open the path that FORMAT makes if it is the debug file; LINKS allows it to
   be a symbolic link.  Returns true when the search is over.  */
static bool __attribute__ ((format (printf, 3, 4)))
try_path (const struct debug_search *search, bool links, const char *format,
          ...)
{
  char path[PATH_MAX];
  struct error err = { 0 };
  va_list arguments;
  va_start (arguments, format);
  int length = vsnprintf (path, sizeof path, format, arguments);
  va_end (arguments);
  /* debuginfod's client makes an empty file when no server has the file.  */
  struct stat status;
  if (length >= (int)sizeof path
      || fstatat (AT_FDCWD, path, &status, links ? 0 : AT_SYMLINK_NOFOLLOW)
             != 0
      || !S_ISREG (status.st_mode) || status.st_size == 0)
    return false;
  if (debug_file_open (search->file, path, search->image, &err)
      && (!search->places->to_change
          || debug_file_check_split (&search->file->image, &err)))
    return true;
  debug_file_close (search->file); /* also if it could not be opened */
  if (search->err->status == CFI2SFRAME_OK
      || err.status == CFI2SFRAME_NO_MEMORY)
    *search->err = err;
  return false;
}

static bool
try_build_id (const struct debug_search *search)
{
  const struct debug_places *places = search->places;
  struct build_id id = build_id_find (search->image);
  char digits[BUILD_ID_DIGITS_SIZE];
  if (id.size < 2)
    return false;
  build_id_digits (&id, digits);
  return try_path (search, true, "%s/.build-id/%.2s/%s.debug", places->global,
                   digits, digits + 2)
         || (places->cache[0] != '\0'
             && try_path (search, !places->to_change, "%s/%s/debuginfo",
                          places->cache, digits));
}

/* Return the directory of the file, without symbolic links, or NULL if the
   image has no file.  The caller frees it.  */
static char *
directory_of (const struct image *image)
{
  char link[sizeof "/proc/self/fd/" + 3 * sizeof image->fd];
  int fd = image->made_from != NULL ? image->made_from->fd : image->fd;
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  char *path = fd >= 0 ? realpath (link, NULL) : NULL;
  char *slash = path != NULL ? strrchr (path, '/') : NULL;
  if (slash != NULL)
    *slash = '\0';
  return path;
}

/* Look in DIRECTORY, that of the other file, and in its folder .debug.  */
static bool
try_beside (const struct debug_search *search, const char *directory,
            const char *name)
{
  char folder[PATH_MAX];
  struct stat status;
  bool links = !search->places->to_change;
  snprintf (folder, sizeof folder, "%s/.debug", directory);
  bool enter
      = links || (lstat (folder, &status) == 0 && S_ISDIR (status.st_mode));
  if (!try_path (search, links, "%s/%s", directory, name)
      && !(enter && try_path (search, links, "%s/%s", folder, name)))
    return false;
  search->file->beside = strlen (directory) + 1;
  return true;
}

static bool
try_link (const struct debug_search *search)
{
  struct debug_link link = find_link (search->image);
  /* A name with a slash is ignored: it could lead to any directory.  */
  if (link.name == NULL || strchr (link.name, '/') != NULL)
    return false;
  char *directory = directory_of (search->image);
  bool found = directory != NULL
               && (try_beside (search, directory, link.name)
                   || try_path (search, true, "%s%s/%s",
                                search->places->global, directory, link.name));
  free (directory);
  return found;
}

void
debug_file_find (struct debug_file *file, const struct image *image,
                 const struct debug_places *places, struct error *err)
{
  const struct debug_search search = { file, image, places, err };
  *file = (struct debug_file){ 0 };
  error_clear (err);
  if (try_build_id (&search) || try_link (&search))
    error_clear (err);
}

/* ---- Compressed sections */

enum
{
  /* The largest compression factor of Deflate (zlib, "Technical Details").
     CFI is never so regular that other methods exceed it.  A section whose
     header promises more is damaged or hostile.  */
  FACTOR_MAX = 1032,
  /* The decompressed section is at most this many times as large as the file:
     besides CFI, a file contains the code that the CFI describes, or other
     debugging information.  */
  FILE_FACTOR_MAX = 2,
  GNU_HEADER_SIZE = 12 /* "ZLIB" and the size, big-endian */
};

/* Return the decompressed size in the section's compression header; 0 when the
   header is damaged.  */
static uint64_t
promised_size (Elf_Scn *scn, const struct image_section *section,
               const uint8_t *bytes)
{
  GElf_Chdr header;
  if (section->header.sh_flags & SHF_COMPRESSED)
    return gelf_getchdr (scn, &header) != NULL ? header.ch_size : 0;
  return section->header.sh_size >= GNU_HEADER_SIZE
                 && memcmp (bytes, "ZLIB", 4) == 0
             ? load_u64 (bytes + 4, true)
             : 0;
}

/* Map or copy the file for libelf, which writes into the headers of a file
   whose sections it decompresses.  */
static bool
copy_privately (struct section_data *data, const struct image *image,
                struct error *err)
{
  if (image->fd >= 0)
    {
      data->copy = mapped_file_open_private (image->fd, &data->copy_size, err);
      return data->copy != NULL;
    }
  void *copy = mmap (NULL, image->size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED)
    return error_set_errno (err, "mmap");
  memcpy (copy, image->bytes, image->size);
  data->copy = copy;
  data->copy_size = image->size;
  return true;
}

static bool
decompress (struct section_data *data, const struct image *image,
            const struct image_section *section, struct error *err)
{
  const uint8_t *bytes = image_section_bytes (image, section);
  const GElf_Shdr *header = &section->header;
  if (!copy_privately (data, image, err))
    return false;
  errno = 0;
  data->elf = elf_memory (data->copy, data->copy_size);
  Elf_Scn *scn = elf_getscn (data->elf, (size_t)(section - image->sections));
  uint64_t size = scn != NULL ? promised_size (scn, section, bytes) : 0;
  if (scn == NULL)
    return image_libelf_failed (err, CFI2SFRAME_MALFORMED, "libelf");
  if (size == 0 || size / FACTOR_MAX > header->sh_size
      || size / FILE_FACTOR_MAX > image->size)
    return error_set_at (err, CFI2SFRAME_MALFORMED, header->sh_offset,
                         "%.64s: its compression header is damaged",
                         section->name);
  int result = header->sh_flags & SHF_COMPRESSED
                   ? elf_compress (scn, 0, 0)
                   : elf_compress_gnu (scn, 0, 0);
  Elf_Data *contents = result < 0 ? NULL : elf_getdata (scn, NULL);
  if (contents == NULL || contents->d_buf == NULL)
    return image_libelf_failed (err, CFI2SFRAME_UNSUPPORTED,
                                "it cannot be decompressed");
  data->bytes = contents->d_buf;
  data->size = contents->d_size;
  return true;
}

bool
section_data_read (struct section_data *data, const struct image *image,
                   const struct image_section *section, struct error *err)
{
  *data = (struct section_data){ 0 };
  const uint8_t *bytes = image_section_bytes (image, section);
  if (bytes == NULL || section->header.sh_size == 0)
    return true;
  if (!(section->header.sh_flags & SHF_COMPRESSED)
      && !has_prefix (section->name, ".zdebug_"))
    {
      data->bytes = bytes;
      data->size = section->header.sh_size;
      return true;
    }
  if (decompress (data, image, section, err))
    return true;
  section_data_free (data);
  return false;
}

void
section_data_free (struct section_data *data)
{
  elf_end (data->elf);
  if (data->copy != NULL)
    mapped_file_close (data->copy, data->copy_size);
  *data = (struct section_data){ 0 };
}
