/* Samples of the stacks of processes, walked by SFrame and counted.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PROFILE_H
#define STACKS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/table.h"
#include "stacks/family.h"
#include "stacks/names.h"
#include "stacks/named_profile.h"
#include "stacks/stack_walk.h"

/* ---- The threads of a profile, and their names.

   A thread is what has one number in one process under one name of that
   process: a process that executes another program goes on as other threads.
   The thread's own name may change.  */

/* What has the number TID in process PID.  */
struct sampled_task
{
  pid_t pid, tid;
  uint64_t birth;  /* which of those with these numbers it is */
  uint32_t latest; /* thread that it was sampled as last; PROFILE_NO_THREAD */
  bool renamed;    /* OWN_NAME was reported */
  char own_name[sizeof ((struct profile_thread *)NULL)->own_name];
  struct off_cpu_wait
  {
    enum
    {
      WAIT_NONE,
      WAIT_IGNORED, /* up to its next switch */
      WAIT_BEGINS,  /* its stack is known */
      WAIT_LASTS    /* since the sample's time */
    } state;
    struct profile_sample sample;
    uint64_t losses; /* how many there were when it was looked at last */
  } wait;            /* by off_cpu */
};

/* All zeros: there are none.  */
struct sampled_threads
{
  struct profile_thread *threads; /* owned: each that was sampled */
  size_t n, capacity;
  struct key_table numbers; /* of threads, by all that makes them one */
  /* Owned: what was sampled, given a name or switched, by the numbers alone.
   */
  struct sampled_task *tasks;
  size_t n_tasks, tasks_capacity;
  struct key_table task_numbers;
};

/* The task TID of process PID, or NULL.  It stays where it is until another
   one is made.  */
struct sampled_task *sampled_threads_find (struct sampled_threads *list,
                                           pid_t pid, pid_t tid);

/* The same, which is made one if it is none; NULL when memory ran out.  */
struct sampled_task *sampled_threads_task (struct sampled_threads *list,
                                           pid_t pid, pid_t tid);

/* Thread TID of process PID begins: it is another one than that which had the
   numbers before, and is called as the thread that has made it.  */
void sampled_threads_begin (struct sampled_threads *list, pid_t pid, pid_t tid,
                            pid_t parent_pid, pid_t parent_tid);

/* Thread TID of process PID is called NAME from now on.  */
void sampled_threads_rename (struct sampled_threads *list, pid_t pid,
                             pid_t tid, const char *name);

/* ---- The profile */

struct profile
{
  char name[64];  /* of the process or the recording */
  double seconds; /* of sampling, or from the first sample to the last */
  unsigned hz;    /* samples per second of a thread that runs; 0: not known */
  struct family family; /* the processes that the stacks are of */
  struct stack_walk walk;
  struct kernel_names kernel;
  struct code_file **sampled; /* owned; each is the family's */
  size_t n_sampled, sampled_capacity;
  /* Below the root the names of processes, then calls, from the outermost one
     on.  */
  struct call_tree calls;
  struct name_list processes;
  struct profile_sample *log; /* owned: all samples, as they came */
  size_t n_log, log_capacity;
  struct sampled_threads threads;
  /* Threads have nodes of their own below those of processes.  */
  bool by_thread;
  bool off_cpu;                   /* samples are of time off the processor */
  uint64_t samples;               /* stacks */
  uint64_t weight;                /* of what was counted */
  uint64_t ends[SFW_INVALID + 1]; /* why walks ended */
  /* Off the processor: waits whose stack or end was not seen, at the end.  */
  uint64_t unknown;
  /* Of a recording: samples without registers of a 64-bit program; records
     that contradict themselves; samples of processes without any mapping of a
     file.  */
  uint64_t skipped, damaged, unmapped;
  bool without_kernel; /* samples of time in the kernel are not permitted */
  uint64_t narrow;     /* samples of 32-bit programs, which are not walked */
  uint64_t lost; /* samples that the kernel dropped, for want of room, or that
                  could not be taken */
};

/* False when memory ran out.  */
bool profile_init (struct profile *profile);
void profile_free (struct profile *profile);

/* What a sample is of: thread TID at TIME, in nanoseconds, with REGISTERS.
   CHAIN is the kernel's part of the stack, N_CHAIN words as records of
   perf_event_open(2) have it, or NULL.  */
struct profile_moment
{
  pid_t tid;
  uint64_t time;
  const struct registers *registers;
  const uint8_t *chain;
  size_t n_chain;
};

/* Walk from the registers of MOMENT, on the memory that MEMBER of the family
   has copies of, to a sample that is still to be counted.  Its weight is 1.  A
   walk that does not get to the outermost frame has a place below a node of
   its own, for its end.  */
struct profile_sample profile_place (struct profile *profile,
                                     struct member *member,
                                     const struct profile_moment *moment);

/* The node for threads that were in NODE and for which there was no processor.
   NODE if memory ran out.  */
uint32_t profile_preempted (struct profile *profile, uint32_t node);

/* Count SAMPLE, or one that is lost, if the weight of all has no room for it.
   Without memory for SAMPLE the log does not have it.  */
void profile_count (struct profile *profile,
                    const struct profile_sample *sample);

/* ---- Names */

/* Whether NAME, in a profile with functions, is one of the kernel's.  */
bool profile_is_of_kernel (const char *name);

/* Give PROFILE's addresses their names; callees are ordered by name.  WANTED:
   of symbols (names.h).  False when memory ran out.  */
bool profile_name (struct profile *profile, unsigned wanted,
                   struct named_profile *named);

/* ---- Files that are printed (printed_file.c): each replaces what had its
   name as a whole, or not at all, where it can be replaced
   (write/output_file.h, rewrite).  */

/* Whether a file called NAME can be made, as far as can be told by making one
   beside it.  INPUT: what is read meanwhile and must stay, or NULL.  */
bool printed_file_check (const char *name, const char *input,
                         struct error *err);

/* Whether A and B, as far as both can be made, will be one file, however the
   two are spelt.  */
bool printed_file_is_one (const char *a, const char *b);

/* Have PRINT print the file NAME to OUT, which can be sought in, whatever NAME
   is: a pipe gets it at the end.  */
bool printed_file_make (const char *name,
                        bool (*print) (void *context, FILE *out,
                                       struct error *err),
                        void *context, struct error *err);

#endif /* STACKS_PROFILE_H */
