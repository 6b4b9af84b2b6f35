/* Several formats from one pass over the CFI of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each SFrame format is a lane: its own lowering, encoder and account.  All
   lanes, and the compact unwind section, get each function's rows while they
   are there.  */

#include <config.h>

#include "convert/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cfi/cfa_program.h"
#include "elf/padding.h"
#include "cfi/plt.h"
#include "convert/builder.h"
#include "cunwind/info_dump.h"
#include "cunwind/info_read.h"
#include "cunwind/section_builder.h"
#include "elf/output_file.h"
#include "sframe/compact.h"
#include "sframe/lower.h"

_Static_assert((int)CUNWIND_REASON_COUNT <= CFI2SFRAME_REASONS_MAX,
               "reasons do not fit the public result");

enum
{
  N_LANES = CFI2SFRAME_COMPARED_COMPACT_UNWIND
};

/* How the formats differ.  */
static const struct
{
  const char *name, *text;
  enum cfi2sframe_format format; /* of SFrame */
  bool no_share, compact;
} formats[CFI2SFRAME_COMPARED_COUNT] = {
  [CFI2SFRAME_COMPARED_V1]
  = { "v1", "SFrame V1", CFI2SFRAME_V1, false, false },
  [CFI2SFRAME_COMPARED_V2]
  = { "v2", "SFrame V2", CFI2SFRAME_V2, false, false },
  [CFI2SFRAME_COMPARED_V3_NO_SHARE]
  = { "v3-no-share", "SFrame V3 --no-share", CFI2SFRAME_V3, true, false },
  [CFI2SFRAME_COMPARED_V3]
  = { "v3", "SFrame V3", CFI2SFRAME_V3, false, false },
  [CFI2SFRAME_COMPARED_V3_COMPACT]
  = { "v3-compact", "SFrame V3 --compact", CFI2SFRAME_V3, false, true },
  [CFI2SFRAME_COMPARED_COMPACT_UNWIND]
  = { "compact-unwind", "compact unwind", CFI2SFRAME_V3, false, false },
};

const char *
cfi2sframe_compared_name (enum cfi2sframe_compared format)
{
  return formats[format].name;
}

const char *
cfi2sframe_compared_text (enum cfi2sframe_compared format)
{
  return formats[format].text;
}

const char *
cfi2sframe_compact_unwind_reason_name (unsigned reason)
{
  return reason < CUNWIND_REASON_COUNT ? cunwind_reason_name (reason) : NULL;
}

const char *
cfi2sframe_compact_unwind_reason_text (unsigned reason)
{
  return reason < CUNWIND_REASON_COUNT ? cunwind_reason_text (reason) : NULL;
}

/* Lanes.  */

struct lane
{
  struct cfi2sframe_compared_format *result;
  struct lower_options lower;
  struct lower_sink sink;
  struct sframe_encoder *encoder; /* NULL: the lane is not used */
  struct compactor *compactor;    /* in front of the encoder, or NULL */
  enum frame_reason first_reason; /* of the function at hand */
};

struct run
{
  const struct image *image;
  struct cfi2sframe_comparison *result;
  struct cfi_section cfi;
  struct plt_list plt;
  struct padding_finder padding;
  struct cfa_machine *machine;
  struct frame_function function; /* reused for every FDE */
  struct lane lanes[N_LANES];
  bool with_compact_unwind;
  struct cunwind_section compact_unwind;
  uint64_t covered_end; /* code below has been described */
};

static bool
take_piece (void *context, const struct sframe_function *piece,
            struct error *err)
{
  struct lane *lane = context;
  return lane->compactor != NULL
             ? compactor_add (lane->compactor, piece, err)
             : sframe_encoder_add (lane->encoder, piece, err);
}

static void
take_left_out (void *context, uint64_t address, uint32_t size,
               enum frame_reason reason)
{
  (void)address;
  (void)size;
  struct lane *lane = context;
  if (lane->compactor != NULL)
    compactor_separate (lane->compactor);
  if (lane->first_reason == REASON_NONE)
    lane->first_reason = reason;
}

