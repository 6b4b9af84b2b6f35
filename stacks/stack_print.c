/* Printing stacks as text or as JSON, and grouping threads with equal stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/stack_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/amounts.h"
#include "base/array.h"
#include "base/printable.h"
#include "stacks/code_files.h"
#include "walk/apply.h"

enum
{
  THREADS_SHOWN = 12 /* TIDs that are printed of a group */
};

/* The name of a frame's code, and where the code is.  */
struct frame_name
{
  struct code_file *file; /* or NULL */
  uint64_t address;       /* of PC: in FILE or, without one, in the process */
  /* The symbol; its offset is that of PC.  Its name is "" if there is none,
     and its file is NULL if the source is not known.  */
  struct code_name symbol;
  bool jit;     /* the name is from a just-in-time compiler */
  bool handler; /* the frame is a signal trampoline, which the kernel called */
};

/* Set NAME to the name of frame number INDEX of WALK.  */
static void
find_name (const struct stack_printer *printer, const struct stack_walk *walk,
           size_t index, struct frame_name *name)
{
  const struct frame *frame = &walk->frames[index];
  /* Look up the call: the next instruction may be in another function.  */
  uint64_t offset, before = !frame->at_pc, address = frame->pc - before;
  struct code_file *file
      = process_code_at (printer->process, address, &offset);
  *name = (struct frame_name){ .address = frame->pc };
  name->handler = index + 1 < walk->n && frame[1].interrupted;
  if (file == NULL)
    return;
  code_file_symbol (file, offset, printer->wanted, &name->symbol);
  /* An unsized symbol from before the trampoline is another function's.  */
  if (name->handler
      && (name->symbol.of_rows
          || (name->symbol.unsized && name->symbol.offset > 0)))
    name->symbol.name[0] = '\0';
  name->symbol.offset += before;
  name->jit = file->is_jit && name->symbol.name[0] != '\0';
  if (file->is_jit)
    return;
  name->file = file;
  name->address = code_file_address (file, offset) + before;
}

static void
print_file (const struct code_file *file, FILE *out)
{
  printable_put (code_file_name (file), out);
}

/* Print the function of NAME, or else the address, and the file.  */
static void
print_name (const struct frame_name *name, FILE *out)
{
  const struct code_name *symbol = &name->symbol;
  bool named = symbol->name[0] != '\0';
  if (name->handler)
    fputs ("<signal handler called>", out);
  else if (named)
    {
      printable_put (symbol->name, out);
      fprintf (out, "+0x%" PRIx64 "%s", symbol->offset,
               name->jit ? " [JIT]" : "");
    }
  else if (name->file != NULL)
    {
      print_file (name->file, out);
      fprintf (out, "+0x%" PRIx64, name->address);
    }
  else
    fputc ('?', out);
  if (name->file == NULL || (!name->handler && (symbol->of_rows || !named)))
    return;
  fputs (" (", out);
  print_file (name->file, out);
  fputc (')', out);
}

/* Print frame INDEX of WALK, with MARK at the start of the line.  */
static void
print_frame (const struct stack_printer *printer,
             const struct stack_walk *walk, size_t index, char mark)
{
  struct frame_name name;
  FILE *out = printer->out;
  const struct frame *frame = &walk->frames[index];
  find_name (printer, walk, index, &name);
  fprintf (out, "%c #%-3zu 0x%016" PRIx64 " ", mark, index, frame->pc);
  print_name (&name, out);
  if (frame->way != WAY_ROW)
    fprintf (out, " [%s]", frame_way_name (frame->way));
  fputc ('\n', out);
  if (name.symbol.file != NULL)
    {
      fputs ("         ", out);
      printable_put (name.symbol.file, out);
      fprintf (out, ":%d\n", name.symbol.line);
    }
}

/* Print why FILE has no rows.  */
static void
print_no_rows (const struct code_file *file, FILE *out)
{
  const char *reason = file->rows.reason;
  print_file (file, out);
  fprintf (out, ": %s", reason != NULL ? reason : "nothing known of it");
}

