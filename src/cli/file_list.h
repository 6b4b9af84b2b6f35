/* The list of input files, with the identity, size and directory of each.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_FILE_LIST_H
#define CLI_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/options.h"
#include "convert/location.h"

/* The names of checksum files in a directory, once it was read.  */
struct folder_checksums
{
  bool known;
  bool no_checksum_folders; /* as in struct file_location */
  size_t names;             /* the offset in file_list.checksums of the names
                               in this directory that may be checksum files */
};

struct listed_file
{
  char *path;      /* owned */
  int problem;     /* the errno of examining PATH, or 0 */
  bool in_tree;    /* in a directory or list, not an operand */
  bool hard_links; /* the file has several hard links */
  bool has_stat;   /* `identity' and `size' are set */
  struct file_identity identity;
  uint64_t size;
  /* For files found in a directory: the length of the operand in PATH, and the
     operand's identity.  0 for operands and elements of lists.  */
  size_t root_length;
  struct file_identity root;
  struct folder_checksums checksums; /* of the file's directory */
};

struct file_list
{
  const struct tool_options *options; /* which name the files */
  struct listed_file *files; /* in the order of the operands; those in a
                                directory are sorted by path */
  size_t n, capacity;
  struct buffer checksums; /* names of possible checksum files; an empty name
                              ends those of a directory */
  uint64_t not_elf; /* the number of regular files in directories without ELF
                       magic, which are not listed */
};

/* Make LIST of the files that OPTIONS name: operands, elements of lists and,
   with -r, the ELF files in directories.  OPTIONS must outlive LIST.  The
   caller frees LIST also after failure.  False with errno if the list of
   --files0-from cannot be read, or if memory ran out.  */
bool file_list_collect (struct file_list *list,
                        const struct tool_options *options);

void file_list_free (struct file_list *list);

/* Set LOCATION to that of FILE of LIST.  Search for a file that was found in a
   directory again, from the operand on and without following links; the file
   must be the same.  False with ERR if it cannot be reached any more.  */
bool listed_file_locate (const struct file_list *list,
                         const struct listed_file *file,
                         struct file_location *location,
                         struct cfi2sframe_error *err);

/* Close what listed_file_locate has opened, also after it failed.  */
void listed_file_leave (struct file_location *location);

#endif /* CLI_FILE_LIST_H */
