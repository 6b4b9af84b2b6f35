/* foreign_check LIBRARY FILE...: does another reader (foreign.h) find the same
   rows in a section as sframe-prove's?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Exit status: 0 yes, 1 no, 2 the library cannot be loaded.  */

#include <inttypes.h>
#include <stdio.h>

#include "foreign.h"
#include "prove/prove.h"

struct check
{
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

/* Ask the other reader for PC, where our own finds RULE, or NULL.  */
static void
ask (struct check *check, uint64_t pc, const struct rule *rule)
{
  struct rule ours = rule ? *rule : (struct rule){ 0 }, theirs = { 0 };
  int found = foreign_rules (check->foreign, pc, &theirs);
  check->asked++;
  if (found == (rule != NULL) && (!rule || same_rule (&ours, &theirs)))
    return;
  if (check->wrong++ >= 5)
    return;
  fprintf (stderr, "%s: %#" PRIx64 ": covered %d / %d;", check->path, pc,
           rule != NULL, found);
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

/* Ask for the first and the last byte of each span of SECTION, and for those
   between two spans.  */
static void
ask_for_all (struct check *check, struct section *section)
{
  struct span span;
  uint64_t end = section->code_start;
  while (section_next (section, &span))
    {
      /* A signal frame without rows says nothing of registers.  */
      if (span.rule.no_rows && span.rule.signal)
        continue;
      if (end < span.start)
        {
          ask (check, end, NULL);
          ask (check, span.start - 1, NULL);
        }
      ask (check, span.start, &span.rule);
      ask (check, span.end - 1, &span.rule);
      end = span.end;
    }
  if (end < section->code_end)
    ask (check, end, NULL);
}

static bool
check_file (const char *path, struct check *check)
{
  struct file file;
  struct section section;
  check->path = path;
  if (!file_open (&file, path))
    return false;
  if (section_open (&section, &file))
    check->foreign = foreign_open (&(struct foreign_input){
        section.bytes, section.size, section.address, section.code_start,
        section.code_end, file.abi->sp, file.abi->fp });
  if (check->foreign != NULL)
    ask_for_all (check, &section);
  bool ok = check->foreign != NULL && section.fault == NULL;
  if (!ok)
    fprintf (stderr, "%s: no section that both can read\n", path);
  foreign_close (check->foreign);
  file_close (&file);
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
  elf_version (EV_CURRENT);
  for (int i = 2; i < argc; i++)
    {
      struct check check = { 0 };
      ok &= check_file (argv[i], &check) && check.wrong == 0;
      printf ("%s: %" PRIu64 " questions, %" PRIu64 " different answers\n",
              argv[i], check.asked, check.wrong);
    }
  return !ok;
}
