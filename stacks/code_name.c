/* What code is called: names of symbols as the source has them, by libiberty.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A mangled name can refer to its own parts, and so have two hundred
   characters that stand for gigabytes; and names are hostile input.  libiberty
   hands the text in pieces to a function of this file but does not ask that
   function whether to continue, so that the function leaves by longjmp when
   the text is long enough.  What libiberty has allocated by then is on the
   stack, but for the few bytes that decoding a Rust identifier in Punycode
   takes.  */

#include <config.h>

#include "stacks/code_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/shortage.h"

#ifdef HAVE_LIBIBERTY

#  include <setjmp.h>

#  ifdef HAVE_LIBIBERTY_DEMANGLE_H
#    include <libiberty/demangle.h>
#  else
#    include <demangle.h>
#  endif

struct text
{
  char *to;
  size_t size, used;
  jmp_buf full;
};

static void
append (const char *piece, size_t length, void *argument)
{
  struct text *text = argument;
  size_t room = text->size - 1 - text->used;
  size_t taken = length < room ? length : room;
  memcpy (text->to + text->used, piece, taken);
  text->used += taken;
  if (taken < length)
    longjmp (text->full, 1);
}

typedef int language (const char *name, int options,
                      demangle_callbackref callback, void *argument);

static bool
demangle_as (language *language, const char *name, struct text *text)
{
  text->used = 0;
  if (setjmp (text->full) == 0
      && language (name, DMGL_PARAMS | DMGL_ANSI, append, text) == 0)
    return false;
  text->to[text->used] = '\0';
  return true;
}

/* Write the demangled NAME to the SIZE bytes at TO, cut off where it is
   longer.  False when NAME is not mangled, or this build has no libiberty;
   then TO has no meaning.  */
static bool
demangle (const char *name, char *to, size_t size)
{
  struct text text = { .to = to, .size = size };
  /* Names of Rust's legacy mangling are C++ names as well.  */
  return name[0] == '_'
         && (demangle_as (rust_demangle_callback, name, &text)
             || demangle_as (cplus_demangle_v3_callback, name, &text));
}

#else

static bool
demangle (const char *name, char *to, size_t size)
{
  (void)name;
  (void)to;
  (void)size;
  return false;
}

#endif

void
code_name_set (struct code_name *symbol, const char *name, unsigned wanted)
{
  /* Without its version: memcpy@@GLIBC_2.14.  */
  char *plain = strndup (name, strcspn (name, "@"));
  if (plain != NULL
      && ((wanted & SYMBOL_MANGLED) != 0
          || !demangle (plain, symbol->name, sizeof symbol->name)))
    snprintf (symbol->name, sizeof symbol->name, "%s", plain);
  else if (plain == NULL)
    shortage_note ();
  free (plain);
}
