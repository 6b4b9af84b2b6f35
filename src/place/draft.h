/* The draft of a new file: its headers and its plan, as far as they are made.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A strategy first looks, mostly at a draft that is const: it says in
   draft->reason why it does not apply, and changes nothing else but
   draft->references, which grow by what a search has found.  Then it commits:
   it changes the headers and the plan.  A commit is never undone.  So whatever
   fails behind one ends the search for a strategy: memory runs out, or a
   symbol or a dynamic entry cannot follow what has moved.  What is left is a
   plan made by half, which is only freed.  */

#ifndef PLACE_DRAFT_H
#define PLACE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/sframe_place.h"
#include "place/facts.h"
#include "place/plan.h"
#include "place/references.h"

enum
{
  NEW_SECTIONS_MAX = 24, /* grow-down adds most: .sframe, one for each note
                            that it copies, and two more */
  NEW_HEADERS_MAX = 3,   /* PT_GNU_SFRAME, PT_LOAD and PT_NOTE */
  FIRST_PAGE = 4096,     /* of the file, where kernels before 6.12 look for the
                            build-id, and which is all of it in cores */
  REASON_SIZE = 192,
  GROWTH_MAX = 1 << 26 /* bytes of padding at most, because headers may ask
                          for any number */
};

struct draft
{
  const struct image *image; /* the old file */
  const struct plan_request *request;
  struct plan *plan;
  struct error *err;
  uint64_t page; /* P of doc/formats/injection */
  bool loader;   /* the image is a dynamic loader */

  /* The headers of the new file.  */
  GElf_Ehdr header;
  GElf_Phdr *segments; /* room for NEW_HEADERS_MAX more than the image has */
  size_t n_segments;
  GElf_Shdr *sections; /* sh_name of new sections is set at the end */
  size_t n_sections;
  const char *new_names[NEW_SECTIONS_MAX];
  size_t n_new_sections;

  struct references references; /* to what may move */

  size_t n_evicted; /* units that have moved */
  uint64_t *moved;  /* per old section: what is added to its address */
  uint64_t end;     /* of the new file so far */
  char *reason; /* REASON_SIZE bytes: why the last strategy did not apply */
};

/* Begin: the headers of draft->image, and a plan that changes nothing.
   Close also after failure.  */
bool draft_open (struct draft *draft);
void draft_close (struct draft *draft);

/* What came of the attempt of a strategy.  */
enum attempt
{
  DOES_NOT_APPLY = 0, /* draft->reason says why; nothing was changed */
  PLANNED,
  FAILED /* draft->err says why; no other strategy is tried */
};

/* Set the reason why a strategy does not apply.  Returns false, which is
   DOES_NOT_APPLY.  */
bool draft_impossible (const struct draft *draft, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

#endif /* PLACE_DRAFT_H */
