/* The files to work on: operands, lists and what is found in directories.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_TREE_H
#define CLI_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "convert/location.h"
#include "cli/options.h"

/* What is known of a directory's checksums, if anything is.  */
struct tree_checksums
{
  bool known;
  bool no_folders; /* as in file_location */
  size_t names;    /* where those of files that may be some begin in
                      tree.checksums */
};

struct tree_entry
{
  char *path;      /* owned */
  int problem;     /* errno when PATH could not be looked at, or 0 */
  bool found;      /* in a directory or list, not named as an operand */
  bool hard_links; /* the file has several names */
  bool has_stat;   /* identity and size are set */
  struct file_identity identity;
  uint64_t size;
  /* Of a file found in a directory: how many bytes of PATH are the operand,
     and the operand's identity. 0 for operands themselves and elements of
     lists.  */
  size_t root_length;
  struct file_identity root;
  struct tree_checksums checksums; /* of the entry's directory */
};

struct tree
{
  struct tree_entry *entries; /* operands in the order given; files in a
                                 directory operand are sorted by path */
  size_t n_entries, room;
  struct buffer checksums; /* names of files that may be checksums; an empty
                              name ends those of a directory */
  uint64_t not_elf; /* regular files in directories without ELF magic; these
                       have no entry */
};

/* Collect the files that OPTIONS name.  Problems with single files or
   directories become entries.  False with errno: the list of --files0-from
   cannot be read, or memory ran out.  */
bool tree_collect (struct tree *tree, const struct tool_options *options);

void tree_free (struct tree *tree);

/* Find where ENTRY of TREE is.  A file that was found in a directory is looked
   up again below its operand, without following links, and must be the same
   file.  False with ERR when it cannot be reached any more.  */
bool tree_entry_locate (const struct tree *tree,
                        const struct tree_entry *entry,
                        struct file_location *location,
                        struct cfi2sframe_error *err);

/* Close what tree_entry_locate has opened; also after it failed.  */
void tree_entry_leave (struct file_location *location);

#endif /* CLI_TREE_H */
