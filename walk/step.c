/* One step of a stack walk by SFrame: the public interface.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Runs in signal handlers: nothing here or below allocates, locks, or formats
   an error.  */

#include "walk/frame_rules.h"
#include "walk/lookup.h"

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

/* Whether UNWINDER has what a step needs, and asks for nothing that this
   library does not know: bytes behind the members known here are 0.  */
static bool
is_understood (const struct cfi2sframe_unwinder *unwinder)
{
  if (unwinder->size < sizeof *unwinder || unwinder->size > UNWINDER_SIZE_MAX
      || unwinder->read_memory == NULL || unwinder->find_section == NULL
      || (uintptr_t)unwinder->cache % _Alignof(struct unwind_rules) != 0
      || (unwinder->cache == NULL && unwinder->cache_size > 0))
    return false;
  const uint8_t *bytes = (const uint8_t *)unwinder;
  for (size_t i = sizeof *unwinder; i < unwinder->size; i++)
    if (bytes[i] != 0)
      return false;
  return true;
}

static enum cfi2sframe_step
find_rules (const void *finder, uint64_t address, struct unwind_rules *rules)
{
  const struct cfi2sframe_unwinder *unwinder = finder;
  struct cfi2sframe_section section = { 0 };
  struct unwind_section opened;
  if (!unwinder->find_section (unwinder->context, address, &section))
    return CFI2SFRAME_STEP_NO_SECTION;
  if (!unwind_section_open (&opened, section.bytes, section.size,
                            section.address))
    return CFI2SFRAME_STEP_BAD_SECTION;
  rules->arch = opened.arch;
  return unwind_section_lookup (&opened, address, rules);
}

/* The place of the rules for PC in the caller's room; NULL when there is no
   room.  */
static struct unwind_rules *
cached_rules (const struct cfi2sframe_unwinder *unwinder, uint64_t pc)
{
  /* Close numbers that are multiplied by 2^64 divided by the golden ratio
     differ in their upper bits.  */
  const uint64_t spread = UINT64_C (0x9e3779b97f4a7c15);
  uint64_t n = unwinder->cache_size / sizeof (struct unwind_rules);
  struct unwind_rules *rules = unwinder->cache;
  return n > 0 ? rules + ((pc * spread >> 32) * (uint32_t)n >> 32) : NULL;
}

/* The rules of the frame in UNWINDER: remembered ones, or those looked up now
   and put into FOUND.  *STEP is CFI2SFRAME_STEP_CALLER, or why there are
   none.  */
static const struct unwind_rules *
rules_of_frame (const struct cfi2sframe_unwinder *unwinder,
                struct unwind_rules *found, enum cfi2sframe_step *step)
{
  struct unwind_rules *cached = cached_rules (unwinder, unwinder->pc);
  *step = CFI2SFRAME_STEP_CALLER;
  if (cached != NULL && cached->arch != NULL && cached->pc == unwinder->pc
      && cached->interrupted == unwinder->interrupted)
    return cached;
  const struct unwind_source source
      = { find_rules, unwinder, unwinder->read_memory, unwinder->context };
  *step = unwind_frame_rules (&source, unwinder->pc, unwinder->interrupted,
                              found);
  if (cached != NULL && *step == CFI2SFRAME_STEP_CALLER)
    *cached = *found;
  return found;
}

enum cfi2sframe_step
cfi2sframe_unwind_step (struct cfi2sframe_unwinder *unwinder)
{
  struct unwind_rules found;
  enum cfi2sframe_step step;
  if (!is_understood (unwinder))
    return CFI2SFRAME_STEP_INVALID;
  const struct unwind_rules *rules = rules_of_frame (unwinder, &found, &step);
  return step == CFI2SFRAME_STEP_CALLER ? unwind_apply (unwinder, rules)
                                        : step;
}
