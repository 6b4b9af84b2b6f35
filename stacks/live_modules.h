/* The modules of a living process, and their SFrame data.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_LIVE_MODULES_H
#define STACKS_LIVE_MODULES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "stacks/process.h"

/* Append the modules of PID to those of PROCESS, without sections.  */
bool live_list_modules (struct process *process, pid_t pid, struct error *err);

/* Find the section of MODULE: process->load_section.  */
void live_load_section (struct process *process, struct module *module);

/* Open the file at PATH for reading, if it is the one that was mapped; or
   -1.  */
int live_open_file (const char *path, dev_t device, ino_t inode);

#endif /* STACKS_LIVE_MODULES_H */
