/* A process and those that it starts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_FAMILY_H
#define STACKS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "stacks/code_files.h"
#include "stacks/process.h"

struct family;

struct member
{
  struct process process;
  struct family *family;
  char name[16]; /* the kernel's: of the program, as a rule */
};

struct family
{
  struct code_files files;
  struct member **members; /* owned */
  size_t n, capacity;
  /* For all of them: process.h.  */
  struct section_policy policy; /* of all members */
};

/* The member PID, or NULL.  */
struct member *family_find (const struct family *family, pid_t pid);

/* Make PID a member, as it is now.  NULL if it is not there any more, or may
   not be looked at.  */
struct member *family_add (struct family *family, pid_t pid,
                           struct error *err);

/* What happened to members, in the order in which it did; they may have ended
   since.  PID is PARENT's child and has the same in its memory ...  */
void family_fork (struct family *family, pid_t parent, pid_t pid);

/* ... executes a program: it has nothing in its memory ...  */
void family_execute (struct family *family, pid_t pid);

/* ... has another name, that of a program it has executed or any ...  */
void family_rename (struct family *family, pid_t pid, const char *name);

/* ... is no member any longer.  */
void family_remove (struct family *family, pid_t pid);

/* Add the children of members that run now, and their children.  */
void family_add_children (struct family *family);

/* Read the name of MEMBER, which may have changed.  */
void member_read_name (struct member *member);

void family_free (struct family *family);

#endif /* STACKS_FAMILY_H */
