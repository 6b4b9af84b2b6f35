/* A process and those that it starts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_FAMILY_H
#define STACKS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/key_table.h"
#include "stacks/code_files.h"
#include "stacks/process.h"

struct member
{
  struct process process;
  bool executing;   /* the kernel has begun to execute a program, which has not
                       run yet as far as is known */
  bool first_ended; /* the first thread has, which has the process's number */
  size_t others;    /* threads that have not ended, as far as is known */
  char name[16]; /* the kernel's name for the process: that of its program, as
                    a rule */
};

struct family
{
  struct code_files files;
  struct member **members; /* owned */
  size_t n, capacity;
  struct key_table numbers;     /* of members, by PID */
  struct section_policy policy; /* of all members */
  /* What happened is read from a recording: the members' numbers may be of
     other processes now, so nothing is asked of running ones.  */
  bool recorded;
};

/* Make PID a member, with its present mappings.  NULL if the process has
   ended, or may not be looked at.  */
struct member *family_add (struct family *family, pid_t pid,
                           struct error *err);

/* The member PID, which is made one if it is none.  */
struct member *family_get (struct family *family, pid_t pid,
                           struct error *err);

/* Next: what happened to members, reported in the order in which it happened;
   members may have ended since.  PID is PARENT's child and begins with the
   same memory ...  */
void family_fork (struct family *family, pid_t parent, pid_t pid);

/* ... executes a program: its memory is a new one ...  */
void family_execute (struct family *family, pid_t pid);

/* ... is renamed, to the name of the program that it executed or to any
   other ...  */
void family_rename (struct family *family, pid_t pid, const char *name);

/* ... makes a thread ...  */
void family_begin_thread (struct family *family, pid_t pid);

/* ... loses its thread TID, and is not a member any longer if that was the
   last one.  */
void family_end_thread (struct family *family, pid_t pid, pid_t tid);

/* PID is not a member any longer.  */
void family_remove (struct family *family, pid_t pid);

/* Add the running children of members, and the children of these.  */
void family_add_children (struct family *family);

/* Read anew what all members have mapped; those that have ended keep what was
   known.  */
void family_read_mappings (struct family *family);

/* Read the name of MEMBER, which may have changed.  */
void member_read_name (struct member *member);

void family_free (struct family *family);

#endif /* STACKS_FAMILY_H */
