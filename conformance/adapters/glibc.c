/* The reader of glibc 2.42 to 2.44 as an adapter.
   SPDX-License-Identifier: 0BSD

   To be compiled with the folder sysdeps/generic of glibc's source in the
   include path.  What surrounds the reader there is in sframe.c and, for
   x86-64, in sysdeps/unix/sysv/linux/x86_64/uw-sigframe.h; both need the rest
   of glibc, so what they do with an answer is done again here.  */

#define libc_hidden_proto(name)
#define libc_hidden_def(name)
#define attribute_hidden

#include <stddef.h>

#include "sframe-read.c"

#include "reader.h"

struct opened
{
  sframe_decoder_ctx context;
  struct question question;
};

static bool
glibc_begin (int argc, char **argv)
{
  (void)argv;
  return argc > 0;
}

static void *
glibc_open (const struct question *question, const char **reason)
{
  struct opened *opened = calloc (1, sizeof *opened);
  if (opened == NULL)
    return NULL;
  opened->question = *question;
  if (__sframe_decode (&opened->context, (const char *)question->bytes)
      == _URC_NO_REASON)
    return opened;
  *reason = "__sframe_decode";
  free (opened);
  return NULL;
}

/* As __stacktrace_sframe does it (sframe.c).  */
static int
glibc_find (void *section, const struct frame *frame, struct answer *answer)
{
  struct opened *opened = section;
  sframe_decoder_ctx *context = &opened->context;
  sframe_frame_row_entry row;
  _Unwind_Reason_Code no_cfa, no_ra, no_fp;
  int32_t distance = (int32_t)(frame->pc - opened->question.address);
  if (__sframe_find_fre (context, distance, &row) != _URC_NO_REASON)
    {
      /* MD_DETECT_OUTERMOST_FRAME of x86-64 (uw-sigframe.h).  */
      answer->outermost = frame->fp == 0;
      return answer->outermost;
    }
  bool sp = __sframe_fre_get_base_reg_id (&row) == SFRAME_BASE_REG_SP;
  answer->cfa.base = sp ? VALUE_SP : VALUE_FP;
  answer->cfa.offset = __sframe_fre_get_cfa_offset (context, &row, &no_cfa);
  answer->ra = (struct value){ VALUE_CFA, true, 0, 0 };
  answer->ra.offset = __sframe_fre_get_ra_offset (context, &row, &no_ra);
  int32_t fp = __sframe_fre_get_fp_offset (context, &row, &no_fp);
  if (no_fp == _URC_NO_REASON)
    answer->fp = (struct value){ VALUE_CFA, true, 0, fp };
  return no_cfa == _URC_NO_REASON && no_ra == _URC_NO_REASON ? 1 : -1;
}

struct reader reader
    = { "glibc", "2", "3", "", glibc_begin, glibc_open, glibc_find, free };
