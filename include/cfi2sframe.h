/* libcfi2sframe: SFrame stack-trace data from the CFI of linked ELF files.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Conventions.  Sizes and offsets are bytes.  Functions that can fail return
   false (or NULL) and fill in the `struct cfi2sframe_error` they were given;
   on failure no output file exists and the input is as it was.  Different
   files may be converted by different threads at the same time: all that the
   library keeps for the whole process is a list of the temporary files that
   conversions under way have made, whether cfi2sframe_discard_temporaries was
   called, after which none begins, and what cfi2sframe_flush has to flush.  It
   never prints.  Strings it returns
   are constants unless said otherwise.

   Structures grow at their end only.  Those that a caller owns start with
   their size, and have a function cfi2sframe_NAME_init that sets it, and
   everything else to 0, so that program and library may be of different
   versions: what the program does not know is not written, what the library
   does not know is 0.  A structure that was never initialised is
   CFI2SFRAME_INVALID, and nothing is written to it.  cfi2sframe_error stays as
   it is.  */

#ifndef CFI2SFRAME_H
#define CFI2SFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
#  define CFI2SFRAME_BEGIN \
    extern "C"             \
    {
#  define CFI2SFRAME_END }
#else
#  define CFI2SFRAME_BEGIN
#  define CFI2SFRAME_END
#endif
#if defined __GNUC__
#  define CFI2SFRAME_API __attribute__ ((visibility ("default")))
#else
#  define CFI2SFRAME_API
#endif

CFI2SFRAME_BEGIN

/* What kind of failure it was.  */
enum cfi2sframe_status
{
  CFI2SFRAME_OK,
  CFI2SFRAME_IO, /* a system call failed, or nothing can be written there */
  CFI2SFRAME_NO_MEMORY,
  CFI2SFRAME_NOT_ELF,     /* no ELF file at all */
  CFI2SFRAME_MALFORMED,   /* an ELF file or section that contradicts itself */
  CFI2SFRAME_UNSUPPORTED, /* well-formed, but not for this program */
  CFI2SFRAME_REFUSED,     /* could be harmed by the change */
  CFI2SFRAME_NOTHING,     /* there is nothing to do with this file */
  CFI2SFRAME_MISMATCH,    /* a check found a difference */
  CFI2SFRAME_INVALID,     /* wrong use of the library */
  /* Something keeps a checksum of its contents (leave_checksummed).  */
  CFI2SFRAME_CHECKSUMMED
};

/* The reason of a failure, in one sentence.  */
struct cfi2sframe_error
{
  enum cfi2sframe_status status;
  bool has_offset;
  uint8_t word;     /* for cfi2sframe_error_code () */
  uint64_t offset;  /* in the file (or section) at fault, if has_offset */
  char file[256];   /* the file at fault, when it is not the input itself */
  char reason[256]; /* no newline, no full stop */
};

/* A stable word for the reason of ERR, like "appended-data", for programs
   and scripts; NULL if nothing failed.  */
CFI2SFRAME_API const char *
cfi2sframe_error_code (const struct cfi2sframe_error *err);

/* Variants of the format.  */
enum cfi2sframe_format
{
  CFI2SFRAME_V3,   /* binutils 2.46 and later */
  CFI2SFRAME_V2,   /* binutils 2.45, glibc 2.42 */
  CFI2SFRAME_V2_0, /* V2 of binutils 2.41 to 2.44: without the PCREL flag */
  CFI2SFRAME_V1    /* binutils 2.40 */
};

/* Readers of SFrame, as bits.  What each takes, refuses and misreads was found
   out by asking it.  */
enum cfi2sframe_reader
{
  CFI2SFRAME_READER_LINUX = 1,     /* patches "unwind user sframe", V3 */
  CFI2SFRAME_READER_GLIBC = 2,     /* 2.42 to 2.44, V2 */
  CFI2SFRAME_READER_LIBSFRAME = 4, /* binutils 2.46 and later: V2, V3 */
  CFI2SFRAME_READER_LIBSFRAME_2_44 = 8,
  CFI2SFRAME_READER_LIBSFRAME_2_40 = 16
};

/* Where CFI is read from besides .eh_frame.  */
enum cfi2sframe_debug_info
{
  CFI2SFRAME_DEBUG_INFO_OWN,  /* the file's own .debug_frame */
  CFI2SFRAME_DEBUG_INFO_AUTO, /* or that of its debug file, if it is here */
  CFI2SFRAME_DEBUG_INFO_NONE
};

/* When a new file is flushed to disk.  */
enum cfi2sframe_sync
{
  /* Before it gets its name, and that name when it has it: whatever happens,
     the name is that of the old file or of the complete new one, and a file
     that was reported survives.  */
  CFI2SFRAME_SYNC_FILE,
  /* By cfi2sframe_flush, after which all of them survive.  A power failure
     before that may leave files that are empty or cut off.  */
  CFI2SFRAME_SYNC_END,
  CFI2SFRAME_SYNC_NONE /* when the system likes, as after cp */
};

/* How to convert.  A program keeps its meaning when members are added: 0 is
   what there was before.  A library that is newer than the program takes those
   the program does not know for 0; one that is older refuses, with
   CFI2SFRAME_INVALID, those it does not know unless they are 0.  */
struct cfi2sframe_options
{
  size_t size; /* set by cfi2sframe_options_init */
  enum cfi2sframe_format format;
  bool no_share;       /* store every function's rows separately */
  bool compact;        /* FDEs may hold several functions, where smaller */
  bool strict;         /* a function that is left out is a failure */
  bool replace;        /* make a new .sframe where there is one already */
  bool preserve_times; /* the output gets the input's time stamps */
  bool dry_run;        /* do everything but write */
  bool relocatable;    /* convert .o, .ko and .a files, too */
  bool gnu;            /* the rows GNU as writes, right where it is wrong */
  bool gnu_bugs;       /* with gnu: wrong where it is wrong */
  /* Less of the code with rows than so many percent is a failure.  */
  double min_coverage;
  /* Make a new .sframe where there is one that is wrong, describes much less
     code than a new one would, or is of no use to any reader, or to one of
     `readers`.  */
  bool replace_bad;
  bool no_split;    /* no FDE begins inside a function */
  bool verify_code; /* leave out rows that the code contradicts */
  bool analyze;     /* rows for code without CFI, from the code itself */
  /* Rows also for addresses where a call with other rules returns to.  */
  bool keep_return_addresses;
  enum cfi2sframe_debug_info debug_info;
  const char *debug_file; /* with .debug_frame, and of the same build; or
                             NULL */
  /* Do not change a file that a note in it, or a file near it, has a checksum
     of: FIPS 140 has libraries compare themselves when they start.  */
  bool leave_checksummed;
  /* Bits of enum cfi2sframe_reader.  If not 0, the newest format that all of
     them take is written, whatever `format' says; a file for which one of them
     would refuse or misread the section is CFI2SFRAME_REFUSED, and readers
     that share no format are CFI2SFRAME_INVALID.  For a check: what they would
     refuse, too, is CFI2SFRAME_MISMATCH.  */
  unsigned readers;
  enum cfi2sframe_sync sync;
  /* Threads that follow code, with analyze or verify_code; 0 is one.  The
     output does not depend on their number.  */
  unsigned threads;
};

/* Number of reasons for leaving code out.  Reasons are small numbers from 1.
   Their order may change between releases, their names do not.  */
#define CFI2SFRAME_REASONS_MAX 64

/* What was done, also when it failed half-way.  */
struct cfi2sframe_report
{
  size_t size;          /* set by cfi2sframe_report_init */
  const char *machine;  /* "amd64", "aarch64", ... or NULL */
  const char *strategy; /* how the section was injected, or NULL */
  uint64_t eh_frame_bytes, eh_frame_hdr_bytes, sframe_bytes;
  uint64_t input_bytes, output_bytes; /* the whole files */
  uint64_t cfi_functions;             /* FDEs in .eh_frame and .debug_frame */
  uint64_t functions_covered;         /* FDEs with every byte covered */
  uint64_t sframe_fdes, sframe_fres;
  /* Bytes of code that have rows; bytes of code with CFI that have none.  */
  uint64_t bytes_covered, bytes_left_out;
  uint64_t left_out[CFI2SFRAME_REASONS_MAX]; /* functions by first reason */
  /* Offset in .eh_frame, or in .debug_frame with debug_damage, when damage[0]
     is set.  */
  uint64_t first_damage;
  char damage[96]; /* what is wrong there, or "" */
  /* The input is signed or sealed, and the output is not: security.ima,
     fs-verity.  */
  bool signed_ima, sealed_verity;
  /* The code of the file, with CFI or without: what bytes_covered is to be
     compared with.  */
  uint64_t executable_bytes;
  /* What is wrong with the .sframe that was there and stays, or "".  */
  char existing[200];
  /* Instructions without a row although their function counts as covered:
     they are the return address of a call with other rules.  */
  uint64_t return_addresses;
  /* The input has attributes (chattr(1)) that the file replacing it cannot
     have.  */
  bool flags_lost;
  bool archive; /* the input is an archive of objects (.a) */
  /* With analyze: code without CFI for which rows were made.  They count as
     covered, too.  */
  uint64_t functions_from_code, bytes_from_code;
  /* Of cfi_functions, those that a .debug_frame describes: the file's own, and
     that of the debug file.  */
  uint64_t debug_frame_functions, debug_file_functions;
  uint64_t debug_frame_bytes; /* of both, without compression */
  /* FDEs there for code that .eh_frame describes, too, so that they are not
     used, and how many of them say something else.  */
  uint64_t set_aside, contradictions;
  char debug_file[256]; /* the one that was used, or "" */
  char cfi_note[200]; /* why CFI that is there, or code, is not used; or "" */
  bool debug_damage;  /* first_damage is an offset in .debug_frame */
};

/* The version of the library, like "0.2.0".  */
CFI2SFRAME_API const char *cfi2sframe_version (void);

/* Stable identifier ("cfa-expression") and explanation of a reason in
   cfi2sframe_report; NULL for any other number.  */
CFI2SFRAME_API const char *cfi2sframe_reason_name (unsigned reason);
CFI2SFRAME_API const char *cfi2sframe_reason_text (unsigned reason);

/* Convert the file INPUT.  With OUTPUT NULL the file is replaced, otherwise
   OUTPUT is written and INPUT left alone.  Status CFI2SFRAME_NOTHING or
   CFI2SFRAME_NOT_ELF: there is nothing to convert, ERR says why, and OUTPUT
   is a copy of INPUT.  */
CFI2SFRAME_API bool
cfi2sframe_convert (const char *input, const char *output,
                    const struct cfi2sframe_options *options,
                    struct cfi2sframe_report *report,
                    struct cfi2sframe_error *err);

/* Write the section alone, as cfi2sframe_convert would inject it into INPUT,
   to the file OUTPUT.  */
CFI2SFRAME_API bool
cfi2sframe_write_section (const char *input, const char *output,
                          const struct cfi2sframe_options *options,
                          struct cfi2sframe_report *report,
                          struct cfi2sframe_error *err);

/* Make the section alone, from an ELF file of SIZE bytes in memory.  *SECTION
   is to be freed by the caller.  *ADDRESS is where the section counts its
   addresses from: the place cfi2sframe_convert would give it.  */
CFI2SFRAME_API bool cfi2sframe_build_section (
    const void *elf, size_t size, const struct cfi2sframe_options *options,
    void **section, size_t *section_size, uint64_t *address,
    struct cfi2sframe_report *report, struct cfi2sframe_error *err);

/* Give back the file as it was before its conversion, byte for byte.  Status
   CFI2SFRAME_NOTHING when it has no undo record and no .sframe,
   CFI2SFRAME_UNSUPPORTED when it has an .sframe without a record,
   CFI2SFRAME_REFUSED when it was changed since.  OUTPUT as for
   cfi2sframe_convert, except that nothing is written when there is nothing to
   do.  */
CFI2SFRAME_API bool cfi2sframe_undo (const char *input, const char *output,
                                     const struct cfi2sframe_options *options,
                                     struct cfi2sframe_error *err);

/* Take .sframe away, whoever made it: undo where that leaves none, otherwise
   the headers go and the bytes stay.  An object or archive that has one is
   CFI2SFRAME_UNSUPPORTED.  */
CFI2SFRAME_API bool
cfi2sframe_remove (const char *input, const char *output,
                   const struct cfi2sframe_options *options,
                   struct cfi2sframe_error *err);

/* Bring the section headers of DEBUG, the separate debug file of PROGRAM, in
   step with what PROGRAM is now: converted, or not any more.  Debuggers
   compare both.  With DEBUG NULL it is looked for where
   CFI2SFRAME_DEBUG_INFO_AUTO looks.  The file keeps its CRC and an undo
   record.  Of OPTIONS dry_run and preserve_times count.  Status
   CFI2SFRAME_NOTHING when it is in step or none is found, CFI2SFRAME_REFUSED
   when DEBUG is another program's.  */
CFI2SFRAME_API bool
cfi2sframe_match_debug_file (const char *program, const char *debug,
                             const struct cfi2sframe_options *options,
                             struct cfi2sframe_error *err);

/* What a check found.  */
struct cfi2sframe_check_result
{
  size_t size;           /* set by cfi2sframe_check_result_init */
  uint64_t functions;    /* compared */
  uint64_t bytes_equal;  /* of code with the same rules on both sides */
  uint64_t bytes_wrong;  /* with different ones */
  uint64_t bytes_absent; /* with CFI but without SFrame data */
  uint64_t bytes_extra;  /* with SFrame data but neither CFI nor a PLT stub */
  uint64_t first_wrong;  /* PC of the first difference */
  char difference[160];  /* what it is, or "" */
  /* Code without CFI, with rows that were compared with what the code does,
     found out anew (option analyze of cfi2sframe_options).  */
  uint64_t bytes_from_code;
  /* With CFI but without SFrame data, because they are the return address of a
     call with other rules; not in bytes_absent.  */
  uint64_t bytes_return_address;
  /* With option readers: what they would refuse, misread or not find, a line
     for each, without a newline behind the last one; or "".  */
  char readers[2000];
  /* The code of the file: what the rows' bytes, equal, wrong and extra, are to
     be compared with.  */
  uint64_t executable_bytes;
};

/* Compare the .sframe of the file with its .eh_frame, PC by PC.  Status
   CFI2SFRAME_MISMATCH when they differ, CFI2SFRAME_NOTHING when the file has
   no .sframe.  */
CFI2SFRAME_API bool cfi2sframe_check (const char *input,
                                      struct cfi2sframe_check_result *result,
                                      struct cfi2sframe_error *err);

/* Compare .sframe with the CFI that debug_info and debug_file of OPTIONS ask
   for.  */
CFI2SFRAME_API bool cfi2sframe_check_with (
    const char *input, const struct cfi2sframe_options *options,
    struct cfi2sframe_check_result *result, struct cfi2sframe_error *err);

/* Number of known mistakes of GNU as and ld, from 1; as with reasons.  */
#define CFI2SFRAME_DEFECTS_MAX 32

/* What a comparison found.  */
struct cfi2sframe_compare_result
{
  size_t size; /* set by cfi2sframe_compare_result_init */
  uint64_t functions_a, functions_b;
  uint64_t equal;          /* functions of A */
  uint64_t different;      /* without those with a named defect */
  uint64_t only_a, only_b; /* functions */
  uint64_t defects[CFI2SFRAME_DEFECTS_MAX]; /* functions (or files) */
  uint64_t bytes_equal, bytes_different, bytes_only_a, bytes_only_b;
  uint64_t merged_rows_a, merged_rows_b; /* rows that say nothing new */
  uint64_t rows_at_end_a, rows_at_end_b; /* at or past the function's end */
};

enum cfi2sframe_difference_kind
{
  CFI2SFRAME_ONLY_A, /* function described in A only */
  CFI2SFRAME_ONLY_B,
  CFI2SFRAME_DIFFERENT, /* described differently, or not all of it */
  CFI2SFRAME_FILE       /* concerns a file as a whole */
};

struct cfi2sframe_difference
{
  enum cfi2sframe_difference_kind kind;
  unsigned defect;     /* known mistake, or 0 */
  char defective;      /* 'A' or 'B', with a defect */
  const char *section; /* objects: addresses count from its start; or NULL */
  uint64_t function;   /* address */
  uint32_t size;       /* of the function */
  uint64_t pc;         /* address of the first difference */
  const char *text;    /* what it is */
};

/* Stable identifier ("plt-got") and explanation of a known mistake; NULL for
   a number that is none.  */
CFI2SFRAME_API const char *cfi2sframe_defect_name (unsigned defect);
CFI2SFRAME_API const char *cfi2sframe_defect_text (unsigned defect);

/* Compare what the .sframe of files A and B say, whatever their versions: two
   linked files, or two objects with the same code sections.  FOUND (which may
   be NULL) is called for each difference; what it gets is valid during the
   call.  Status CFI2SFRAME_MISMATCH when there is any, CFI2SFRAME_NOTHING
   when a file has no .sframe.  */
CFI2SFRAME_API bool cfi2sframe_compare (
    const char *a, const char *b,
    void (*found) (void *context,
                   const struct cfi2sframe_difference *difference),
    void *context, struct cfi2sframe_compare_result *result,
    struct cfi2sframe_error *err);

/* Print the .sframe of the file to OUT, as `readelf --sframe` does.  */
CFI2SFRAME_API bool cfi2sframe_dump (const char *input, FILE *out,
                                     struct cfi2sframe_error *err);

/* An instruction near a finding.  */
struct cfi2sframe_step
{
  uint64_t address;
  const uint8_t *instruction;
  size_t instruction_size;
  const char *instruction_text; /* or NULL, as of a finding */
  /* What holds in front of it, by the code: where the CFA is, and the caller's
     return address and FP.  NULL: that is not known.  */
  const char *cfa, *return_address, *frame_pointer;
  /* The rule that the CFI has there for what the finding is about, or NULL. */
  const char *says;
  bool wrong; /* that rule is */
};

/* CFI that the code contradicts: a row that gives the caller's frame or frame
   pointer wrongly.  Only what is certain is reported: all paths through the
   function were followed, agree with each other, and return with the stack
   pointer and the registers that belong to the caller as they were.  */
struct cfi2sframe_finding
{
  uint64_t function;       /* address of the function's entry */
  const char *name;        /* of the symbol there, or NULL */
  uint64_t address, size;  /* of the code for which the row is wrong ... */
  uint64_t bytes;          /* ... and of the instructions there */
  uint64_t since;          /* the instruction that the row does not know of */
  bool frame_pointer;      /* the rule of FP is wrong; else, that of CFA */
  const char *says, *does; /* the row's rule, and what the code does */
  bool return_address;     /* the rule of RA is wrong */
  /* The instruction at `since`: its bytes, and its text, which is NULL where
     the library has no disassembler for the machine.  */
  const uint8_t *instruction;
  size_t instruction_size;
  const char *instruction_text;
  /* Instructions of the function around the wrong row, ascending: some in
     front of it, the first and the last ones that it is wrong for, and some
     behind.  */
  const struct cfi2sframe_step *steps;
  size_t n_steps;
};

struct cfi2sframe_lint_result
{
  size_t size;                /* set by cfi2sframe_lint_result_init */
  uint64_t functions;         /* that were followed */
  uint64_t functions_trusted; /* those that could be compared */
  uint64_t findings, bytes;   /* bytes of code with wrong rows */
  uint64_t functions_left;    /* not compared because they take too long */
};

/* Compare the CFI of the linked file INPUT, for x86-64 or aarch64, with its
   code.  FOUND is called for each finding, in the order of addresses; what it
   gets is valid during the call.  Status CFI2SFRAME_MISMATCH when there is
   any, CFI2SFRAME_NOTHING without CFI, CFI2SFRAME_UNSUPPORTED for
   other machines and in libraries built without code analysis.  */
CFI2SFRAME_API bool cfi2sframe_lint (
    const char *input,
    void (*found) (void *context, const struct cfi2sframe_finding *finding),
    void *context, struct cfi2sframe_lint_result *result,
    struct cfi2sframe_error *err);

/* Unlink the temporary files of all conversions under way, which then fail,
   and let no new one begin.  Async-signal-safe: for the handler of a signal
   that ends the process.  */
CFI2SFRAME_API void cfi2sframe_discard_temporaries (void);

/* Flush the file systems that files were written to with CFI2SFRAME_SYNC_END,
   since the last call: one syncfs(2) for each, or, if it was only one file,
   this and its directory.  Status CFI2SFRAME_IO when one of them fails; the
   others are flushed all the same.  */
CFI2SFRAME_API bool cfi2sframe_flush (struct cfi2sframe_error *err);

/* The functions that initialise structures.  The options are the defaults
   then: V3, in place, quiet about what is left out.  Inline, because a program
   knows the structure it was compiled with.  */
#define CFI2SFRAME_INITIALIZER(NAME)            \
  static inline void cfi2sframe_##NAME##_init ( \
      struct cfi2sframe_##NAME *structure)      \
  {                                             \
    memset (structure, 0, sizeof *structure);   \
    structure->size = sizeof *structure;        \
  }
CFI2SFRAME_INITIALIZER (options)
CFI2SFRAME_INITIALIZER (report)
CFI2SFRAME_INITIALIZER (check_result)
CFI2SFRAME_INITIALIZER (compare_result)
CFI2SFRAME_INITIALIZER (lint_result)
#undef CFI2SFRAME_INITIALIZER

CFI2SFRAME_END

#endif /* CFI2SFRAME_H */
