/* libdwarf, kept behind one small interface.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdwarf is given two sections by object access: the empty one at index 0
   and that with the CFI at index 1.  Nothing is copied, and libdwarf opens no
   file.  Two generations of the interface exist; configure tells them apart by
   the type Dwarf_Obj_Access_Interface_a.  */

#include <config.h>

#include "cfi/libdwarf_list.h"

#include <stdio.h>
#include <stdlib.h>

#include LIBDWARF_HEADER

#include "cfi/entry.h"

#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
typedef Dwarf_Obj_Access_Interface_a access_interface;
typedef Dwarf_Obj_Access_Methods_a access_methods;
typedef Dwarf_Obj_Access_Section_a access_section;
typedef Dwarf_Unsigned section_index;
typedef Dwarf_Small *byte_pointer;
#  define SECTION(member) as_##member

/* DWARF 5, section 7.8: DW_END_big, DW_END_little.  dwarf.h is not included:
   libdwarf and elfutils have one each.  */
enum
{
  BYTE_ORDER_BIG = 1,
  BYTE_ORDER_LITTLE = 2
};
#else
typedef Dwarf_Obj_Access_Interface access_interface;
typedef Dwarf_Obj_Access_Methods access_methods;
typedef Dwarf_Obj_Access_Section access_section;
typedef Dwarf_Half section_index;
typedef Dwarf_Ptr byte_pointer;
#  define SECTION(member) member
#endif

struct libdwarf_list
{
  struct cfi_input input;
  bool big_endian;
  access_interface interface; /* libdwarf keeps a pointer to it */
  Dwarf_Debug debug;
  Dwarf_Cie *cies;
  Dwarf_Fde *fdes;
  Dwarf_Signed n_cies, n_fdes;
};

/* The callbacks of object access.  */

static int
get_section_info (void *object, section_index index, access_section *section,
                  int *error)
{
  (void)error;
  const struct libdwarf_list *list = object;
  if (index > 1)
    return DW_DLV_NO_ENTRY;
  *section = (access_section){ .SECTION (name) = "" };
  if (index == 1)
    {
      section->SECTION (name)
          = list->input.kind == CFI_EH_FRAME ? ".eh_frame" : ".debug_frame";
      section->SECTION (addr) = list->input.address;
      section->SECTION (type) = 1; /* SHT_PROGBITS */
      section->SECTION (size) = list->input.size;
    }
  return DW_DLV_OK;
}

static int
load_section (void *object, section_index index, Dwarf_Small **bytes,
              int *error)
{
  (void)error;
  const struct libdwarf_list *list = object;
  if (index != 1)
    return DW_DLV_NO_ENTRY;
  *bytes = (Dwarf_Small *)list->input.bytes; /* only read */
  return DW_DLV_OK;
}

static Dwarf_Small
get_length_size (void *object)
{
  (void)object;
  return 4; /* 32-bit DWARF */
}

static Dwarf_Small
get_pointer_size (void *object)
{
  (void)object;
  return 8;
}

static Dwarf_Unsigned
get_section_count (void *object)
{
  (void)object;
  return 2;
}

#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
static Dwarf_Small
get_byte_order (void *object)
{
  const struct libdwarf_list *list = object;
  return list->big_endian ? BYTE_ORDER_BIG : BYTE_ORDER_LITTLE;
}

static Dwarf_Unsigned
get_file_size (void *object)
{
  const struct libdwarf_list *list = object;
  return list->input.size;
}

static const access_methods methods
    = { .om_get_section_info = get_section_info,
        .om_get_byte_order = get_byte_order,
        .om_get_length_size = get_length_size,
        .om_get_pointer_size = get_pointer_size,
        .om_get_filesize = get_file_size,
        .om_get_section_count = get_section_count,
        .om_load_section = load_section };

static void
interface_init (struct libdwarf_list *list)
{
  list->interface.ai_object = list;
  list->interface.ai_methods = &methods;
}

static void
free_list (struct libdwarf_list *list)
{
  dwarf_dealloc_fde_cie_list (list->debug, list->cies, list->n_cies,
                              list->fdes, list->n_fdes);
}

static void
free_error (struct libdwarf_list *list, Dwarf_Error error)
{
  dwarf_dealloc_error (list->debug, error);
}

static void
finish (struct libdwarf_list *list)
{
  dwarf_object_finish (list->debug);
}
#else
static Dwarf_Endianness
get_byte_order (void *object)
{
  const struct libdwarf_list *list = object;
  return list->big_endian ? DW_OBJECT_MSB : DW_OBJECT_LSB;
}

static const access_methods methods = { .get_section_info = get_section_info,
                                        .get_byte_order = get_byte_order,
                                        .get_length_size = get_length_size,
                                        .get_pointer_size = get_pointer_size,
                                        .get_section_count = get_section_count,
                                        .load_section = load_section };

static void
interface_init (struct libdwarf_list *list)
{
  list->interface.object = list;
  list->interface.methods = &methods;
}

static void
free_list (struct libdwarf_list *list)
{
  dwarf_fde_cie_list_dealloc (list->debug, list->cies, list->n_cies,
                              list->fdes, list->n_fdes);
}

