/* The files of code of several processes, each once.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A build starts thousands of processes from few programs and libraries:
   sections and symbols of a file are read once for all processes.  */

#include <config.h>

#include "stacks/code_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "stacks/dwfl_debuginfo.h"
#include "stacks/inlines.h"
#include "stacks/live_modules.h"
#include "walk/lookup.h"

struct code_file
{
  char *path; /* owned */
  dev_t device;
  ino_t inode;
  /* SECTION_UNKNOWN until the section has been looked for.  Its address counts
     from the module's start.  */
  enum section_origin origin;
  struct cfi2sframe_section section;
  void *bytes;            /* of the section, owned */
  bool opened;            /* for symbols */
  struct symbols symbols; /* its `dwfl' is owned, and has this file alone */
  uint64_t start;
  struct inlines inlines;
};

bool
code_files_find (struct code_files *files, const struct module *module,
                 uint32_t *number)
{
  uint32_t n = files->n;
  for (uint32_t i = 0; i < n; i++)
    {
      const struct code_file *file = &files->files[i];
      *number = i;
      if (file->inode == module->inode && file->device == module->device
          && strcmp (file->path, module->path) == 0)
        return true;
    }
  if (!ARRAY_ROOM (files->files, n + (size_t)1, &files->capacity))
    return false;
  char *path = strdup (module->path);
  if (path == NULL)
    return false;
  files->files[n] = (struct code_file){ .path = path,
                                        .device = module->device,
                                        .inode = module->inode };
  *number = files->n++;
  return true;
}

void
code_files_load (struct code_files *files, struct process *process,
                 struct module *module)
{
  uint32_t number;
  if (!code_files_find (files, module, &number))
    {
      module_set_no_section (module, "out of memory");
      return;
    }
  struct code_file *file = &files->files[number];
  if (file->origin == SECTION_UNKNOWN)
    {
      live_load_section (process, module);
      /* In another process more of the file may be mapped: look again.  */
      if (module->origin == SECTION_NONE)
        return;
      file->origin = module->origin;
      file->section = module->section;
      file->section.address -= module->start;
      file->bytes = module->bytes;
      module->bytes = NULL;
      return;
    }
  module->origin = file->origin;
  module->section = file->section;
  module->section.address += module->start;
}

bool
code_files_rows (const struct code_files *files, uint32_t number,
                 uint64_t offset, uint64_t *start)
{
  const struct cfi2sframe_section *section = &files->files[number].section;
  struct unwind_section opened;
  struct unwind_rules rules;
  if (section->size == 0
      || !unwind_section_open (&opened, section->bytes, section->size,
                               section->address)
      || !opened.sorted
      || unwind_section_lookup (&opened, offset, &rules)
             != CFI2SFRAME_STEP_CALLER)
    return false;
  uint32_t count = unwind_section_count (&opened, offset, 0, opened.n_fdes);
  *start = unwind_section_start (&opened, count - 1);
  return true;
}

/* Symbols.  */

static const Dwfl_Callbacks callbacks = {
  .find_elf = dwfl_build_id_find_elf,
  .find_debuginfo = dwfl_debuginfo_find,
};

static void
open_dwfl (struct code_file *file)
{
  enum
  {
    ANYWHERE = 1 << 30 /* address that libdwfl is given for a file that is not
                          linked to one */
  };
  int fd = live_open_file (file->path, file->device, file->inode);
  Dwfl *dwfl = fd >= 0 ? dwfl_begin (&callbacks) : NULL;
  file->opened = true;
  file->symbols.dwfl = dwfl;
  if (dwfl == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  dwfl_report_begin (dwfl);
  Dwfl_Module *module
      = dwfl_report_elf (dwfl, file->path, file->path, fd, ANYWHERE, false);
  dwfl_report_end (dwfl, NULL, NULL);
  if (module == NULL)
    close (fd);
  else
    dwfl_module_info (module, NULL, &file->start, NULL, NULL, NULL, NULL,
                      NULL);
}

void
code_files_symbol (struct code_files *files, uint32_t number, uint64_t offset,
                   unsigned wanted, struct code_name *symbol)
{
  struct code_file *file = &files->files[number];
  uint64_t rows;
  if (!file->opened)
    open_dwfl (file);
  symbols_find (&file->symbols, file->start + offset, wanted, symbol);
  /* A symbol without a size goes on to the next symbol: only the rows tell
     where its function begins.  */
  if (symbol->unsized && code_files_rows (files, number, offset, &rows)
      && rows > offset - symbol->offset)
    symbol->name[0] = '\0';
}

char *
code_files_inlines (struct code_files *files, uint32_t number, uint64_t offset,
                    unsigned wanted)
{
  struct code_file *file = &files->files[number];
  if (!file->opened)
    open_dwfl (file);
  uint64_t address = file->start + offset;
  Dwfl *dwfl = file->symbols.dwfl;
  Dwfl_Module *module = dwfl != NULL ? dwfl_addrmodule (dwfl, address) : NULL;
  return module != NULL ? inlines_at (&file->inlines, module, address, wanted)
                        : NULL;
}

const char *
code_files_path (const struct code_files *files, uint32_t number)
{
  return files->files[number].path;
}

void
code_files_free (struct code_files *files)
{
  for (uint32_t i = 0; i < files->n; i++)
    {
      struct code_file *file = &files->files[i];
      Dwfl *dwfl = file->symbols.dwfl;
      symbols_free (&file->symbols);
      inlines_free (&file->inlines);
      if (dwfl != NULL)
        dwfl_end (dwfl);
      free (file->bytes);
      free (file->path);
    }
  free (files->files);
  *files = (struct code_files){ 0 };
}
