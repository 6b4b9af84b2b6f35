/* The objects in an archive, one after the other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/archive_members.h"

#include <stdlib.h>
#include <string.h>

enum
{
  NAME_MAX_SHOWN = 64
};

/* Members lie at any even offset; a copy is aligned as a file would be.  */
bool
archive_object_open (struct archive_object *object,
                     const struct archive_member *member, struct error *err)
{
  size_t size = (size_t)member->size;
  uint8_t *copy = malloc (size > 0 ? size : 1);
  if (copy == NULL)
    return error_set_no_memory (err);
  memcpy (copy, member->bytes, size);
  bool opened = image_open_memory (&object->image, copy, size, err);
  if (opened && object->image.header.e_type == ET_REL)
    {
      object->copy = copy;
      return true;
    }
  if (opened)
    image_close (&object->image);
  free (copy);
  return opened ? error_set (err, CFI2SFRAME_NOTHING, "not an object") : false;
}

void
archive_object_close (struct archive_object *object)
{
  image_close (&object->image);
  free (object->copy);
}

bool
archive_member_failed (const struct archive *archive,
                       const struct archive_member *member, struct error *err)
{
  char name[NAME_MAX_SHOWN];
  struct error whole = *err;
  archive_member_name (archive, member, name, sizeof name);
  return error_set_word (err, whole.status, (enum error_word)whole.word,
                         "member %s: %.180s", name, whole.reason);
}

/* What a walk has met so far.  */
struct member_visits
{
  size_t n_done, n_different;
  struct error first; /* the first difference */
};

/* Note the result of a member.  False: the walk ends.  */
static bool
visit_member (const struct archive *archive,
              const struct archive_member *member, archive_visitor *visit,
              void *context, struct member_visits *visits, struct error *err)
{
  struct archive_object object;
  char name[NAME_MAX_SHOWN];
  if (member->kind != ARCHIVE_FILE)
    return true;
  archive_member_name (archive, member, name, sizeof name);
  bool done = archive_object_open (&object, member, err);
  if (done)
    {
      done = visit (context, name, &object.image, err);
      archive_object_close (&object);
    }
  visits->n_done += done || err->status == CFI2SFRAME_MISMATCH;
  if (done || error_kind (err) == ERROR_NOTHING)
    return true;
  archive_member_failed (archive, member, err);
  if (err->status != CFI2SFRAME_MISMATCH)
    return false;
  if (visits->n_different++ == 0)
    visits->first = *err;
  return true;
}

static bool
sum_up (const struct member_visits *visits, struct error *err)
{
  error_clear (err);
  if (visits->n_done == 0)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_SFRAME,
                           "no .sframe in any member");
  if (visits->n_different == 0)
    return true;
  if (visits->n_different == 1)
    {
      *err = visits->first;
      return false;
    }
  return error_set_word (err, CFI2SFRAME_MISMATCH,
                         (enum error_word)visits->first.word,
                         "%.200s, and in %zu more", visits->first.reason,
                         visits->n_different - 1);
}

bool
archive_visit (const struct image *file, archive_visitor *visit, void *context,
               struct error *err)
{
  struct archive archive;
  struct member_visits visits = { 0 };
  if (!archive_open (&archive, file->bytes, file->size, err))
    return false;
  bool done = true;
  for (size_t i = 0; done && i < archive.n; i++)
    done = visit_member (&archive, &archive.members[i], visit, context,
                         &visits, err);
  done = done && sum_up (&visits, err);
  archive_free (&archive);
  return done;
}
