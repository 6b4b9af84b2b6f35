/* An .eh_frame built by hand (cfi_builder.h), and what is read of it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TESTS_CFI_FIXTURE_H
#define TESTS_CFI_FIXTURE_H

#include <stdlib.h>

#include "cfi/cfa_program.h"
#include "cfi/cfi_section.h"
#include "tests/unit/cfi_builder.h"
#include "tests/unit_test.h"

/* Members are zero until a test, or one of the functions below, fills them
   in.  */
struct cfi_fixture
{
  struct buffer bytes;            /* for the test to fill */
  struct cfi_section section;     /* by cfi_fixture_read, of a copy */
  struct cfa_machine *machine;    /* by cfi_fixture_machine */
  struct frame_function function; /* by cfi_fixture_run */
  uint8_t *copy;
};

static inline struct cfi_fixture
cfi_fixture_new (bool big_endian)
{
  struct cfi_fixture f = { 0 };
  buffer_init (&f.bytes, big_endian);
  return f;
}

static inline void
cfi_fixture_free (struct cfi_fixture *f)
{
  frame_function_free (&f->function);
  cfa_machine_free (f->machine);
  cfi_section_free (&f->section);
  free (f->copy);
  buffer_free (&f->bytes);
}

/* Read the section.  The copy has its exact size, so that ASan sees any step
   over its end.  */
static inline void
cfi_fixture_read (struct cfi_fixture *f, const struct arch *arch)
{
  struct error err = { 0 };
  f->copy = malloc (f->bytes.size + 1);
  assert_non_null (f->copy);
  if (f->bytes.size > 0)
    memcpy (f->copy + 1, f->bytes.bytes, f->bytes.size);
  assert_true (eh_frame_read (&f->section, arch, f->copy + 1, f->bytes.size,
                              SECTION_ADDRESS, &err));
}

/* Read the section, for FDEs to be executed.  */
static inline void
cfi_fixture_machine (struct cfi_fixture *f, const struct arch *arch)
{
  cfi_fixture_read (f, arch);
  f->machine = cfa_machine_new (&f->section);
  assert_non_null (f->machine);
}

/* Execute the FDE with INDEX.  */
static inline enum frame_reason
cfi_fixture_run (struct cfi_fixture *f, size_t index)
{
  struct error err = { 0 };
  enum frame_reason reason;
  assert_true (index < f->section.n_fdes);
  assert_true (cfa_machine_run (f->machine, &f->section.fdes[index],
                                &f->function, &reason, &err));
  return reason;
}

/* Set-up and tear-down of tests whose state is one little-endian section.  */
static inline int
cfi_fixture_set_up (void **state)
{
  struct cfi_fixture *f = malloc (sizeof *f);
  if (f == NULL)
    return -1;
  *f = cfi_fixture_new (false);
  *state = f;
  return 0;
}

static inline int
cfi_fixture_tear_down (void **state)
{
  cfi_fixture_free (*state);
  free (*state);
  return 0;
}

#define CFI_TEST(name)                                                       \
  TEST_ON (struct cfi_fixture *f, cfi_fixture_set_up, cfi_fixture_tear_down, \
           name)

#endif /* TESTS_CFI_FIXTURE_H */
