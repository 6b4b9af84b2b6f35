/* Modes that change nothing: --check, --dump, --compare and --lint.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "convert/code_evidence.h"
#include "convert/fields.h"
#include "convert/input.h"
#include "convert/object_convert.h"
#include "convert/section_check.h"
#include "elf/sframe_place.h"
#include "place/refusals.h"
#include "relocatable/object.h"
#include "relocatable/object_sframe.h"
#include "sframe/compare.h"
#include "sframe/dump.h"

/* ---- --check */

static bool
check_image (const struct image *image, const struct cfi_options *cfi_options,
             struct cfi2sframe_check_result *found, struct error *err)
{
  const char *useless;
  if (!section_compare (image, cfi_options, &useless, found, err))
    return false;
  if (useless != NULL)
    return refusals_check_debug_file (image, err)
           && error_set_word (err, CFI2SFRAME_MISMATCH, WORD_USELESS_SFRAME,
                              "its .sframe is of no use to any reader: %s",
                              useless);
  return found->bytes_wrong + found->bytes_extra == 0
         || error_set (err, CFI2SFRAME_MISMATCH, "%s", found->difference);
}

struct archive_check
{
  const struct cfi_options *cfi_options;
  struct cfi2sframe_check_result *sum; /* of the members' results */
};

static bool
check_member (void *context, const char *name, const struct image *image,
              struct error *err)
{
  const struct archive_check *check = context;
  struct cfi2sframe_check_result *sum = check->sum, found = { 0 };
  (void)name;
  bool checked = check_image (image, check->cfi_options, &found, err);
  found.executable_bytes = image_executable_bytes (image);
  if (!checked && err->word == WORD_NO_SFRAME)
    object_described (image, &found.bytes_absent, err);
  if (sum->difference[0] == '\0')
    {
      sum->first_wrong = found.first_wrong;
      memcpy (sum->difference, found.difference, sizeof sum->difference);
    }
  check_sum_add (sum, &found);
  return checked;
}

bool
location_check (const struct file_location *input,
                const struct cfi2sframe_options *options,
                struct cfi2sframe_check_result *result, struct error *err)
{
  struct image image;
  const struct cfi_options cfi_options = options_choose_cfi (options);
  struct archive_check archive
      = { .cfi_options = &cfi_options, .sum = result };
  bool checked;
  if (!image_open_or_archive (&image, input, err))
    return false;
  if (image_is_archive (&image))
    {
      checked = archive_visit (&image, check_member, &archive, err);
      /* No member has an .sframe, so no code counts as absent, as in a linked
         file without one.  */
      if (!checked && err->word == WORD_NO_SFRAME)
        result->bytes_absent = 0;
    }
  else
    {
      checked = check_image (&image, &cfi_options, result, err);
      result->executable_bytes = image_executable_bytes (&image);
      bool left_out = result->bytes_absent + result->bytes_return_address > 0;
      checked = checked
                && section_check_readers (&image, options->readers, left_out,
                                          result->readers,
                                          sizeof result->readers, err);
    }
  image_close (&image);
  return checked && options_check_section (options, result, err);
}

/* ---- --dump */

struct dump
{
  const char *path;
  FILE *out;
};

/* Dump the .sframe of IMAGE.  In an archive, first print the line for member
   NAME that readelf prints.  */
static bool
dump_image (void *context, const char *name, const struct image *image,
            struct error *err)
{
  const struct dump *dump = context;
  struct sframe_decoder decoder;
  if (!sframe_decoder_open_image (&decoder, image, err))
    return false;
  if (name != NULL)
    {
      fputs ("\nFile: ", dump->out);
      printable_put (dump->path, dump->out);
      fputc ('(', dump->out);
      printable_put (name, dump->out);
      fputs (")\n", dump->out);
    }
  return sframe_dump (&decoder, dump->out, err);
}

bool
location_dump (const struct file_location *input, FILE *out, struct error *err)
{
  struct image image;
  struct dump dump = { input->path, out };
  if (!image_open_or_archive (&image, input, err))
    return false;
  bool dumped = image_is_archive (&image)
                    ? archive_visit (&image, dump_image, &dump, err)
                    : dump_image (&dump, NULL, &image, err);
  image_close (&image);
  return dumped;
}

/* ---- --compare */

struct compared_file
{
  struct image image;
  struct object_sframe object; /* of an ET_REL file */
  struct sframe_decoder decoder;
};

/* Open the .sframe of the file at LOCATION.  On failure ERR names the file,
   because there are two.  */
static bool
open_file (struct compared_file *file, const struct file_location *location,
           struct error *err)
{
  struct object_sframe *object = &file->object;
  bool opened = image_open_at (&file->image, location, err);
  bool is_object = opened && file->image.header.e_type == ET_REL;
  opened = opened
           && (is_object ? object_sframe_open (object, &file->image, err)
                         : sframe_decoder_open_image (&file->decoder,
                                                      &file->image, err));
  if (opened && is_object)
    file->decoder = object->decoder;
  if (!opened && err->file[0] == '\0')
    snprintf (err->file, sizeof err->file, "%s", location->path);
  return opened;
}

static void
close_file (struct compared_file *file)
{
  object_sframe_close (&file->object);
  image_close (&file->image);
}

/* Check that A and B have the same code.  Sections of objects get made-up
   addresses, and these can be compared only if both objects have the same code
   sections.  */
