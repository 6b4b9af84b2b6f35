/* Comparing the .sframe of two files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/location.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "elf/sframe_place.h"
#include "relocatable/object_sframe.h"
#include "sframe/compare.h"

struct compared_file
{
  struct image image;
  struct object_sframe object; /* of an ET_REL file */
  struct sframe_decoder decoder;
};

/* Open the .sframe of the file at LOCATION.  */
static bool
open_sframe (struct compared_file *file, const struct file_location *location,
             struct error *err)
{
  if (!image_open_at (&file->image, location, err))
    return false;
  if (file->image.header.e_type != ET_REL)
    return sframe_decoder_open_image (&file->decoder, &file->image, err);
  if (!object_sframe_open (&file->object, &file->image, err))
    return false;
  file->decoder = file->object.decoder;
  return true;
}

/* The same; a reason names the file, one of two.  */
static bool
open_file (struct compared_file *file, const struct file_location *location,
           struct error *err)
{
  bool opened = open_sframe (file, location, err);
  if (!opened && err->file[0] == '\0')
    snprintf (err->file, sizeof err->file, "%s", location->path);
  return opened;
}

static void
close_file (struct compared_file *file)
{
  object_sframe_close (&file->object);
  image_close (&file->image);
}

/* Made-up addresses in two objects mean equal places only if the code sections
   are equal.  */
static bool
check_same_code (const struct compared_file *a, const struct compared_file *b,
                 struct error *err)
{
  bool object = a->image.header.e_type == ET_REL;
  if (object != (b->image.header.e_type == ET_REL))
    return error_set (err, CFI2SFRAME_INVALID,
                      "an object cannot be compared with a linked file");
  if (!object)
    return true;
  const struct object *m = &a->object.object, *n = &b->object.object;
  bool same = m->n_code == n->n_code;
  for (size_t i = 0; same && i < m->n_code; i++)
    {
      const struct image_section *x = &a->image.sections[m->code[i]];
      const struct image_section *y = &b->image.sections[n->code[i]];
      same = x->header.sh_size == y->header.sh_size
             && strcmp (x->name, y->name) == 0;
    }
  return same
         || error_set (err, CFI2SFRAME_INVALID,
                       "objects with different code sections");
}

/* The caller's function for differences, and how addresses are named.  */
struct compare_context
{
  const struct compared_file *a;
  void (*found) (void *context,
                 const struct cfi2sframe_difference *difference);
  void *context;
};

/* Hand a difference on, with addresses in objects as offsets in a section
   (its name is the same on both sides).  */
static void
tell (void *context, const struct cfi2sframe_difference *difference)
{
  const struct compare_context *c = context;
  const struct object *object = &c->a->object.object;
  struct cfi2sframe_difference told = *difference;
  size_t section;
  uint64_t offset;
  if (c->found == NULL)
    return;
  if (object->image
      && object_locate (object, difference->function, 0, &section, &offset))
    {
      uint64_t base = difference->function - offset;
      told.section = object->image->sections[section].name;
      told.function -= base;
      told.pc -= base;
    }
  c->found (c->context, &told);
}

/* GNU ld makes the segment as large as its inputs were.  */
static void
check_segment (struct compare_context *c, const struct compared_file *file,
               struct cfi2sframe_compare_result *result)
{
  const struct sframe_place place = sframe_place_find (&file->image);
  if (place.segment == NULL || place.segment->p_memsz <= place.size)
    return;
  char text[100];
  const struct cfi2sframe_difference difference
      = { .kind = CFI2SFRAME_FILE,
          .defect = COMPARE_SEGMENT_SIZE,
          .defective = file == c->a ? 'A' : 'B',
          .text = text };
  snprintf (text, sizeof text,
            "PT_GNU_SFRAME has %" PRIu64 " bytes, .sframe has %" PRIu64,
            (uint64_t)place.segment->p_memsz, place.size);
  result->defects[COMPARE_SEGMENT_SIZE]++;
  tell (c, &difference);
}

bool
location_compare (
    const struct file_location *a, const struct file_location *b,
    void (*found) (void *context,
                   const struct cfi2sframe_difference *difference),
    void *context, struct cfi2sframe_compare_result *result, struct error *err)
{
  struct compared_file one = { 0 }, two = { 0 };
  struct compare_context c = { .a = &one, .found = found, .context = context };
  struct padding_finder padding = { 0 };
  *result = (struct cfi2sframe_compare_result){ 0 };
  bool compared = open_file (&one, a, err) && open_file (&two, b, err)
                  && check_same_code (&one, &two, err)
                  && padding_finder_init (&padding, &one.image, err)
                  && sframe_compare (&one.decoder, &two.decoder, &padding,
                                     tell, &c, result, err);
  if (compared)
    {
      check_segment (&c, &one, result);
      check_segment (&c, &two, result);
    }
  padding_finder_free (&padding);
  close_file (&two);
  close_file (&one);
  if (compared && !compare_result_equal (result))
    return error_set (err, CFI2SFRAME_MISMATCH, "the files differ");
  return compared;
}
