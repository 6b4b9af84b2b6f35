/* Does the .sframe of a file say what readelf says of its CFI?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: readelf --debug-dump=frames-interp FILE | against_readelf FILE
   readelf's interpreter is a third one, next to the project's and libdw's.  Of
   every row that it prints, first and last byte are looked up in .sframe, and
   the columns of the CFA, the RA and FP compared.  A letter u there means
   both "undefined" and "no rule".  */

#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/find_sframe.h"
#include "elf/image.h"
#include "sframe/lower.h"
#include "tests/sframe_lookup.h"

enum
{
  COLUMNS_MAX = 80,
  REPORTS_MAX = 20
};

struct columns
{
  int cfa, fp, ra; /* position in a line; -1: not printed */
};

struct row
{
  uint64_t address;
  char cfa[24], fp[24], ra[24]; /* "" when there is no such column */
};

struct comparison
{
  struct sframe_decoder decoder;
  uint64_t n_rows, n_covered, n_wrong;
};

/* Names as readelf's dwarf_regnames tables give them.  */
static int
register_number (const struct arch *arch, const char *name)
{
  static const char *const amd64[]
      = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };
  if (arch == &arch_amd64)
    for (int i = 0; i < 16; i++)
      if (strcmp (name, amd64[i]) == 0)
        return i;
  if (strcmp (name, "sp") == 0)
    return arch->sp;
  bool numbered = name[0] == 'x' || name[0] == 'r';
  return numbered && name[1] >= '0' && name[1] <= '9' ? atoi (name + 1) : -1;
}

static bool
parse_cfa (const struct arch *arch, const char *text, struct frame_rule *rule)
{
  char name[24];
  int offset;
  if (sscanf (text, "%23[a-z0-9]%d", name, &offset) != 2)
    return false; /* exp */
  int reg = register_number (arch, name);
  *rule = (struct frame_rule){ .kind = RULE_REG,
                               .reg = (uint16_t)reg,
                               .offset = offset };
  return reg >= 0;
}

/* Whether SAID is what the column TEXT of register OWN means; "exp" and
   "vexp" mean anything.  */
static bool
column_agrees (const struct arch *arch, const char *text,
               struct frame_rule said, uint16_t own)
{
  bool unchanged
      = said.kind == RULE_SAME
        || (said.kind == RULE_REG && said.reg == own && said.offset == 0);
  if (text[0] == '\0' || strcmp (text, "u") == 0)
    return unchanged || said.kind == RULE_UNDEFINED;
  if (strcmp (text, "s") == 0)
    return unchanged;
  if (strstr (text, "exp") != NULL)
    return true;
  if (text[0] == 'c' && (text[1] == '+' || text[1] == '-'))
    return said.kind == RULE_DEREF_CFA && said.offset == atoi (text + 1);
  if (text[0] == 'v' && (text[1] == '+' || text[1] == '-'))
    return said.kind == RULE_CFA && said.offset == atoi (text + 1);
  int reg = register_number (arch, text);
  return reg == own
             ? unchanged
             : said.kind == RULE_REG && said.reg == reg && said.offset == 0;
}

static void
report (struct comparison *comparison, const struct row *row, uint64_t pc,
        const struct frame_row *said, const char *what)
{
  if (comparison->n_wrong++ < REPORTS_MAX)
    printf ("# 0x%" PRIx64
            ": %s: readelf has %s %s %s, .sframe CFA %d r%d%+d, "
            "FP %d r%d%+d, RA %d r%d%+d\n",
            pc, what, row->cfa, row->fp, row->ra, said->cfa.kind,
            said->cfa.reg, said->cfa.offset, said->fp.kind, said->fp.reg,
            said->fp.offset, said->ra.kind, said->ra.reg, said->ra.offset);
}

