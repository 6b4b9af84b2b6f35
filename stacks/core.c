/* A core file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The stacks are in the core; code and SFrame data usually are not, because
   the kernel leaves out what can be read from files (core(5),
   coredump_filter), and come from the files that libdwfl finds by their build
   IDs.  */

#include <config.h>

#include "stacks/core.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "stacks/core_names.h"
#include "stacks/dwfl_debuginfo.h"
#include "stacks/dwfl_error.h"
#include "stacks/unpack.h"

struct core
{
  int fd;
  Elf *elf;
  const uint8_t *bytes; /* the whole file, mapped */
  size_t size;
  uint64_t missing; /* bytes of segments that are behind the file's end */
  uint64_t entry;   /* where the program begins; 0: not known */
};

static const Dwfl_Callbacks callbacks = {
  .find_elf = dwfl_build_id_find_elf,
  .find_debuginfo = dwfl_debuginfo_find,
};

static bool
map_file (struct core *core, const char *path, struct error *err)
{
  struct stat status;
  core->fd = io_open_regular (path);
  if (core->fd < 0 && errno == EINVAL)
    return error_set (err, CFI2SFRAME_NOT_ELF, "not a core file");
  if (core->fd < 0)
    return error_set_errno (err, "cannot open");
  if (!unpack_file (&core->fd, err))
    return false;
  if (fstat (core->fd, &status) == 0 && status.st_size == 0)
    return error_set (err, CFI2SFRAME_NOT_ELF, "not a core file");
  core->bytes = mapped_file_open (core->fd, &core->size, err);
  return core->bytes != NULL;
}

/* Map what SEGMENT was, whether or not the core has its contents.  Of which
   files it was, modules tell later.  */
static bool
map_segment (struct process *process, const GElf_Phdr *segment)
{
  uint64_t start = segment->p_vaddr, size = segment->p_memsz;
  const struct walk_mapping report
      = { .start = start,
          .end = size <= UINT64_MAX - start ? start + size : start,
          .runs = segment->p_flags & PF_X };
  return process_map (process, &report);
}

/* Make the segments that the file has the memory of the process.  Kernels and
   debuggers write segments in ascending order, so that each is appended.
   Another order is refused: a core made to keep readers busy can have a
   million segments, for which libdwfl needs hours.  */
static bool
add_memory (struct core *core, struct process *process, struct error *err)
{
  enum
  {
    UNORDERED_MAX = 16384
  };
  size_t n, unordered = 0;
  uint64_t last = 0;
  GElf_Phdr segment;
  if (elf_getphdrnum (core->elf, &n) != 0)
    return error_set (err, CFI2SFRAME_MALFORMED, "no program headers");
  for (size_t i = 0; i < n; i++)
    {
      if (gelf_getphdr (core->elf, (int)i, &segment) == NULL)
        continue;
      /* The core file may have been cut off within the segment.  */
      uint64_t left
          = segment.p_offset < core->size ? core->size - segment.p_offset : 0;
      if (left < segment.p_filesz)
        core->missing += segment.p_filesz - left;
      if (segment.p_type != PT_LOAD)
        continue;
      if (!map_segment (process, &segment))
        return error_set_no_memory (err);
      unordered += segment.p_vaddr < last;
      last = segment.p_vaddr;
      if (unordered > UNORDERED_MAX)
        return error_set (err, CFI2SFRAME_MALFORMED,
                          "its program headers are in no order");
      if (left > 0)
        memory_add (&process->memory, segment.p_vaddr,
                    core->bytes + segment.p_offset,
                    segment.p_filesz < left ? segment.p_filesz : left);
    }
  return true;
}

static bool
open_core (struct core *core, struct process *process, const char *path,
           struct error *err)
{
  GElf_Ehdr header;
  if (!map_file (core, path, err))
    return false;
  elf_version (EV_CURRENT);
  core->elf = elf_begin (core->fd, ELF_C_READ_MMAP, NULL);
  if (core->elf == NULL || gelf_getehdr (core->elf, &header) == NULL
      || header.e_type != ET_CORE)
    return error_set (err, CFI2SFRAME_NOT_ELF, "not a core file");
  process->arch = arch_of_machine (header.e_machine,
                                   header.e_ident[EI_DATA] == ELFDATA2MSB);
  if (process->arch == NULL || header.e_ident[EI_CLASS] != ELFCLASS64)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "the core of a machine that has no SFrame");
  return add_memory (core, process, err)
         && core_names_check (core->elf, process, &core->entry, err);
}

/* Modules.  */

struct taking
{
  struct process *process;
  bool no_memory;
};

static void
add_mapping (struct taking *taking, uint64_t start, uint64_t size,
             uint64_t offset, const struct code_file *file, bool runs)
{
  const struct walk_mapping report = { .start = start,
                                       .end = start + size,
                                       .offset = offset,
                                       .path = file->path,
                                       .inode = file->inode,
                                       .runs = runs };
  taking->no_memory |= !process_map (taking->process, &report);
}

/* MODULE is mapped as the program headers of its file say, if that was found:
   other memory may lie between two segments.  */
