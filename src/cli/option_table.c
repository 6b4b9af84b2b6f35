/* The options of cfi2sframe: names, values, and a sentence for each.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/option_table.h"

#include "cli/option_keys.h"
#include "cli/standard_options.h"

/* An option stands here and in cfi2sframe(1).  Completions and the manual are
   made from these two; a value that an option knows stands in quotes.  */
const struct argp_option option_table[] = {
  { NULL, 0, NULL, 0, "Converting:", 1 },
  { "output", 'o', "OUT", 0, "Leave the (one) FILE alone and write OUT", 1 },
  { "dry-run", 'n', NULL, 0, "Do everything but write", 1 },
  { "format", OPTION_FORMAT, "VERSION", 0,
    "SFrame version: '3' (default), '2', '2.0' (for binutils 2.41 to 2.44) or "
    "'1'; or 'compact-unwind', for --section-only and --dump",
    1 },
  { "for", OPTION_FOR, "READERS", 0,
    "Write the version that all these readers take, and refuse files that one "
    "of them would misread; with --check, say what they would refuse: "
    "'linux', 'glibc', 'libsframe', 'libsframe-2.44', 'libsframe-2.40', "
    "separated by commas",
    1 },
  { "section-only", OPTION_SECTION_ONLY, "OUT", 0,
    "Write the raw section to OUT and leave FILE alone", 1 },
  { "detached", OPTION_DETACHED, "DIR", 0,
    "Write the section to DIR/XX/YYYY.sframe, by build-id, where sframe-stack "
    "and sframe-profile find it, and leave FILE alone",
    1 },
  { "strict", OPTION_STRICT, NULL, 0,
    "A function that has to be left out is a failure", 1 },
  { "min-coverage", OPTION_MIN_COVERAGE, "PERCENT", 0,
    "Less of the code with rows than that is a failure", 1 },
  { "skip-unconvertible", OPTION_SKIP_UNCONVERTIBLE, "no", OPTION_ARG_OPTIONAL,
    "Files that cannot be converted (32-bit, unknown machine, refused, "
    "damaged) are counted in a note and are not failures; with =no they are "
    "failures in directories, too",
    1 },
  { "no-share", OPTION_NO_SHARE, NULL, 0,
    "Store the rows of every function separately", 1 },
  { "no-split", OPTION_NO_SPLIT, NULL, 0,
    "Do not cut functions into pieces: one entry each", 1 },
  { "compact", OPTION_COMPACT, NULL, 0,
    "Let an entry hold the end of one function and the beginning of the next, "
    "where that is smaller",
    1 },
  { "return-addresses", OPTION_RETURN_ADDRESSES, "yes|no", 0,
    "Whether addresses that a call with other rules returns to have no row, "
    "so that readers do not follow a wrong one (yes, the default)",
    1 },
  { "verify-code", OPTION_VERIFY_CODE, NULL, 0,
    "Leave out the rows that --lint finds", 1 },
  /* Hidden and refused: as an abbreviation of --verify-code, --verify would
     convert files that are only to be checked.  */
  { "verify", OPTION_VERIFY, NULL, OPTION_HIDDEN, NULL, 1 },
  { "analyze", OPTION_ANALYZE, NULL, 0,
    "Make rows for code without CFI, too, from what the code does", 1 },
  { "debug-info", OPTION_DEBUG_INFO, "WHICH", 0,
    "CFI besides .eh_frame: the file's 'own' .debug_frame (default); with "
    "'auto' that of its separate debug file, if one is found on this machine; "
    "or 'none'",
    1 },
  { "debug-file", OPTION_DEBUG_FILE, "DEBUG", 0,
    "Use the .debug_frame of DEBUG, the debug file of the (one) FILE", 1 },
  { "debug-twin", OPTION_DEBUG_TWIN, "DEBUG", OPTION_ARG_OPTIONAL,
    "Bring the section headers of DEBUG, the debug file of the (one) FILE, or "
    "of each debug file that is found on this machine, in step with what FILE "
    "becomes; also with --undo and --remove",
    1 },
  { "sync", OPTION_SYNC, "WHEN", 0,
    "Flush new files to disk each as it is written ('file', the default), all "
    "at the 'end', or leave that to the system ('none')",
    1 },
  { "relocatable", OPTION_RELOCATABLE, NULL, 0,
    "Convert objects (.o, .ko) and archives of them (.a) as well", 1 },
  { "gnu", OPTION_GNU, "bugs", OPTION_ARG_OPTIONAL,
    "Write what GNU as writes for the same directives; with =bugs also where "
    "it is wrong",
    1 },
  { "convert-checksummed", OPTION_CONVERT_CHECKSUMMED, NULL, 0,
    "Change files as well that something keeps a checksum of (FIPS 140)", 1 },
  { "preserve-timestamps", 'p', NULL, 0, "Keep the time stamps of FILE", 1 },

  { NULL, 0, NULL, 0, "Existing sections:", 2 },
  { "replace", OPTION_REPLACE, "yes|no|auto", OPTION_ARG_OPTIONAL,
    "Make a new .sframe where one is ('yes', the default of the option); with "
    "'auto' only where it is wrong, describes but a part of the code with "
    "CFI, or is of no use to any reader, or to one of --for; with 'no' never",
    2 },
  { "remove", OPTION_REMOVE, NULL, 0, "Take .sframe away", 2 },
  { "undo", OPTION_UNDO, NULL, 0,
    "Give back the file as it was before its conversion, byte for byte", 2 },
  { "check", OPTION_CHECK, NULL, 0, "Compare .sframe with the CFI, PC by PC",
    2 },
  { "require", OPTION_REQUIRE, NULL, 0,
    "With --check, a file that could have an .sframe and has none is a "
    "failure",
    2 },
  { "dump", OPTION_DUMP, NULL, 0, "Print .sframe as readelf --sframe does",
    2 },
  { "compare", OPTION_COMPARE, NULL, 0,
    "Compare what the .sframe of two FILEs say", 2 },
  { "compare-formats", OPTION_COMPARE_FORMATS, NULL, 0,
    "Print what all versions of SFrame and compact unwind would take, and how "
    "many functions they can describe; change nothing",
    2 },
  { "lint", OPTION_LINT, NULL, 0,
    "Look for rows of the CFI that the code contradicts; change nothing", 2 },

  { NULL, 0, NULL, 0, "Many files:", 3 },
  { "recursive", 'r', NULL, 0,
    "Also work on the ELF files in directories, at any depth; symbolic links "
    "are not followed, files SFrame is not made for are skipped",
    3 },
  { "files0-from", OPTION_FILES0_FROM, "LIST", 0,
    "Also work on the files whose names stand in LIST, each followed by a NUL "
    "character; '-' is standard input",
    3 },
  { "one-file-system", 'x', NULL, 0,
    "With -r, stay on the file system of each directory named", 3 },
  { "exclude", OPTION_EXCLUDE, "GLOB", 0,
    "With -r, leave out files and directories whose name matches GLOB, or "
    "whose path does if GLOB has a slash; may be given several times",
    3 },
  { "hook", OPTION_HOOK, NULL, 0,
    "Do as hooks of builds do: --skip-unconvertible --replace=auto "
    "--debug-info=none --min-coverage=2 --sync=end --config; options that are "
    "given count more",
    3 },
  { "config", OPTION_CONFIG, NULL, 0,
    "Do what /etc/cfi2sframe.conf and /etc/cfi2sframe.conf.d/*.conf "
    "say, where no option does",
    3 },
  { "root", OPTION_ROOT, "DIR", 0,
    "With --config or --hook, the folder that the files are going to be "
    "installed from",
    3 },
  { "package", OPTION_PACKAGE, "NAME", 0,
    "With --config or --hook, the package that the files belong to", 3 },
  { "show-config", OPTION_SHOW_CONFIG, NULL, 0,
    "Print what --config would read and exit", 3 },
  { "jobs", 'j', "N", 0,
    "Work on N files at the same time, or by N threads on the code of one "
    "(default: as many as there are processors)",
    3 },

  { NULL, 0, NULL, 0, "What to tell:", 4 },
  { "stats", OPTION_STATS, "FORM", OPTION_ARG_OPTIONAL,
    "Print what was done, for people; with 'json' as one JSON object per "
    "file, with 'junit', 'sarif' or 'github' for what shows results of builds",
    4 },
  { "quiet", 'q', NULL, 0, "Print errors only", 4 },
  { "verbose", 'v', NULL, 0, "Print a line per file; twice: reasons too", 4 },
  STANDARD_OPTIONS_WITH_HELP ("all", OPTION_ARG_OPTIONAL,
                              "Print the usual options or, with =all, all of "
                              "them and exit")
};

