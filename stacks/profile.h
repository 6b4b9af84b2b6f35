/* A profile: sampled stacks, counted in a tree of calls.
   SPDX-License-Identifier: LGPL-2.1-or-later

   profile.c walks the stack of each sample and counts it in the tree, whose
   nodes are addresses in files.  When sampling has ended, profile_names.c
   looks up the name of each address once and makes a struct named_profile.  */

#ifndef STACKS_PROFILE_H
#define STACKS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stacks/family.h"
#include "stacks/names.h"
#include "stacks/sampled_threads.h"
#include "stacks/stack_walk.h"

struct profile
{
  char name[64];  /* of the process or the recording */
  double seconds; /* of sampling, or from the first sample to the last */
  unsigned hz;    /* samples per second of a running thread; 0: not known */
  struct family family; /* the processes that are sampled */
  struct stack_walk walk;
  struct kernel_names kernel;
  struct code_file **sampled; /* owned; each file is the family's */
  size_t n_sampled, sampled_capacity;
  /* The children of the root are names of processes.  Below a process are the
     functions, the outermost one first.  */
  struct call_tree calls;
  struct name_list processes;
  struct profile_sample *log; /* owned: all samples in the order of arrival */
  size_t n_log, log_capacity;
  struct sampled_threads threads;
  bool by_thread;   /* each thread has a node below that of its process */
  bool off_cpu;     /* samples measure time off the processor */
  uint64_t samples; /* stacks that were walked */
  uint64_t weight;  /* the sum of all that was counted */
  uint64_t ends[SFW_INVALID + 1]; /* how many walks ended for each reason */
  /* Time off the processor: waits whose stack or whose end was not seen.  */
  uint64_t unknown_waits;
  /* Of a recording: samples without registers of a 64-bit program; records
     that contradict themselves; samples of processes without any mapping of a
     file.  */
  uint64_t without_registers, damaged, unmapped;
  bool without_kernel; /* the kernel does not permit samples of its own time */
  uint64_t of_32_bit;  /* samples of 32-bit programs, which are not walked */
  uint64_t lost; /* samples that the kernel dropped for lack of room, or that
                    could not be taken */
};

/* Keys of the tree's nodes.  In bits 48 to 63 is the index of a file in
   `sampled' plus 1, or one of the kinds below; 0 is code of an unknown file.
   In bits 0 to 47 is the offset in the file, or the kind's own number.  A key
   whose bit 63 is 0 and bit 62 (KEY_KERNEL) is 1 is an address in the kernel
   without its bits 62 and 63, which equal bit 61.  */
#define KEY_KERNEL (UINT64_C (1) << 62)
enum
{
  KEY_OFFSET_BITS = 48,
  KEY_FILES_MAX = (1 << 14) - 1,
  KEY_OF_THREAD = 1 << 15,       /* the thread's index */
  KEY_OF_PROCESS,                /* the index of the process's name */
  KEY_OF_END,                    /* why a walk ended: enum sfw_end, or ... */
  KEY_NO_CODE = SFW_INVALID + 1, /* ... a wild call, whose caller is a guess */
  KEY_PREEMPTED                  /* ... a wait for a processor */
};

static inline uint64_t
profile_key (unsigned kind, uint64_t offset)
{
  const uint64_t most = (UINT64_C (1) << KEY_OFFSET_BITS) - 1;
  return (uint64_t)kind << KEY_OFFSET_BITS | (offset & most);
}

/* Make an empty profile.  False when memory ran out.  */
bool profile_init (struct profile *profile);
void profile_free (struct profile *profile);

/* A sample as it was taken: thread TID at TIME, in nanoseconds, with
   REGISTERS.  CHAIN is the kernel's part of the stack, N_CHAIN words in the
   format of perf_event_open(2), or NULL.  */
struct raw_sample
{
  pid_t tid;
  uint64_t time;
  const struct registers *registers;
  const uint8_t *chain;
  size_t n_chain;
};

/* Walk the stack of RAW, of which MEMBER of the family has a copy, and add its
   functions to the tree.  Return a sample of weight 1 that is not counted yet.
   A walk that does not reach the outermost frame is put below a node of its
   own that says why the walk ended.  */
struct profile_sample profile_walk (struct profile *profile,
                                    struct member *member,
                                    const struct raw_sample *raw);

/* Return the child of NODE for threads that waited there for a processor; NODE
   itself if memory ran out.  */
uint32_t profile_preempted (struct profile *profile, uint32_t node);

/* Count SAMPLE.  If the sum of all weights would overflow, count it as lost
   instead.  If memory ran out, the log lacks it.  */
void profile_count (struct profile *profile,
                    const struct profile_sample *sample);

/* ---- Names (profile_names.c) */

/* Whether NAME, in a named profile, is that of a function of the kernel.  */
bool profile_is_of_kernel (const char *name);

/* Look up the names of all keys of PROFILE and make NAMED of it.  Callees are
   in the order of their names.  WANTED: which names (names.h).  False when
   memory ran out.  */
bool profile_name (struct profile *profile, unsigned wanted,
                   struct named_profile *named);

#endif /* STACKS_PROFILE_H */
