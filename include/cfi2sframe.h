/* libcfi2sframe: SFrame stack-trace data from the CFI of linked ELF files.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sizes and offsets are in bytes.  A function that can fail returns false (or
   NULL) and fills in the struct cfi2sframe_error that it was given.  After a
   failure no output file exists, and the input is unchanged.  The library
   never prints.  Strings that functions return are constants unless the
   function's comment says otherwise.

   Threads may convert different files at the same time.  The library keeps
   three things for the whole process: a list of the temporary files of running
   conversions; whether cfi2sframe_discard_temporaries was called, after which
   no conversion begins; and what cfi2sframe_flush has to flush.

   Structures grow at their end only.  A structure that a caller owns starts
   with its size.  Its function cfi2sframe_NAME_init sets the size, and all
   other members to 0.  So program and library may be of different versions:
   members that the program does not know are not written, and members that the
   library does not know stay 0.  For a structure that was not initialised
   the status is CFI2SFRAME_INVALID, and nothing is written to it.
   cfi2sframe_error never grows.  */

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

/* Kinds of failures.  */
enum cfi2sframe_status
{
  CFI2SFRAME_OK,
  CFI2SFRAME_IO, /* a system call failed, or the output cannot be written */
  CFI2SFRAME_NO_MEMORY,
  CFI2SFRAME_NOT_ELF,     /* no ELF file at all */
  CFI2SFRAME_MALFORMED,   /* an ELF file or section that contradicts itself */
  CFI2SFRAME_UNSUPPORTED, /* correct, but of a kind not supported */
  CFI2SFRAME_REFUSED,     /* the change could harm the file */
  CFI2SFRAME_NOTHING,     /* there is nothing to do with this file */
  CFI2SFRAME_MISMATCH,    /* a check found a difference */
  CFI2SFRAME_INVALID,     /* wrong use of the library */
  /* A checksum of the file's contents exists (leave_checksummed).  */
  CFI2SFRAME_CHECKSUMMED
};

/* The reason of a failure, in one sentence.  */
struct cfi2sframe_error
{
  enum cfi2sframe_status status;
  bool has_offset;
  uint8_t word;     /* for cfi2sframe_error_code () */
  uint64_t offset;  /* in the file (or section) at fault, if has_offset */
  char file[256];   /* the file at fault, if it is not the input; or "" */
  char reason[256]; /* no newline, no full stop */
};

/* Return a word for the reason of ERR, such as "appended-data", which does not
   change between releases.  NULL if nothing failed.  */
CFI2SFRAME_API const char *
cfi2sframe_error_code (const struct cfi2sframe_error *err);

/* Versions of the format.  */
enum cfi2sframe_format
{
  CFI2SFRAME_V3,   /* binutils 2.46 and later */
  CFI2SFRAME_V2,   /* binutils 2.45, glibc 2.42 */
  CFI2SFRAME_V2_0, /* V2 of binutils 2.41 to 2.44: without the PCREL flag */
  CFI2SFRAME_V1    /* binutils 2.40 */
};

/* Readers of SFrame, as bits.  Tests of each reader have shown what it reads,
   refuses and misreads.  */
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
  CFI2SFRAME_DEBUG_INFO_AUTO, /* or that of its debug file, if found */
  CFI2SFRAME_DEBUG_INFO_NONE
};

/* When a new file is flushed to disk.  */
enum cfi2sframe_sync
{
  /* The file before it is renamed, and its directory afterwards.  So after a
     power failure the name leads to the old file or to the complete new one,
     and a file that was reported as converted is there.  */
  CFI2SFRAME_SYNC_FILE,
  /* All files, by cfi2sframe_flush.  A power failure before that may leave
     files that are empty or cut off.  */
  CFI2SFRAME_SYNC_END,
  CFI2SFRAME_SYNC_NONE /* when the system decides to, as after cp */
};

/* How to convert.  When a member is added, its value 0 means what the library
   did before.  A library that is newer than the program takes 0 for members
   that the program does not know.  A library that is older fails with
   CFI2SFRAME_INVALID if a member that it does not know is not 0.  */
