/* Names and entry points of the code in a file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdwfl reads symbols and debug information.  It gets a session for each
   file, and reads the bytes that the file has in memory already.  */

#include <config.h>

#include "stacks/code_files.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cfi/register_rules.h"
#include "elf/dynamic.h"
#include "stacks/shortage.h"
#include "walk/lookup.h"

/* Callback of libdwfl: use the bytes of FILE, which is *USER.  */
static int
find_elf (Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
          char **found, Elf **elf)
{
  (void)module;
  (void)name;
  (void)base;
  struct code_file *file = *user;
  /* libdwfl searches for debug files beside this name.  */
  *found = strdup (file->path);
  if (*found == NULL)
    shortage_note ();
  *elf = elf_memory (file->private_copy, file->private_size);
  return -1;
}

/* Whether something other than a regular file is where libdwfl would search
   for the debug file of FILE.  libdwfl's default path is
   ":.debug:/usr/lib/debug".  Without LINK it tries FILE.debug.  */
static bool
has_special_file (const char *file, const char *link)
{
  static const struct
  {
    const char *before, *behind; /* around the file's folder */
  } places[] = { { "", "" }, { "", ".debug/" }, { "/usr/lib/debug", "" } };
  const char *slash = strrchr (file, '/');
  int folder = slash != NULL ? (int)(slash + 1 - file) : 0;
  char path[PATH_MAX];
  struct stat status;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    {
      int n = snprintf (path, sizeof path, "%s%.*s%s%s%s", places[i].before,
                        folder, file, places[i].behind,
                        link != NULL ? link : file + folder,
                        link != NULL ? "" : ".debug");
      if (n < (int)sizeof path && stat (path, &status) == 0
          && !S_ISREG (status.st_mode))
        return true;
    }
  return false;
}

int
code_symbols_find_debuginfo (Dwfl_Module *module, void **user,
                             const char *name, Dwarf_Addr base,
                             const char *file, const char *link, GElf_Word crc,
                             char **found)
{
  if (file != NULL && has_special_file (file, link))
    return -1;
  return dwfl_standard_find_debuginfo (module, user, name, base, file, link,
                                       crc, found);
}

static const Dwfl_Callbacks callbacks = {
  .find_elf = find_elf,
  .find_debuginfo = code_symbols_find_debuginfo,
};

/* Set START and END to the range of the segments of IMAGE.  */
static bool
find_extent (const struct image *image, uint64_t *start, uint64_t *end)
{
  bool found = false;
  FOR_EACH_LOAD (load, image)
    {
      *start = found ? *start : load->p_vaddr;
      *end = load->p_vaddr + load->p_memsz;
      found = true;
    }
  return found;
}

/* Return the module of libdwfl for FILE; NULL if FILE cannot be read.
   Addresses in the module are greater by file->bias.  */
static Dwfl_Module *
open_module (struct code_file *file)
{
  enum
  {
    ANYWHERE = 1 << 30 /* base address for files without one */
  };
  uint64_t start, end;
  if (file->module != NULL || file->dwfl != NULL || file->private_copy == NULL
      || !find_extent (&file->image, &start, &end)
      || !((file->dwfl = dwfl_begin (&callbacks)) != NULL || shortage_note ()))
    return file->module;
  uint64_t base = file->image.header.e_type == ET_EXEC ? 0 : ANYWHERE;
  dwfl_report_begin (file->dwfl);
  file->module
      = dwfl_report_module (file->dwfl, file->path, base + start, base + end);
  if (file->module != NULL)
    {
      void **user;
      dwfl_module_info (file->module, &user, NULL, NULL, NULL, NULL, NULL,
                        NULL);
      *user = file;
    }
  dwfl_report_end (file->dwfl, NULL, NULL);
  if (file->module != NULL
      && dwfl_module_getelf (file->module, &file->bias) == NULL)
    file->module = NULL;
  return file->module;
}

/* Set SYMBOL to the symbol for ADDRESS, one of the file's own.  Without memory
   for the tables, nothing has a name.  */
static void
find_symbol (struct code_file *file, uint64_t address, unsigned wanted,
             struct code_name *symbol)
{
  Dwfl_Module *module = open_module (file);
  uint64_t value;
  *symbol = (struct code_name){ 0 };
  if (module == NULL)
    return;
  if (file->symbols.module == NULL
      && !(symbol_index_read (&file->symbols, module) || shortage_note ()))
    symbol_index_free (&file->symbols);
  file->symbols.module = module;
  address += file->bias;
  const char *name
      = symbol_index_find (&file->symbols, address, &value, &symbol->unsized);
  if (name != NULL)
    {
      symbol->offset = address - value;
      code_name_set (symbol, name, wanted);
    }
  Dwfl_Line *line
      = wanted & SYMBOL_SOURCE ? dwfl_module_getsrc (module, address) : NULL;
  if (line != NULL)
    symbol->file = dwfl_lineinfo (line, NULL, &symbol->line, NULL, NULL, NULL);
}

