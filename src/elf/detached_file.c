/* Detached sections: their paths, writing them, and finding them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "elf/detached_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/align.h"
#include "base/io.h"
#include "elf/notes.h"
#include "elf/sframe_place.h"

/* Return the path of the detached section for ID below the first LENGTH bytes
   of FOLDER, or NULL when memory ran out.  */
static char *
path_of (const struct build_id *id, const char *folder, size_t length)
{
  char digits[BUILD_ID_DIGITS_SIZE], *path;
  build_id_digits (id, digits);
  return asprintf (&path, "%.*s/%.2s/%s.sframe", (int)length, folder, digits,
                   digits + 2)
                 < 0
             ? NULL
             : path;
}

char *
detached_file_path (const struct image *program, const char *folder,
                    struct error *err)
{
  const struct build_id id = build_id_find (program);
  if (id.size < 2)
    {
      error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_NO_BUILD_ID,
                      "no build-id, by which a detached section is found");
      return NULL;
    }
  char *path = path_of (&id, folder, strlen (folder));
  if (path == NULL)
    error_set_no_memory (err);
  return path;
}

/* ---- Writing */

/* The section names, in the sections' order, and their offsets.  */
static const char names[] = "\0.note.gnu.build-id\0.sframe\0.shstrtab";

enum
{
  NOTE_NAME = 1,
  SFRAME_NAME = 20,
  NAMES_NAME = 28,
  N_SECTIONS = 4
};

/* Return the executable segment of IMAGE after LAST, or the first one if LAST
   is NULL; NULL if there is none.  */
static const GElf_Phdr *
next_executable (const struct image *image, const GElf_Phdr *last)
{
  do
    last = image_next_load (image, last);
  while (last != NULL && !(last->p_flags & PF_X));
  return last;
}

static unsigned
count_executable (const struct image *image)
{
  unsigned n = 0;
  for (const GElf_Phdr *segment = NULL;
       (segment = next_executable (image, segment)) != NULL;)
    n++;
  return n;
}

/* Append SIZE bytes of libelf's structures of TYPE, as PROGRAM has them.  */
static void
put (struct buffer *file, const struct image *program, Elf_Type type,
     const void *source, size_t size)
{
  uint8_t *to = buffer_extend (file, size);
  if (to != NULL)
    image_encode (program, type, source, size, to);
}

/* Append the ELF header, with SECTIONS as offset of the section header table,
   and the program headers.  */
static void
put_headers (struct buffer *file, const struct image *program,
             uint64_t sections)
{
  GElf_Ehdr header = program->header;
  header.e_version = EV_CURRENT;
  header.e_entry = 0;
  header.e_phnum = (uint16_t)count_executable (program);
  header.e_phoff = header.e_phnum > 0 ? sizeof (Elf64_Ehdr) : 0;
  header.e_shoff = sections;
  header.e_ehsize = sizeof (Elf64_Ehdr);
  header.e_phentsize = sizeof (Elf64_Phdr);
  header.e_shentsize = sizeof (Elf64_Shdr);
  header.e_shnum = N_SECTIONS;
  header.e_shstrndx = N_SECTIONS - 1;
  put (file, program, ELF_T_EHDR, &header, sizeof header);
  for (const GElf_Phdr *segment = NULL;
       (segment = next_executable (program, segment)) != NULL;)
    {
      GElf_Phdr load = *segment;
      load.p_offset = load.p_filesz = 0;
      put (file, program, ELF_T_PHDR, &load, sizeof load);
    }
}

static void
put_note (struct buffer *file, const struct build_id *id)
{
  buffer_u32 (file, sizeof ELF_NOTE_GNU);
  buffer_u32 (file, (uint32_t)id->size);
  buffer_u32 (file, NT_GNU_BUILD_ID);
  buffer_append (file, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU);
  buffer_append (file, id->bytes, id->size);
}

bool
detached_file_compose (const struct image *program,
                       const struct buffer *section, uint64_t address,
                       struct buffer *file, struct error *err)
{
  const struct build_id id = build_id_find (program);
  GElf_Shdr headers[N_SECTIONS]
      = { { .sh_type = SHT_NULL },
          { .sh_name = NOTE_NAME,
            .sh_type = SHT_NOTE,
            .sh_offset = sizeof (Elf64_Ehdr)
                         + count_executable (program) * sizeof (Elf64_Phdr),
            .sh_size = 3 * sizeof (uint32_t) + sizeof ELF_NOTE_GNU + id.size,
            .sh_addralign = 4 },
          { .sh_name = SFRAME_NAME,
            .sh_type = SHT_GNU_SFRAME,
            .sh_flags = SHF_ALLOC,
            .sh_addr = address,
            .sh_size = section->size,
            .sh_addralign = 8 },
          { .sh_name = NAMES_NAME,
            .sh_type = SHT_STRTAB,
            .sh_size = sizeof names,
            .sh_addralign = 1 } };
  headers[2].sh_offset
      = align_up (headers[1].sh_offset + headers[1].sh_size, 8);
  headers[3].sh_offset = headers[2].sh_offset + section->size;
  uint64_t table = align_up (headers[3].sh_offset + sizeof names, 8);
  put_headers (file, program, table);
  put_note (file, &id);
  buffer_fill (file, 0, headers[2].sh_offset - file->size);
  buffer_append (file, section->bytes, section->size);
  buffer_append (file, names, sizeof names);
  buffer_fill (file, 0, table - file->size);
  put (file, program, ELF_T_SHDR, headers, sizeof headers);
  return !file->failed || error_set_no_memory (err);
}

/* ---- Finding */

/* Return whether A and B have executable segments at the same addresses.  A
   tool that moves code keeps the build-id.  */
static bool
have_same_code (const struct image *a, const struct image *b)
{
  const GElf_Phdr *of_a = NULL, *of_b = NULL;
  do
    {
      of_a = next_executable (a, of_a);
      of_b = next_executable (b, of_b);
      if (of_a != NULL && of_b != NULL
          && (of_a->p_vaddr != of_b->p_vaddr
              || of_a->p_memsz != of_b->p_memsz))
        return false;
    }
  while (of_a != NULL && of_b != NULL);
  return of_a == of_b;
}

bool
detached_file_open (struct detached_file *detached, int fd,
                    const struct image *program)
{
  struct error ignored;
  if (!image_open_fd (&detached->image, fd, &ignored))
    {
      close (fd);
      return false;
    }
  const struct sframe_place place = sframe_place_find (&detached->image);
  const struct build_id its = build_id_find (&detached->image);
  const struct build_id own = build_id_find (program);
  if (place.bytes == NULL || !image_same_machine (&detached->image, program)
      || !build_id_equal (&its, &own)
      || !have_same_code (&detached->image, program))
    {
      image_close (&detached->image);
      return false;
    }
  detached->section = place.bytes;
  detached->size = place.size;
  detached->address = place.address;
  return true;
}

bool
detached_file_find (const struct image *program, const char *folders,
                    struct detached_file *detached)
{
  const struct build_id id = build_id_find (program);
  bool found = false;
  while (id.size >= 2 && !found && *folders != '\0')
    {
      size_t length = strcspn (folders, ":");
      char *path = length > 0 ? path_of (&id, folders, length) : NULL;
      int fd = path != NULL ? io_open_regular (path) : -1;
      found = fd >= 0 && detached_file_open (detached, fd, program);
      free (path);
      folders += length + (folders[length] == ':');
    }
  return found;
}
