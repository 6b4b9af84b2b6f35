/* sframe-prove FILE [ORIGINAL]: the comparison of the section with the CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "prove.h"

enum
{
  SHOWN_MAX = 5 /* differences that are printed */
};

struct proof
{
  struct section section;
  struct span span; /* the last span read from the section */
  bool more;        /* there is such a span */
  uint64_t covered; /* bytes of code for which the section has rows */
  uint64_t equal, wrong;
  /* Bytes without rows: SFrame cannot express their rule, or it can.  */
  uint64_t not_expressible, left_out;
};

static bool
next_span (struct proof *proof)
{
  proof->more = section_next (&proof->section, &proof->span);
  if (proof->more)
    proof->covered += proof->span.end - proof->span.start;
  return proof->more;
}

static bool
same_place (const struct place *a, const struct place *b)
{
  if (a->kind == PLACE_UNKNOWN || a->kind != b->kind)
    return false;
  return a->kind == PLACE_SAME
         || (a->from_cfa == b->from_cfa && a->offset == b->offset
             && (a->from_cfa || a->reg == b->reg));
}

/* Whether PLACE says that register number OWN is unchanged.  DW_CFA_register
   with the same register twice says so explicitly.  */
static bool
is_unchanged (const struct place *place, unsigned own)
{
  return place->kind == PLACE_SAME
         || (place->kind == PLACE_VALUE && !place->from_cfa
             && place->reg == own && place->offset == 0);
}

/* Whether A and B are the same place for register number OWN.  */
static bool
same_register (const struct place *a, const struct place *b, unsigned own)
{
  return (is_unchanged (a, own) && is_unchanged (b, own)) || same_place (a, b);
}

/* Whether ROW has the signature of the RA that CFI has, if CFI has one.  */
static bool
same_signature (const struct rule *cfi, const struct rule *row)
{
  return cfi->signature == SIGNATURE_UNKNOWN
         || cfi->signature == row->signature;
}

static bool
same_rule (const struct rule *cfi, const struct rule *row,
           const struct abi *abi)
{
  if (cfi->signal != row->signal)
    return false;
  if (row->signal && row->no_rows)
    return true;
  if (cfi->outermost || row->outermost)
    return cfi->outermost == row->outermost;
  return same_place (&cfi->cfa, &row->cfa)
         && same_register (&cfi->ra, &row->ra, abi->ra)
         && same_signature (cfi, row)
         && same_register (&cfi->fp, &row->fp, abi->fp);
}

/* For CFI that has no rule for FP: whether ROW disagrees with CFI in the kind
   of frame, the RA, or a CFA based on a register other than FP.  Rows that do
   not disagree count as without CFI.  */
static bool
contradicts (const struct rule *cfi, const struct rule *row,
             const struct abi *abi)
{
  bool by_fp = row->cfa.kind == PLACE_VALUE && row->cfa.reg == abi->fp;
  return cfi->signal != row->signal || cfi->outermost != row->outermost
         || (!cfi->outermost
             && (!same_register (&cfi->ra, &row->ra, abi->ra)
                 || !same_signature (cfi, row)))
         || (!cfi->outermost && !by_fp && !same_place (&cfi->cfa, &row->cfa));
}

static bool
is_expressible (const struct rule *rule)
{
  return rule->outermost || rule->signal
         || (rule->cfa.kind != PLACE_UNKNOWN && rule->ra.kind != PLACE_UNKNOWN
             && rule->fp.kind != PLACE_UNKNOWN);
}

static void
print_place (const char *name, const struct place *place)
{
  bool memory = place->kind == PLACE_MEMORY;
  fprintf (stderr, " %s=%s", name, memory ? "[" : "");
  if (place->kind == PLACE_SAME || place->kind == PLACE_UNKNOWN)
    fputs (place->kind == PLACE_SAME ? "same" : "?", stderr);
  else if (place->from_cfa)
    fprintf (stderr, "cfa%+" PRId64, place->offset);
  else
    fprintf (stderr, "r%u%+" PRId64, place->reg, place->offset);
  if (memory)
    fputc (']', stderr);
}