struct cfi2sframe_options
{
  size_t size; /* set by cfi2sframe_options_init */
  enum cfi2sframe_format format;
  bool no_share;       /* store every function's rows separately */
  bool compact;        /* an FDE may have parts of several functions */
  bool strict;         /* a function that is left out is a failure */
  bool replace;        /* make a new .sframe if the file has one */
  bool preserve_times; /* the output gets the input's time stamps */
  bool dry_run;        /* do everything but write */
  bool relocatable;    /* convert .o, .ko and .a files, too */
  bool gnu;            /* the rows of GNU as, but no wrong ones */
  bool gnu_bugs;       /* with gnu: also its wrong rows */
  /* A percentage.  It is a failure if a smaller share of the code has rows. */
  double min_coverage;
  /* Make a new .sframe if the file has one that is wrong, describes less than
     nine tenths of the code that a new one would, or is of no use to any
     reader, or to one of `readers`.  */
  bool replace_bad;
  bool no_split;    /* no FDE begins inside a function */
  bool verify_code; /* leave out rows that the code contradicts */
  bool analyze;     /* make rows for code without CFI from the code itself */
  /* Make rows also for return addresses of calls with other rules.  */
  bool keep_return_addresses;
  enum cfi2sframe_debug_info debug_info;
  const char *debug_file; /* whose .debug_frame is read; or NULL */
  /* Do not change a file if a checksum of it is in the file itself or in a
     file near it: libraries with FIPS 140 compare themselves with it when they
     start.  */
  bool leave_checksummed;
  /* Bits of enum cfi2sframe_reader.  If not 0, the newest format that all
     these readers read is written, and `format' is ignored.  If one of them
     would refuse or misread the section, the status is CFI2SFRAME_REFUSED; if
     they read no common format, CFI2SFRAME_INVALID.  In a check the status is
     CFI2SFRAME_MISMATCH if one of them would refuse or misread the section. */
  unsigned readers;
  enum cfi2sframe_sync sync;
  /* Threads that analyse code, with analyze or verify_code; 0 means 1.  The
     output does not depend on their number.  */
  unsigned threads;
};

/* Number of reasons for leaving code out.  Reasons are small numbers from 1
   on.  Their numbers may change between releases, their names do not.  */
#define CFI2SFRAME_REASONS_MAX 64

/* What was done, also by a conversion that failed.  */
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
  /* If `damage' is not "": the offset of the first damaged entry in .eh_frame
     or, with debug_damage, in .debug_frame.  */
  uint64_t first_damage;
  char damage[96]; /* its defect, or "" */
  /* The input has an IMA signature (security.ima), or is sealed by fs-verity.
     The output is not signed or sealed.  */
  bool signed_ima, sealed_verity;
  /* All code of the file, with or without CFI, of which bytes_covered is a
     part.  */
  uint64_t executable_bytes;
  /* The defect of an .sframe that the file had and keeps, or "".  */
  char existing[200];
  /* Instructions without a row in functions that count as covered: each is the
     return address of a call with other rules.  */
  uint64_t return_addresses;
  /* The input has attributes (chattr(1)) that the new file cannot have.  */
  bool flags_lost;
  bool archive; /* the input is an archive of objects (.a) */
  /* With analyze: functions and bytes of code without CFI that have rows.  The
     bytes are a part of bytes_covered.  */
  uint64_t functions_from_code, bytes_from_code;
  /* How many of cfi_functions a .debug_frame describes: that of the file, and
     that of the debug file.  */
  uint64_t debug_frame_functions, debug_file_functions;
  uint64_t debug_frame_bytes; /* of both sections, decompressed */
  /* FDEs of .debug_frame that are not used because .eh_frame describes the
     same code, and how many of these disagree with .eh_frame.  */
  uint64_t set_aside, contradictions;
  char debug_file[256]; /* the debug file that was used, or "" */
  char cfi_note[200];   /* why existing CFI or code is not used, or "" */
  bool debug_damage;    /* first_damage is an offset in .debug_frame */
};

/* Return the version of the library, such as "0.2.0".  */
CFI2SFRAME_API const char *cfi2sframe_version (void);

/* Return the name ("cfa-expression") and the explanation of REASON, an index
   of cfi2sframe_report.left_out.  NULL for any other number.  */
CFI2SFRAME_API const char *cfi2sframe_reason_name (unsigned reason);
CFI2SFRAME_API const char *cfi2sframe_reason_text (unsigned reason);

/* Convert the file INPUT.  If OUTPUT is NULL, the file is replaced; otherwise
   OUTPUT is written, and INPUT stays unchanged.  If the status is
   CFI2SFRAME_NOTHING or CFI2SFRAME_NOT_ELF, there is nothing to convert, ERR
   says why, and OUTPUT is a copy of INPUT.  */
CFI2SFRAME_API bool
cfi2sframe_convert (const char *input, const char *output,
                    const struct cfi2sframe_options *options,
                    struct cfi2sframe_report *report,
                    struct cfi2sframe_error *err);

/* Write the section that cfi2sframe_convert would put into INPUT, and nothing
   else, to the file OUTPUT.  */
CFI2SFRAME_API bool
cfi2sframe_write_section (const char *input, const char *output,
                          const struct cfi2sframe_options *options,
                          struct cfi2sframe_report *report,
                          struct cfi2sframe_error *err);

