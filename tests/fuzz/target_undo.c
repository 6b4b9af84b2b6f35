/* The undo record, which anybody can write.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: two bytes of length, that many bytes of a converted file (the ELF
   header is put in front), the original's size in two bytes, the operations.
   Digests are filled in here: no mutator would find them.  */

#include <config.h>

#include "fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "write/inject.h"
#include "write/undo.h"

static void
append_elf (struct buffer *file, const uint8_t *bytes, size_t size)
{
  Elf64_Ehdr header = { .e_type = ET_EXEC,
                        .e_machine = EM_X86_64,
                        .e_version = EV_CURRENT,
                        .e_ehsize = sizeof header };
  memcpy (header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  buffer_append (file, &header, sizeof header);
  buffer_append (file, bytes, size);
}

/* Append a record with OPERATIONS.  The number of them is their first byte
   and possibly wrong.  */
static void
append_record (struct buffer *file, uint64_t original_size, uint64_t digest,
               const uint8_t *operations, size_t size)
{
  size_t begin = file->size;
  buffer_append (file, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  buffer_u64 (file, begin);
  buffer_u64 (file, original_size);
  buffer_u64 (file, digest);
  buffer_u64 (file, size > 0 ? operations[0] : 0);
  if (size > 1)
    buffer_append (file, operations + 1, size - 1);
  buffer_u64 (file, file->size - begin + UNDO_FOOTER_SIZE);
  buffer_u64 (file, hash_digest (file->bytes + begin, file->size - begin));
  buffer_append (file, UNDO_MAGIC, UNDO_MAGIC_SIZE);
}

static bool
try_record (const uint8_t *bytes, size_t size, size_t file_size,
            uint64_t *digest)
{
  struct buffer file;
  struct image image;
  struct plan plan;
  struct error err = { 0 };
  buffer_init (&file, false);
  append_elf (&file, bytes, file_size);
  append_record (&file, load_u16 (bytes + file_size, false), *digest,
                 bytes + file_size + 2, size - file_size - 2);
  FUZZ_CHECK (!file.failed
              && image_open_memory (&image, file.bytes, file.size, &err));
  bool planned = undo_plan (&plan, &image, &err);
  /* Refused for what it makes, not for what it is.  */
  bool read
      = plan.extents != NULL && (planned || err.status == CFI2SFRAME_REFUSED);
  if (read)
    {
      fuzz_check_plan (&plan, &image);
      uint8_t *original = fuzz_make_file (&plan, &image, NULL);
      uint64_t made = hash_digest (original, plan.new_size);
      FUZZ_CHECK (planned == (made == *digest));
      *digest = made;
      free (original);
    }
  if (planned)
    close (fuzz_write_file (&plan, &image, NULL));
  plan_free (&plan);
  image_close (&image);
  buffer_free (&file);
  return read;
}

void
fuzz_undo (const uint8_t *bytes, size_t size)
{
  if (size < 4)
    return;
  size_t file_size = load_u16 (bytes, false);
  if (file_size > size - 4)
    file_size = size - 4;
  uint64_t digest = 1;
  bytes += 2;
  size -= 2;
  if (try_record (bytes, size, file_size, &digest))
    try_record (bytes, size, file_size, &digest);
}