static int
take_module (Dwfl_Module *module, void **user __attribute__ ((unused)),
             const char *name, Dwarf_Addr start, void *argument)
{
  struct taking *taking = argument;
  Dwarf_Addr end;
  const char *path = NULL;
  dwfl_module_info (module, NULL, NULL, &end, NULL, NULL, &path, NULL);
  /* Its address tells two of the same name apart.  */
  struct code_file *file = code_files_get (
      taking->process->files, path != NULL ? path : name, 0, start);
  if (file == NULL)
    {
      taking->no_memory = true;
      return DWARF_CB_ABORT;
    }
  code_file_take_module (file, module);
  /* Where its program headers are of no use, addresses take the place of
     offsets.  */
  if (file->image.n_segments == 0)
    add_mapping (taking, start, end - start,
                 file->module != NULL ? start - file->bias : 0, file, true);
  for (size_t i = 0; i < file->image.n_segments; i++)
    {
      const GElf_Phdr *segment = &file->image.segments[i];
      if (segment->p_type == PT_LOAD)
        add_mapping (taking, segment->p_vaddr + file->bias, segment->p_filesz,
                     segment->p_offset, file, segment->p_flags & PF_X);
    }
  return taking->no_memory ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* Threads.  */

static int
take_registers (Dwfl_Frame *frame, void *argument)
{
  struct registers *registers = argument;
  bool activation;
  if (!dwfl_frame_pc (frame, &registers->pc, &activation))
    return DWARF_CB_ABORT;
  while (
      registers->n < REGISTERS_MAX
      && dwfl_frame_reg (frame, registers->n, &registers->values[registers->n])
             == 0)
    registers->n++;
  return DWARF_CB_ABORT;
}

/* Continues when memory ran out: libdw 0.188 does not free its own state if
   dwfl_getthreads is told to end.  */
static int
take_thread (Dwfl_Thread *dwfl_thread, void *argument)
{
  struct taking *taking = argument;
  struct process *process = taking->process;
  struct thread *thread
      = process_add_thread (process, dwfl_thread_tid (dwfl_thread));
  if (thread == NULL)
    {
      taking->no_memory = true;
      return DWARF_CB_OK;
    }
  dwfl_thread_getframes (dwfl_thread, take_registers, &thread->registers);
  thread->known = thread->registers.n > process->arch->sp;
  return DWARF_CB_OK;
}

static bool
take_threads (struct process *process, struct error *err)
{
  struct taking taking = { .process = process };
  if (dwfl_getthreads (process->dwfl, take_thread, &taking) < 0)
    return dwfl_error_set (err, "threads");
  if (taking.no_memory)
    return error_set_no_memory (err);
  return process->n_threads > 0
         || error_set (err, CFI2SFRAME_NOTHING, "no threads in it");
}

/* Report the program at PATH, if it can begin at ENTRY.  */
static void
report_program (struct process *process, const char *path, uint64_t entry)
{
  GElf_Ehdr header;
  int fd = io_open_regular (path);
  Elf *elf = fd >= 0 ? elf_begin (fd, ELF_C_READ, NULL) : NULL;
  bool fits = elf != NULL && gelf_getehdr (elf, &header) != NULL
              && header.e_machine == process->arch->e_machine
              && (entry - header.e_entry) % process->arch->max_page_size == 0;
  if (elf != NULL)
    elf_end (elf);
  if (fits)
    {
      dwfl_report_begin_add (process->dwfl);
      if (dwfl_report_elf (process->dwfl, path, path, fd,
                           entry - header.e_entry, true)
          != NULL)
        fd = -1; /* libdwfl's now */
      dwfl_report_end (process->dwfl, NULL, NULL);
    }
  if (fd >= 0)
    close (fd);
}

static bool
open_dwfl (struct core *core, struct process *process, const char *executable,
           struct error *err)
{
  process->dwfl = dwfl_begin (&callbacks);
  if (process->dwfl == NULL)
    return dwfl_error_set (err, "libdwfl");
  dwfl_report_begin (process->dwfl);
  int n = dwfl_core_file_report (process->dwfl, core->elf, executable);
  if (dwfl_report_end (process->dwfl, NULL, NULL) != 0 || n < 0)
    return dwfl_error_set (err, "modules");
  /* libdwfl knows a program by the pages with its headers, which emulators do
     not write.  */
  if (executable != NULL && core->entry != 0
      && dwfl_addrmodule (process->dwfl, core->entry) == NULL)
    report_program (process, executable, core->entry);
  process->pid = dwfl_core_file_attach (process->dwfl, core->elf);
  if (process->pid < 0)
    return dwfl_error_set (err, "threads");
  struct taking taking = { .process = process };
  dwfl_getmodules (process->dwfl, take_module, &taking, 0);
  if (taking.no_memory)
    return error_set_no_memory (err);
  return take_threads (process, err);
}

struct core *
core_open (struct process *process, const char *path, const char *executable,
           struct error *err)
{
  struct core *core = calloc (1, sizeof *core);
  if (core == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  core->fd = -1;
  bool opened = open_core (core, process, path, err);
  if (opened && open_dwfl (core, process, executable, err))
    return core;
  /* libdwfl does not know why it finds nothing.  */
  if (opened && core->missing > 0)
    error_set (err, CFI2SFRAME_MALFORMED,
               "it was cut off, and no threads are left in it");
  core_close (core, process);
  return NULL;
}

uint64_t
core_missing (const struct core *core)
{
  return core->missing;
}

void
core_close (struct core *core, struct process *process)
{
  process_free (process);
  if (core == NULL)
    return;
  if (core->elf != NULL)
    elf_end (core->elf);
  if (core->bytes != NULL)
    mapped_file_close (core->bytes, core->size);
  if (core->fd >= 0)
    close (core->fd);
  free (core);
}
