/* A traced process: its registers, memory and modules.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1 /* process_vm_readv */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "process.h"

enum
{
  PT_SFRAME = 0x6474e554,
  SEGMENTS_MAX = 64,
  SECTION_MAX = 256 << 20
};

static bool
read_directly (pid_t pid, uint64_t address, void *to, size_t size)
{
  struct iovec local = { to, size };
  struct iovec remote
      = { (void *)(uintptr_t)address, /* NOLINT(performance-no-int-to-ptr) */
          size };
  return process_vm_readv (pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* PT_GNU_SFRAME of the module whose ELF header is mapped at MODULE->start.  */
static bool
find_sframe (pid_t pid, const struct module *module, uint64_t *address,
             uint64_t *size)
{
  Elf64_Ehdr header;
  Elf64_Phdr segments[SEGMENTS_MAX];
  if (!read_directly (pid, module->start, &header, sizeof header)
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_phnum > SEGMENTS_MAX
      || !read_directly (pid, module->start + header.e_phoff, segments,
                         header.e_phnum * sizeof *segments))
    return false;
  uint64_t bias = 0;
  *size = 0;
  for (int i = header.e_phnum - 1; i >= 0; i--)
    if (segments[i].p_type == PT_LOAD)
      bias = module->start - (segments[i].p_vaddr & ~UINT64_C (0xfff));
  for (int i = 0; i < header.e_phnum; i++)
    if (segments[i].p_type == PT_SFRAME)
      {
        *address = bias + segments[i].p_vaddr;
        *size = segments[i].p_memsz;
      }
  return *size > 0 && *size <= SECTION_MAX;
}

static void
load_sframe (const struct process *process, struct module *module)
{
  pid_t pid = process->target.pid;
  uint64_t address = 0, size = 0;
  struct error err;
  error_clear (&err);
  if (module->vdso || !find_sframe (pid, module, &address, &size))
    return;
  module->bytes = malloc (size);
  if (module->bytes && read_directly (pid, address, module->bytes, size)
      && sframe_decoder_open (&module->decoder, module->bytes, size, address,
                              &err))
    module->has_sframe = true;
  if (!module->has_sframe || !process->with_foreign)
    return;
  module->foreign
      = foreign_open (&module->decoder, module->start, module->end);
  module->has_sframe = module->foreign != NULL;
}

struct module_list
{
  struct module *modules;
  size_t n;
};

static void
free_modules (struct module_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    {
      foreign_close (list->modules[i].foreign);
      free (list->modules[i].bytes);
    }
  free (list->modules);
  *list = (struct module_list){ 0 };
}

struct mapping
{
  uint64_t start, end, offset;
  const char *path; /* in the line; "" if anonymous */
};

/* START-END PERMISSIONS OFFSET DEVICE INODE [PATH], cut behind the path.  */
static bool
parse_mapping (char *line, struct mapping *mapping)
{
  char *at;
  line[strcspn (line, "\n")] = 0;
  mapping->start = strtoull (line, &at, 16);
  if (*at != '-')
    return false;
  mapping->end = strtoull (at + 1, &at, 16);
  at += strspn (at, " ");
  at += strcspn (at, " ");
  mapping->offset = strtoull (at, &at, 16);
  for (int skip = 0; skip < 2; skip++)
    {
      at += strspn (at, " ");
      at += strcspn (at, " ");
    }
  mapping->path = at + strspn (at, " ");
  return true;
}

static bool
add_mapping (struct module_list *list, char *line)
{
  struct mapping mapping;
  if (!parse_mapping (line, &mapping) || !*mapping.path)
    return true;
  const char *path = mapping.path;
  uint64_t start = mapping.start, end = mapping.end, offset = mapping.offset;
  struct module *last = list->n ? &list->modules[list->n - 1] : NULL;
  if (last && strcmp (last->path, path) == 0 && offset != 0)
    {
      last->end = end;
      return true;
    }
  bool vdso = strcmp (path, "[vdso]") == 0;
  if (offset != 0 || (*path != '/' && !vdso))
    return true;
  struct module *grown
      = reallocarray (list->modules, list->n + 1, sizeof *grown);
  if (!grown)
    return false;
  list->modules = grown;
  struct module *module = &grown[list->n++];
  *module = (struct module){ .start = start, .end = end, .vdso = vdso };
  snprintf (module->path, sizeof module->path, "%s", path);
  return true;
}

static bool
list_modules (pid_t pid, struct module_list *list)
{
  char name[64], line[512];
  snprintf (name, sizeof name, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen (name, "re");
  if (!maps)
    return false;
  bool ok = true;
  while (ok && fgets (line, sizeof line, maps))
    ok = add_mapping (list, line);
  fclose (maps);
  return ok;
}

/* Take over what was read of the modules that are still there.  True when
   nothing else changed.  */
static bool
keep_sections (struct process *process, struct module_list *list)
{
  bool same = process->n_modules == list->n;
  for (size_t i = 0; i < list->n; i++)
    {
      struct module *module = &list->modules[i];
      bool found = false;
      for (size_t j = 0; j < process->n_modules && !found; j++)
        {
          struct module *old = &process->modules[j];
          found = old->start == module->start && old->end == module->end
                  && strcmp (old->path, module->path) == 0;
          if (found)
            {
              *module = *old;
              old->bytes = NULL;
              old->foreign = NULL;
            }
        }
      same &= found;
      /* A segment further on may not have been mapped the last time.  */
      if (!module->has_sframe)
        {
          free (module->bytes);
          module->bytes = NULL;
          load_sframe (process, module);
        }
    }
  return same;
}

bool
process_refresh (struct process *process)
{
  struct module_list list = { 0 };
  process_forget (process);
  if (!list_modules (process->target.pid, &list) || list.n == 0)
    {
      free_modules (&list);
      return false;
    }
  if (!keep_sections (process, &list))
    process->target.generation++;
  process_reset (process);
  process->modules = list.modules;
  process->n_modules = list.n;
  return true;
}

void
process_reset (struct process *process)
{
  struct module_list list = { process->modules, process->n_modules };
  free_modules (&list);
  process->modules = NULL;
  process->n_modules = 0;
}

const struct module *
process_module_at (const struct process *process, uint64_t pc)
{
  for (size_t i = 0; i < process->n_modules; i++)
    if (pc >= process->modules[i].start && pc < process->modules[i].end)
      return &process->modules[i];
  return NULL;
}

void
process_forget (struct process *process)
{
  for (size_t i = 0; i < CACHE_PAGES; i++)
    process->cache[i].valid = false;
}

static bool
read_word (struct target *target, uint64_t address, uint64_t *word)
{
  struct process *process = (struct process *)target;
  uint64_t page = address & ~UINT64_C (4095), offset = address & 4095;
  size_t slot = (page >> 12) % CACHE_PAGES;
  if (offset > 4096 - sizeof *word)
    return read_directly (process->target.pid, address, word, sizeof *word);
  if (!process->cache[slot].valid || process->cache[slot].address != page)
    {
      process->cache[slot].address = page;
      process->cache[slot].valid = read_directly (
          process->target.pid, page, process->cache[slot].bytes,
          sizeof process->cache[slot].bytes);
      if (!process->cache[slot].valid)
        return false;
    }
  memcpy (word, process->cache[slot].bytes + offset, sizeof *word);
  return true;
}

static const struct module *
module_at (struct target *target, uint64_t pc)
{
  return process_module_at ((struct process *)target, pc);
}

static bool
report (struct target *target, Dwfl *dwfl)
{
  return dwfl_linux_proc_report (dwfl, target->pid) == 0;
}

void
process_init (struct process *process, pid_t pid)
{
  process->target = (struct target){
    .abi = referee_abi_of (EM_X86_64),
    .n_registers = 17, /* rax ... r15, return address */
    .pid = pid,
    .generation = process->target.generation + 1,
    .read_word = read_word,
    .module_at = module_at,
    .report = report,
  };
}

bool
process_read (struct process *process, uint64_t address, void *to, size_t size)
{
  return read_directly (process->target.pid, address, to, size);
}

bool
process_registers (pid_t tid, uint64_t registers[REGISTERS])
{
  struct user_regs_struct user;
  if (ptrace (PTRACE_GETREGS, tid, NULL, &user) != 0)
    return false;
  const uint64_t in_dwarf_order[] = {
    user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi,
    user.rbp, user.rsp, user.r8,  user.r9,  user.r10, user.r11,
    user.r12, user.r13, user.r14, user.r15, user.rip,
  };
  memcpy (registers, in_dwarf_order, sizeof in_dwarf_order);
  registers[REGISTER_PC] = user.rip;
  return true;
}

void
process_free (struct process *process)
{
  process_reset (process);
}
