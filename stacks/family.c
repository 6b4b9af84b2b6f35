/* A process and its descendants.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/lines.h"
#include "stacks/live.h"
#include "stacks/shortage.h"

static uint32_t
key_of_pid (struct family *family, pid_t pid)
{
  return key_of_number (&family->numbers, (uint32_t)pid);
}

static uint32_t
number_of (struct family *family, pid_t pid)
{
  return KEY_FIND (&family->numbers, key_of_pid (family, pid), i,
                   family->members[i]->process.pid == pid);
}

static struct member *
family_find (struct family *family, pid_t pid)
{
  uint32_t number = number_of (family, pid);
  return number != UINT32_MAX ? family->members[number] : NULL;
}

static void
member_free (struct member *member)
{
  live_close (&member->process);
  free (member);
}

/* Add a member with nothing but its PID.  NULL when memory ran out.  */
static struct member *
member_new (struct family *family, pid_t pid)
{
  struct member *member = calloc (1, sizeof *member);
  if (member != NULL)
    live_init (&member->process, pid);
  if (member == NULL
      || !ARRAY_ROOM (family->members, family->n + 1, &family->capacity)
      || !key_table_add (&family->numbers, key_of_pid (family, pid),
                         family->n))
    {
      if (member != NULL)
        member_free (member);
      shortage_note ();
      return NULL;
    }
  member->process.policy = family->policy;
  member->process.files = &family->files;
  member->process.recorded = family->recorded;
  family->members[family->n++] = member;
  return member;
}

void
member_read_name (struct member *member)
{
  pid_t pid = member->process.pid;
  live_thread_name (pid, pid, member->name, sizeof member->name);
}

struct member *
family_add (struct family *family, pid_t pid, struct error *err)
{
  struct member *member = member_new (family, pid);
  if (member == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  if (family->recorded)
    return member;
  member_read_name (member);
  /* The kernel also reports threads that begin or end during this loop.  So a
     member may stay longer than its process, but is not removed too early.  */
  DIR *threads = live_threads (pid);
  for (pid_t tid; threads != NULL && (tid = live_next_thread (threads)) != 0;)
    member->others += tid != pid;
  if (threads != NULL)
    closedir (threads);
  if (live_open_memory (&member->process, err)
      && live_read_mappings (&member->process, err))
    return member;
  family_remove (family, pid);
  return NULL;
}

struct member *
family_get (struct family *family, pid_t pid, struct error *err)
{
  struct member *member = family_find (family, pid);
  return member != NULL ? member : family_add (family, pid, err);
}

void
family_fork (struct family *family, pid_t parent, pid_t pid)
{
  struct error err;
  family_remove (family, pid);
  struct member *from = family_find (family, parent);
  if (from == NULL)
    return;
  struct member *member = member_new (family, pid);
  if (member == NULL)
    return;
  memcpy (member->name, from->name, sizeof member->name);
  (void)mappings_share (&member->process.mappings, &from->process.mappings);
  /* If the process has ended, it keeps the mappings of its parent.  */
  if (!family->recorded)
    live_open_memory (&member->process, &err);
}

void
family_execute (struct family *family, pid_t pid)
{
  struct error err;
  struct member *member = family_find (family, pid);
  if (member == NULL)
    return;
  member->process.jit = NULL;
  member->executing = true;
  /* The executing thread has become the only one, with the PID as its TID.  */
  member->first_ended = false;
  member->others = 0;
  mappings_forget (&member->process.mappings, &family->files.mappings);
  if (!family->recorded)
    live_open_memory (&member->process, &err);
}

void
family_rename (struct family *family, pid_t pid, const char *name)
{
  struct member *member = family_find (family, pid);
  if (member != NULL)
    snprintf (member->name, sizeof member->name, "%s", name);
}

void
family_begin_thread (struct family *family, pid_t pid)
{
  struct member *member = family_find (family, pid);
  if (member != NULL)
    member->others++;
}

void
family_end_thread (struct family *family, pid_t pid, pid_t tid)
{
  struct member *member = family_find (family, pid);
  if (member == NULL)
    return;
  if (tid == pid)
    member->first_ended = true;
  else if (member->others > 0)
    member->others--;
  if (member->first_ended && member->others == 0)
    family_remove (family, pid);
}

void
family_remove (struct family *family, pid_t pid)
{
  uint32_t number = number_of (family, pid);
  if (number == UINT32_MAX)
    return;
  struct member *last = family->members[--family->n];
  key_table_replace (&family->numbers, key_of_pid (family, pid), number,
                     key_of_pid (family, last->process.pid),
                     (uint32_t)family->n);
  member_free (family->members[number]);
  family->members[number] = last;
}

static bool
add_child (void *family, char *number)
{
  struct error ended;
  pid_t pid = (pid_t)strtol (number, NULL, 10);
  if (pid > 0)
    family_get (family, pid, &ended);
  return true;
}

void
family_add_children (struct family *family)
{
  char path[64];
  /* New members are appended, so that the loop reaches them, too.  */
  for (size_t i = 0; i < family->n; i++)
    {
      pid_t pid = family->members[i]->process.pid;
      DIR *threads = live_threads (pid);
      if (threads == NULL)
        continue;
      for (pid_t tid; (tid = live_next_thread (threads)) != 0;)
        {
          /* Numbers, each followed by a space (proc(5), "children").  */
          live_thread_path (pid, tid, "children", path);
          FILE *file = fopen (path, "re");
          if (file != NULL)
            (void)lines_take (file, ' ', add_child, family);
        }
      closedir (threads);
    }
}

void
family_read_mappings (struct family *family)
{
  struct error ended;
  for (size_t i = 0; i < family->n; i++)
    live_read_mappings (&family->members[i]->process, &ended);
}

void
family_free (struct family *family)
{
  for (size_t i = 0; i < family->n; i++)
    member_free (family->members[i]);
  free (family->members);
  key_table_free (&family->numbers);
  code_files_free (&family->files);
  *family = (struct family){ 0 };
}