const char usual_options[]
    = "Usage: cfi2sframe [OPTION...] FILE...\n"
      "Add SFrame stack-trace data to linked ELF files, in place, made from "
      "their\n"
      ".eh_frame or .debug_frame. Files that need nothing are skipped.\n"
      "\n"
      "  -o, --output=OUT       Leave the (one) FILE alone and write OUT\n"
      "  -n, --dry-run          Do everything but write\n"
      "  -r, --recursive        Also work on the ELF files in directories\n"
      "      --format=VERSION   SFrame version: 3 (default), 2, 2.0 or 1\n"
      "      --analyze          Make rows for code without CFI, too\n"
      "      --replace[=yes|no|auto]  Make a new .sframe where one is\n"
      "      --remove           Take .sframe away\n"
      "      --undo             Give back the file as it was, byte for byte\n"
      "      --check            Compare .sframe with the CFI, PC by PC\n"
      "      --dump             Print .sframe as readelf --sframe does\n"
      "      --stats[=FORM]     Print what was done, also as JSON and the "
      "like\n"
      "  -q, --quiet            Print errors only\n"
      "  -v, --verbose          Print a line per file; twice: reasons too\n"
      "  -h, --help[=all]       Print these options or all of them and exit\n"
      "  -V, --version          Print the version and exit\n"
      "\n"
      "Exit status: 0 done or nothing to do, 1 a file failed (and is as it "
      "was) "
      "or a\n"
      "check found a difference, 2 wrong usage, 3 --lint found something.\n";

const char option_documentation[]
    = "Add SFrame stack-trace data to linked ELF files, made from their "
      ".eh_frame or .debug_frame."
      "\vWithout options, FILEs are converted in place. Files that need "
      "nothing are skipped.\n\nExit status: 0 done or nothing to do, 1 a file "
      "failed (and is as it was) or a check found a difference, 2 wrong "
      "usage, 3 --lint found something.";
