/* Stacks as JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/stack_json.h"

#include <inttypes.h>

#include "base/printable.h"
#include "walk/apply.h"

/* Print a comma, and TEXT as the member NAME of an object.  */
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
put_frame (const struct page *page, const struct stack_walk *walk,
           size_t index)
{
  const struct frame *frame = &walk->frames[index];
  struct frame_name name;
  FILE *out = page->out;
  frame_name_find (page, walk, index, &name);
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

static void
put_thread (const struct thread *thread, FILE *out)
{
  fprintf (out, "{\"tid\":%d", (int)thread->tid);
  if (thread->name[0] != '\0')
    put_text ("name", thread->name, out);
  fputc ('}', out);
}

void
stack_json_begin (const struct page *page, pid_t pid, const char *core)
{
  FILE *out = page->out;
  fprintf (out, "{\"pid\":%d", (int)pid);
  if (core != NULL)
    put_text ("core", core, out);
  fputs (",\"stacks\":[", out);
}

void
stack_json_print (const struct page *page, const struct thread *const *threads,
                  size_t n, const struct stack_walk *walk)
{
  FILE *out = page->out;
  fprintf (out, "%s{\"threads\":[", page->first ? "\n" : ",\n");
  for (size_t i = 0; i < n; i++)
    {
      if (i > 0)
        fputc (',', out);
      put_thread (threads[i], out);
    }
  fputs ("],\"frames\":[", out);
  for (size_t i = 0; walk != NULL && i < walk->n; i++)
    {
      fputs (i > 0 ? ",\n  " : "\n  ", out);
      put_frame (page, walk, i);
    }
  if (walk == NULL)
    fputs ("],\"end\":null}", out);
  else
    fprintf (out, "],\"end\":\"%s\"}",
             walk->end == SFW_MORE ? "limit" : unwind_end_name (walk->end));
}

void
stack_json_end (const struct page *page)
{
  fputs ("\n]}\n", page->out);
}