static bool
is_padding (const void *context, uint64_t address, uint64_t size)
{
  return padding_finder_is_padding (context, address, size);
}

static bool
lane_open (struct run *run, unsigned index, struct error *err)
{
  const struct arch *arch = run->image->arch;
  struct lane *lane = &run->lanes[index];
  struct sframe_variant variant = builder_variant (formats[index].format);
  struct encode_options encode
      = { .arch = arch,
          .variant = variant,
          .sorted = true,
          .share = !formats[index].no_share && !arch->big_endian,
          .rows_max = builder_rows_max (run->image) };
  lane->result = &run->result->formats[index];
  lane->result->available
      = arch->sframe_abi != SFRAME_ABI_S390X_BE || variant.pcrel;
  if (!lane->result->available)
    return true;
  lane->lower = (struct lower_options){ .arch = arch,
                                        .variant = variant,
                                        .flexible = arch->flexible_fdes };
  lane->sink = (struct lower_sink){ .context = lane,
                                    .piece = take_piece,
                                    .left_out = take_left_out };
  lane->encoder = sframe_encoder_new (&encode);
  if (formats[index].compact)
    lane->compactor = compactor_new (
        &encode, (struct compact_gaps){ &run->padding, is_padding });
  return (lane->encoder != NULL
          && (lane->compactor != NULL || !formats[index].compact))
         || error_set_no_memory (err);
}

static bool
lane_add (struct lane *lane, const struct frame_function *function,
          struct error *err)
{
  if (lane->encoder == NULL)
    return true;
  lane->first_reason = REASON_NONE;
  if (!lower_function (&lane->lower, function, &lane->sink, err))
    return false;
  if (function->from_plt)
    return true;
  if (lane->first_reason == REASON_NONE)
    lane->result->synchronous++;
  else
    lane->result->left_out[lane->first_reason]++;
  return true;
}

static bool
lane_finish (struct lane *lane, struct error *err)
{
  if (lane->encoder == NULL)
    return true;
  if (lane->compactor != NULL
      && !compactor_finish (lane->compactor, lane->encoder, err))
    return false;
  sframe_encoder_finish (lane->encoder);
  lane->result->bytes = sframe_encoder_size (lane->encoder);
  lane->result->asynchronous = lane->result->synchronous;
  return true;
}

/* Functions.  */

static bool
add_to_lanes (struct run *run, const struct frame_function *function,
              struct error *err)
{
  run->covered_end = function->address + function->size;
  for (unsigned i = 0; i < N_LANES; i++)
    if (!lane_add (&run->lanes[i], function, err))
      return false;
  return true;
}

/* Count a whole FDE that SFrame does not use.  */
static void
leave_out_of_lanes (struct run *run, enum frame_reason reason)
{
  for (unsigned i = 0; i < N_LANES; i++)
    if (run->lanes[i].encoder != NULL)
      {
        run->lanes[i].result->left_out[reason]++;
        if (run->lanes[i].compactor != NULL)
          compactor_separate (run->lanes[i].compactor);
      }
}

static enum frame_reason
fde_problem (const struct run *run, const struct cfi_fde *fde)
{
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  if (!image_is_executable (run->image, fde->address, fde->size))
    return REASON_NOT_EXECUTABLE;
  return fde->address < run->covered_end ? REASON_OVERLAP : REASON_NONE;
}

static bool
add_compact_unwind (struct run *run, const struct cfi_fde *fde,
                    const struct frame_function *function, struct error *err)
{
  return !run->with_compact_unwind
         || cunwind_section_add (&run->compact_unwind, fde, function, err);
}

