/* A program whose stacks are walked: its modules and threads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/process.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "convert/detached.h"
#include "elf/detached_file.h"
#include "stacks/row_cache.h"
#include "stacks/served.h"
#include "walk/lookup.h"
#include "walk/walk.h"

/* The number of modules that end at or before ADDRESS.  */
static size_t
modules_before (const struct process *process, uint64_t address)
{
  return SEARCH_FIRST (process->n_modules, i,
                       process->modules[i].end > address);
}

struct module *
process_module_at (const struct process *process, uint64_t address)
{
  size_t at = modules_before (process, address);
  return at < process->n_modules && process->modules[at].start <= address
             ? &process->modules[at]
             : NULL;
}

struct module *
process_add_module (struct process *process, uint64_t start, uint64_t end,
                    const char *path)
{
  char *copy = strdup (path);
  if (copy == NULL
      || !ARRAY_ROOM (process->modules, process->n_modules + 1,
                      &process->modules_capacity))
    {
      free (copy);
      return NULL;
    }
  struct module *module = &process->modules[process->n_modules++];
  *module = (struct module){ .start = start, .end = end, .path = copy };
  return module;
}

void
process_copy_modules (struct process *to, const struct process *from)
{
  for (size_t i = 0; i < from->n_modules; i++)
    {
      const struct module *module = &from->modules[i];
      struct module *copy
          = process_add_module (to, module->start, module->end, module->path);
      if (copy == NULL)
        return;
      copy->device = module->device;
      copy->inode = module->inode;
    }
}

static bool
is_of (const struct module *module, const struct mapping *mapping)
{
  return module->inode == mapping->inode && module->device == mapping->device
         && strcmp (module->path, mapping->path) == 0;
}

static void
remove_module (struct process *process, size_t at)
{
  module_forget_section (&process->modules[at]);
  free (process->modules[at].path);
  process->n_modules--;
  memmove (process->modules + at, process->modules + at + 1,
           (process->n_modules - at) * sizeof *process->modules);
  process_forget_rows (process);
}

/* The start of a file is mapped: add a module, in place of what was mapped
   there.  */
static bool
insert_module (struct process *process, const struct mapping *mapping)
{
  size_t at = modules_before (process, mapping->start);
  while (at < process->n_modules && process->modules[at].start < mapping->end)
    remove_module (process, at);
  struct module *last = process_add_module (process, mapping->start,
                                            mapping->end, mapping->path);
  if (last == NULL)
    return false;
  last->device = mapping->device;
  last->inode = mapping->inode;
  struct module module = *last;
  struct module *place = &process->modules[at];
  memmove (place + 1, place, (size_t)(last - place) * sizeof *place);
  *place = module;
  return true;
}

bool
process_map (struct process *process, const struct mapping *mapping)
{
  if (mapping->path[0] != '/' && strcmp (mapping->path, "[vdso]") != 0)
    return true;
  size_t at = modules_before (process, mapping->start);
  struct module *module = process->modules + at;
  bool inside = at < process->n_modules && module->start <= mapping->start
                && is_of (module, mapping);
  if (!inside && mapping->offset == 0)
    return insert_module (process, mapping);
  if (!inside)
    module = at > 0 ? module - 1 : NULL;
  if (module != NULL && is_of (module, mapping) && module->end < mapping->end)
    module->end = mapping->end;
  return true;
}

bool
process_add_mapping (struct process *process, uint64_t start, uint64_t end)
{
  if (!ARRAY_ROOM (process->mappings, process->n_mappings + 1,
                   &process->mappings_capacity))
    return false;
  process->mappings[process->n_mappings++]
      = (struct address_range){ start, end, false };
  return true;
}

/* The mapping with ADDRESS, or NULL.  */
static const struct address_range *
mapping_at (const struct process *process, uint64_t address)
{
  for (size_t i = 0; i < process->n_mappings; i++)
    if (address - process->mappings[i].start
        < process->mappings[i].end - process->mappings[i].start)
      return &process->mappings[i];
  return NULL;
}

uint64_t
process_mapping_end (const struct process *process, uint64_t address)
{
  const struct address_range *mapping = mapping_at (process, address);
  return mapping != NULL ? mapping->end : address;
}

bool
process_runs_at (const struct process *process, uint64_t address)
{
  const struct address_range *mapping = mapping_at (process, address);
  return mapping != NULL && mapping->runs;
}

struct thread *
process_add_thread (struct process *process, pid_t tid)
{
  if (!ARRAY_ROOM (process->threads, process->n_threads + 1,
                   &process->threads_capacity))
    return NULL;
  struct thread *thread = &process->threads[process->n_threads++];
  *thread = (struct thread){ .tid = tid };
  return thread;
}

void
module_forget_section (struct module *module)
{
  free (module->bytes);
  free (module->reason);
  module->bytes = NULL;
  module->reason = NULL;
  module->section = (struct cfi2sframe_section){ 0 };
  module->origin = SECTION_UNKNOWN;
}

void
module_set_no_section (struct module *module, const char *reason)
{
  module_forget_section (module);
  module->origin = SECTION_NONE;
  module->reason = strdup (reason);
}