/* Make the section of an ELF file of SIZE bytes in memory.  The caller frees
   *SECTION.  *ADDRESS is the address for which the section was made: the one
   that cfi2sframe_convert would give it.  */
CFI2SFRAME_API bool cfi2sframe_build_section (
    const void *elf, size_t size, const struct cfi2sframe_options *options,
    void **section, size_t *section_size, uint64_t *address,
    struct cfi2sframe_report *report, struct cfi2sframe_error *err);

/* Restore the file as it was before its conversion, byte for byte.  The status
   is CFI2SFRAME_NOTHING if the file has no undo record and no .sframe,
   CFI2SFRAME_UNSUPPORTED if it has an .sframe and no record,
   CFI2SFRAME_REFUSED if it was changed after the conversion.  OUTPUT is that
   of cfi2sframe_convert, but is not written if there is nothing to do.  */
CFI2SFRAME_API bool cfi2sframe_undo (const char *input, const char *output,
                                     const struct cfi2sframe_options *options,
                                     struct cfi2sframe_error *err);

/* Remove .sframe, whatever program made it: by undoing the conversion, if the
   original has none.  Otherwise the headers are removed, and the bytes stay.
   For an object or archive with an .sframe the status is
   CFI2SFRAME_UNSUPPORTED.  */
CFI2SFRAME_API bool
cfi2sframe_remove (const char *input, const char *output,
                   const struct cfi2sframe_options *options,
                   struct cfi2sframe_error *err);

/* Change the section headers of DEBUG, the separate debug file of PROGRAM,
   like those of PROGRAM, which was converted or undone: debuggers compare
   both.  If DEBUG is NULL, the debug file is searched for where
   CFI2SFRAME_DEBUG_INFO_AUTO does.  The file keeps its CRC, and gets an undo
   record.  Of OPTIONS only dry_run and preserve_times count.  The status is
   CFI2SFRAME_NOTHING if the headers agree already or there is no debug file,
   CFI2SFRAME_REFUSED if DEBUG belongs to another program.  */
CFI2SFRAME_API bool
cfi2sframe_match_debug_file (const char *program, const char *debug,
                             const struct cfi2sframe_options *options,
                             struct cfi2sframe_error *err);

/* The result of a check.  */
struct cfi2sframe_check_result
{
  size_t size;           /* set by cfi2sframe_check_result_init */
  uint64_t functions;    /* compared */
  uint64_t bytes_equal;  /* of code with the same rules on both sides */
  uint64_t bytes_wrong;  /* with different rules */
  uint64_t bytes_absent; /* with CFI but without SFrame data */
  uint64_t bytes_extra;  /* with SFrame data but neither CFI nor a PLT stub */
  uint64_t first_wrong;  /* PC of the first difference */
  char difference[160];  /* its description, or "" */
  /* Bytes of code without CFI, with rows that were compared with a new
     analysis of the code (option analyze of cfi2sframe_options).  */
  uint64_t bytes_from_code;
  /* Bytes of code with CFI but without SFrame data, because they are the
     return address of a call with other rules; not included in bytes_absent.
   */
  uint64_t bytes_return_address;
  /* With the option `readers': what these would refuse, misread or not find, a
     line for each, without a newline behind the last one; or "".  */
  char readers[2000];
  /* All code of the file, of which bytes_equal, bytes_wrong and bytes_extra
     are a part.  */
  uint64_t executable_bytes;
};

/* Compare the .sframe of the file with its .eh_frame, for each PC.  The status
   is CFI2SFRAME_MISMATCH if they differ, CFI2SFRAME_NOTHING if the file has no
   .sframe.  */
CFI2SFRAME_API bool cfi2sframe_check (const char *input,
                                      struct cfi2sframe_check_result *result,
                                      struct cfi2sframe_error *err);

/* As cfi2sframe_check, but compare with the CFI that debug_info and debug_file
   of OPTIONS select.  */
CFI2SFRAME_API bool cfi2sframe_check_with (
    const char *input, const struct cfi2sframe_options *options,
    struct cfi2sframe_check_result *result, struct cfi2sframe_error *err);

/* Number of known mistakes of GNU as and ld, which have numbers and names as
   reasons have.  */
#define CFI2SFRAME_DEFECTS_MAX 32

/* The result of a comparison.  */
struct cfi2sframe_compare_result
{
  size_t size; /* set by cfi2sframe_compare_result_init */
  uint64_t functions_a, functions_b;
  uint64_t equal;          /* functions of A */
  uint64_t different;      /* without those with a named defect */
  uint64_t only_a, only_b; /* functions */
  uint64_t defects[CFI2SFRAME_DEFECTS_MAX]; /* functions (or files) */
  uint64_t bytes_equal, bytes_different, bytes_only_a, bytes_only_b;
  uint64_t merged_rows_a, merged_rows_b; /* rows that repeat the row before */
  uint64_t rows_at_end_a, rows_at_end_b; /* at or behind the function's end */
};

