/* What the decoder of A64 makes of the words of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later

     decoded FILE

   A line for each word: "-" if it is not an instruction; else where it leads
   (enum insn_flow) and a mask of the registers that it writes.  */

#include <config.h>

#include <stdio.h>

#include "analysis/insn.h"

int
main (int argc, char **argv)
{
  FILE *file = argc == 2 ? fopen (argv[1], "rb") : NULL;
  struct insn_decoder *decoder = insn_decoder_new (&arch_aarch64);
  uint8_t bytes[4];
  if (!file || !decoder)
    return 2;
  while (fread (bytes, sizeof bytes, 1, file) == 1)
    {
      struct insn insn;
      if (!insn_decode (decoder, bytes, sizeof bytes, 0, &insn))
        puts ("-");
      else
        printf ("%u %08x\n", insn.flow, insn_written (&insn));
    }
  insn_decoder_free (decoder);
  return fclose (file) != 0;
}