static void
print_rule (const char *who, const struct rule *rule)
{
  static const char *const signatures[]
      = { [SIGNATURE_A] = " signed-a", [SIGNATURE_B] = " signed-b" };
  fprintf (stderr, " %s", who);
  if (rule->outermost)
    fprintf (stderr, " outermost");
  else
    {
      print_place ("cfa", &rule->cfa);
      print_place ("ra", &rule->ra);
      print_place ("fp", &rule->fp);
      if (rule->signature >= SIGNATURE_A)
        fputs (signatures[rule->signature], stderr);
    }
  if (rule->signal)
    fprintf (stderr, " signal");
}

static void
compare_rules (struct proof *proof, const struct rule *cfi, uint64_t pc,
               uint64_t n)
{
  static unsigned shown;
  const struct abi *abi = proof->section.abi;
  if (same_rule (cfi, &proof->span.rule, abi))
    {
      proof->equal += n;
      return;
    }
  if (cfi->fp_unspecified && !contradicts (cfi, &proof->span.rule, abi))
    return;
  proof->wrong += n;
  if (shown++ >= SHOWN_MAX)
    return;
  fprintf (stderr, "%#" PRIx64 ":", pc);
  print_rule ("CFI", cfi);
  print_rule ("; SFrame", &proof->span.rule);
  fprintf (stderr, "\n");
}

/* Compare SPAN of the CFI with the spans of the section there.  */
static void
compare_span (struct proof *proof, const struct span *span)
{
  uint64_t at = span->start;
  while (at < span->end)
    {
      while (proof->more && proof->span.end <= at)
        next_span (proof);
      uint64_t end = span->end;
      if (proof->more && proof->span.start <= at)
        {
          if (proof->span.end < end)
            end = proof->span.end;
          compare_rules (proof, &span->rule, at, end - at);
        }
      else
        {
          if (proof->more && proof->span.start < end)
            end = proof->span.start;
          if (is_expressible (&span->rule))
            proof->left_out += end - at;
          else
            proof->not_expressible += end - at;
        }
      at = end;
    }
}

static bool
same_bytes (const struct file *file, const struct file *original,
            uint64_t address, uint64_t size)
{
  const uint8_t *old = file_at (original, address, size);
  const uint8_t *now = file_at (file, address, size);
  return old != NULL && now != NULL && memcmp (old, now, size) == 0;
}

/* Whether FILE has the code of ORIGINAL.  Bytes that a conversion moves may
   lie in an executable segment, so sections are compared if there are any.  */
static bool
same_code (const struct file *file, const struct file *original)
{
  Elf_Scn *section = NULL;
  bool compared = false, same = true;
  uint64_t room = original->size;
  while ((section = elf_nextscn (original->elf, section)) != NULL)
    {
      GElf_Shdr header;
      if (gelf_getshdr (section, &header) == NULL
          || header.sh_type != SHT_PROGBITS
          || !(header.sh_flags & SHF_EXECINSTR))
        continue;
      compared = true;
      /* A limit: overlapping sections could cause any number of
         comparisons.  */
      room -= header.sh_size <= room ? header.sh_size : room;
      same &= room > 0
              && same_bytes (file, original, header.sh_addr, header.sh_size);
    }
  for (size_t i = 0; !compared && i < original->n_loads; i++)
    if (original->loads[i].code)
      same &= same_bytes (file, original, original->loads[i].address,
                          original->loads[i].size);
  if (!same)
    {
      fputs ("sframe-prove: ", stderr);
      print_path (stderr, file->path);
      fputs (": its code is not that of ", stderr);
      print_path (stderr, original->path);
      putc ('\n', stderr);
    }
  return same;
}

/* Compare FILE's section with the CFI of ORIGINAL.  */
static bool
compare_files (struct proof *proof, const struct file *file,
               const struct file *original)
{
  struct cfi *cfi = cfi_open (original);
  const char *problem = cfi != NULL ? cfi_problem (cfi) : "out of memory";
  for (size_t i = 0; problem == NULL && i < original->n_loads; i++)
    {
      struct span span;
      const struct load *load = &original->loads[i];
      uint64_t pc = load->address, end = pc + load->size;
      while (load->code && cfi_next (cfi, &pc, end, &span))
        compare_span (proof, &span);
    }
  if (problem == NULL)
    problem = cfi_problem (cfi);
  cfi_close (cfi);
  if (problem != NULL)
    complain (original->path, problem);
  return problem == NULL && same_code (file, original);
}

