/* libcfi2sframe: SFrame stack-trace data from the CFI of linked ELF files.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Conventions.  Sizes and offsets are bytes.  Functions that can fail return
   false (or NULL) and fill in the `struct cfi2sframe_error` they were given;
   on failure no output file exists and the input is as it was.  The library
   keeps no global state of its own: different files may be converted by
   different threads at the same time.  It never prints.  */

#ifndef CFI2SFRAME_H
#define CFI2SFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

  /* What kind of failure it was.  */
  enum cfi2sframe_status
  {
    CFI2SFRAME_OK,
    CFI2SFRAME_IO, /* a system call failed */
    CFI2SFRAME_NO_MEMORY,
    CFI2SFRAME_NOT_ELF,   /* no ELF file at all */
    CFI2SFRAME_MALFORMED, /* an ELF file or section that contradicts itself */
    CFI2SFRAME_UNSUPPORTED, /* well-formed, but not for this program */
    CFI2SFRAME_REFUSED,     /* could be harmed by the change */
    CFI2SFRAME_NOTHING,     /* no CFI, or nothing that could be expressed */
    CFI2SFRAME_MISMATCH,    /* a check found a difference */
    CFI2SFRAME_INVALID      /* wrong use of the library */
  };

  /* The reason of a failure, in one sentence.  */
  struct cfi2sframe_error
  {
    enum cfi2sframe_status status;
    bool has_offset;
    uint64_t offset;  /* in the file (or section) at fault, if has_offset */
    char file[256];   /* the file at fault, when it is not the input itself */
    char reason[256]; /* no newline, no full stop */
  };

#ifdef __cplusplus
}
#endif

#endif /* CFI2SFRAME_H */
