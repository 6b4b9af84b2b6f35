/* A process and its descendants.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A profile is of one process and of those that the process starts.  Each is a
   member of the family.  The functions below keep the family up to date with
   events of perf.  */

#ifndef STACKS_FAMILY_H
#define STACKS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/table.h"
#include "stacks/code_files.h"
#include "stacks/process.h"

struct member
{
  struct process process;
  bool executing;   /* another program is executed and has not run yet */
  bool first_ended; /* the first thread, which has the PID as TID, has ended */
  size_t others;    /* other threads that have not ended, as far as is known */
  char name[16];    /* the kernel's name of the process */
};

struct family
{
  struct code_files files;
  struct member **members; /* owned */
  size_t n, capacity;
  struct key_table numbers;     /* of members, by PID */
  struct section_policy policy; /* of all members */
  /* The events are read from a recording.  The PIDs may be of other processes
     now, so no running process is asked.  */
  bool recorded;
};

/* Make PID a member, with its present mappings.  NULL if the process has ended
   or access is denied.  */
struct member *family_add (struct family *family, pid_t pid,
                           struct error *err);

/* Return the member PID, and add it if it is new.  */
struct member *family_get (struct family *family, pid_t pid,
                           struct error *err);

/* Events.  They are reported in the order in which they happened; members may
   have ended since.

   PARENT forks PID, which begins with a copy of PARENT's memory.  */
void family_fork (struct family *family, pid_t parent, pid_t pid);

/* PID executes another program, with new memory.  */
void family_execute (struct family *family, pid_t pid);

/* PID gets the name NAME: that of its new program, or any.  */
void family_rename (struct family *family, pid_t pid, const char *name);

/* PID starts a thread.  */
void family_begin_thread (struct family *family, pid_t pid);

/* Thread TID of PID ends.  If it was the last one, PID is removed.  */
void family_end_thread (struct family *family, pid_t pid, pid_t tid);

/* Remove PID from the family.  */
void family_remove (struct family *family, pid_t pid);

/* Add all running descendants of the members.  */
void family_add_children (struct family *family);

/* Read the mappings of all members.  Those that have ended keep theirs.  */
void family_read_mappings (struct family *family);

/* Read the name of MEMBER, again if it has changed.  */
void member_read_name (struct member *member);

void family_free (struct family *family);

#endif /* STACKS_FAMILY_H */
