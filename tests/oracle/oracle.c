/* oracle [-v] [--absent] [--json] [--debug-file=DEBUG] FILE [CFI_FILE]: is
   every row of FILE's SFrame data what the CFI (of CFI_FILE, if given) means?
   CFI is .eh_frame, .debug_frame and the .debug_frame of DEBUG.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Exit status: 0 everything agrees, 1 something does not, 2 nothing could be
   compared.  */

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "file.h"

enum
{
  EXIT_AGREES = 0,
  EXIT_WRONG = 1,
  EXIT_NOT_COMPARED = 2,
  REPORTS_DEFAULT = 8
};

static void
print_json_string (const char *text)
{
  putchar ('"');
  for (; *text; text++)
    if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20)
      printf ("\\u%04x", (unsigned char)*text);
    else
      putchar (*text);
  putchar ('"');
}

struct field
{
  const char *key, *text;
  uint64_t value;
};

static void
print_result (const char *path, const struct referee *referee,
              bool segment_differs, const struct comparison *c, bool json)
{
  const struct field fields[]
      = { { "fdes", "FDEs", c->functions },
          { "functions_full", "covered completely", c->functions_full },
          { "functions_partial", "covered partly", c->functions_partial },
          { "functions_none", "not covered", c->functions_none },
          { "functions_silent", "not readable by libdw", c->functions_silent },
          { "entries_damaged", "damaged entries", referee->n_damaged },
          { "entries_hidden", "FDEs behind others", referee->n_hidden },
          { "entries_aside", "FDEs of .debug_frame set aside",
            referee->n_aside },
          { "sframe_functions", "SFrame functions", c->sframe_functions },
          { "sframe_rows", "SFrame rows", c->sframe_rows },
          { "ranges", "ranges compared", c->rows },
          { "bytes", "bytes with CFI", c->bytes },
          { "bytes_covered", "bytes equal", c->bytes_covered },
          { "bytes_absent", "bytes not covered", c->bytes_absent },
          { "bytes_return_address", "bytes that are return addresses",
            c->bytes_return_address },
          { "bytes_stub", "stub bytes equal", c->bytes_stub },
          { "bytes_padding", "padding bytes", c->bytes_padding },
          { "bytes_silent", "bytes unrefereed", c->bytes_silent },
          { "bytes_ambiguous", "bytes ambiguous", c->bytes_ambiguous },
          { "bytes_wrong", "bytes WRONG", c->bytes_wrong },
          { "faults", "faults of the section", c->faults },
          { "segment_differs", "PT_GNU_SFRAME differs", segment_differs } };
  if (json)
    {
      printf ("{\"file\":");
      print_json_string (path);
      for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        printf (",\"%s\":%lu", fields[i].key, fields[i].value);
      printf (",\"first_wrong\":%lu,\"fault\":", c->first_wrong);
      print_json_string (c->fault);
      printf ("}\n");
      return;
    }
  printf ("%s:", path);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (i == 0 || fields[i].value != 0)
      printf ("%s %lu %s", i == 0 ? "" : ",", fields[i].value, fields[i].text);
  printf ("\n");
  if (c->faults)
    printf ("  fault: %s\n", c->fault);
}

static int
complain (const char *path, const char *what)
{
  fprintf (stderr, "oracle: %s: %s\n", path, what);
  return EXIT_NOT_COMPARED;
}

/* Compare the SFrame section of ELF with the CFI of CFI, whose debug file is
   DEBUG, or NULL.  */
static int
compare_files (const char *path, Elf *elf, Elf *cfi, Elf *debug,
               const struct compare_options *options, bool json)
{
  struct oracle_section section;
  struct referee referee;
  struct stubs stubs;
  struct comparison result;
  const char *why;
  bool segment_differs;
  if (!oracle_find_sframe (elf, &section, &segment_differs))
    return complain (path, "no .sframe");
  if (!referee_open (&referee, cfi, debug, &why))
    return complain (path, why);
  int status = EXIT_NOT_COMPARED;
  if (!stubs_find (&stubs, cfi, referee.abi)
      || !compare_run (&referee, &stubs, &section, options, &result))
    complain (path, "out of memory");
  else
    {
      print_result (path, &referee, segment_differs, &result, json);
      status = comparison_failed (&result) ? EXIT_WRONG : EXIT_AGREES;
    }
  stubs_free (&stubs);
  referee_close (&referee);
  return status;
}

int
main (int argc, char **argv)
{
  static const struct option options[]
      = { { "json", no_argument, NULL, 'j' },
          { "absent", no_argument, NULL, 'a' },
          { "debug-file", required_argument, NULL, 'd' },
          { NULL, 0, NULL, 0 } };
  struct compare_options how = { stderr, REPORTS_DEFAULT, false };
  bool json = false;
  const char *debug_path = NULL;
  int option;
  while ((option = getopt_long (argc, argv, "v", options, NULL)) != -1)
    switch (option)
      {
      case 'v':
        how.reports = UINT32_MAX;
        break;
      case 'a':
        how.list_absent = true;
        break;
      case 'd':
        debug_path = optarg;
        break;
      case 'j':
        json = true;
        break;
      default:
        return EXIT_NOT_COMPARED;
      }
  if (argc - optind < 1 || argc - optind > 2)
    {
      fprintf (
          stderr,
          "usage: oracle [-v] [--absent] [--json] [--debug-file=DEBUG] FILE "
          "[CFI_FILE]\n");
      return EXIT_NOT_COMPARED;
    }
  const char *path = argv[optind], *cfi_path = argv[argc - 1];
  struct oracle_file file, cfi, debug = { .fd = -1 };
  if (!oracle_file_open (&file, path))
    return complain (path, "cannot be read");
  if (!oracle_file_open (&cfi, cfi_path))
    {
      oracle_file_close (&file);
      return complain (cfi_path, "cannot be read");
    }
  int status
      = debug_path && !oracle_file_open (&debug, debug_path)
            ? complain (debug_path, "cannot be read")
            : compare_files (path, file.elf, cfi.elf, debug.elf, &how, json);
  oracle_file_close (&debug);
  oracle_file_close (&cfi);
  oracle_file_close (&file);
  return status;
}
