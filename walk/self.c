/* The modules of the process itself, from the dynamic linker.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "walk/self.h"

#include <errno.h>
#include <link.h>

#include "base/elf_sframe.h"
#include "walk/module_table.h"

struct listing
{
  struct sfw_modules *modules;
  struct walk_table *draft;
  struct walk_counters counters;
  bool unchanged, failed;
};

/* Each executable segment is a range of its own, because another module may
   lie between two segments of one.  */
static bool
list_segments (struct listing *listing, const struct dl_phdr_info *info,
               const struct sfw_section *section)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)
          || segment->p_memsz == 0)
        continue;
      struct walk_module module
          = { .start = info->dlpi_addr + segment->p_vaddr,
              .origin = WALK_LISTED };
      module.end = module.start + segment->p_memsz;
      bool added = walk_draft_add (listing->modules, &listing->draft, module,
                                   section);
      if (!added && errno == ENOMEM)
        return false;
      listing->counters.covered |= !added && errno == EEXIST;
    }
  return true;
}

const ElfW (Phdr)
    * walk_sframe_header (const ElfW (Phdr) * headers, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    if (headers[i].p_type == PT_GNU_SFRAME && headers[i].p_filesz > 0)
      return &headers[i];
  return NULL;
}

/* Whether INFO's module has the memory that SECTION describes.  */
static bool
is_loaded (const struct dl_phdr_info *info, const ElfW (Phdr) * section)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      uint64_t at = section->p_vaddr - segment->p_vaddr;
      if (segment->p_type == PT_LOAD && segment->p_flags & PF_R
          && at <= segment->p_memsz
          && section->p_memsz <= segment->p_memsz - at)
        return true;
    }
  return false;
}

bool
walk_listed_section (const struct dl_phdr_info *info,
                     struct sfw_section *section)
{
  const ElfW (Phdr) *header
      = walk_sframe_header (info->dlpi_phdr, info->dlpi_phnum);
  if (header == NULL || !is_loaded (info, header))
    return false;
  section->address = info->dlpi_addr + header->p_vaddr;
  section->bytes = walk_memory_at (section->address);
  section->size = header->p_memsz;
  struct unwind_section opened;
  return unwind_section_open (&opened, section->bytes, section->size,
                              section->address);
}

/* Begin the list.  dl_iterate_phdr has its lock by then: whoever is called by
   it and changes MODULES takes that lock first, too.  */
static bool
listing_begin (struct listing *listing)
{
  listing->draft = walk_draft_begin (listing->modules, true);
  if (listing->draft == NULL)
    return false;
  listing->counters = *walk_modules_counters (listing->modules);
  listing->unchanged = listing->counters.adds > 0;
  listing->counters.covered = false;
  return true;
}

static int
list_module (struct dl_phdr_info *info, size_t size, void *data)
{
  (void)size;
  struct listing *listing = data;
  struct sfw_section section;
  if (listing->draft == NULL && !listing_begin (listing))
    return 1;
  if (listing->unchanged && info->dlpi_adds == listing->counters.adds
      && info->dlpi_subs == listing->counters.subs)
    return 1;
  listing->unchanged = false;
  listing->counters.adds = info->dlpi_adds;
  listing->counters.subs = info->dlpi_subs;
  bool usable = walk_listed_section (info, &section);
  listing->failed = !list_segments (listing, info, usable ? &section : NULL);
  return listing->failed;
}

bool
sfw_modules_update (struct sfw_modules *modules)
{
  struct listing listing = { .modules = modules };
  dl_iterate_phdr (list_module, &listing);
  if (listing.draft == NULL)
    return false;
  bool changed = !listing.failed && !listing.unchanged;
  if (changed)
    *walk_modules_counters (modules) = listing.counters;
  walk_draft_end (modules, listing.draft, changed);
  return !listing.failed;
}
