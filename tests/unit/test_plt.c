/* Unit tests of src/cfi/plt.c: PLT stubs become functions where no FDE covers
   them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cfi/plt.h"
#include "failing_allocations.h"
#include "tests/unit_test.h"

#define PLT UINT64_C (0x123400001020)

enum
{
  FILE_SIZE = 0x200,
  FDES_MAX = 4
};

/* What GNU ld writes: .plt.got, and .plt with its header.  */
#define GOT "\xff\x25\x6a\x2f\x00\x00\x66\x90"
#define HEADER "\xff\x35\xca\x2f\0\0\xff\x25\xcc\x2f\0\0\x0f\x1f\x40\0"
#define LAZY "\xff\x25\xca\x2f\0\0\x68\0\0\0\0\xe9\xe0\xff\xff\xff"

struct fixture
{
  uint8_t bytes[FILE_SIZE];
  GElf_Phdr load;
  struct image_section sections[3];
  struct image image;
  struct cfi_fde fdes[FDES_MAX];
  struct cfi_section cfi;
};

/* A file of one executable segment that begins with the section NAME at
   ADDRESS, SIZE bytes of CODE.  */
static void
set_up (struct fixture *f, const char *name, uint64_t address,
        const char *code, size_t size)
{
  *f = (struct fixture){
    .load = { .p_type = PT_LOAD,
              .p_flags = PF_R | PF_X,
              .p_vaddr = address,
              .p_filesz = FILE_SIZE,
              .p_memsz = FILE_SIZE },
    .sections[1] = { .name = name,
                     .header = { .sh_type = SHT_PROGBITS,
                                 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                 .sh_addr = address,
                                 .sh_size = size } },
  };
  f->sections[0].name = f->sections[2].name = "";
  memcpy (f->bytes, code, size);
  f->image = (struct image){ .bytes = f->bytes,
                             .size = FILE_SIZE,
                             .arch = &arch_amd64,
                             .segments = &f->load,
                             .n_segments = 1,
                             .sections = f->sections,
                             .n_sections = 3 };
  f->cfi = (struct cfi_section){ .arch = &arch_amd64, .fdes = f->fdes };
}

static void
add_fde (struct fixture *f, uint64_t address, uint64_t size)
{
  f->fdes[f->cfi.n_fdes++]
      = (struct cfi_fde){ .address = address, .size = size };
}

/* EXPECTED: offset+size, `m' and the block size, the rows: start and CFA.  */
static void
expect (struct fixture *f, const char *expected)
{
  struct frame_functions list;
  struct error err = { 0 };
  char got[400] = "";
  size_t used = 0;
  assert_true (plt_stubs_find (&list, &f->image, &f->cfi, &err));
  for (size_t i = 0; i < list.n_functions; i++)
    {
      const struct frame_function *function = &list.functions[i];
      used += (size_t)snprintf (
          got + used, sizeof got - used, "%s%u+%u", i > 0 ? " " : "",
          (unsigned)(function->address - f->load.p_vaddr), function->size);
      if (function->repeat != 0)
        used += (size_t)snprintf (got + used, sizeof got - used, "m%u",
                                  function->repeat);
      for (size_t r = 0; r < function->n_rows; r++)
        used += (size_t)snprintf (got + used, sizeof got - used, ":%u,%d",
                                  function->rows[r].start,
                                  function->rows[r].cfa.offset);
      assert_true (function->from_plt);
    }
  assert_string_equal (got, expected);
  frame_functions_free (&list);
}

TEST (stubs_alike_are_one_function)
{
  struct fixture f;
  set_up (&f, ".plt.got", PLT, GOT GOT GOT, 24);
  expect (&f, "0+24:0,8");
  set_up (&f, ".plt", PLT, HEADER LAZY LAZY LAZY, 64);
  expect (&f, "0+16:0,16:6,24 16+48m16:0,8:11,16");
  set_up (&f, ".plt", PLT, HEADER LAZY, 32);
  expect (&f, "0+16:0,16:6,24 16+16:0,8:11,16");
  /* Readers count the PC of a block from address 0.  */
  set_up (&f, ".plt", PLT + 8, HEADER LAZY LAZY, 48);
  expect (&f, "0+16:0,16:6,24 16+16:0,8:11,16 32+16:0,8:11,16");
}

