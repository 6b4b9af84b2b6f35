/* The contents of a section that is not loaded, decompressed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/section_data.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/mapped_file.h"

enum
{
  /* The largest compression factor of Deflate (zlib, "Technical Details").
     CFI is never so regular that other methods exceed it.  A section is
     damaged or hostile if its header says more.  */
  FACTOR_MAX = 1032,
  /* A part of the file at most: besides CFI a file has the code that the CFI
     describes, or other debugging information.  */
  FILE_FACTOR_MAX = 2,
  GNU_HEADER_SIZE = 12 /* "ZLIB" and the size, big-endian */
};

static bool
is_gnu_compressed (const struct image_section *section)
{
  static const char prefix[] = ".zdebug_";
  return strncmp (section->name, prefix, sizeof prefix - 1) == 0;
}

/* The size without compression, by the section's own header; 0 when that is
   damaged.  */
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

/* libelf writes into the headers of what it decompresses.  */
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
      && !is_gnu_compressed (section))
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
