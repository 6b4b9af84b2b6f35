/* Help after a mistyped option: the option that was probably meant.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/option_check.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum
{
  LENGTH_MAX = 40
};

static unsigned
least (unsigned a, unsigned b, unsigned c)
{
  unsigned smaller = a < b ? a : b;
  return smaller < c ? smaller : c;
}

/* How many letters must be changed, added, left out or swapped to make B of
   A: optimal string alignment (Damerau and Levenshtein), row by row.  */
static unsigned
distance_of (const char *a, const char *b)
{
  size_t m = strlen (a), n = strlen (b);
  unsigned rows[3][LENGTH_MAX + 1];
  if (m > LENGTH_MAX || n > LENGTH_MAX)
    return UINT_MAX;
  for (size_t j = 0; j <= n; j++)
    rows[0][j] = (unsigned)j;
  for (size_t i = 1; i <= m; i++)
    {
      unsigned *row = rows[i % 3];
      const unsigned *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
      row[0] = (unsigned)i;
      for (size_t j = 1; j <= n; j++)
        {
          row[j] = least (last[j] + 1, row[j - 1] + 1,
                          last[j - 1] + (a[i - 1] != b[j - 1]));
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]
              && before[j - 2] + 1 < row[j])
            row[j] = before[j - 2] + 1;
        }
    }
  return rows[m % 3][n];
}

/* The search for the word that is nearest to what was typed.  */
struct word_search
{
  const char *typed;
  const char *nearest; /* NULL: no word is near enough */
  unsigned best;
};

static struct word_search
search_for (const char *typed)
{
  return (struct word_search){ typed, NULL, (unsigned)strlen (typed) / 3 + 2 };
}

static void
consider (struct word_search *search, const char *word)
{
  unsigned distance = distance_of (search->typed, word);
  /* A word that differs in more than half of its letters is not a slip.  */
  if (distance < search->best && distance * 2 <= strlen (word))
    {
      search->best = distance;
      search->nearest = word;
    }
}

/* The options of TABLE.  */

static const struct argp_option *
find_short (const struct argp_option *table, int letter)
{
  for (; table->name != NULL || table->doc != NULL; table++)
    if (table->name != NULL && table->key == letter)
      return table;
  return NULL;
}

/* The option with the name NAME, or else one whose name begins with NAME.
   NULL if there is none.  */
static const struct argp_option *
find_long (const struct argp_option *table, const char *name)
{
  const struct argp_option *found = NULL;
  for (; table->name != NULL || table->doc != NULL; table++)
    if (table->name != NULL && strcmp (table->name, name) == 0)
      return table;
    else if (table->name != NULL
             && strncmp (table->name, name, strlen (name)) == 0)
      found = table;
  return found;
}

static bool
takes_next (const struct argp_option *option)
{
  return option != NULL && option->arg != NULL
         && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* Whether the short options in a word like "-no" use up the next word.  */
static bool
letters_take_next (const struct argp_option *table, const char *letters)
{
  for (; *letters != '\0'; letters++)
    if (takes_next (find_short (table, (unsigned char)*letters)))
      return letters[1] == '\0';
  return false;
}

/* Whether the long option WORD uses up the next word; an error if no option
   has its name.  */
static bool
check_long (const struct argp_state *state, const struct argp_option *table,
            const char *word)
{
  char name[LENGTH_MAX + 1];
  size_t length = strcspn (word, "=");
  if (length > LENGTH_MAX)
    return false;
  memcpy (name, word, length);
  name[length] = '\0';
  const struct argp_option *option = find_long (table, name);
  if (option != NULL)
    return word[length] == '\0' && takes_next (option);
  struct word_search search = search_for (name);
  for (option = table; option->name != NULL || option->doc != NULL; option++)
    if (option->name != NULL && !(option->flags & OPTION_HIDDEN))
      consider (&search, option->name);
  if (search.nearest != NULL)
    argp_error (state, "unrecognized option '--%s'; did you mean '--%s'?",
                name, search.nearest);
  return false;
}

void
option_check_names (const struct argp_state *state,
                    const struct argp_option *table)
{
  for (int i = 1; i < state->argc; i++)
    {
      const char *word = state->argv[i];
      if (strcmp (word, "--") == 0)
        return;
      if (word[0] == '-' && word[1] == '-')
        i += check_long (state, table, word + 2);
      else if (word[0] == '-')
        i += letters_take_next (table, word + 1);
      else if (state->flags & ARGP_IN_ORDER)
        return; /* the rest is a command with options of its own */
    }
}

void
option_refuse_value (const struct argp_state *state, const char *option,
                     const char *value, const char *const *values)
{
  char list[128] = "";
  struct word_search search = search_for (value);
  size_t at = 0;
  for (size_t i = 0; values[i] != NULL && at < sizeof list; i++)
    {
      consider (&search, values[i]);
      at += (size_t)snprintf (list + at, sizeof list - at, "%s%s",
                              i == 0 ? "" : ", ", values[i]);
    }
  if (search.nearest != NULL)
    argp_error (state, "unknown value '%s' of %s; did you mean '%s'?", value,
                option, search.nearest);
  else
    argp_error (state, "unknown value '%s' of %s; it takes: %s", value, option,
                list);
}
