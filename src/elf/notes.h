/* Walking over notes as their readers do; the build-id, which is a note.
   SPDX-License-Identifier: LGPL-2.1-or-later

   System V gABI, "Note Section".  A note and its contents are aligned to 4
   bytes, or to 8 where the header of the section or segment says so; but Linux
   (lib/buildid.c) always takes 4.  */

#ifndef ELF_NOTES_H
#define ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

struct note
{
  uint64_t begin, end; /* within the walk's bytes, without padding */
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
  uint64_t at; /* starts with 0; where the next note begins */
};

/* A walk over the notes in SIZE bytes of IMAGE at file offset OFFSET, with
   HEADER_ALIGN, the alignment in the header that says so.  The bytes are in
   the file, as those of sections and segments are (elf/image.h).  */
struct note_walk note_walk_over (const struct image *image, uint64_t offset,
                                 uint64_t size, uint64_t header_align);

/* A walk over the notes of SEGMENT as its header says; with BY_4, as Linux
   does.  A segment other than PT_NOTE has none.  */
struct note_walk note_walk_segment (const struct image *image,
                                    const GElf_Phdr *segment, bool by_4);

/* The next note; false at the end, and where no note is, in front of SIZE.  */
bool note_next (struct note_walk *walk, struct note *note);

/* Whether NOTE is of TYPE and OWNER, a name of three letters.  */
bool note_is (const struct note *note, const char *owner, uint32_t type);

/* Notes that are put in another order take so many bytes at most.  */
enum
{
  NOTES_SPAN_MAX = 1 << 15
};

/* Whether a reader of the PT_NOTEs of a file looks for NOTE: a reader that
   aligns notes as the header says, or, with BY_4, Linux, which looks for the
   build-id.  No reader looks for the ABI tag of a PROGRAM.  */
bool note_is_wanted (const struct note *note, bool by_4, bool program);

/* Write a note without name and without contents worth reading, between notes
   that are aligned to 4 and notes that are aligned to 8.  A reader that aligns
   notes to 8 sees one note, from AT on.  A reader that aligns them to 4 begins
   4 bytes in front of it, and sees one empty note up to its name and another
   up to its end.  So both continue at the same place.  NOTE_FILLER_SIZE
   bytes.  */
enum
{
  NOTE_FILLER_SIZE = 24
};
void note_filler_write (uint8_t *at, bool big_endian);
bool note_is_filler (const uint8_t *at, bool big_endian);

/* The alignment that readers take from an alignment in a header.  */
static inline uint64_t
note_align (uint64_t header_align)
{
  return header_align == 8 ? 8 : 4;
}

/* ---- The build-id: the note that tells which code is in a file */

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

/* The build-id of IMAGE, from its sections or, in a file without sections,
   its segments.  */
struct build_id build_id_find (const struct image *image);

/* Whether A and B are one build-id; also when both are none.  */
bool build_id_equal (const struct build_id *a, const struct build_id *b);

/* Write ID to DIGITS in hexadecimal digits, by which files are found.  */
void build_id_digits (const struct build_id *id,
                      char digits[BUILD_ID_DIGITS_SIZE]);

#endif /* ELF_NOTES_H */
