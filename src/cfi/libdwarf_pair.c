/* Reading one CIE and one FDE by libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdwarf gets its sections through callbacks (object access): an empty one
   at index 0, and the one with the entries at index 1.  It copies nothing and
   opens no file.  There are two generations of this interface.  configure
   distinguishes them by the type Dwarf_Obj_Access_Interface_a.  */

#include <config.h>

#include "cfi/libdwarf_pair.h"

#include <errno.h>
#include <stdio.h>

#include LIBDWARF_HEADER

#include "cfi/entry.h"

/* ---- The two generations */

#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
typedef Dwarf_Obj_Access_Interface_a access_interface;
typedef Dwarf_Obj_Access_Methods_a access_methods;
typedef Dwarf_Obj_Access_Section_a access_section;
typedef Dwarf_Unsigned section_index;
typedef Dwarf_Small *byte_pointer;
typedef Dwarf_Small byte_order;
#  define INTERFACE(member) ai_##member
#  define METHOD(member) om_##member
#  define SECTION(member) as_##member
#  define FREE_LIST dwarf_dealloc_fde_cie_list
#  define FINISH(debug) dwarf_object_finish (debug)

/* DWARF 5, section 7.8: DW_END_big, DW_END_little.  dwarf.h is not included:
   libdwarf and elfutils have one each.  */
static const byte_order big = 1, little = 2;
#else
typedef Dwarf_Obj_Access_Interface access_interface;
typedef Dwarf_Obj_Access_Methods access_methods;
typedef Dwarf_Obj_Access_Section access_section;
typedef Dwarf_Half section_index;
typedef Dwarf_Ptr byte_pointer;
typedef Dwarf_Endianness byte_order;
#  define INTERFACE(member) member
#  define METHOD(member) member
#  define SECTION(member) member
#  define FREE_LIST dwarf_fde_cie_list_dealloc
#  define FINISH(debug) dwarf_object_finish (debug, &(Dwarf_Error){ NULL })

static const byte_order big = DW_OBJECT_MSB, little = DW_OBJECT_LSB;
#endif

/* The input, and the results of libdwarf.  */
struct session
{
  struct cfi_input input;
  bool big_endian;
  access_interface interface; /* libdwarf keeps a pointer to it */
  Dwarf_Debug debug;
  Dwarf_Cie *cies;
  Dwarf_Fde *fdes;
  Dwarf_Signed n_cies, n_fdes;
};

/* ---- The callbacks of object access */

static int
get_section_info (void *object, section_index index, access_section *section,
                  int *error)
{
  (void)error;
  const struct session *session = object;
  if (index > 1)
    return DW_DLV_NO_ENTRY;
  *section = (access_section){ .SECTION (name) = "" };
  if (index == 1)
    {
      section->SECTION (name)
          = session->input.kind == CFI_EH_FRAME ? ".eh_frame" : ".debug_frame";
      section->SECTION (addr) = session->input.address;
      section->SECTION (type) = 1; /* SHT_PROGBITS */
      section->SECTION (size) = session->input.size;
    }
  return DW_DLV_OK;
}