/* A copy of the detached section of MODULE's file.  */
static bool
take_detached (struct module *module, const char *folders, const void *elf,
               size_t size, uint64_t bias)
{
  struct error ignored;
  struct image image;
  struct detached_file detached;
  if (!image_open_memory (&image, elf, size, &ignored))
    return false;
  bool found
      = (folders != NULL && detached_file_find (&image, folders, &detached))
        || served_find (&image, &detached);
  image_close (&image);
  if (!found)
    return false;
  module->bytes = malloc (detached.size);
  if (module->bytes != NULL)
    {
      memcpy (module->bytes, detached.section, detached.size);
      module->section
          = (struct cfi2sframe_section){ module->bytes, detached.size,
                                         detached.address + bias };
      module->origin = SECTION_DETACHED;
    }
  image_close (&detached.image);
  return module->bytes != NULL;
}

enum
{
  /* Bytes of a file that is analyzed without having been asked for: this takes
     some seconds.  */
  ANALYZED_MAX = 24 << 20
};

static void
convert (struct process *process, struct module *module, const void *elf,
         size_t size, uint64_t bias)
{
  struct error err;
  void *section;
  size_t section_size;
  uint64_t address;
  bool asked = process->policy.analyze, analyze = asked || module->analyzed;
  bool kept = analyze
              && row_cache_find (elf, size, &section, &section_size, &address);
  if (!kept && analyze && !asked && size > ANALYZED_MAX)
    {
      module_set_no_section (module, "not analyzed without --analyze, as it "
                                     "is large");
      return;
    }
  if (!kept
      && !detached_build (elf, size, analyze, &section, &section_size,
                          &address, &err))
    {
      module_set_no_section (module, err.reason);
      return;
    }
  if (analyze && !kept)
    row_cache_keep (elf, size, section, section_size, address);
  module->bytes = section;
  module->section
      = (struct cfi2sframe_section){ section, section_size, address + bias };
  module->origin = kept ? SECTION_KEPT : SECTION_CONVERTED;
}

void
module_supply (struct process *process, struct module *module, const void *elf,
               size_t size, uint64_t bias)
{
  if (take_detached (module, process->policy.detached, elf, size, bias))
    return;
  if (process->policy.only_sframe)
    module_set_no_section (module, "it has no .sframe");
  else
    convert (process, module, elf, size, bias);
}

bool
process_analyze (struct process *process, struct module *module)
{
  struct module before = *module;
  const struct section_policy *policy = &process->policy;
  bool of_cfi
      = module->origin == SECTION_CONVERTED || module->origin == SECTION_NONE;
  if (!policy->on_need || policy->only_sframe || policy->analyze || !of_cfi
      || module->analyzed)
    return false;
  module->analyzed = true;
  module->bytes = NULL;
  module->reason = NULL;
  module_forget_section (module);
  process->load_section (process, module);
  if (module->origin != SECTION_NONE)
    {
      free (before.bytes);
      free (before.reason);
      process_forget_rows (process);
      return true;
    }
  free (before.reason);
  before.reason = module->reason;
  before.analyzed = true;
  *module = before;
  return false;
}

bool
process_find_section (struct process *process, uint64_t pc,
                      struct cfi2sframe_section *section)
{
  struct module *module = process_module_at (process, pc);
  if (module == NULL)
    return false;
  if (module->origin == SECTION_UNKNOWN)
    process->load_section (process, module);
  *section = module->section;
  return module->origin != SECTION_NONE;
}

enum cfi2sframe_step
process_find_rules (const void *finder, uint64_t address,
                    struct unwind_rules *rules)
{
  struct cfi2sframe_section section;
  struct unwind_section opened;
  if (!process_find_section ((struct process *)finder, address, &section))
    return CFI2SFRAME_STEP_NO_SECTION;
  if (!unwind_section_open (&opened, section.bytes, section.size,
                            section.address))
    return CFI2SFRAME_STEP_BAD_SECTION;
  rules->arch = opened.arch;
  return unwind_section_lookup (&opened, address, rules);
}

void
process_forget_rows (struct process *process)
{
  if (process->walker != NULL)
    walk_walker_forget (process->walker);
}

void
process_forget_modules (struct process *process)
{
  for (size_t i = 0; i < process->n_modules; i++)
    {
      module_forget_section (&process->modules[i]);
      free (process->modules[i].path);
    }
  free (process->modules);
  free (process->mappings);
  process->modules = NULL;
  process->mappings = NULL;
  process->n_modules = process->modules_capacity = 0;
  process->n_mappings = process->mappings_capacity = 0;
}

void
process_forget_threads (struct process *process)
{
  free (process->threads);
  process->threads = NULL;
  process->n_threads = process->threads_capacity = 0;
}

void
process_free (struct process *process)
{
  process_forget_modules (process);
  process_forget_threads (process);
  memory_free (&process->memory);
  jit_names_free (&process->jit_names);
  free (process->walker);
  process->walker = NULL;
  if (process->dwfl != NULL)
    dwfl_end (process->dwfl);
  process->dwfl = NULL;
}