static bool
check_same_code (const struct compared_file *a, const struct compared_file *b,
                 struct error *err)
{
  bool object = a->image.header.e_type == ET_REL;
  if (object != (b->image.header.e_type == ET_REL))
    return error_set (err, CFI2SFRAME_INVALID,
                      "an object cannot be compared with a linked file");
  if (!object)
    return true;
  const struct object *m = &a->object.object, *n = &b->object.object;
  bool same = m->n_code == n->n_code;
  for (size_t i = 0; same && i < m->n_code; i++)
    {
      const struct image_section *x = &a->image.sections[m->code[i]];
      const struct image_section *y = &b->image.sections[n->code[i]];
      same = x->header.sh_size == y->header.sh_size
             && strcmp (x->name, y->name) == 0;
    }
  return same
         || error_set (err, CFI2SFRAME_INVALID,
                       "objects with different code sections");
}

/* The caller's function for differences, and file A, for names of
   sections.  */
struct compare_context
{
  const struct compared_file *a;
  void (*found) (void *context,
                 const struct cfi2sframe_difference *difference);
  void *context;
};

/* Call the caller's function with DIFFERENCE.  In objects, addresses become a
   section and an offset; the section's name is the same in both files.  */
static void
report_difference (void *context,
                   const struct cfi2sframe_difference *difference)
{
  const struct compare_context *c = context;
  const struct object *object = &c->a->object.object;
  struct cfi2sframe_difference named = *difference;
  size_t section;
  uint64_t offset;
  if (c->found == NULL)
    return;
  if (object->image
      && object_locate (object, difference->function, 0, &section, &offset))
    {
      uint64_t base = difference->function - offset;
      named.section = object->image->sections[section].name;
      named.function -= base;
      named.pc -= base;
    }
  c->found (c->context, &named);
}

/* Report a PT_GNU_SFRAME of FILE that is larger than its section.  GNU ld
   makes the segment as large as the sections of its inputs together.  */
static void
check_segment (struct compare_context *c, const struct compared_file *file,
               struct cfi2sframe_compare_result *result)
{
  const struct sframe_place place = sframe_place_find (&file->image);
  if (place.segment == NULL || place.segment->p_memsz <= place.size)
    return;
  char text[100];
  const struct cfi2sframe_difference difference
      = { .kind = CFI2SFRAME_FILE,
          .defect = COMPARE_SEGMENT_SIZE,
          .defective = file == c->a ? 'A' : 'B',
          .text = text };
  snprintf (text, sizeof text,
            "PT_GNU_SFRAME has %" PRIu64 " bytes, .sframe has %" PRIu64,
            (uint64_t)place.segment->p_memsz, place.size);
  result->defects[COMPARE_SEGMENT_SIZE]++;
  report_difference (c, &difference);
}

bool
location_compare (
    const struct file_location *a, const struct file_location *b,
    void (*found) (void *context,
                   const struct cfi2sframe_difference *difference),
    void *context, struct cfi2sframe_compare_result *result, struct error *err)
{
  struct compared_file one = { 0 }, two = { 0 };
  struct compare_context c = { .a = &one, .found = found, .context = context };
  struct padding_finder padding = { 0 };
  *result = (struct cfi2sframe_compare_result){ 0 };
  bool compared = open_file (&one, a, err) && open_file (&two, b, err)
                  && check_same_code (&one, &two, err)
                  && padding_finder_init (&padding, &one.image, err)
                  && sframe_compare (&one.decoder, &two.decoder, &padding,
                                     report_difference, &c, result, err);
  if (compared)
    {
      check_segment (&c, &one, result);
      check_segment (&c, &two, result);
    }
  padding_finder_free (&padding);
  close_file (&two);
  close_file (&one);
  if (compared && !compare_result_equal (result))
    return error_set (err, CFI2SFRAME_MISMATCH, "the files differ");
  return compared;
}

/* ---- --lint */

/* Compare the CFI of SOURCE with its code.  Call FOUND for differences.  */
static bool
lint_source (const struct cfi_source *source, unsigned threads,
             void (*found) (void *context,
                            const struct cfi2sframe_finding *finding),
             void *context, struct cfi2sframe_lint_result *result,
             struct error *err)
{
  struct code_facts facts;
  struct code_request request;
  struct code_findings findings;
  if (!code_facts_read (&facts, source, &request, err))
    return false;
  request.compares = request.only_compares = true;
  request.threads = threads;
  bool ok = code_analyse (&request, &findings, err);
  if (ok)
    {
      const struct disproofs *disproofs = &findings.disproofs;
      result->functions = findings.functions;
      result->functions_trusted = findings.functions_trusted;
      result->functions_left = findings.functions_left;
      result->findings = disproofs->n;
      for (size_t i = 0; i < disproofs->n; i++)
        result->bytes += disproofs->list[i].bytes;
      ok = found == NULL
           || code_report (&findings, &request, found, context, err);
    }
  code_findings_free (&findings);
  code_facts_free (&facts);
  return ok;
}

bool
location_lint (const struct file_location *input, unsigned threads,
               void (*found) (void *context,
                              const struct cfi2sframe_finding *finding),
               void *context, struct cfi2sframe_lint_result *result,
               struct error *err)
{
  struct image image;
  struct cfi_source source = { 0 };
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN, .without_fp = true };
  *result = (struct cfi2sframe_lint_result){ 0 };
  bool ok
      = image_open_at (&image, input, err)
        && code_analysis_expect (image.arch, err)
        && (image.header.e_type != ET_REL
            || error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                               "objects are not analysed: link them first"))
        && cfi_source_open (&source, &image, &cfi_options, err)
        && lint_source (&source, threads, found, context, result, err);
  cfi_source_close (&source);
  image_close (&image);
  if (ok && result->findings > 0)
    return error_set (err, CFI2SFRAME_MISMATCH,
                      "the code contradicts its CFI");
  return ok;
}