/* ---- Entry points */

/* Whether the kernel may start FILE, as a program or as the dynamic linker.
   The entry points of other libraries have no meaning.  The dynamic linker
   needs no other library.  */
static bool
has_entry_code (const struct code_file *file)
{
  const struct image *image = &file->image;
  uint64_t name;
  return image->bytes != NULL && image->header.e_entry != 0
         && (image->header.e_type == ET_EXEC
             || image_find_segment (image, PT_INTERP) != NULL
             || !dynamic_find (image, DT_NEEDED, &name));
}

/* Return the size of the code at ENTRY that no CFI describes.  */
static uint64_t
size_without_cfi (struct code_file *file, uint64_t entry)
{
  enum
  {
    ENTRY_MAX = 64
  };
  const struct cfi_source *cfi = row_source_cfi (&file->rows, &file->image);
  uint64_t size = 0;
  while (size < ENTRY_MAX
         && (cfi == NULL || !has_register_rules (cfi, entry + size)))
    size++;
  return size;
}

bool
code_file_is_entry (struct code_file *file, uint64_t offset)
{
  struct code_name symbol;
  uint64_t entry = file->image.header.e_entry;
  uint64_t address = code_file_address (file, offset);
  if (file->entry_size == 0)
    file->entry_size
        = 1 + (has_entry_code (file) ? size_without_cfi (file, entry) : 0);
  if (address - entry >= file->entry_size - 1)
    return false;
  /* A symbol may say that another function begins before ADDRESS.  But glibc
     has a second label inside the first code (sysdeps/.../dl-machine.h).  */
  find_symbol (file, address, SYMBOL_MANGLED, &symbol);
  return symbol.name[0] == '\0' || address - symbol.offset <= entry
         || strcmp (symbol.name, "_dl_start_user") == 0;
}

/* ---- Names */

/* Set *START to the last address at or before OFFSET of FILE where rows of a
   function begin, and *DESCRIBED to whether there are rows for OFFSET.  False
   if there are none before it either, or if they were not searched for.  */
static bool
rows_start (const struct code_file *file, uint64_t offset, uint64_t *start,
            bool *described)
{
  struct sfw_section section;
  struct unwind_section opened;
  struct unwind_rules rules;
  uint64_t address = code_file_address (file, offset);
  if (!row_source_at (&file->rows, address, &section) || section.size == 0
      || !unwind_section_open (&opened, section.bytes, section.size,
                               section.address)
      || !opened.sorted)
    return false;
  uint32_t count = unwind_section_count (&opened, address, 0, opened.n_fdes);
  if (count == 0)
    return false;
  *start = unwind_section_start (&opened, count - 1);
  *described = unwind_section_lookup (&opened, address, &rules) == SFW_MORE;
  return true;
}

void
code_file_symbol (struct code_file *file, uint64_t offset, unsigned wanted,
                  struct code_name *symbol)
{
  if (file->is_jit)
    {
      const struct jit_name *found = jit_names_at (&file->jit_names, offset);
      *symbol = (struct code_name){ 0 };
      if (found != NULL)
        {
          symbol->offset = offset - found->start;
          snprintf (symbol->name, sizeof symbol->name, "%s", found->name);
        }
      return;
    }
  uint64_t rows, address = code_file_address (file, offset);
  bool described;
  find_symbol (file, address, wanted, symbol);
  /* A symbol without a size extends to the next symbol, so the rows say better
     where the function begins.  Code without rows behind them, as musl's clone
     has it, is not the symbol's either.  */
  if ((symbol->name[0] != '\0' && !symbol->unsized)
      || !rows_start (file, offset, &rows, &described)
      || (symbol->name[0] != '\0' && rows <= address - symbol->offset))
    return;
  if (!described)
    {
      *symbol = (struct code_name){ 0 };
      return;
    }
  symbol->of_rows = true;
  symbol->offset = address - rows;
  snprintf (symbol->name, sizeof symbol->name, "%s+0x%" PRIx64,
            code_file_name (file), rows);
}

bool
code_file_inlines (struct code_file *file, uint64_t offset, unsigned wanted,
                   bool (*take) (void *context, const char *name),
                   void *context)
{
  Dwfl_Module *module = open_module (file);
  return module == NULL
         || inlines_at (&file->inlines, module,
                        code_file_address (file, offset) + file->bias, wanted,
                        take, context);
}