static void
print_end (const struct stack_printer *printer, const struct stack_walk *walk)
{
  FILE *out = printer->out;
  const struct frame *last = &walk->frames[walk->n - 1];
  uint64_t offset, address = last->pc - !last->at_pc;
  const struct code_file *file
      = process_file_at (printer->process, address, &offset);
  fputs ("  (", out);
  if (walk->end == SFW_MORE)
    fprintf (out, "no more than %zu frame%s shown", walk->max,
             walk->max == 1 ? " is" : "s are");
  else if (walk->end == SFW_NO_SECTION && file == NULL)
    fprintf (out, "no SFrame data: 0x%" PRIx64 " is in no file", address);
  else if (walk->end == SFW_NO_SECTION)
    {
      fputs ("no SFrame data: ", out);
      print_no_rows (file, out);
    }
  else if (walk->end == SFW_OUTERMOST || file == NULL)
    fputs (sfw_end_text (walk->end), out);
  else
    {
      const char *reason = file->rows.reason;
      fprintf (out, "%s: ", sfw_end_text (walk->end));
      print_file (file, out);
      fprintf (out, "+0x%" PRIx64, code_file_address (file, offset));
      if (walk->end == SFW_NO_ROW && reason != NULL)
        fprintf (out, " (%s)", reason);
    }
  if ((walk->end == SFW_NO_SECTION || walk->end == SFW_NO_ROW)
      && walk->missing != NULL && walk->missing != file)
    {
      fputs ("; ", out);
      print_no_rows (walk->missing, out);
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
  else if (thread->tracer != 0)
    fprintf (out, "  (not stopped: process %d traces it)\n",
             (int)thread->tracer);
}

void
stack_print (const struct stack_printer *printer,
             const struct thread *const *threads, size_t n,
             const struct stack_walk *walk)
{
  FILE *out = printer->out;
  if (n == 1)
    print_thread (threads[0], out);
  else
    {
      fprintf (out, "%zu threads:", n);
      for (size_t i = 0; i < n && i < THREADS_SHOWN; i++)
        fprintf (out, " %d", (int)threads[i]->tid);
      fputs (n > THREADS_SHOWN ? " ...\n" : "\n", out);
    }
  if (walk == NULL)
    return;
  for (size_t i = 0; i < walk->n; i++)
    print_frame (printer, walk, i, ' ');
  print_end (printer, walk);
}

/* Return what differs in frame INDEX; "" if one of the walks lacks it.  */
static const char *
difference (const struct stack_walk *a, const struct stack_walk *b,
            size_t index)
{
  if (index >= a->n || index >= b->n)
    return "";
  const struct frame *x = &a->frames[index], *y = &b->frames[index];
  return x->pc != y->pc   ? ": the address"
         : x->sp != y->sp ? ": the stack pointer"
                          : ": the frame pointer";
}

bool
stack_print_both (const struct stack_printer *printer,
                  const struct thread *thread, const struct stack_walk *sframe,
                  const struct stack_walk *dwarf)
{
  FILE *out = printer->out;
  size_t same = stack_walk_same_frames (sframe, dwarf);
  print_thread (thread, out);
  for (size_t i = 0; i < same; i++)
    print_frame (printer, sframe, i, ' ');
  for (size_t i = same; i < sframe->n; i++)
    print_frame (printer, sframe, i, 'S');
  print_end (printer, sframe);
  for (size_t i = same; i < dwarf->n; i++)
    print_frame (printer, dwarf, i, 'D');
  bool agree = stack_walks_agree (sframe, dwarf);
  if (!agree)
    fprintf (out, "  DWARF: %zu frame%s, different from #%zu on%s\n", dwarf->n,
             plural_s (dwarf->n), same, difference (sframe, dwarf, same));
  else if (same == sframe->n)
    fprintf (out, "  DWARF: the same %zu frame%s\n", same, plural_s (same));
  else
    fprintf (out, "  DWARF: the same %zu frame%s, and no CFI for more\n", same,
             plural_s (same));
  return agree;
}

/* ---- JSON */

/* Print a comma and TEXT as the member NAME of an object.  */
static void
put_text (const char *name, const char *text, FILE *out)
{
  fprintf (out, ",\"%s\":", name);
  printable_put_json (text, out);
}

static void
put_address (const char *name, uint64_t address, FILE *out)
{
  fprintf (out, "\"%s\":\"0x%" PRIx64 "\"", name, address);
}

static void
put_frame (const struct stack_printer *printer, const struct stack_walk *walk,
           size_t index)
{
  const struct frame *frame = &walk->frames[index];
  struct frame_name name;
  FILE *out = printer->out;
  find_name (printer, walk, index, &name);
  fputc ('{', out);
  put_address ("pc", frame->pc, out);
  if (name.symbol.name[0] != '\0')
    {
      put_text ("function", name.symbol.name, out);
      fprintf (out, ",\"offset\":%" PRIu64, name.symbol.offset);
    }
  if (name.file != NULL)
    {
      put_text ("file", name.file->path, out);
      fputc (',', out);
      put_address ("address", name.address, out);
    }
  if (name.symbol.file != NULL)
    {
      put_text ("source", name.symbol.file, out);
      fprintf (out, ",\"line\":%d", name.symbol.line);
    }
  put_text ("by", frame_way_name (frame->way), out);
  if (frame->interrupted)
    fputs (",\"interrupted\":true", out);
  if (name.jit)
    fputs (",\"jit\":true", out);
  fputc ('}', out);
}

void
stack_json_begin (const struct stack_printer *printer, pid_t pid,
                  const char *core)
{
  FILE *out = printer->out;
  fprintf (out, "{\"pid\":%d", (int)pid);
  if (core != NULL)
    put_text ("core", core, out);
  fputs (",\"stacks\":[", out);
}

void
stack_json_print (const struct stack_printer *printer,
                  const struct thread *const *threads, size_t n,
                  const struct stack_walk *walk)
{
  FILE *out = printer->out;
  fprintf (out, "%s{\"threads\":[", printer->first ? "\n" : ",\n");
  for (size_t i = 0; i < n; i++)
    {
      fprintf (out, "%s{\"tid\":%d", i > 0 ? "," : "", (int)threads[i]->tid);
      if (threads[i]->name[0] != '\0')
        put_text ("name", threads[i]->name, out);
      fputc ('}', out);
    }
  fputs ("],\"frames\":[", out);
  for (size_t i = 0; walk != NULL && i < walk->n; i++)
    {
      fputs (i > 0 ? ",\n  " : "\n  ", out);
      put_frame (printer, walk, i);
    }
  if (walk == NULL)
    fputs ("],\"end\":null}", out);
  else
    fprintf (out, "],\"end\":\"%s\"}",
             walk->end == SFW_MORE ? "limit" : unwind_end_name (walk->end));
}

void
stack_json_end (const struct stack_printer *printer)
{
  fputs ("\n]}\n", printer->out);
}

/* ---- Groups of threads with equal stacks */

static bool
same_walk (const struct stack_walk *a, const struct stack_walk *b)
{
  if (a->n != b->n || a->end != b->end || a->missing != b->missing)
    return false;
  /* Stacks that differ usually do so near the start of the thread.  */
  for (size_t i = a->n; i-- > 0;)
    if (a->frames[i].pc != b->frames[i].pc
        || a->frames[i].at_pc != b->frames[i].at_pc
        || a->frames[i].way != b->frames[i].way)
      return false;
  return true;
}

/* Add a group for WALK, which has HASH.  NULL when memory ran out.  */
static struct stack_group *
add_group (struct stack_groups *groups, uint32_t hash,
           const struct stack_walk *walk)
{
  if (!ARRAY_ROOM (groups->groups, groups->n + 1, &groups->capacity))
    return NULL;
  struct stack_group *group = &groups->groups[groups->n];
  *group = (struct stack_group){ .walk.max = 0 };
  if (!ARRAY_ROOM (group->threads, 1, &group->capacity)
      || !stack_walk_init (&group->walk, walk->n)
      || !key_table_add (&groups->numbers, hash, groups->n))
    {
      free (group->threads);
      stack_walk_free (&group->walk);
      return NULL;
    }
  memcpy (group->walk.frames, walk->frames, walk->n * sizeof *walk->frames);
  group->walk.n = walk->n;
  group->walk.max = walk->max;
  group->walk.end = walk->end;
  group->walk.missing = walk->missing;
  groups->n++;
  return group;
}

bool
stack_groups_add (struct stack_groups *groups, const struct thread *thread,
                  const struct stack_walk *walk)
{
  uint32_t hash = key_of_number (&groups->numbers, walk->n);
  for (size_t i = 0; i < walk->n; i++)
    hash = key_of_pair (&groups->numbers, hash, walk->frames[i].pc);
  uint32_t found = KEY_FIND (&groups->numbers, hash, i,
                             same_walk (&groups->groups[i].walk, walk));
  struct stack_group *group = found != UINT32_MAX
                                  ? &groups->groups[found]
                                  : add_group (groups, hash, walk);
  if (group == NULL
      || !ARRAY_ROOM (group->threads, group->n + 1, &group->capacity))
    return false;
  group->threads[group->n++] = thread;
  return true;
}

static int
by_size (const void *a, const void *b)
{
  const struct stack_group *x = a, *y = b;
  if (x->n != y->n)
    return x->n < y->n ? 1 : -1;
  pid_t p = x->threads[0]->tid, q = y->threads[0]->tid;
  return (p > q) - (p < q);
}

void
stack_groups_sort (struct stack_groups *groups)
{
  if (groups->n > 0)
    qsort (groups->groups, groups->n, sizeof *groups->groups, by_size);
}

void
stack_groups_free (struct stack_groups *groups)
{
  for (size_t i = 0; i < groups->n; i++)
    {
      free (groups->groups[i].threads);
      stack_walk_free (&groups->groups[i].walk);
    }
  free (groups->groups);
  key_table_free (&groups->numbers);
  *groups = (struct stack_groups){ 0 };
}
