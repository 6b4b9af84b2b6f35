/* Where functions may start.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_SEEDS_H
#define ANALYSIS_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/image_facts.h"

/* Call FOUND for what is called when the image is loaded and unloaded:
   DT_INIT, DT_INIT_ARRAY and their kind (System V ABI, "Initialization and
   Termination Functions").  Stops and returns false when FOUND does.  */
bool seeds_from_initialisers (const struct image_facts *facts,
                              bool (*found) (void *argument, uint64_t address),
                              void *argument);

/* Call FOUND likewise for what relocations put into memory, and for the
   addresses that code computes.  Such words and addresses may be anything.  */
bool seeds_from_pointers (const struct image_facts *facts,
                          bool (*found) (void *argument, uint64_t address),
                          void *argument);

/* Call FOUND likewise for words of data that can be addresses of code: where
   nothing is relocated, nothing tells them apart from numbers.  */
bool seeds_from_words (const struct image_facts *facts,
                       bool (*found) (void *argument, uint64_t address),
                       void *argument);

/* Where the program begins, without the frame of a call; 0 for libraries.  */
uint64_t seeds_program_entry (const struct image *image);

#endif /* ANALYSIS_SEEDS_H */
