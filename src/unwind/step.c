/* One step of a stack walk by SFrame: the public interface.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Runs in signal handlers: nothing here or below allocates, locks, or formats
   an error.  */

#include "sframe/decode.h"
#include "sframe/lower_row.h"
#include "unwind/apply.h"

static const struct
{
  const char *name, *text;
} steps[] = {
  [CFI2SFRAME_STEP_CALLER] = { "caller", "the caller was found" },
  [CFI2SFRAME_STEP_OUTERMOST] = { "outermost", "the outermost frame" },
  [CFI2SFRAME_STEP_ZERO] = { "zero-pc", "the return address is 0" },
  [CFI2SFRAME_STEP_NO_SECTION]
  = { "no-section", "no SFrame data for this address" },
  [CFI2SFRAME_STEP_NO_ROW] = { "no-row", "no row for this address" },
  [CFI2SFRAME_STEP_BAD_SECTION]
  = { "bad-section", "the SFrame data contradict themselves" },
  [CFI2SFRAME_STEP_REGISTER]
  = { "register", "the row needs a register that is not known here" },
  [CFI2SFRAME_STEP_MEMORY] = { "memory", "the stack cannot be read" },
  [CFI2SFRAME_STEP_NO_PROGRESS]
  = { "no-progress", "the stack pointer does not get on" },
  [CFI2SFRAME_STEP_INVALID] = { "invalid", "wrong use of the library" },
};

static bool
is_step (enum cfi2sframe_step step)
{
  return (size_t)step < sizeof steps / sizeof steps[0];
}

const char *
cfi2sframe_step_name (enum cfi2sframe_step step)
{
  return is_step (step) ? steps[step].name : NULL;
}

const char *
cfi2sframe_step_text (enum cfi2sframe_step step)
{
  return is_step (step) ? steps[step].text : NULL;
}

enum
{
  /* No version of the structure will ever be larger.  */
  UNWINDER_SIZE_MAX = 4096
};

/* Whether the caller means nothing that this library does not know.  */
static bool
is_understood (const struct cfi2sframe_unwinder *unwinder)
{
  if (unwinder->size < sizeof *unwinder || unwinder->size > UNWINDER_SIZE_MAX
      || unwinder->read_memory == NULL || unwinder->find_section == NULL)
    return false;
  const uint8_t *bytes = (const uint8_t *)unwinder;
  for (size_t i = sizeof *unwinder; i < unwinder->size; i++)
    if (bytes[i] != 0)
      return false;
  return true;
}

enum cfi2sframe_step
cfi2sframe_unwind_step (struct cfi2sframe_unwinder *unwinder)
{
  struct cfi2sframe_section section = { 0 };
  struct sframe_decoder decoder;
  struct sframe_function function;
  struct sframe_row found;
  struct frame_row rules;
  if (!is_understood (unwinder))
    return CFI2SFRAME_STEP_INVALID;
  /* A return address may lie behind the function that made the call, if that
     never comes back.  */
  uint64_t pc = unwinder->pc - !unwinder->interrupted;
  if (!unwinder->find_section (unwinder->context, pc, &section))
    return CFI2SFRAME_STEP_NO_SECTION;
  if (!sframe_decoder_open (&decoder, section.bytes, section.size,
                            section.address, NULL))
    return CFI2SFRAME_STEP_BAD_SECTION;
  int status = sframe_decoder_lookup (&decoder, pc, &function, &found, NULL);
  if (status <= 0)
    return status < 0 ? CFI2SFRAME_STEP_BAD_SECTION : CFI2SFRAME_STEP_NO_ROW;
  lower_undo (decoder.arch, decoder.variant, &function, &found, &rules);
  return unwind_apply (unwinder, decoder.arch, &rules, function.signal);
}
