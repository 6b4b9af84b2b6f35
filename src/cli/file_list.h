/* The files to work on, and what is known of each before it is opened.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_FILE_LIST_H
#define CLI_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/options.h"
#include "convert/location.h"

/* What is known of a directory's checksums, if anything is.  */
struct folder_checksums
{
  bool known;
  bool no_checksum_folders; /* as in file_location */
  size_t names;             /* where those of files that may be some begin in
                               file_list.checksums */
};

struct listed_file
{
  char *path;      /* owned */
  int problem;     /* errno when PATH could not be looked at, or 0 */
  bool found;      /* in a directory or list, not named as an operand */
  bool hard_links; /* the file has several names */
  bool has_stat;   /* identity and size are set */
  struct file_identity identity;
  uint64_t size;
  /* Of a file found in a directory: how many bytes of PATH are the operand,
     and the operand's identity.  0 for operands themselves and elements of
     lists.  */
  size_t root_length;
  struct file_identity root;
  struct folder_checksums checksums; /* of the file's directory */
};

struct file_list
{
  const struct tool_options *options; /* that name the files */
  struct listed_file *files; /* operands in the order given; files in a
                                directory operand are sorted by path */
  size_t n, room;
  struct buffer checksums; /* names of files that may be checksums; an empty
                              name ends those of a directory */
  uint64_t not_elf; /* regular files in directories without ELF magic; these
                       are not in the list */
};

/* Make LIST of the files that OPTIONS, which must outlive it, name: operands,
   elements of lists and, with -r, the ELF files in directories.  LIST is to be
   freed also after failure.  False with errno: the list of --files0-from
   cannot be read, or memory ran out.  */
bool file_list_collect (struct file_list *list,
                        const struct tool_options *options);

void file_list_free (struct file_list *list);

/* Find where FILE of LIST is.  A file that was found in a directory is looked
   up again below its operand, without following links, and must be the same
   file.  False with ERR when it cannot be reached any more.  */
bool listed_file_locate (const struct file_list *list,
                         const struct listed_file *file,
                         struct file_location *location,
                         struct cfi2sframe_error *err);

/* Close what listed_file_locate has opened; also after it failed.  */
void listed_file_leave (struct file_location *location);

#endif /* CLI_FILE_LIST_H */
