/* What a power cut may leave of a file that is written in place.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Between two flushes a disk writes what it has in any order: of the sectors
   written since the last flush, any subset may have reached it.  All writes
   of this process are recorded (the linker puts the functions here in front
   of pwrite, ftruncate and fdatasync); afterwards files are made of such
   subsets and judged.  */

#ifndef FAULTS_POWER_CUT_H
#define FAULTS_POWER_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file_bytes
{
  uint8_t *bytes;
  size_t size;
};

/* Record from now on.  */
void power_cut_record (void);

/* Judge what cuts at any time of the recorded writing leave of OLD: OLD, NEW
   or a file that undoing makes RESTORED of.  Prints counts; false with a line
   on standard error for the first other one.  */
bool power_cut_judge (const struct file_bytes *old,
                      const struct file_bytes *new,
                      const struct file_bytes *restored);

#endif /* FAULTS_POWER_CUT_H */
