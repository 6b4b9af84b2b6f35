/* glibc's reader of SFrame as a shared object for foreign.c.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Not compiled by make: tools/clients.sh does it, with the folder
   sysdeps/generic of glibc's source (2.42 or 2.43) in the include path.  */

#define libc_hidden_proto(name)
#define libc_hidden_def(name)
#define attribute_hidden

#include <stddef.h>

#include "sframe-read.c"

#include "section_reader.h"

struct read_section
{
  sframe_decoder_ctx context;
  uint64_t address;
};

static struct read_section *
glibc_open (const void *bytes, size_t size, uint64_t code_start,
            uint64_t code_end)
{
  (void)size;
  (void)code_start;
  (void)code_end;
  struct read_section *section = calloc (1, sizeof *section);
  if (section == NULL)
    return NULL;
  section->address = (uint64_t)bytes;
  if (__sframe_decode (&section->context, bytes) == _URC_NO_REASON)
    return section;
  free (section);
  return NULL;
}

static void
glibc_close (struct read_section *section)
{
  free (section);
}

/* As __stacktrace_sframe does it (sframe.c of the same folder).  */
static int
glibc_find (struct read_section *section, uint64_t pc,
            struct read_rules *rules)
{
  enum
  {
    RBP = 6,
    RSP = 7
  };
  sframe_frame_row_entry row;
  _Unwind_Reason_Code no_cfa, no_ra, no_fp;
  sframe_decoder_ctx *context = &section->context;
  if (__sframe_find_fre (context, (int32_t)(pc - section->address), &row)
      != _URC_NO_REASON)
    return 0;
  bool sp = __sframe_fre_get_base_reg_id (&row) == SFRAME_BASE_REG_SP;
  *rules = (struct read_rules){
    .cfa = { .from_register = true, .reg = sp ? RSP : RBP },
    .ra = { .load = true },
    .fp = { .load = true },
  };
  rules->cfa.offset = __sframe_fre_get_cfa_offset (context, &row, &no_cfa);
  rules->ra.offset = __sframe_fre_get_ra_offset (context, &row, &no_ra);
  rules->fp.offset = __sframe_fre_get_fp_offset (context, &row, &no_fp);
  rules->fp.retained = no_fp != _URC_NO_REASON;
  return no_cfa == _URC_NO_REASON && no_ra == _URC_NO_REASON ? 1 : -1;
}

const struct section_reader section_reader
    = { glibc_open, glibc_close, glibc_find };