static int
load_section (void *object, section_index index, Dwarf_Small **bytes,
              int *error)
{
  (void)error;
  const struct session *session = object;
  if (index != 1)
    return DW_DLV_NO_ENTRY;
  *bytes = (Dwarf_Small *)session->input.bytes; /* only read */
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

static byte_order
get_byte_order (void *object)
{
  const struct session *session = object;
  return session->big_endian ? big : little;
}

#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
static Dwarf_Unsigned
get_file_size (void *object)
{
  const struct session *session = object;
  return session->input.size;
}
#endif

static const access_methods methods = {
  .METHOD (get_section_info) = get_section_info,
  .METHOD (get_byte_order) = get_byte_order,
  .METHOD (get_length_size) = get_length_size,
  .METHOD (get_pointer_size) = get_pointer_size,
#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
  .om_get_filesize = get_file_size,
#endif
  .METHOD (get_section_count) = get_section_count,
  .METHOD (load_section) = load_section,
};

/* Have libdwarf list the entries.  libdwarf frees its errors with all its
   other memory when the session ends.  */
static bool
list_entries (struct session *session, unsigned address_size, char *text,
              size_t text_size)
{
  Dwarf_Error error = NULL;
  int result
      = dwarf_object_init_b (&session->interface, NULL, NULL,
                             DW_GROUPNUMBER_ANY, &session->debug, &error);
  if (result != DW_DLV_OK)
    {
      snprintf (text, text_size, "libdwarf does not start");
      session->debug = NULL;
      return false;
    }
  dwarf_set_default_address_size (session->debug, (Dwarf_Small)address_size);
  result = (session->input.kind == CFI_EH_FRAME ? dwarf_get_fde_list_eh
                                                : dwarf_get_fde_list) (
      session->debug, &session->cies, &session->n_cies, &session->fdes,
      &session->n_fdes, &error);
  if (result == DW_DLV_ERROR)
    snprintf (text, text_size, "%s", dwarf_errmsg (error));
  if (result != DW_DLV_OK)
    session->cies = NULL;
  /* A section without FDEs is no failure.  */
  return result != DW_DLV_ERROR;
}

static bool
get_cie (const struct session *session, struct libdwarf_cie *cie)
{
  Dwarf_Cie handle = session->cies[0];
  Dwarf_Unsigned entry_size, code_alignment, instructions_size;
  Dwarf_Signed data_alignment;
  Dwarf_Half ra_column, offset_size;
  Dwarf_Small version;
  char *augmentation;
  byte_pointer instructions;
  Dwarf_Error error = NULL;
  if (dwarf_get_cie_info_b (handle, &entry_size, &version, &augmentation,
                            &code_alignment, &data_alignment, &ra_column,
                            &instructions, &instructions_size, &offset_size,
                            &error)
      != DW_DLV_OK)
    return false;
  *cie = (struct libdwarf_cie){
    .instructions = instructions,
    .instructions_size = instructions_size,
    .code_alignment = code_alignment,
    .data_alignment = data_alignment,
    .ra_column = ra_column,
  };
  return true;
}

static bool
get_fde (const struct session *session, struct libdwarf_fde *fde)
{
  Dwarf_Fde handle = session->fdes[0];
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
    return false;
  /* libdwarf's size of an entry is without the length field.  */
  bool wide
      = offset < session->input.size
        && entry_head (session->input.bytes + offset, session->big_endian)
               == ENTRY_HEAD_64;
  *fde = (struct libdwarf_fde){ .entry_size = (wide ? 12 : 4) + entry_size,
                                .address = address,
                                .size = size,
                                .instructions = instructions,
                                .instructions_size = instructions_size };
  return true;
}

bool
libdwarf_pair_read (const struct cfi_input *pair, bool big_endian,
                    unsigned address_size, struct libdwarf_cie *cie,
                    struct libdwarf_fde *fde, char *text, size_t text_size)
{
  struct session session = { .input = *pair, .big_endian = big_endian };
  session.interface.INTERFACE (object) = &session;
  session.interface.INTERFACE (methods) = &methods;
  errno = 0;
  bool listed = list_entries (&session, address_size, text, text_size);
  bool seen = listed && session.cies != NULL && session.n_cies == 1
              && session.n_fdes == 1 && get_cie (&session, cie)
              && get_fde (&session, fde);
  int problem = seen ? 0 : errno;
  if (listed && !seen)
    snprintf (text, text_size, "libdwarf does not see the entry");
  if (session.cies != NULL)
    FREE_LIST (session.debug, session.cies, session.n_cies, session.fdes,
               session.n_fdes);
  if (session.debug != NULL)
    FINISH (session.debug);
  errno = problem;
  return seen;
}
