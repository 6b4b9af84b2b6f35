/* A program, to walk its stacks, wherever it is: a living process, a core
   file, an emulated machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   live.h has what a living one needs: stopping, copying, reporting.  This
   header has what all kinds have in common, and what walks need.  */

#ifndef STACKS_PROCESS_H
#define STACKS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "arch/arch.h"
#include "base/error.h"
#include "stacks/code_files.h"
#include "stacks/mappings.h"
#include "stacks/memory.h"
#include "stacks/registers.h"
#include "walk/apply.h"
#include "walk/module_list.h"

struct thread
{
  pid_t tid;
  char name[32]; /* "" if not known */
  bool stopped;  /* by live_stop */
  bool waits;    /* it waits in the kernel and cannot be stopped; of that
                    thread some registers may be known */
  pid_t tracer;  /* which process traces it, so that it cannot be stopped; 0:
                    none does */
  int signal;    /* signal that the thread gets when it is resumed, or 0 */
  bool known;    /* `registers' has been read */
  struct registers registers;
};

struct process
{
  pid_t pid;
  const struct arch *arch;
  struct section_policy policy;
  struct code_files *files; /* not owned: may have those of others, too */
  struct mappings mappings;
  struct thread *threads; /* owned */
  size_t n_threads, threads_capacity;
  struct memory memory;
  int memory_fd; /* that a living process's memory is read by, or -1 */
  /* When live_stop asked the first thread, by clock_nanoseconds.  */
  uint64_t stopped_at;
  struct tracer *tracer; /* of a living process that is stopped */
  /* As unwind_source.find, of PROCESS; process_find_rules unless set.  */
  enum sfw_end (*find_rules) (const void *process, uint64_t address,
                              struct unwind_rules *rules);
  /* file_finder_open, but in tests.  */
  int (*open_file) (struct process *process, const struct mapping *mapping);
  bool recorded; /* it may have ended, and its number be another's */
  /* Of a core: when it was written, and where its program is, if the user has
     said so; or NULL.  */
  time_t dumped;
  const char *program;
  struct code_file *program_file; /* which one that is */
  struct code_file *jit; /* what stands for its code in no file, or NULL */
};

/* Open the file of MAPPING, which is in the list of PROCESS; -1 if it is not
   found: file_finder.c.  */
int file_finder_open (struct process *process, const struct mapping *mapping);

/* The file that is mapped at ADDRESS, opened if it can be, or NULL; *OFFSET is
   the place there.  A memfd is none unless it has a program or a library; a
   copy of a file's code, at its addresses, is the file's.  */
struct code_file *process_file_at (const struct process *process,
                                   uint64_t address, uint64_t *offset);

/* The same, and for code in no file, unless PROCESS is of a core, what stands
   for that.  */
struct code_file *process_code_at (struct process *process, uint64_t address,
                                   uint64_t *offset);

/* Whether ADDRESS is a file's.  */
bool process_is_file_at (const struct process *process, uint64_t address);

/* Read code of READER, a struct process, as unwind_source.read does: from its
   file, or from the process whether it is stopped or not, because code does
   not change.  Cores have no code of files, recordings have no code at all. */
bool process_read_code (void *reader, uint64_t address, void *to, size_t size);

/* Whether PC can be a return address: it is code, and a call may end there. */
bool process_may_return_to (struct process *process, uint64_t pc);

/* Whether the program can run at PC.  A mapping that is not known may be one
   that was made just now.  */
bool process_is_code (struct process *process, uint64_t pc);

/* Record a mapping, as mappings_put does.  Its path is NULL for memory without
   a file.  False when memory ran out.  */
bool process_map (struct process *process, const struct walk_mapping *report);

/* Whether the mapping with ADDRESS may be executed.  */
bool process_is_executable (const struct process *process, uint64_t address);

/* Append a thread; NULL when memory ran out.  */
struct thread *process_add_thread (struct process *process, pid_t tid);

/* Have the file at ADDRESS analyzed, where a walk came to code without rows.
   True if there are more rows now.  */
bool process_analyze (struct process *process, uint64_t address);

/* Set *SECTION to the rows of the code around PC.  Its size is 0 if that has
   none.  False if its file has none at all.  */
bool process_find_section (const struct process *process, uint64_t pc,
                           struct sfw_section *section);

/* Find the RULES at ADDRESS, as unwind_source.find does; FINDER is the
   process.  */
enum sfw_end process_find_rules (const void *finder, uint64_t address,
                                 struct unwind_rules *rules);

void process_forget_threads (struct process *process);

/* Release everything.  */
void process_free (struct process *process);

/* ---- A core file (core.c) */

struct core; /* opaque */

/* Open the core file at PATH, of the program EXECUTABLE (NULL: the program
   that the core names).  Fills in all of PROCESS, which is zeroed but for its
   options.  NULL on failure.  */
struct core *core_open (struct process *process, const char *path,
                        const char *executable, struct error *err);

/* How many bytes of memory and notes the core should have, but has not,
   because it was cut off.  */
uint64_t core_missing (const struct core *core);

/* Release CORE (may be NULL) and PROCESS.  */
void core_close (struct core *core, struct process *process);

#endif /* STACKS_PROCESS_H */
