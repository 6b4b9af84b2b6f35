/* What the tests of processes share: their files, and what they have mapped.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TESTS_STACKS_PROCESS_FILES_H
#define TESTS_STACKS_PROCESS_FILES_H

#include "stacks/process.h"
#include "tests/unit_test.h"

/* The files of all processes in a test program.  */
static struct code_files files;

static int
forget_files (void **state)
{
  (void)state;
  code_files_free (&files);
  return 0;
}

#define FIXTURE_TEST(name) TEST_BETWEEN (NULL, forget_files, name)

/* From START up to END, PATH is mapped from OFFSET on; NULL: no file.  */
static inline void
assert_mapping (const struct process *process, uint64_t start, uint64_t end,
                uint64_t offset, const char *path)
{
  const struct mapping *mapping = mappings_at (&process->mappings, start);
  assert_non_null (mapping);
  assert_ptr_equal (mappings_at (&process->mappings, end - 1), mapping);
  assert_int_equal (mapping->start, start);
  assert_int_equal (mapping->end, end);
  assert_int_equal (process_is_file_at (process, start), path != NULL);
  if (path == NULL)
    return;
  assert_int_equal (mapping->offset, offset);
  assert_string_equal (mapping->file->path, path);
}

#endif /* TESTS_STACKS_PROCESS_FILES_H */
