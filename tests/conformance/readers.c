/* What readers.h says of vectors, for readers.py.
   SPDX-License-Identifier: LGPL-2.1-or-later

   readers --rules: a line "reader READER RECORD ABI,ABI" for each reader, and
   "rule READER EFFECT VECTOR TRAIT" for each rule.
   readers: for each line read, "FILE ADDRESS SEGMENTS LEFT_OUT" (the number of
   executable segments of the file, and whether code is left out, 0 or 1), a
   line of "READER:EFFECT" for the rules that hold, or "broken".  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/readers.h"

static const char *const effects[] = {
  [SFRAME_NO_RULE] = "N", [SFRAME_REFUSES] = "R", [SFRAME_MISREADS] = "W"
};

static void
print_reader (enum sframe_reader reader)
{
  printf ("reader %s %s ", sframe_reader_name (reader),
          sframe_reader_record (reader));
  for (unsigned abi = 1; abi <= 4; abi++)
    if (sframe_reader_is_for (reader, arch_of_sframe_abi (abi)))
      printf ("%u,", abi);
  printf ("\n");
}

static int
print_rules (void)
{
  size_t n;
  const struct sframe_reader_rule *rules = sframe_reader_rules (&n);
  for (unsigned i = 0; i < SFRAME_N_READERS; i++)
    print_reader ((enum sframe_reader)i);
  for (size_t i = 0; i < n; i++)
    printf ("rule %s %s %s %s\n", sframe_reader_name (rules[i].reader),
            effects[rules[i].effect], rules[i].vector,
            sframe_trait_text (rules[i].trait));
  return 0;
}

static void
print_effects (const struct sframe_traits *traits)
{
  size_t n;
  const struct sframe_reader_rule *rules = sframe_reader_rules (&n);
  for (size_t i = 0; i < n; i++)
    if (sframe_traits_have (traits, rules[i].trait))
      printf ("%s:%s ", sframe_reader_name (rules[i].reader),
              effects[rules[i].effect]);
  printf ("\n");
}

static void
answer (const char *path, uint64_t address, unsigned segments, bool left_out)
{
  struct sframe_decoder decoder;
  struct sframe_traits traits = { 0 };
  struct error err;
  error_clear (&err);
  FILE *file = fopen (path, "rb");
  static uint8_t bytes[1 << 20];
  size_t size = file ? fread (bytes, 1, sizeof bytes, file) : 0;
  if (file)
    fclose (file);
  if (segments > 1)
    sframe_traits_add (&traits, SFRAME_TRAIT_CODE_SEGMENTS, 0);
  if (left_out)
    sframe_traits_add (&traits, SFRAME_TRAIT_CODE_LEFT_OUT, 0);
  if (sframe_decoder_open (&decoder, bytes, size, address, &err)
      && sframe_traits_find (&traits, &decoder, &err))
    print_effects (&traits);
  else
    printf ("broken\n");
  fflush (stdout);
}

/* The numbers of LINE, behind the name that it begins with: 0 where there are
   less than N.  */
static void
read_numbers (char *line, uint64_t *numbers, size_t n)
{
  char *at = line + strcspn (line, " ");
  *at++ = '\0';
  for (size_t i = 0; i < n; i++)
    numbers[i] = strtoull (at, &at, i == 0 ? 16 : 10);
}

int
main (int argc, char **argv)
{
  char line[1024];
  uint64_t numbers[3];
  if (argc > 1 && strcmp (argv[1], "--rules") == 0)
    return print_rules ();
  while (fgets (line, sizeof line, stdin) && strchr (line, ' ') != NULL)
    {
      read_numbers (line, numbers, 3);
      answer (line, numbers[0], (unsigned)numbers[1], numbers[2] != 0);
    }
  return 0;
}
