/* Walking over notes as their readers do; and the build-id, which is a note.
   SPDX-License-Identifier: LGPL-2.1-or-later

   See System V gABI, "Note Section".  A note and its contents are aligned to 4
   bytes, or to 8 if the header of the section or segment says so.  Linux,
   however, always aligns to 4 (lib/buildid.c).  */

#ifndef ELF_NOTES_H
#define ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

struct note
{
  uint64_t begin, end; /* offsets in the walk's bytes, without padding */
  uint64_t name_size, size;
  uint32_t type;
  const uint8_t *name, *contents;
};

struct note_walk
{
  const uint8_t *bytes;
  uint64_t size;
  uint64_t align; /* 4 or 8 */
  bool big_endian;
  uint64_t at; /* offset of the next note; 0 at first */
};

/* Return a walk over the notes in SIZE bytes of IMAGE at file offset OFFSET,
   which lie in the file, as sections and segments do.  HEADER_ALIGN is the
   alignment in the header of the section or segment.  */
struct note_walk note_walk_over (const struct image *image, uint64_t offset,
                                 uint64_t size, uint64_t header_align);

/* Return a walk over the notes of SEGMENT, with the alignment in its header
   or, with BY_4, Linux's.  A segment other than PT_NOTE has no notes.  */
struct note_walk note_walk_segment (const struct image *image,
                                    const GElf_Phdr *segment, bool by_4);

/* Read the next note; returns false at the end, and where no note is.  */
bool note_next (struct note_walk *walk, struct note *note);

/* Return whether NOTE has TYPE and the name OWNER, of three letters.  */
bool note_is (const struct note *note, const char *owner, uint32_t type);

/* The most bytes of notes that are put in another order.  */
enum
{
  NOTES_SPAN_MAX = 1 << 15
};

/* Return whether a reader of PT_NOTEs looks for NOTE: with BY_4 Linux, which
   looks for the build-id; otherwise a reader that aligns as the header says.
   Such a reader may look for any note but the ABI tag of a PROGRAM.  */
bool note_is_wanted (const struct note *note, bool by_4, bool program);

/* Write a note of NOTE_FILLER_SIZE bytes that contains no information.  It
   lies between notes that are aligned to 4 and notes that are aligned to 8, so
   that all readers find the notes after it.  A reader that aligns to 8 sees
   one note, from AT on.  A reader that aligns to 4 begins 4 bytes before AT,
   and sees an empty note that ends at the filler's name, and another one up to
   the filler's end.  */
enum
{
  NOTE_FILLER_SIZE = 24
};
void note_filler_write (uint8_t *at, bool big_endian);
bool note_is_filler (const uint8_t *at, bool big_endian);

/* Return the alignment that readers use if a header contains HEADER_ALIGN.  */
static inline uint64_t
note_align (uint64_t header_align)
{
  return header_align == 8 ? 8 : 4;
}

/* ---- The build-id, the note that identifies the code of a file */

enum
{
  BUILD_ID_SIZE_MAX = 64, /* linkers write 8 to 32 bytes */
  BUILD_ID_DIGITS_SIZE = 2 * BUILD_ID_SIZE_MAX + 1
};

struct build_id
{
  const uint8_t *bytes; /* in the image's bytes */
  size_t size;          /* 0 without a build-id */
};

/* Return the build-id of IMAGE, from its sections or, in a file without
   sections, from its segments.  */
struct build_id build_id_find (const struct image *image);

/* Return whether A and B are equal, or are both missing.  */
bool build_id_equal (const struct build_id *a, const struct build_id *b);

/* Write ID to DIGITS in hexadecimal, as names of files have it.  */
void build_id_digits (const struct build_id *id,
                      char digits[BUILD_ID_DIGITS_SIZE]);

#endif /* ELF_NOTES_H */