static void
free_error (struct libdwarf_list *list, Dwarf_Error error)
{
  dwarf_dealloc (list->debug, error, DW_DLA_ERROR);
}

static void
finish (struct libdwarf_list *list)
{
  Dwarf_Error error;
  dwarf_object_finish (list->debug, &error);
}
#endif

/* Copy libdwarf's message to TEXT and free ERROR.  */
static void
take_error (struct libdwarf_list *list, Dwarf_Error error, char *text,
            size_t text_size)
{
  snprintf (text, text_size, "%s", dwarf_errmsg (error));
  free_error (list, error);
}

static bool
list_entries (struct libdwarf_list *list, unsigned address_size, char *text,
              size_t text_size)
{
  Dwarf_Error error = NULL;
  int result = dwarf_object_init_b (&list->interface, NULL, NULL,
                                    DW_GROUPNUMBER_ANY, &list->debug, &error);
  if (result != DW_DLV_OK)
    {
      snprintf (text, text_size, "libdwarf does not start");
      list->debug = NULL;
      return false;
    }
  dwarf_set_default_address_size (list->debug, (Dwarf_Small)address_size);
  result = (list->input.kind == CFI_EH_FRAME
                ? dwarf_get_fde_list_eh
                : dwarf_get_fde_list) (list->debug, &list->cies, &list->n_cies,
                                       &list->fdes, &list->n_fdes, &error);
  if (result == DW_DLV_ERROR)
    take_error (list, error, text, text_size);
  if (result != DW_DLV_OK)
    list->cies = NULL;
  /* No FDE at all is an empty list, not a failure.  */
  return result != DW_DLV_ERROR;
}

struct libdwarf_list *
libdwarf_list_open (const struct cfi_input *input, bool big_endian,
                    unsigned address_size, char *text, size_t text_size)
{
  struct libdwarf_list *list = calloc (1, sizeof *list);
  if (list == NULL)
    {
      snprintf (text, text_size, "out of memory");
      return NULL;
    }
  list->input = *input;
  list->big_endian = big_endian;
  interface_init (list);
  if (list_entries (list, address_size, text, text_size))
    return list;
  libdwarf_list_close (list);
  return NULL;
}

void
libdwarf_list_close (struct libdwarf_list *list)
{
  if (list->cies != NULL)
    free_list (list);
  if (list->debug != NULL)
    finish (list);
  free (list);
}

size_t
libdwarf_list_n_cies (const struct libdwarf_list *list)
{
  return list->cies != NULL ? (size_t)list->n_cies : 0;
}

size_t
libdwarf_list_n_fdes (const struct libdwarf_list *list)
{
  return list->cies != NULL ? (size_t)list->n_fdes : 0;
}

bool
libdwarf_list_cie (struct libdwarf_list *list, size_t index,
                   struct libdwarf_list_cie *cie)
{
  Dwarf_Cie handle = list->cies[index];
  Dwarf_Unsigned entry_size, code_alignment, instructions_size;
  Dwarf_Signed data_alignment;
  Dwarf_Half ra_column, offset_size;
  Dwarf_Small version;
  Dwarf_Off offset;
  char *augmentation;
  byte_pointer instructions;
  Dwarf_Error error = NULL;
  if (dwarf_cie_section_offset (list->debug, handle, &offset, &error)
          != DW_DLV_OK
      || dwarf_get_cie_info_b (handle, &entry_size, &version, &augmentation,
                               &code_alignment, &data_alignment, &ra_column,
                               &instructions, &instructions_size, &offset_size,
                               &error)
             != DW_DLV_OK)
    {
      free_error (list, error);
      return false;
    }
  *cie = (struct libdwarf_list_cie){
    .offset = offset,
    .instructions = instructions,
    .instructions_size = instructions_size,
    .code_alignment = code_alignment,
    .data_alignment = data_alignment,
    .ra_column = ra_column,
  };
  return true;
}

bool
libdwarf_list_fde (struct libdwarf_list *list, size_t index,
                   struct libdwarf_list_fde *fde)
{
  Dwarf_Fde handle = list->fdes[index];
  Dwarf_Addr address;
  Dwarf_Unsigned size, entry_size, instructions_size;
  Dwarf_Off cie_delta, offset;
  Dwarf_Signed cie;
  byte_pointer entry, instructions;
  Dwarf_Error error = NULL;
  if (dwarf_get_fde_range (handle, &address, &size, &entry, &entry_size,
                           &cie_delta, &cie, &offset, &error)
          != DW_DLV_OK
      || dwarf_get_fde_instr_bytes (handle, &instructions, &instructions_size,
                                    &error)
             != DW_DLV_OK)
    {
      free_error (list, error);
      return false;
    }
  /* libdwarf leaves the length field out.  */
  bool wide = offset < list->input.size
              && entry_head (list->input.bytes + offset, list->big_endian)
                     == ENTRY_HEAD_64;
  *fde
      = (struct libdwarf_list_fde){ .offset = offset,
                                    .entry_size = (wide ? 12 : 4) + entry_size,
                                    .address = address,
                                    .size = size,
                                    .instructions = instructions,
                                    .instructions_size = instructions_size };
  return true;
}
