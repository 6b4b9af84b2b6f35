/* foreign_check LIBRARY FILE...: does another reader (foreign.h) find the same
   rows in a section as our own?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Asks for the first and the last byte of every row, and for those around
   it.  Exit status: 0 yes,
   1 no, 2 the library cannot be loaded.  */

#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "foreign.h"
#include "tracer.h"

struct check
{
  struct tracer tracer;
  struct foreign_section *foreign;
  const char *path;
  uint64_t asked, wrong;
};

static bool
same_place (const struct place *a, const struct place *b)
{
  return a->kind == b->kind
         && (a->kind == PLACE_SAME
             || (a->offset == b->offset && a->from_cfa == b->from_cfa
                 && (a->from_cfa || a->reg == b->reg)));
}

static bool
same_rule (const struct rule *a, const struct rule *b)
{
  if (a->outermost || b->outermost)
    return a->outermost == b->outermost;
  return same_place (&a->cfa, &b->cfa) && same_place (&a->ra, &b->ra)
         && same_place (&a->fp, &b->fp);
}

static void
print_place (const char *name, const struct place *place)
{
  if (place->kind == PLACE_SAME)
    fprintf (stderr, " %s same", name);
  else
    fprintf (stderr, " %s %s%s%d%+ld%s", name,
             place->kind == PLACE_MEMORY ? "*(" : "",
             place->from_cfa ? "cfa/" : "r", (int)place->reg, place->offset,
             place->kind == PLACE_MEMORY ? ")" : "");
}

/* Ask both readers for PC.  */
static void
ask (struct check *check, uint64_t pc)
{
  struct tracer_state state;
  struct rule ours = { 0 }, theirs = { 0 };
  tracer_state_at (&check->tracer, pc, &state);
  if (state.rule)
    ours = *state.rule;
  int found = foreign_rules (check->foreign, pc, &theirs);
  check->asked++;
  if (found == (state.rule != NULL)
      && (!state.rule || same_rule (&ours, &theirs)))
    return;
  if (check->wrong++ >= 5)
    return;
  fprintf (stderr, "%s: %#lx: covered %d / %d;", check->path, pc,
           state.rule != NULL, found);
  if (ours.outermost || theirs.outermost)
    fprintf (stderr, " outermost %d / %d", ours.outermost, theirs.outermost);
  print_place ("cfa", &ours.cfa);
  print_place ("/", &theirs.cfa);
  print_place ("ra", &ours.ra);
  print_place ("/", &theirs.ra);
  print_place ("fp", &ours.fp);
  print_place ("/", &theirs.fp);
  fprintf (stderr, "\n");
}

static bool
check_file (const char *path, struct check *check)
{
  struct oracle_file file;
  struct oracle_section section;
  bool segment_differs;
  check->path = path;
  if (!oracle_file_open (&file, path))
    return false;
  bool ok = oracle_find_sframe (file.elf, &section, &segment_differs)
            && tracer_open (&check->tracer, &section);
  check->foreign = ok ? foreign_open (&section) : NULL;
  ok &= check->foreign != NULL;
  if (!ok)
    fprintf (stderr, "%s: no section that both can read\n", path);
  for (size_t i = 0; ok && i < check->tracer.n_spans; i++)
    {
      const struct span *span = &check->tracer.spans[i];
      ask (check, span->start - 1);
      ask (check, span->start);
      ask (check, span->end - 1);
      ask (check, span->end);
    }
  foreign_close (check->foreign);
  oracle_file_close (&file);
  return ok;
}

int
main (int argc, char **argv)
{
  if (argc < 3 || !foreign_load (argv[1]))
    {
      fprintf (stderr, "usage: foreign_check LIBRARY FILE...\n");
      return 2;
    }
  bool ok = true;
  for (int i = 2; i < argc; i++)
    {
      struct check check = { 0 };
      ok &= check_file (argv[i], &check) && check.wrong == 0;
      printf ("%s: %lu questions, %lu different answers\n", argv[i],
              check.asked, check.wrong);
    }
  return !ok;
}
