/* foreign_check LIBRARY FILE...: does another reader (foreign.h) find the same
   rows in a section as our own?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Asks for the first and the last byte of every row (in repeating blocks: for
   every byte), and for the bytes around every function.  Exit status: 0 yes,
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
same_rule (const struct row_rule *a, const struct row_rule *b)
{
  return a->base == b->base && a->load == b->load && a->offset == b->offset
         && (a->base == ROW_RULE_CFA || a->reg == b->reg);
}

static bool
same_rules (const struct row_rules *a, const struct row_rules *b)
{
  if (a->ra_undefined || b->ra_undefined)
    return a->ra_undefined == b->ra_undefined;
  return same_rule (&a->cfa, &b->cfa) && same_rule (&a->ra, &b->ra)
         && same_rule (&a->fp, &b->fp);
}

static void
print_rule (const char *name, const struct row_rule *rule)
{
  fprintf (stderr, " %s %s%s%d%+ld%s", name, rule->load ? "*(" : "",
           rule->base == ROW_RULE_CFA ? "cfa/" : "r", (int)rule->reg,
           rule->offset, rule->load ? ")" : "");
}

/* Ask both readers for PC.  */
static void
ask (struct check *check, uint64_t pc)
{
  struct tracer_state state;
  struct row_rules ours = { 0 }, theirs = { 0 };
  tracer_state_at (&check->tracer, pc, &state);
  bool covered = state.function && state.row;
  if (covered)
    rules_of_row (check->tracer.decoder, state.function, state.row, &ours);
  int found = foreign_rules (check->foreign, pc, &theirs);
  check->asked++;
  if (found == covered && (!covered || same_rules (&ours, &theirs)))
    return;
  if (check->wrong++ >= 5)
    return;
  fprintf (stderr, "%s: %#lx: covered %d / %d;", check->path, pc, covered,
           found);
  if (ours.ra_undefined || theirs.ra_undefined)
    fprintf (stderr, " outermost %d / %d", ours.ra_undefined,
             theirs.ra_undefined);
  print_rule ("cfa", &ours.cfa);
  print_rule ("/", &theirs.cfa);
  print_rule ("ra", &ours.ra);
  print_rule ("/", &theirs.ra);
  print_rule ("fp", &ours.fp);
  print_rule ("/", &theirs.fp);
  fprintf (stderr, "\n");
}

static void
ask_function (struct check *check, const struct sframe_fde *function)
{
  struct tracer_state state;
  uint64_t end = function->address + function->size;
  ask (check, function->address - 1);
  for (uint64_t pc = function->address; pc < end; pc = state.end)
    {
      ask (check, pc);
      tracer_state_at (&check->tracer, pc, &state);
      if (state.end <= pc)
        break;
      ask (check, state.end - 1);
    }
  ask (check, end);
}

/* Where the code of ELF is.  */
static void
find_code (Elf *elf, uint64_t *start, uint64_t *end)
{
  size_t n = 0;
  *start = UINT64_MAX;
  *end = 0;
  elf_getphdrnum (elf, &n);
  for (size_t i = 0; i < n; i++)
    {
      GElf_Phdr load;
      if (!gelf_getphdr (elf, (int)i, &load) || load.p_type != PT_LOAD
          || !(load.p_flags & PF_X))
        continue;
      if (load.p_vaddr < *start)
        *start = load.p_vaddr;
      if (load.p_vaddr + load.p_filesz > *end)
        *end = load.p_vaddr + load.p_filesz;
    }
}

static bool
check_file (const char *path, struct check *check)
{
  struct oracle_file file;
  struct oracle_section section;
  struct sframe_decoder decoder;
  struct error err;
  uint64_t code_start, code_end;
  error_clear (&err);
  check->path = path;
  if (!oracle_file_open (&file, path))
    return false;
  bool ok
      = oracle_find_sframe (file.elf, &section)
        && sframe_decoder_open (&decoder, section.bytes, section.size,
                                section.address, &err)
        && tracer_open (&check->tracer, &decoder, rules_machine (&decoder));
  find_code (file.elf, &code_start, &code_end);
  check->foreign = ok ? foreign_open (&decoder, code_start, code_end) : NULL;
  ok &= check->foreign != NULL;
  if (!ok)
    fprintf (stderr, "%s: no section that both can read\n", path);
  for (size_t i = 0; ok && i < check->tracer.n_functions; i++)
    ask_function (check, &check->tracer.functions[i]);
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