static bool
add_fde (struct run *run, const struct cfi_fde *fde, struct error *err)
{
  enum frame_reason reason = fde_problem (run, fde);
  uint64_t failed_at;
  if (reason != REASON_NONE)
    {
      leave_out_of_lanes (run, reason);
      if (run->with_compact_unwind)
        cunwind_section_skip (&run->compact_unwind);
      return true;
    }
  err->status = CFI2SFRAME_OK;
  reason
      = cfa_machine_run (run->machine, fde, &run->function, &failed_at, err);
  if (err->status != CFI2SFRAME_OK)
    return false;
  if (reason == REASON_NONE)
    return add_to_lanes (run, &run->function, err)
           && add_compact_unwind (run, fde, &run->function, err);
  leave_out_of_lanes (run, reason);
  run->covered_end = fde->address + fde->size;
  return add_compact_unwind (run, fde, NULL, err);
}

/* FDEs and PLT stubs, merged in address order.  */
static bool
add_functions (struct run *run, struct error *err)
{
  size_t stub = 0;
  for (size_t i = 0; i <= run->cfi.n_fdes; i++)
    {
      uint64_t next
          = i < run->cfi.n_fdes ? run->cfi.fdes[i].address : UINT64_MAX;
      for (; stub < run->plt.n_functions
             && run->plt.functions[stub].address < next;
           stub++)
        if (run->plt.functions[stub].address >= run->covered_end
            && !add_to_lanes (run, &run->plt.functions[stub], err))
          return false;
      if (i < run->cfi.n_fdes && !add_fde (run, &run->cfi.fdes[i], err))
        return false;
    }
  return true;
}

/* Entries that could not be read at all.  */
static void
count_damages (struct run *run)
{
  const struct cfi_section *cfi = &run->cfi;
  for (size_t i = 0; i < cfi->n_damages; i++)
    leave_out_of_lanes (run, cfi->damages[i].reason);
  for (size_t i = cfi->n_damages; i < cfi->n_damaged; i++)
    leave_out_of_lanes (run, REASON_BAD_ENTRY);
  if (run->with_compact_unwind)
    run->compact_unwind.by_reason[CUNWIND_UNREADABLE] += cfi->n_damaged;
}

/* Beginning and end.  */

static bool
read_cfi (struct run *run, struct error *err)
{
  const struct image *image = run->image;
  struct image_eh_frame found;
  if (image->header.e_type == ET_REL)
    return error_set (err, CFI2SFRAME_NOTHING, "is a relocatable object");
  if (image->header.e_type == ET_CORE)
    return error_set (err, CFI2SFRAME_NOTHING, "is a core file");
  if (image->arch == NULL)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "machine %u: SFrame has no ABI for it",
                      image->header.e_machine);
  if (image->debug_only)
    return error_set (err, CFI2SFRAME_NOTHING,
                      "debug file: the code is not in it");
  run->result->machine = image->arch->name;
  if (!image_find_eh_frame (image, &found, err))
    return false;
  if (found.size == 0)
    return error_set (err, CFI2SFRAME_NOTHING, "no .eh_frame");
  run->result->eh_frame_bytes = found.size;
  run->result->eh_frame_hdr_bytes = found.header_size;
  if (!cfi_section_read (&run->cfi, image->arch, found.bytes, found.size,
                         found.address, err)
      || !plt_list_find (&run->plt, image, &run->cfi, err)
      || !padding_finder_init (&run->padding, image, err))
    return false;
  run->result->cfi_functions = run->cfi.n_fdes + run->cfi.n_damaged;
  return true;
}

static bool
prepare (struct run *run, unsigned wanted, struct error *err)
{
  for (unsigned i = 0; i < N_LANES; i++)
    if (wanted & FORMATS_BIT (i) && !lane_open (run, i, err))
      return false;
  run->machine = cfa_machine_new (&run->cfi);
  if (run->machine == NULL)
    return error_set_no_memory (err);
  run->with_compact_unwind
      = (wanted & FORMATS_BIT (CFI2SFRAME_COMPARED_COMPACT_UNWIND)) != 0
        && cunwind_supports (run->image->arch);
  if (!run->with_compact_unwind)
    return true;
  if (!cfa_machine_track_saved (run->machine))
    return error_set_no_memory (err);
  return cunwind_section_init (&run->compact_unwind, run->image, &run->cfi,
                               &run->padding, err);
}

