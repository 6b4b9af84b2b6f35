/* Which files are dynamic loaders.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "place/loader.h"

#include <string.h>

#include "base/prefix.h"
#include "elf/dynamic.h"
#include "elf/symbols.h"

/* Such as ld64-uClibc.so.1, ld-linux-x86-64.so.2, ld64.so.1,
   libc.musl-x86_64.so.1.  */
static bool
is_loader_name (const char *name)
{
  return has_prefix (name, "ld-") || has_prefix (name, "ld64.so")
         || has_prefix (name, "ld64-") || has_prefix (name, "ld.so")
         || has_prefix (name, "libc.musl-");
}

bool
loader_is_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  return is_loader_name (name) && strstr (name, ".so") != NULL;
}

bool
loader_may_be (const struct image *image)
{
  return image->header.e_type == ET_DYN && image->header.e_entry != 0
         && image_find_segment (image, PT_INTERP) == NULL;
}

/* Whether the dynamic symbol NAME is defined, or may be, because there is no
   section of dynamic symbols.  The string table is searched first for NAME as
   a whole string, as few files have the names that are asked for.  */
static bool
has_dynamic (const struct image *image, const char *strings, uint64_t size,
             const char *name)
{
  struct symbol_walk walk = symbol_walk_over (image, true);
  struct symbol symbol;
  const char *found = memmem (strings, size, name, strlen (name) + 1);
  if (found == NULL || (found > strings && found[-1] != '\0'))
    return false;
  while (symbol_walk_next (&walk, &symbol))
    {
      const char *own = symbol.st_shndx == SHN_UNDEF
                            ? NULL
                            : symbols_name (&walk.table, &symbol);
      if (own != NULL && strcmp (own, name) == 0)
        return true;
    }
  return walk.table.section == 0;
}

bool
loader_is (const struct image *image)
{
  uint64_t size;
  const char *strings, *soname;
  if (!loader_may_be (image)
      || (strings = dynamic_strings (image, &size)) == NULL)
    return false;
  soname = dynamic_soname (image);
  if (soname != NULL && is_loader_name (soname))
    return true;
  return has_dynamic (image, strings, size, "__tls_get_addr")
         && (has_dynamic (image, strings, size, "_r_debug")
             || has_dynamic (image, strings, size, "_dl_debug_addr"));
}
