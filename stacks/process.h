/* A process whose stacks are walked: a living process, a core file, or an
   emulated machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This header has the parts that all kinds have in common and that walks need.
   live.h has what living processes need in addition: stopping, copying,
   reporting.  */

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
  bool waits;    /* it waits in the kernel and cannot be stopped; some of its
                    registers may be known */
  pid_t tracer;  /* process that traces it and prevents a stop; 0: none */
  int signal;    /* signal to deliver when the thread is resumed */
  bool known;    /* `registers' has been read */
  struct registers registers;
};

struct process
{
  pid_t pid;
  const struct arch *arch;
  struct section_policy policy;
  struct code_files *files; /* not owned; may be shared with other processes */
  struct mappings mappings;
  struct thread *threads; /* owned */
  size_t n_threads, threads_capacity;
  struct memory memory;
  int memory_fd; /* descriptor of a living process's memory, or -1 */
  /* When live_stop stopped the first thread (clock_nanoseconds).  */
  uint64_t stopped_at;
  struct tracer *tracer; /* of a living process that is stopped */
  /* As unwind_source.find; NULL: process_find_rules.  */
  enum sfw_end (*find_rules) (const void *process, uint64_t address,
                              struct unwind_rules *rules);
  /* file_finder_open, except in tests.  */
  int (*open_file) (struct process *process, const struct mapping *mapping);
  bool recorded; /* read from a recording: PID may be another process now */
  /* Of a core: when it was written, and the path of the program that the user
     has named, or NULL.  */
  time_t dumped;
  const char *program;
  struct code_file *program_file; /* the file of PROGRAM */
  struct code_file *jit; /* stands for all code that is in no file, or NULL */
  /* The file of a return address whose code process_may_return_to could not
     read, because the file was not found; NULL: there was none in the step
     that the walk has tried last.  */
  const struct code_file *missing;
};

/* Open the file of MAPPING, a mapping of PROCESS.  Return its descriptor, or
   -1 if it is not found (file_finder.c).  */
int file_finder_open (struct process *process, const struct mapping *mapping);

/* Return the file that is mapped at ADDRESS, opened if that is possible, or
   NULL.  Set *OFFSET to the offset of ADDRESS in the file.  Memory that is a
   copy of a file's code counts as the file; a memfd only if it is a program or
   a library.  */
struct code_file *process_file_at (const struct process *process,
                                   uint64_t address, uint64_t *offset);

/* As process_file_at.  For code in no file, return process->jit with ADDRESS
   as *OFFSET, unless PROCESS is a core.  */
struct code_file *process_code_at (struct process *process, uint64_t address,
                                   uint64_t *offset);

/* Whether a file is mapped at ADDRESS.  */
bool process_is_file_at (const struct process *process, uint64_t address);

/* Read code of READER, a struct process, as unwind_source.read does.  Read it
   from the file or else from the process, stopped or not, because code does
   not change.  Cores lack the code of files, and recordings lack all code.  */
bool process_read_code (void *reader, uint64_t address, void *to, size_t size);

/* Whether PC can be a return address: code, where a call may end.  If PC is in
   a file that was not found, and its code cannot be read, the result is false,
   and process->missing becomes the file.  */
bool process_may_return_to (struct process *process, uint64_t pc);

/* Whether the program can execute code at PC.  If the mapping is not known, it
   may be new: try to read it.  */
bool process_is_code (struct process *process, uint64_t pc);

/* Record the mapping REPORT, as mappings_put does.  Its path is NULL for
   memory without a file.  False when memory ran out.  */
bool process_map (struct process *process, const struct walk_mapping *report);

/* Whether ADDRESS is in an executable mapping.  */
bool process_is_executable (const struct process *process, uint64_t address);

/* Append a thread; NULL when memory ran out.  */
struct thread *process_add_thread (struct process *process, pid_t tid);

/* Analyze the file at ADDRESS.  True if there are more rows now.  */
bool process_analyze (struct process *process, uint64_t address);

/* Set *SECTION to a section with the rows for PC, at its address in the
   process.  Its size is 0 if the code there has no rows.  False if the file
   has no rows at all.  */
bool process_find_section (const struct process *process, uint64_t pc,
                           struct sfw_section *section);

/* As unwind_source.find; FINDER is the process.  */
enum sfw_end process_find_rules (const void *finder, uint64_t address,
                                 struct unwind_rules *rules);

void process_forget_threads (struct process *process);

/* Release everything.  */
void process_free (struct process *process);

/* ---- A core file (core.c) */

struct core; /* opaque */

/* Open the core file at PATH.  EXECUTABLE is the path of the program; NULL:
   the one that the core names.  Fills in all of PROCESS, which is zeroed
   except for its policy and files.  NULL on failure.  */
struct core *core_open (struct process *process, const char *path,
                        const char *executable, struct error *err);

/* Return how many bytes are missing because the core was cut off.  */
uint64_t core_missing (const struct core *core);

/* Release CORE (may be NULL) and PROCESS.  */
void core_close (struct core *core, struct process *process);

#endif /* STACKS_PROCESS_H */