static bool
finish_compact_unwind (struct run *run, struct buffer *out, struct error *err)
{
  const struct cunwind_section *section = &run->compact_unwind;
  struct cfi2sframe_compared_format *result
      = &run->result->formats[CFI2SFRAME_COMPARED_COMPACT_UNWIND];
  struct buffer own;
  if (!run->with_compact_unwind)
    return true;
  buffer_init (&own, false);
  if (out == NULL)
    out = &own;
  size_t before = out->size;
  bool written = cunwind_section_write (section, out, err);
  result->available = true;
  result->bytes = out->size - before;
  result->synchronous = section->by_reason[CUNWIND_EXPRESSED];
  result->asynchronous = section->n_asynchronous;
  for (unsigned i = CUNWIND_EXPRESSED + 1; i < CUNWIND_REASON_COUNT; i++)
    result->left_out[i] = section->by_reason[i];
  run->result->compact_unwind_lsda_bytes
      = cunwind_section_lsda_bytes (section);
  run->result->compact_unwind_eh_frame_bytes = section->bytes_kept;
  buffer_free (&own);
  return written;
}

static bool
finish (struct run *run, struct buffer *compact_unwind, struct error *err)
{
  for (unsigned i = 0; i < N_LANES; i++)
    if (!lane_finish (&run->lanes[i], err))
      return false;
  return finish_compact_unwind (run, compact_unwind, err);
}

static void
run_free (struct run *run)
{
  for (unsigned i = 0; i < N_LANES; i++)
    {
      compactor_free (run->lanes[i].compactor);
      sframe_encoder_free (run->lanes[i].encoder);
    }
  cunwind_section_free (&run->compact_unwind);
  padding_finder_free (&run->padding);
  cfa_machine_free (run->machine);
  frame_function_free (&run->function);
  plt_list_free (&run->plt);
  cfi_section_free (&run->cfi);
}

bool
formats_make (const struct image *image, unsigned wanted,
              struct cfi2sframe_comparison *result,
              struct buffer *compact_unwind, struct error *err)
{
  struct run run = { .image = image, .result = result };
  *result = (struct cfi2sframe_comparison){ 0 };
  bool made = read_cfi (&run, err) && prepare (&run, wanted, err);
  if (made)
    {
      count_damages (&run);
      made = add_functions (&run, err) && finish (&run, compact_unwind, err);
    }
  run_free (&run);
  return made;
}

/* Public interface.  */

bool
cfi2sframe_compare_formats (const char *input,
                            struct cfi2sframe_comparison *result,
                            struct cfi2sframe_error *err)
{
  struct image image;
  error_clear (err);
  *result = (struct cfi2sframe_comparison){ 0 };
  if (!image_open (&image, input, err))
    return false;
  bool made = formats_make (&image, FORMATS_ALL, result, NULL, err);
  image_close (&image);
  return made;
}

static bool
make_compact_unwind (const struct image *image,
                     struct cfi2sframe_comparison *result,
                     struct buffer *section, struct error *err)
{
  const enum cfi2sframe_compared format = CFI2SFRAME_COMPARED_COMPACT_UNWIND;
  if (!formats_make (image, FORMATS_BIT (format), result, section, err))
    return false;
  return result->formats[format].available
         || error_set (err, CFI2SFRAME_UNSUPPORTED,
                       "compact unwind does not know %s", result->machine);
}

static bool
write_file (const char *output, const struct buffer *section, int like_fd,
            struct error *err)
{
  struct output_file file;
  if (!output_file_create (&file, output, err))
    return error_in_file (err, output);
  bool written = io_write_at (file.fd, section->bytes, section->size, 0, err)
                 && output_file_commit_new (&file, like_fd, false, err);
  output_file_discard (&file);
  return written || error_in_file (err, output);
}

