/* The project's encoder behind a pipe, for encoder.py.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Reads sections as lines of numbers (hexadecimal, words decimal):
     section VERSION PCREL ABI ADDRESS SHARE
     function ADDRESS SIZE FLEXIBLE PCMASK REPEAT SIGNAL B_KEY ROWS
     row START BASE_SP RA_SIGNED WORDS WORD...
     repeat INDEX ADDRESS SIZE   (the rows of the function with this number)
     end
   and answers each `end' with the section's bytes as hexadecimal digits, or
   "refused REASON".  */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "sframe/encode.h"

static struct encode_options options;
static uint64_t address;
static struct sframe_encoder *encoder;
static struct error err;

static bool
begin_section (const char *line)
{
  unsigned version, pcrel, abi, share;
  if (sscanf (line, "section %x %x %x %" SCNx64 " %x", &version, &pcrel, &abi,
              &address, &share)
      != 5)
    return false;
  options = (struct encode_options){
    .arch = arch_of_sframe_abi (abi),
    .variant = { .version = (uint8_t)version, .pcrel = pcrel },
    .sorted = true,
    .share = share,
  };
  error_clear (&err);
  encoder = options.arch ? sframe_encoder_new (&options) : NULL;
  return encoder != NULL;
}

/* The first of each pair of words is a control word; a later 0 stands
   alone.  */
static uint8_t
control_words (const struct sframe_row *row)
{
  unsigned control = 0;
  for (unsigned i = 0; i < row->n_words;
       i += i == 0 || row->words[i] != 0 ? 2 : 1)
    control |= 1u << i;
  return (uint8_t)control;
}

static bool
read_row (bool flexible, struct sframe_row *row)
{
  char line[256], *at = line;
  unsigned start, base_sp, ra_signed, n_words;
  int used = 0;
  if (!fgets (line, sizeof line, stdin)
      || sscanf (line, "row %x %x %x %x%n", &start, &base_sp, &ra_signed,
                 &n_words, &used)
             != 4
      || n_words > SFRAME_WORDS_MAX)
    return false;
  *row = (struct sframe_row){ .start = start,
                              .base_sp = base_sp,
                              .ra_signed = ra_signed,
                              .n_words = (uint8_t)n_words };
  at += used;
  for (unsigned i = 0; i < n_words; i++)
    row->words[i] = (int32_t)strtol (at, &at, 10);
  if (flexible)
    row->control = control_words (row);
  return true;
}

static bool
add_function (const char *line)
{
  unsigned size, flexible, pcmask, repeat, signal, b_key, n_rows;
  struct sframe_fde function = { 0 };
  if (sscanf (line, "function %" SCNx64 " %x %x %x %x %x %x %x",
              &function.address, &size, &flexible, &pcmask, &repeat, &signal,
              &b_key, &n_rows)
      != 8)
    return false;
  function.size = size;
  function.flexible = flexible;
  function.repeat = pcmask ? (uint8_t)repeat : 0;
  function.signal = signal;
  function.b_key = b_key;
  function.n_rows = n_rows;
  function.rows = calloc (n_rows ? n_rows : 1, sizeof *function.rows);
  bool ok = function.rows != NULL;
  for (unsigned i = 0; ok && i < n_rows; i++)
    ok = read_row (flexible, &function.rows[i]);
  /* After a refusal the other functions are read, and left out.  */
  if (ok && err.status == CFI2SFRAME_OK)
    (void)sframe_encoder_add (encoder, &function, &err);
  free (function.rows);
  return ok;
}

static bool
repeat_function (const char *line)
{
  size_t index;
  uint64_t at;
  uint32_t size;
  if (sscanf (line, "repeat %zx %" SCNx64 " %" SCNx32, &index, &at, &size)
      != 3)
    return false;
  if (err.status == CFI2SFRAME_OK)
    (void)sframe_encoder_repeat (encoder, index, at, size, &err);
  return true;
}

static void
end_section (void)
{
  struct buffer out;
  buffer_init (&out, options.arch->big_endian);
  if (err.status == CFI2SFRAME_OK)
    (void)sframe_encoder_write (encoder, address, &out, &err);
  if (err.status != CFI2SFRAME_OK)
    printf ("refused %s", err.reason);
  else
    for (size_t i = 0; i < out.size; i++)
      printf ("%02x", out.bytes[i]);
  printf ("\n");
  fflush (stdout);
  buffer_free (&out);
  sframe_encoder_free (encoder);
}

int
main (void)
{
  char line[256];
  while (fgets (line, sizeof line, stdin))
    {
      bool ok = true;
      if (strncmp (line, "section", 7) == 0)
        ok = begin_section (line);
      else if (strncmp (line, "function", 8) == 0)
        ok = add_function (line);
      else if (strncmp (line, "repeat", 6) == 0)
        ok = repeat_function (line);
      else
        end_section ();
      if (!ok)
        return 2;
    }
  return 0;
}
