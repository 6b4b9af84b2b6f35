/* How walks are shown.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/stack_print.h"

#include <inttypes.h>

#include "base/printable.h"

/* The place of a frame's code.  */
struct place
{
  struct code_file *file; /* or NULL */
  uint64_t address;       /* that the file has for it, or else the program */
};

static struct place
place_of (const struct page *page, uint64_t address)
{
  uint64_t offset;
  struct code_file *file = process_file_at (page->process, address, &offset);
  return (struct place){ file, file != NULL ? code_file_address (file, offset)
                                            : address };
}

static void
print_file (const struct code_file *file, FILE *out)
{
  printable_put (code_file_name (file), out);
}

/* Print the name of the code of FRAME, in FILE (or NULL).  BEFORE_INTERRUPTED:
   a signal interrupted the next frame, so that the kernel called this one.  */
static void
print_name (const struct page *page, const struct frame *frame,
            const struct place *place, const struct code_name *symbol,
            bool before_interrupted)
{
  FILE *out = page->out;
  const struct jit_name *jit
      = place->file == NULL
            ? jit_names_at (&page->process->jit_names, place->address)
            : NULL;
  if (jit != NULL)
    {
      printable_put (jit->name, out);
      fprintf (out, "+0x%" PRIx64 " [JIT]", frame->pc - jit->start);
    }
  else if (symbol->name[0] != '\0')
    {
      printable_put (symbol->name, out);
      fprintf (out, "+0x%" PRIx64, symbol->offset + !frame->at_pc);
    }
  else if (before_interrupted)
    fputs ("<signal handler called>", out);
  else if (place->file != NULL)
    fprintf (out, "?+0x%" PRIx64, place->address + !frame->at_pc);
  else
    fputc ('?', out);
  if (place->file == NULL)
    return;
  fputs (" (", out);
  print_file (place->file, out);
  fputc (')', out);
}

/* Frame INDEX of WALK, with MARK in front.  */
static void
print_frame (const struct page *page, const struct walk *walk, size_t index,
             char mark)
{
  static const char *const ways[] = { [WAY_ROW] = "",
                                      [WAY_CFI] = " [CFI]",
                                      [WAY_FP] = " [frame pointer]",
                                      [WAY_GUESS] = " [guessed]" };
  struct code_name symbol = { 0 };
  FILE *out = page->out;
  const struct frame *frame = &walk->frames[index];
  /* That of the call, because the instruction after it may belong to another
     function.  */
  uint64_t offset, address = frame->pc - !frame->at_pc;
  const struct place place = place_of (page, address);
  if (process_file_at (page->process, address, &offset) != NULL)
    code_file_symbol (place.file, offset, page->wanted, &symbol);
  fprintf (out, "%c #%-3zu 0x%016" PRIx64 " ", mark, index, frame->pc);
  print_name (page, frame, &place, &symbol,
              index + 1 < walk->n && frame[1].interrupted);
  fprintf (out, "%s\n", ways[frame->way]);
  if (symbol.file != NULL)
    {
      fputs ("         ", out);
      printable_put (symbol.file, out);
      fprintf (out, ":%d\n", symbol.line);
    }
}

/* Why there is no section for PLACE.  */
static void
print_no_section (const struct place *place, FILE *out)
{
  if (place->file == NULL)
    {
      fprintf (out, "no SFrame data: 0x%" PRIx64 " is in no file",
               place->address);
      return;
    }
  const char *reason = place->file->rows.reason;
  fputs ("no SFrame data: ", out);
  print_file (place->file, out);
  fprintf (out, ": %s", reason != NULL ? reason : "nothing known of it");
}

static void
print_end (const struct page *page, const struct walk *walk)
{
  FILE *out = page->out;
  const struct frame *last = &walk->frames[walk->n - 1];
  const struct place place = place_of (page, last->pc - !last->at_pc);
  fputs ("  (", out);
  if (walk->end == CFI2SFRAME_STEP_CALLER)
    fprintf (out, "no more than %zu frames are shown", walk->max);
  else if (walk->end == CFI2SFRAME_STEP_NO_SECTION)
    print_no_section (&place, out);
  else if (walk->end == CFI2SFRAME_STEP_OUTERMOST || place.file == NULL)
    fputs (cfi2sframe_step_text (walk->end), out);
  else
    {
      const char *reason = place.file->rows.reason;
      fprintf (out, "%s: ", cfi2sframe_step_text (walk->end));
      print_file (place.file, out);
      fprintf (out, "+0x%" PRIx64, place.address);
      if (walk->end == CFI2SFRAME_STEP_NO_ROW && reason != NULL)
        fprintf (out, " (%s)", reason);
    }
  fputs (")\n", out);
}

static void
print_thread (const struct thread *thread, FILE *out)
{
  fprintf (out, "Thread %d", (int)thread->tid);
  if (thread->name[0] != '\0')
    {
      fputs (" \"", out);
      printable_put (thread->name, out);
      fputc ('"', out);
    }
  fputs (":\n", out);
  if (thread->waits)
    fputs ("  (not stopped: it waits in the kernel)\n", out);
}

void
stack_print (const struct page *page, const struct thread *thread,
             const struct walk *walk)
{
  print_thread (thread, page->out);
  for (size_t i = 0; i < walk->n; i++)
    print_frame (page, walk, i, ' ');
  print_end (page, walk);
}

/* The name of what differs in frame INDEX, if both walks have it.  */
static const char *
difference (const struct walk *a, const struct walk *b, size_t index)
{
  if (index >= a->n || index >= b->n)
    return "";
  const struct frame *x = &a->frames[index], *y = &b->frames[index];
  return x->pc != y->pc   ? ": the address"
         : x->sp != y->sp ? ": the stack pointer"
                          : ": the frame pointer";
}

bool
stack_print_both (const struct page *page, const struct thread *thread,
                  const struct walk *sframe, const struct walk *dwarf)
{
  FILE *out = page->out;
  size_t same = walk_same_frames (sframe, dwarf);
  print_thread (thread, out);
  for (size_t i = 0; i < same; i++)
    print_frame (page, sframe, i, ' ');
  for (size_t i = same; i < sframe->n; i++)
    print_frame (page, sframe, i, 'S');
  print_end (page, sframe);
  for (size_t i = same; i < dwarf->n; i++)
    print_frame (page, dwarf, i, 'D');
  bool agree = walks_agree (sframe, dwarf);
  if (!agree)
    fprintf (out, "  DWARF: %zu frames, different from #%zu on%s\n", dwarf->n,
             same, difference (sframe, dwarf, same));
  else if (same == sframe->n)
    fprintf (out, "  DWARF: the same %zu frames\n", same);
  else
    fprintf (out, "  DWARF: the same %zu frames, and no CFI for more\n", same);
  return agree;
}

void
stack_print_waiting (const struct thread *thread, FILE *out)
{
  print_thread (thread, out);
}
