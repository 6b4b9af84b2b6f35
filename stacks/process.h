/* A program whose stacks are walked, wherever it is: a living process, a core
   file, an emulated machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   live.h and core.h have what depends on where the program is: stopping,
   copying, reporting.  This header has what all kinds have in common, and what
   walks need.  */

#ifndef STACKS_PROCESS_H
#define STACKS_PROCESS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch/arch.h"
#include "base/error.h"
#include "cfi2sframe.h"
#include "stacks/jit_names.h"
#include "stacks/memory.h"
#include "walk/apply.h"

enum
{
  /* DWARF numbers of the machines' integer registers are below.  */
  REGISTERS_MAX = 33
};

/* The registers of a thread that does not run, by DWARF number.  */
struct registers
{
  uint64_t pc;
  uint64_t values[REGISTERS_MAX];
  unsigned n;
};

/* Where the SFrame section of a module was found.  */
enum section_origin
{
  SECTION_UNKNOWN,   /* not looked for yet */
  SECTION_OWN,       /* in the module */
  SECTION_DETACHED,  /* beside its file */
  SECTION_CONVERTED, /* made from the module's CFI just now */
  SECTION_KEPT,      /* made from it and from its code at another time */
  SECTION_NONE       /* `reason' says why */
};

/* Where the sections of modules without one of their own come from.  */
struct section_policy
{
  /* Folders with detached sections (elf/detached_file.h), separated by colons;
     borrowed, or NULL.  They are searched first.  */
  const char *detached;
  bool only_sframe; /* nothing is converted */
  bool analyze;     /* converted modules get rows for code without CFI */
  /* Where a walk comes to code without rows, its module is analyzed, unless it
     is large, and else the walk goes on by frame pointers.  */
  bool on_need;
};

/* Where detached sections are by default: beside debug files.  */
#define DETACHED_DEFAULT "/usr/lib/debug/.build-id"

/* A file in a program's memory.  */
struct module
{
  uint64_t start, end; /* of all its mappings */
  char *path;          /* owned; "[vdso]" for the vdso */
  dev_t device;        /* of a living process's module ... */
  ino_t inode;         /* ... 0 if it is no file */
  enum section_origin origin;
  struct cfi2sframe_section section;
  void *bytes;   /* of the section, if it is owned */
  char *reason;  /* owned, or NULL; in a converted module: why it was not
                    analyzed */
  bool analyzed; /* process_analyze was called */
};

struct thread
{
  pid_t tid;
  char name[32]; /* "" if not known */
  bool stopped;  /* by live_stop */
  bool waits;    /* it waits in the kernel and cannot be stopped; of such a
                    thread some registers may be known */
  int signal;    /* signal that the thread gets when it is resumed, or 0 */
  bool known;    /* `registers' has been read */
  struct registers registers;
};

/* A mapping of a living process, of whatever kind.  */
struct address_range
{
  uint64_t start, end;
  bool runs; /* the mapping may be executed */
};

struct process
{
  pid_t pid;
  const struct arch *arch;
  struct section_policy policy;
  struct module *modules; /* owned; ascending, disjoint */
  size_t n_modules, modules_capacity;
  struct address_range *mappings; /* likewise; of living processes */
  size_t n_mappings, mappings_capacity;
  struct thread *threads; /* owned */
  size_t n_threads, threads_capacity;
  struct memory memory;
  double stopped_at; /* when live_stop asked the first thread, by clock_now */
  /* Find the section of MODULE, which has not been looked for yet, and set
     its origin.  */
  void (*load_section) (struct process *process, struct module *module);
  /* As unwind_source.find, of PROCESS; process_find_rules unless set.  */
  enum cfi2sframe_step (*find_rules) (const void *process, uint64_t address,
                                      struct unwind_rules *rules);
  struct jit_names jit_names; /* of code in no file, where they were read */
  struct sfw_walker *walker;  /* owned: what walks remember, or NULL */
  Dwfl *dwfl; /* owned: symbols, and walks by CFI; may be NULL */
};

/* The module at ADDRESS, or NULL.  */
struct module *process_module_at (const struct process *process,
                                  uint64_t address);

/* Append a module.  PATH is copied.  NULL when memory ran out.  */
struct module *process_add_module (struct process *process, uint64_t start,
                                   uint64_t end, const char *path);

/* Give TO modules like those of FROM, without sections; modules for which
   memory does not suffice are left out.  */
void process_copy_modules (struct process *to, const struct process *from);

/* A mapping, of a file or of something else.  */
struct mapping
{
  uint64_t start, end, offset; /* bytes; of the file */
  dev_t device;
  ino_t inode;
  const char *path; /* "" if anonymous */
};

/* Record MAPPING, which replaces whatever was mapped there.  A module begins
   with a mapping of its file's start, and has all mappings of the file that
   follow.  Memory without a file is no module, and may lie in one.  False when
   memory ran out.  */
bool process_map (struct process *process, const struct mapping *mapping);

/* Append a mapping.  False when memory ran out.  */
bool process_add_mapping (struct process *process, uint64_t start,
                          uint64_t end);

/* Whether the mapping with ADDRESS may be executed.  */
bool process_runs_at (const struct process *process, uint64_t address);

/* The end of the mapping with ADDRESS; ADDRESS if there is none.  */
uint64_t process_mapping_end (const struct process *process, uint64_t address);

/* Append a thread; NULL when memory ran out.  */
struct thread *process_add_thread (struct process *process, pid_t tid);

/* Forget what is known of MODULE's section.  */
void module_forget_section (struct module *module);

/* MODULE has no section, because of REASON (copied).  */
void module_set_no_section (struct module *module, const char *reason);

/* Find a section for MODULE, which has none of its own and is loaded BIAS
   above its own addresses: its file's detached section, or one made from the
   SIZE bytes of its ELF file.  */
void module_supply (struct process *process, struct module *module,
                    const void *elf, size_t size, uint64_t bias);

/* Convert MODULE, which has no rows where a walk came to, again with rows for
   its code without CFI.  True if there are more rows now.  Once for a module,
   and as far as the policy allows.  */
bool process_analyze (struct process *process, struct module *module);

/* Find the section for PC.  False if there is none.  */
bool process_find_section (struct process *process, uint64_t pc,
                           struct cfi2sframe_section *section);

/* Find the RULES at ADDRESS, as unwind_source.find does; FINDER is the
   process.  */
enum cfi2sframe_step process_find_rules (const void *finder, uint64_t address,
                                         struct unwind_rules *rules);

/* Forget the rows that walks have looked up, because sections have
   changed.  */
void process_forget_rows (struct process *process);

void process_forget_modules (struct process *process);
void process_forget_threads (struct process *process);

/* Release everything.  */
void process_free (struct process *process);

#endif /* STACKS_PROCESS_H */
