/* Instructions in a file, and what has to be said of them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A line has the bytes of an instruction, what GNU objdump says of it, and
   words (insn_text.h), with " | " in between.  Lines that begin with # say
   something about those that follow.  */

#ifndef TESTS_INSN_ROWS_H
#define TESTS_INSN_ROWS_H

#include "tests/analysis/insn_text.h"
#include "tests/unit_test.h"

/* Give DECODE, which sets TEXT, the bytes of each line of the file NAME in
   this folder.  */
static inline void
check_insn_rows (const char *name, void (*decode) (const char *bytes),
                 const struct insn_text *text)
{
  const char *source = getenv ("srcdir");
  char line[300], bytes[40], words[200];
  unsigned number = 0, n = 0;
  snprintf (line, sizeof line, "%s/tests/analysis/%s",
            source != NULL ? source : ".", name);
  FILE *file = fopen (line, "r");
  assert_non_null (file);
  while (fgets (line, sizeof line, file) != NULL)
    {
      number++;
      if (line[0] == '#' || line[0] == '\n')
        continue;
      if (sscanf (line, "%39[^|]| %*[^|]| %199[^\n]", bytes, words) != 2)
        fail_msg ("%s:%u: not as others", name, number);
      for (size_t end = strlen (bytes); end > 0 && bytes[end - 1] == ' ';)
        bytes[--end] = '\0';
      test_row = number;
      decode (bytes);
      if (strcmp (text->words, words) != 0)
        fail_msg ("%s:%u: %s", name, number, text->words);
      n++;
    }
  test_row = 0;
  fclose (file);
  assert_true (n > 100);
}

#endif /* TESTS_INSN_ROWS_H */
