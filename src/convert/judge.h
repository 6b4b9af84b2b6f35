/* What an .sframe that is there is worth: can readers use it, is it right?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Linkers that glue the sections of their inputs together, or that find some
   in a crt file only, leave sections that no reader can use or that describe
   next to nothing.  */

#ifndef CONVERT_JUDGE_H
#define CONVERT_JUDGE_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/debug_source.h"
#include "elf/image.h"
#include "sframe/decode.h"
#include "sframe/verify.h"

struct judgement
{
  bool usable;    /* readers find it and can read it */
  bool right;     /* and it says nothing but what the CFI says */
  bool whole;     /* of nearly all code that could be described */
  char text[200]; /* what is wrong, if one of these is false */
};

/* Compare the .sframe behind DECODER with the CFI that WISH asks for of IMAGE,
   a linked file.  Status CFI2SFRAME_NOTHING without CFI.  */
bool judge_rows (const struct image *image,
                 const struct sframe_decoder *decoder,
                 const struct cfi_wish *wish, struct verify_result *result,
                 struct error *err);

/* The same of an object: the linker finds the section and sorts it.  */
bool judge_object_rows (const struct image *image,
                        struct verify_result *result, struct error *err);

/* Why readers, which look for PT_GNU_SFRAME and search in a sorted table,
   cannot use the .sframe behind DECODER, or NULL.  */
const char *judge_use (const struct image *image,
                       const struct sframe_decoder *decoder);

/* Judge the .sframe of IMAGE, which has one, against what a
   conversion with OPTIONS would give.  Without CFI it is taken for right.
   False when memory ran out.  */
bool judge_image (const struct image *image,
                  const struct cfi2sframe_options *options,
                  struct judgement *judgement, struct error *err);

/* Whether the .sframe of IMAGE, which has one, is to be replaced according to
   OPTIONS.  Who made it does not matter: it may have been damaged since.
   *STAYS says that it is not; what is wrong with it all the same, as
   judgement.text, is in the SIZE bytes of EXISTING then.  False when memory
   ran out.  */
bool judge_replacing (const struct image *image,
                      const struct cfi2sframe_options *options, bool *stays,
                      char *existing, size_t size, struct error *err);

#endif /* CONVERT_JUDGE_H */
