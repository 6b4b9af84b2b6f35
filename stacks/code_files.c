/* The files with code of one process or of several, each of them once.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A build starts thousands of processes from few programs and libraries.  So
   the rows and symbols of a file are read once for all processes.  The file is
   mapped, so that only the pages that are read take memory.  */

#include <config.h>

#include "stacks/code_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/align.h"
#include "base/array.h"
#include "base/mapped_file.h"
#include "base/prefix.h"
#include "stacks/shortage.h"

/* Return the hash key of the file with PATH and IDENTITY.  With a build-id,
   device and inode are not known, and many files may have the same path.  */
static uint32_t
key_of_file (struct code_files *files, const char *path,
             const struct mapped_identity *identity)
{
  struct key_table *numbers = &files->numbers;
  uint32_t of_path = key_of_bytes (numbers, 0, path, strlen (path));
  return identity->build_id_size != 0
             ? key_of_bytes (numbers, of_path, identity->build_id,
                             identity->build_id_size)
             : key_of_pair (numbers, identity->inode,
                            identity->device ^ (uint64_t)of_path << 32);
}

static bool
is_file (const struct code_file *file, const char *path,
         const struct mapped_identity *identity)
{
  const struct mapped_identity *own = &file->recorded;
  size_t size = identity->build_id_size;
  return own->inode == identity->inode && own->device == identity->device
         && own->build_id_size == size
         && memcmp (own->build_id, identity->build_id, size) == 0
         && strcmp (file->path, path) == 0;
}

static struct code_file *
add_file (struct code_files *files, const char *path,
          const struct mapped_identity *identity)
{
  struct code_file *file = calloc (1, sizeof *file);
  char *copy = strdup (path);
  if (file == NULL || copy == NULL
      || !ARRAY_ROOM (files->files, files->n + (size_t)1, &files->capacity))
    {
      free (file);
      free (copy);
      shortage_note ();
      return NULL;
    }
  *file = (struct code_file){ .path = copy,
                              .recorded = *identity,
                              .image.fd = -1,
                              .inlines.sum = &files->inline_ranges };
  files->files[files->n++] = file;
  return file;
}

struct code_file *
code_files_get (struct code_files *files, const char *path,
                const struct mapped_identity *identity)
{
  uint32_t hash = key_of_file (files, path, identity);
  uint32_t found = KEY_FIND (&files->numbers, hash, i,
                             is_file (files->files[i], path, identity));
  if (found != UINT32_MAX)
    return files->files[found];
  struct code_file *file = add_file (files, path, identity);
  /* If this fails, the next request for the file adds it again.  */
  if (file != NULL && !key_table_add (&files->numbers, hash, files->n - 1))
    shortage_note ();
  return file;
}

struct code_file *
code_files_add_jit (struct code_files *files, pid_t pid, bool recorded,
                    int dump)
{
  static const struct mapped_identity none = { 0 };
  struct code_file *file = add_file (files, "JIT", &none);
  if (file == NULL)
    {
      if (dump >= 0)
        close (dump);
      return NULL;
    }
  file->opened = file->is_jit = true;
  jit_names_open (&file->jit_names, pid, recorded, dump, &files->jit_sums);
  return file;
}

void
code_file_open (struct code_file *file, int fd)
{
  struct error err;
  file->opened = true;
  error_clear (&err);
  bool opened
      = fd >= 0 ? image_open_fd (&file->image, fd, &err)
                : error_set (&err, CFI2SFRAME_IO, "its file was not found");
  if (!opened)
    row_source_set_none (&file->rows, &err);
  else
    file->private_copy
        = mapped_file_open_private (fd, &file->private_size, &err);
  file->image.fd = -1;
  if (fd >= 0)
    close (fd);
}

bool
code_file_is_memory (const struct code_file *file)
{
  return file->image.bytes == NULL && has_prefix (file->path, "/memfd:");
}

uint64_t
code_file_address (const struct code_file *file, uint64_t offset)
{
  const GElf_Phdr *found = NULL, *before = NULL;
  const struct arch *arch = file->image.arch;
  const uint64_t page = arch != NULL ? arch->max_page_size : 1;
  FOR_EACH_LOAD (segment, &file->image)
    {
      bool executable = segment->p_flags & PF_X;
      uint64_t end = segment->p_offset + segment->p_filesz;
      if (offset < segment->p_offset)
        continue;
      if (offset - segment->p_offset >= segment->p_filesz)
        before
            = executable && offset < align_up (end, page) ? segment : before;
      else if (found == NULL || executable)
        found = segment;
    }
  /* The last page of a segment is mapped whole, so that code may follow the
     segment's end.  To return OFFSET there would be wrong, because OFFSET may
     be the address of other code.  */
  found = found != NULL ? found : before;
  return found != NULL ? offset - found->p_offset + found->p_vaddr : offset;
}

bool
code_file_section (struct code_file *file, const struct section_policy *policy,
                   uint64_t offset, struct sfw_section *section,
                   uint64_t *address)
{
  if (file->rows.origin == SECTION_UNKNOWN && !policy->is_stopped)
    row_source_open (&file->rows, &file->image, policy);
  *address = code_file_address (file, offset);
  return row_source_at (&file->rows, *address, section);
}

const char *
code_file_name (const struct code_file *file)
{
  const char *slash = strrchr (file->path, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : file->path;
}

void
code_files_free (struct code_files *files)
{
  for (uint32_t i = 0; i < files->n; i++)
    {
      struct code_file *file = files->files[i];
      symbol_index_free (&file->symbols);
      inlines_free (&file->inlines);
      jit_names_free (&file->jit_names);
      if (file->dwfl != NULL)
        dwfl_end (file->dwfl);
      if (file->private_copy != NULL)
        mapped_file_close (file->private_copy, file->private_size);
      row_source_free (&file->rows);
      image_close (&file->image);
      free (file->path);
      free (file);
    }
  free (files->files);
  key_table_free (&files->numbers);
  *files = (struct code_files){ 0 };
}