/* Whether the section itself is well-formed.  Otherwise print the fault.  */
static bool
section_is_whole (const struct proof *proof, const struct file *file)
{
  const struct section *section = &proof->section;
  const char *fault = section->fault;
  if (fault == NULL && section->n_rows != section->n_rows_in_header)
    fault = "the header has another number of rows";
  char text[160];
  if (fault == NULL)
    return true;
  snprintf (text, sizeof text, ".sframe at %#zx: %s", section->fault_at,
            fault);
  complain (file->path, section->bytes == NULL ? fault : text);
  return false;
}

static void
print_digest (const char *what, const struct file *file)
{
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash (&digest, XXH3_128bits (file->bytes, file->size));
  printf (" %s xxh128:", what);
  for (size_t i = 0; i < sizeof digest.digest; i++)
    printf ("%02x", digest.digest[i]);
}

static void
print_line (const struct proof *proof, const struct file *file,
            const struct file *original)
{
  uint64_t without = proof->covered - proof->equal - proof->wrong;
  print_path (stdout, file->path);
  putchar (':');
  print_digest ("file", file);
  if (original != file)
    print_digest ("original", original);
  printf (" equal %" PRIu64 " not-expressible %" PRIu64 " left-out %" PRIu64
          " without-cfi %" PRIu64 " wrong %" PRIu64 "\n",
          proof->equal, proof->not_expressible, proof->left_out, without,
          proof->wrong);
}

static int
prove (const char *path, const char *original_path)
{
  struct file file, other;
  struct file *original = &file;
  struct proof proof = { 0 };
  if (!file_open (&file, path))
    return 2;
  if (original_path != NULL)
    {
      original = &other;
      if (!file_open (original, original_path))
        {
          file_close (&file);
          return 2;
        }
    }
  bool proved = section_open (&proof.section, &file);
  if (proved)
    {
      /* Read the section to its end, even if it cannot be compared: faults and
         the number of rows are those of the whole section.  */
      next_span (&proof);
      proved = compare_files (&proof, &file, original);
      while (proof.more)
        next_span (&proof);
    }
  proved &= section_is_whole (&proof, &file);
  if (proof.section.bytes != NULL)
    print_line (&proof, &file, original);
  if (original != &file)
    file_close (original);
  file_close (&file);
  return proved && proof.wrong == 0 ? 0 : 1;
}

static const char *paths[2];

enum
{
  OPTION_USAGE = 256
};

static const struct argp_option options[]
    = { { "version", 'V', NULL, 0, "Print the version and exit", 0 },
        { "help", 'h', NULL, 0, "Print this help and exit", 0 },
        { "usage", OPTION_USAGE, NULL, 0, "Print the options alone and exit",
          0 },
        { 0 } };

static error_t
parse (int key, char *text, struct argp_state *state)
{
  if (key == ARGP_KEY_ARG && state->arg_num < 2)
    paths[state->arg_num] = text;
  else if (key == ARGP_KEY_END && paths[0] == NULL)
    argp_error (state, "no file given");
  else if (key == 'V')
    {
      puts ("sframe-prove " PACKAGE_VERSION);
      exit (0);
    }
  else if (key == 'h')
    argp_state_help (state, stdout, ARGP_HELP_STD_HELP);
  else if (key == OPTION_USAGE)
    argp_state_help (state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
  else if (key != ARGP_KEY_END)
    return ARGP_ERR_UNKNOWN;
  return 0;
}

int
main (int argc, char **argv)
{
  static const struct argp parser
      = { .options = options,
          .parser = parse,
          .args_doc = "FILE [ORIGINAL]",
          .doc = "Prove that each row of FILE's .sframe says what its "
                 "call-frame information says, or that of ORIGINAL, which "
                 "has to have the same code."
                 "\vExit status: 0 proved, 1 not proved, 2 wrong usage or a "
                 "file that cannot be read." };
  argp_err_exit_status = 2;
  /* argp's own --help has no short form.  */
  if (argp_parse (&parser, argc, argv, ARGP_NO_HELP, NULL, NULL) != 0)
    {
      fputs ("sframe-prove: out of memory\n", stderr);
      return 2;
    }
  elf_version (EV_CURRENT);
  int status = prove (paths[0], paths[1]);
  return fflush (stdout) == 0 && !ferror (stdout) ? status : 2;
}
