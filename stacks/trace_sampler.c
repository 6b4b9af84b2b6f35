/* Samples that are taken by stopping the process with ptrace, for systems
   where the kernel takes none.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/sampling.h"

#include "stacks/live.h"

enum
{
  STACK_COPIED = 256 << 10 /* bytes of each stack in the first copy */
};

static void
walk_thread (void *context, struct process *process,
             const struct registers *registers)
{
  struct profile *profile = context;
  stack_walk_by_sframe (process, registers, &profile->walk);
}

/* Count the stack of THREAD, or a lost sample if it could not be stopped.  */
static void
count_thread (struct profile *profile, struct member *member,
              const struct thread *thread)
{
  const struct raw_sample raw = { .tid = thread->tid,
                                  .time = member->process.stopped_at,
                                  .registers = &thread->registers };
  if (thread->known)
    {
      char name[sizeof ((struct profile_thread *)NULL)->own_name] = "";
      live_thread_name (member->process.pid, thread->tid, name, sizeof name);
      if (name[0] != '\0')
        sampled_threads_rename (&profile->threads, member->process.pid,
                                thread->tid, name);
      struct profile_sample sample = profile_walk (profile, member, &raw);
      profile_count (profile, &sample);
    }
  else
    profile->lost += thread->waits || thread->tracer != 0;
}

/* Stop MEMBER and count the stacks of its running threads.  False if MEMBER
   has ended or may not be stopped.  */
static bool
take_member (struct profile *profile, struct member *member, struct error *err)
{
  struct process *process = &member->process;
  struct live_copy copy = { .stack_max = STACK_COPIED,
                            .running = true,
                            .walk = walk_thread,
                            .context = profile };
  if (!live_open_memory (process, err))
    return false;
  member_read_name (member);
  bool there
      = live_copy (process, &copy, err)
        || (err->status == CFI2SFRAME_NOTHING && process->n_threads == 0);
  /* A thread that waits in the kernel will go on: the process is there.  */
  for (size_t i = 0; i < process->n_threads; i++)
    there |= process->threads[i].waits;
  for (size_t i = 0; there && i < process->n_threads; i++)
    count_thread (profile, member, &process->threads[i]);
  return there;
}

bool
trace_sampler_take (struct profile *profile, pid_t pid, bool children,
                    struct error *err)
{
  struct family *family = &profile->family;
  bool there = false;
  if (children)
    family_add_children (family);
  /* Go backwards: the last member takes the place of a removed one.  */
  for (size_t i = family->n; i-- > 0;)
    {
      struct error problem;
      pid_t member = family->members[i]->process.pid;
      if (take_member (profile, family->members[i], &problem))
        there |= member == pid;
      else if (member == pid)
        *err = problem;
      else
        {
          /* If it exists, another process traces it or it has 32-bit code.  */
          profile->lost += problem.status == CFI2SFRAME_REFUSED;
          profile->of_32_bit += problem.status == CFI2SFRAME_UNSUPPORTED;
          family_remove (family, member);
        }
    }
  return there;
}