enum cfi2sframe_difference_kind
{
  CFI2SFRAME_ONLY_A, /* function described in A only */
  CFI2SFRAME_ONLY_B,
  CFI2SFRAME_DIFFERENT, /* function described differently, or in part */
  CFI2SFRAME_FILE       /* concerns a file as a whole */
};

struct cfi2sframe_difference
{
  enum cfi2sframe_difference_kind kind;
  unsigned defect;     /* known mistake, or 0 */
  char defective;      /* 'A' or 'B', with a defect */
  const char *section; /* of an object: addresses are relative to it */
  uint64_t function;   /* address */
  uint32_t size;       /* of the function */
  uint64_t pc;         /* address of the first difference */
  const char *text;    /* a description */
};

/* Return the name ("plt-got") and the explanation of a known mistake.  NULL
   for any other number.  */
CFI2SFRAME_API const char *cfi2sframe_defect_name (unsigned defect);
CFI2SFRAME_API const char *cfi2sframe_defect_text (unsigned defect);

/* Compare the rules of the .sframe of files A and B, whatever their versions.
   A and B are two linked files, or two objects with the same code sections.
   FOUND (may be NULL) is called for each difference; its arguments are valid
   during the call.  The status is CFI2SFRAME_MISMATCH if there is a
   difference, CFI2SFRAME_NOTHING if a file has no .sframe.  */
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
  /* The rules that the code shows in front of the instruction, for the CFA,
     the return address and the caller's FP.  NULL: not known.  */
  const char *cfa, *return_address, *frame_pointer;
  /* The rule in question that the CFI has there, or NULL.  */
  const char *says;
  bool wrong; /* the CFI's rule is wrong there */
};

/* A row of CFI that the code contradicts.  A finding is certain: all paths
   through the function were analysed, agree where they meet, and return with
   the stack pointer and the registers that the ABI preserves.  */
struct cfi2sframe_finding
{
  uint64_t function;       /* address of the function's entry */
  const char *name;        /* its symbol, or NULL */
  uint64_t address, size;  /* of the code for which the row is wrong */
  uint64_t bytes;          /* of instructions that are reached there */
  uint64_t since;          /* the instruction after which it is wrong */
  bool frame_pointer;      /* FP's rule is wrong; else that of CFA or RA */
  const char *says, *does; /* the rule of the CFI, and that of the code */
  bool return_address;     /* RA's rule is wrong */
  /* The instruction at `since`: its bytes, and its text, or NULL if the
     library has no disassembler for the machine.  */
  const uint8_t *instruction;
  size_t instruction_size;
  const char *instruction_text;
  /* Instructions of the function around the wrong row, ascending: some in
     front of it, the first and the last ones for which it is wrong, and some
     behind it.  */
  const struct cfi2sframe_step *steps;
  size_t n_steps;
};

struct cfi2sframe_lint_result
{
  size_t size;                /* set by cfi2sframe_lint_result_init */
  uint64_t functions;         /* that were analysed */
  uint64_t functions_trusted; /* of these, how many could be compared */
  uint64_t findings, bytes;   /* bytes of code with wrong rows */
  uint64_t functions_left;    /* not compared: that would take too long */
};

/* Compare the CFI of INPUT, a linked file for x86-64 or aarch64, with its
   code.  FOUND is called for each finding, in the order of addresses; its
   arguments are valid during the call.  The status is CFI2SFRAME_MISMATCH if
   there is a finding, CFI2SFRAME_NOTHING if there is no CFI,
   CFI2SFRAME_UNSUPPORTED for other machines, and if the library was built
   without analysis of code.  */
CFI2SFRAME_API bool cfi2sframe_lint (
    const char *input,
    void (*found) (void *context, const struct cfi2sframe_finding *finding),
    void *context, struct cfi2sframe_lint_result *result,
    struct cfi2sframe_error *err);

/* Remove the temporary files of all running conversions, which then fail.  No
   conversion can begin afterwards.  This function is async-signal-safe: it is
   for the handler of a signal that ends the process.  */
CFI2SFRAME_API void cfi2sframe_discard_temporaries (void);

/* Flush the file systems to which files were written with CFI2SFRAME_SYNC_END
   since the last call: by a syncfs(2) for each or, if it was only one file,
   this file and its directory.  The status is CFI2SFRAME_IO if one of them
   fails; the others are flushed all the same.  */
CFI2SFRAME_API bool cfi2sframe_flush (struct cfi2sframe_error *err);

/* Initialise a structure.  Options get their defaults: version 3, and no other
   option.  The functions are inline, because the size is that of the structure
   with which the program was compiled.  */
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
