/* Fuzz targets: what they are and what they share.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A target takes any bytes, runs a part of the project on them, and checks
   properties of the result; a violated one ends the process.  The same targets
   run under libFuzzer (fuzz.c) and over the files of a corpus (replay.c).  */

#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"
#include "place/choose_strategy.h"
#include "sframe/decode.h"

struct cfi_section;

/* What a target's input is made of, for the mutators.  */
enum fuzz_input
{
  FUZZ_BYTES,
  FUZZ_ELF, /* an ELF file, then `tail` bytes of options */
  FUZZ_CFI, /* `head` bytes of options, then .eh_frame */
};

struct fuzz_target
{
  const char *name;
  void (*run) (const uint8_t *bytes, size_t size);
  enum fuzz_input input;
  unsigned head, tail;
};

void fuzz_convert (const uint8_t *bytes, size_t size);
void fuzz_layout (const uint8_t *bytes, size_t size);
void fuzz_existing (const uint8_t *bytes, size_t size);
void fuzz_undo (const uint8_t *bytes, size_t size);
void fuzz_code (const uint8_t *bytes, size_t size);
void fuzz_cfi (const uint8_t *bytes, size_t size);
void fuzz_sframe (const uint8_t *bytes, size_t size);
void fuzz_object (const uint8_t *bytes, size_t size);
void fuzz_debug (const uint8_t *bytes, size_t size);
void fuzz_cunwind (const uint8_t *bytes, size_t size);
void fuzz_unwind_info (const uint8_t *bytes, size_t size);
void fuzz_unwind (const uint8_t *bytes, size_t size);
void fuzz_walk (const uint8_t *bytes, size_t size);
void fuzz_archive (const uint8_t *bytes, size_t size);
void fuzz_perfdata (const uint8_t *bytes, size_t size);

extern const struct fuzz_target fuzz_targets[]; /* ends with name NULL */

/* NULL when there is none.  */
const struct fuzz_target *fuzz_target_find (const char *name);

/* Run TARGET, with its use of time and memory checked as well.  */
void fuzz_run (const struct fuzz_target *target, const uint8_t *bytes,
               size_t size);

#define FUZZ_CHECK(condition) \
  ((condition) ? (void)0 : fuzz_fail (#condition, __FILE__, __LINE__))

/* The same for a call that fills in the error ERR.  */
#define FUZZ_DONE(call, err) \
  ((call) ? (void)0 : fuzz_fail ((err)->reason, __FILE__, __LINE__))

_Noreturn void fuzz_fail (const char *what, const char *file, int line);

/* ---- check_plan.c  */

enum
{
  /* Files that grow to more than this are not made.  */
  FUZZ_FILE_MAX = 1 << 20
};

/* Check everything that plan.h promises of PLAN for IMAGE.  */
void fuzz_check_plan (const struct plan *plan, const struct image *image);

/* The file that PLAN makes of IMAGE with SFRAME in it, by the words of
   plan.h alone; to be freed.  */
uint8_t *fuzz_make_file (const struct plan *plan, const struct image *image,
                         const void *sframe);

/* The same through inject_write, compared with fuzz_make_file's.  To be
   closed; an empty plan of more than FUZZ_FILE_MAX bytes gives -1.  */
int fuzz_write_file (const struct plan *plan, const struct image *image,
                     const void *sframe);

/* Write the file that PLAN makes of IMAGE.  Unless the self-check refuses it
   (damaged headers can lie in each other, so that the new file is not what it
   should be), undo that and compare.  */
void fuzz_check_file (const struct plan *plan, const struct image *image,
                      const void *sframe);

/* ---- check_rows.c  */

/* Read everything of DECODER's section, in every way there is.  GOOD: it comes
   from this program, so nothing may be wrong with it.  */
void fuzz_read_section (const struct sframe_decoder *decoder, bool good);

/* Run --check on DECODER's section and IMAGE.  GOOD: they must agree.  */
void fuzz_verify (const struct sframe_decoder *decoder,
                  const struct image *image, bool good);

/* ---- memory.c  */

/* Forget the peak; false where memory cannot be counted.  */
bool fuzz_memory_start (void);

/* The most bytes allocated at once since then, beyond those before.  */
size_t fuzz_memory_peak (void);

/* The processor time that this process has taken.  */
double fuzz_cpu_seconds (void);

/* The bytes allocated now.  */
size_t fuzz_memory_live (void);

/* ---- mutate.c  */

/* Change the SIZE bytes of an input of TARGET in place, in at most MAX bytes.
   PLAIN mutates without knowing anything (libFuzzer's mutator, or NULL).  */
size_t fuzz_mutate (const struct fuzz_target *target, uint8_t *bytes,
                    size_t size, size_t max, unsigned seed,
                    size_t (*plain) (uint8_t *, size_t, size_t));

#endif /* FUZZ_FUZZ_H */