TEST (unknown_bytes_end_a_section)
{
  struct fixture f;
  set_up (&f, ".plt.got", PLT, GOT "\xff\x26\x6a\x2f\0\0\x66\x90" GOT, 24);
  expect (&f, "0+8:0,8");
  set_up (&f, ".plt.got", PLT, GOT GOT, 16);
  f.sections[1].header.sh_size = 15;
  expect (&f, "0+8:0,8");
  /* A header is one at the start only, where the jumps to it have pushed;
     elsewhere the same bytes are the stub of TLS descriptors.  */
  set_up (&f, ".plt", PLT, HEADER LAZY HEADER LAZY, 64);
  expect (&f, "0+16:0,16:6,24 16+16:0,8:11,16 32+16:0,8:6,16 "
              "48+16:0,8:11,16");
}

TEST (code_with_fde_is_left_to_it)
{
  struct fixture f;
  set_up (&f, ".plt.got", PLT, GOT GOT GOT GOT, 32);
  add_fde (&f, PLT - 8, 8); /* they touch */
  add_fde (&f, PLT + 8, 8);
  add_fde (&f, PLT + 32, 8);
  expect (&f, "0+8:0,8 16+16:0,8");
  set_up (&f, ".plt.got", PLT, GOT GOT GOT GOT, 32);
  add_fde (&f, PLT - 8, 9);  /* one byte of the first */
  add_fde (&f, PLT + 15, 1); /* and of the second */
  expect (&f, "16+16:0,8");
  set_up (&f, ".plt.got", PLT, GOT GOT GOT GOT, 32);
  add_fde (&f, PLT - 8, 100);
  expect (&f, "");
}

TEST (only_code_that_is_loaded)
{
  struct fixture f;
  set_up (&f, ".plt.got", PLT, GOT, 8);
  f.sections[1].header.sh_flags = SHF_ALLOC;
  expect (&f, "");
  set_up (&f, ".plt.got", PLT, GOT, 8);
  f.load.p_flags = PF_R;
  expect (&f, "");
  set_up (&f, ".plt.got", PLT, GOT, 8);
  f.sections[1].header.sh_type = SHT_NOBITS;
  expect (&f, "");
  set_up (&f, ".text", PLT, GOT, 8);
  expect (&f, "");
}

/* A damaged file: .plt.got lies in .plt.  */
TEST (of_overlapping_stubs_the_first_counts)
{
  struct fixture f;
  set_up (&f, ".plt", PLT, GOT GOT GOT GOT, 32);
  f.sections[1].header.sh_size = 16;
  f.sections[2] = f.sections[1];
  f.sections[2].name = ".plt.got";
  f.sections[2].header.sh_addr = PLT + 8;
  f.sections[2].header.sh_offset = 8;
  expect (&f, "0+16:0,8");
  f.sections[2].header.sh_addr = PLT + 16;
  f.sections[2].header.sh_offset = 16;
  expect (&f, "0+16:0,8 16+16:0,8");
  /* Sorted, whatever the sections are called.  */
  f.sections[1].name = ".plt.got";
  f.sections[2].name = ".plt";
  expect (&f, "0+16:0,8 16+16:0,8");
}

TEST (out_of_memory_is_said)
{
  struct fixture f;
  struct frame_functions list;
  unsigned failures = 0;
  allocations_fail_lastingly = true;
  /* A run of one block size, and one function per stub.  */
  for (uint64_t address = PLT; address <= PLT + 8; address += 8)
    for (unsigned n = 0;; n++)
      {
        struct error err = { 0 };
        set_up (&f, ".plt", address, HEADER LAZY LAZY LAZY, 64);
        allocations_granted = n;
        bool found = plt_stubs_find (&list, &f.image, &f.cfi, &err);
        allocations_granted = UINT_MAX;
        if (found)
          {
            frame_functions_free (&list);
            break;
          }
        assert_int_equal (err.status, CFI2SFRAME_NO_MEMORY);
        assert_int_equal (list.n_functions, 0);
        failures++;
      }
  allocations_fail_lastingly = false;
  assert_true (failures >= 8);
}
