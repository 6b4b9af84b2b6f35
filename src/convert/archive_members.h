/* The objects in an archive, one after the other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_ARCHIVE_MEMBERS_H
#define CONVERT_ARCHIVE_MEMBERS_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/archive.h"
#include "elf/image.h"

/* A member of an archive, open.  */
struct archive_object
{
  struct image image;
  void *copy; /* owned; what IMAGE is of */
};

/* Open MEMBER, which must be an ELF object.  CFI2SFRAME_NOT_ELF or
   CFI2SFRAME_NOTHING when it is something else.  On failure nothing needs
   closing.  */
bool archive_object_open (struct archive_object *object,
                          const struct archive_member *member,
                          struct error *err);
void archive_object_close (struct archive_object *object);

/* Put the name of MEMBER in front of the reason in ERR.  Returns false.  */
bool archive_member_failed (const struct archive *archive,
                            const struct archive_member *member,
                            struct error *err);

/* A function that is called for a member; IMAGE is of type ET_REL.  On
   CFI2SFRAME_NOTHING and CFI2SFRAME_MISMATCH the next one is looked at, other
   failures end it.  */
typedef bool archive_visitor (void *context, const char *name,
                              const struct image *image, struct error *err);

/* Call VISIT for each object in the archive FILE.  A failure names the
   member, a mismatch the first one and how many more there are.  Status
   CFI2SFRAME_NOTHING when there was nothing in any.  */
bool archive_visit (const struct image *file, archive_visitor *visit,
                    void *context, struct error *err);

#endif /* CONVERT_ARCHIVE_MEMBERS_H */