static void
compare_pc (struct comparison *comparison, const struct row *row, uint64_t pc)
{
  const struct sframe_decoder *decoder = &comparison->decoder;
  const struct arch *arch = decoder->arch;
  struct sframe_fde function;
  struct sframe_row found;
  struct frame_row said = { 0 };
  struct frame_rule cfa;
  struct error err = { 0 };
  int status = sframe_decoder_lookup (decoder, pc, &function, &found, &err);
  if (status == 0)
    return;
  comparison->n_covered++;
  lower_undo (arch, decoder->variant, &function, &found, &said);
  if (status < 0)
    report (comparison, row, pc, &said, "damaged");
  else if (said.ra.kind == RULE_UNDEFINED)
    {
      if (strcmp (row->ra, "u") != 0)
        report (comparison, row, pc, &said, "RA");
    }
  else if (parse_cfa (arch, row->cfa, &cfa)
           && !frame_rule_equal (cfa, said.cfa))
    report (comparison, row, pc, &said, "CFA");
  else if (!column_agrees (arch, row->fp, said.fp, arch->fp))
    report (comparison, row, pc, &said, "FP");
  else if (!column_agrees (arch, row->ra, said.ra, arch->ra))
    report (comparison, row, pc, &said, "RA");
}

static void
compare_row (struct comparison *comparison, const struct row *row,
             uint64_t end)
{
  if (row->cfa[0] == '\0' || end <= row->address)
    return;
  comparison->n_rows++;
  compare_pc (comparison, row, row->address);
  compare_pc (comparison, row, end - 1);
}

/* The words of LINE, which is changed.  A register's second name in brackets
   does not count.  */
static int
split (char *line, char **words)
{
  int n = 0;
  for (char *word = strtok (line, " \n"); word != NULL && n < COLUMNS_MAX;
       word = strtok (NULL, " \n"))
    if (word[0] != '(')
      words[n++] = word;
  return n;
}

static struct columns
find_columns (const struct arch *arch, char **words, int n)
{
  struct columns columns = { 1, -1, -1 };
  for (int i = 2; i < n; i++)
    {
      if (strcmp (words[i], "ra") == 0)
        columns.ra = i;
      else if (register_number (arch, words[i]) == arch->fp)
        columns.fp = i;
    }
  return columns;
}

static void
take_column (char *to, char **words, int n, int column)
{
  snprintf (to, 24, "%s", column >= 0 && column < n ? words[column] : "");
}

/* readelf prints a line per row, below the range of the FDE and the names of
   the columns.  */
static void
compare_all (struct comparison *comparison, FILE *in)
{
  char line[4096], *words[COLUMNS_MAX];
  struct columns columns = { -1, -1, -1 };
  struct row row = { 0 };
  uint64_t end = 0;
  while (fgets (line, sizeof line, in) != NULL)
    {
      const char *range = strstr (line, "pc=");
      uint64_t address, last;
      if (range != NULL
          && sscanf (range, "pc=%" SCNx64 "..%" SCNx64, &address, &last) == 2)
        {
          compare_row (comparison, &row, end);
          row = (struct row){ 0 };
          end = last;
          continue;
        }
      if (strstr (line, " CIE ") != NULL)
        {
          compare_row (comparison, &row, end);
          row = (struct row){ 0 };
          end = 0; /* its rows are not code's */
          continue;
        }
      int n = split (line, words);
      if (n > 1 && strcmp (words[0], "LOC") == 0)
        columns = find_columns (comparison->decoder.arch, words, n);
      else if (n > 1 && strlen (words[0]) == 16 && end != 0)
        {
          address = strtoull (words[0], NULL, 16);
          compare_row (comparison, &row, address < end ? address : end);
          row.address = address;
          take_column (row.cfa, words, n, columns.cfa);
          take_column (row.fp, words, n, columns.fp);
          take_column (row.ra, words, n, columns.ra);
        }
    }
  compare_row (comparison, &row, end);
}

int
main (int argc, char **argv)
{
  struct image image;
  struct comparison comparison = { .n_rows = 0 };
  struct error err = { 0 };
  if (argc != 2 || !image_open (&image, argv[1], &err)
      || !find_sframe (&image, &comparison.decoder, &err))
    {
      fprintf (stderr, "against_readelf: %s\n", err.reason);
      return 2;
    }
  compare_all (&comparison, stdin);
  printf ("# %" PRIu64 " rows, %" PRIu64 " places covered, %" PRIu64
          " wrong\n",
          comparison.n_rows, comparison.n_covered, comparison.n_wrong);
  image_close (&image);
  if (comparison.n_covered == 0)
    return 2;
  return comparison.n_wrong > 0;
}
