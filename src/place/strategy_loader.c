/* Strategies spare-slot and evict for the dynamic loader itself.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For ld.so of glibc and musl: 4 of 4,291 files (doc/formats/injection, "How
   often"), by which all the others are started.

   Kernels up to 6.6 map the interpreter with one BSS computation at the end:
   with a segment behind the BSS, the BSS is not zeroed, and a last segment
   that is read-only makes exec fail.  So the BSS is given bytes in the file,
   and the new segment ends at a page boundary, where there is nothing left to
   zero.  */

#include <config.h>

#include "place/strategy_loader.h"

#include <string.h>

#include "base/align.h"
#include "elf/dynamic.h"
#include "place/bss_in_file.h"
#include "place/dynamic_addresses.h"
#include "place/place.h"
#include "place/slots.h"
#include "place/strategy.h"

static bool
has_prefix (const char *name, const char *prefix)
{
  return strncmp (name, prefix, strlen (prefix)) == 0;
}

/* Such as ld64-uClibc.so.1, ld-linux-x86-64.so.2, ld64.so.1,
   libc.musl-x86_64.so.1.  */
static bool
is_loader_name (const char *name)
{
  return has_prefix (name, "ld-") || has_prefix (name, "ld64.so")
         || has_prefix (name, "ld64-") || has_prefix (name, "ld.so")
         || has_prefix (name, "libc.musl-");
}

bool
layout_is_loader_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  return is_loader_name (name) && strstr (name, ".so") != NULL;
}

bool
layout_may_be_loader (const struct image *image)
{
  return image->header.e_type == ET_DYN && image->header.e_entry != 0
         && image_find_segment (image, PT_INTERP) == NULL;
}

/* Whether the string table holds NAME as a whole string.  */
static bool
has_string (const char *strings, uint64_t size, const char *name)
{
  size_t length = strlen (name) + 1;
  const char *found = memmem (strings, size, name, length);
  return found != NULL && (found == strings || found[-1] == '\0');
}

/* The string table is searched first, as few files have these names.  */
static bool
has_dynamic (const struct image *image, const char *strings, uint64_t size,
             const char *name)
{
  return has_string (strings, size, name) && dynamic_may_define (image, name);
}

bool
layout_is_loader (const struct image *image)
{
  uint64_t size;
  const char *strings, *soname;
  if (!layout_may_be_loader (image)
      || (strings = dynamic_strings (image, &size)) == NULL)
    return false;
  soname = dynamic_soname (image);
  if (soname != NULL && is_loader_name (soname))
    return true;
  return has_dynamic (image, strings, size, "__tls_get_addr")
         && (has_dynamic (image, strings, size, "_r_debug")
             || has_dynamic (image, strings, size, "_dl_debug_addr"));
}

static int
try_loader (struct placing *placing)
{
  struct place place = { .new_load = true };
  struct bss_fill fill = { 0 };
  if (!slots_find (placing, 2, &place.slots)
      || !bss_fill_measure (placing, &fill))
    return 0;
  const GElf_Phdr *last = &placing->image->segments[fill.load];
  /* .sframe is at the start of a page, so that strip cannot put it into the
     page of the BSS.  */
  if (!round_up (placing->image->size + fill.shift, placing->page,
                 &place.offset))
    return placing_impossible (placing, "the address space is full");
  place.address = last->p_vaddr + (fill.new_end - last->p_offset);
  if (!place_fill (placing, &place)
      || !round_up (place.end, placing->page, &place.load_end))
    return placing_impossible (placing, "the address space is full");
  if (!bss_fill_commit (placing, &fill))
    return -1;
  return place_take (placing, &place);
}

const struct strategy strategy_loader = { .name = "spare-slot",
                                          .evicting = "evict",
                                          .files = LOADERS,
                                          .explains = true,
                                          .plan = try_loader };