bool
cfi2sframe_write_compact_unwind (const char *input, const char *output,
                                 struct cfi2sframe_comparison *result,
                                 struct cfi2sframe_error *err)
{
  struct image image;
  struct buffer section;
  error_clear (err);
  *result = (struct cfi2sframe_comparison){ 0 };
  if (!image_open (&image, input, err))
    return false;
  buffer_init (&section, false);
  bool written
      = make_compact_unwind (&image, result, &section, err)
        && (output == NULL || write_file (output, &section, image.fd, err));
  buffer_free (&section);
  image_close (&image);
  return written;
}

static bool
dump_section (const void *bytes, uint64_t size, const struct arch *arch,
              FILE *out, struct error *err)
{
  struct cunwind_reader reader;
  if (!cunwind_reader_open (&reader, bytes, size, err))
    return false;
  cunwind_dump (&reader, arch, out);
  return true;
}

static bool
dump_image (const char *input, FILE *out, struct error *err)
{
  struct image image;
  struct cfi2sframe_comparison result;
  struct buffer section;
  if (!image_open (&image, input, err))
    return false;
  buffer_init (&section, false);
  bool dumped
      = make_compact_unwind (&image, &result, &section, err)
        && dump_section (section.bytes, section.size, image.arch, out, err);
  buffer_free (&section);
  image_close (&image);
  return dumped;
}

/* Read the open file FD of SIZE bytes.  */
static bool
read_bytes (int fd, uint64_t size, struct buffer *bytes, struct error *err)
{
  if (size > UINT32_MAX)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "too long for an __unwind_info section");
  if (size == 0)
    return true;
  uint8_t *room = buffer_extend (bytes, size);
  if (room == NULL)
    return error_set_no_memory (err);
  for (uint64_t done = 0; done < size;)
    {
      ssize_t got = read (fd, room + done, size - done);
      if (got < 0 && errno != EINTR)
        return error_set_errno (err, "read");
      if (got == 0)
        return error_set (err, CFI2SFRAME_IO,
                          "the file became shorter while it was read");
      done += got > 0 ? (uint64_t)got : 0;
    }
  return true;
}

/* Read all of the regular file INPUT.  */
static bool
read_file (const char *input, struct buffer *bytes, struct error *err)
{
  struct stat status;
  int fd = open (input, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return error_set_errno (err, "open");
  bool done = fstat (fd, &status) == 0 || error_set_errno (err, "fstat");
  if (done && !S_ISREG (status.st_mode))
    done = error_set (err, CFI2SFRAME_NOT_ELF, "is not a regular file");
  done = done && read_bytes (fd, (uint64_t)status.st_size, bytes, err);
  return io_close (fd, done, err);
}

bool
cfi2sframe_dump_compact_unwind (const char *input, const char *machine,
                                FILE *out, struct cfi2sframe_error *err)
{
  const struct arch *arch = NULL;
  struct buffer bytes;
  error_clear (err);
  if (machine != NULL && strcmp (machine, arch_amd64.name) == 0)
    arch = &arch_amd64;
  else if (machine != NULL && strcmp (machine, arch_aarch64.name) == 0)
    arch = &arch_aarch64;
  else if (machine != NULL)
    return error_set (err, CFI2SFRAME_INVALID,
                      "compact unwind does not know %s", machine);
  buffer_init (&bytes, false);
  bool dumped = read_file (input, &bytes, err);
  if (dumped)
    {
      bool is_elf = bytes.size >= SELFMAG
                    && memcmp (bytes.bytes, ELFMAG, SELFMAG) == 0;
      dumped = is_elf ? dump_image (input, out, err)
                      : dump_section (bytes.bytes, bytes.size, arch, out, err);
    }
  buffer_free (&bytes);
  return dumped;
}
