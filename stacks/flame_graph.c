/* Profiles as pictures: flame graphs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/flame_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/radix.h"
#include "stacks/flame_graph_page.h"

enum
{
  ROW = 17, /* pixels of one function's height */
  HEAD = 116,
  FOOT = 8,
  MARGIN = 6,
  /* So many functions are drawn, the widest ones: each costs the browser time,
     and most of the others are narrower than a pixel.  */
  FUNCTIONS_MAX = 10000
};

/* Percent of the picture that a function must have to come with a label; the
   script makes labels for others.  */
static const double labelled = 1;

struct picture
{
  const struct named_profile *profile;
  const struct flame_graph *words;
  FILE *out;
  uint64_t *start; /* of each node, as what is before it weighs, and of the
                      next callee to come */
  uint64_t *next;
  uint32_t *depth;
  uint32_t deepest;
  uint64_t narrowest; /* rank of a function that is drawn */
  uint32_t left_out;
};

/* TEXT in XML, control characters escaped, at most LENGTH bytes of it.  */
static void
print_text (const char *text, size_t length, FILE *out)
{
  char safe[1024];
  printable_copy (safe, length < sizeof safe ? length + 1 : sizeof safe, text);
  for (const char *at = safe; *at != '\0'; at++)
    switch (*at)
      {
      case '<':
        fputs ("&lt;", out);
        break;
      case '>':
        fputs ("&gt;", out);
        break;
      case '&':
        fputs ("&amp;", out);
        break;
      case '"':
        fputs ("&quot;", out);
        break;
      default:
        fputc (*at, out);
      }
}

/* A warm colour, always the same one for a name; blue for the kernel's
   functions, grey for what is no function.  */
static void
print_colour (const char *name, FILE *out)
{
  unsigned hash = 5381;
  for (const char *at = name; *at != '\0'; at++)
    hash = hash * 33 + (unsigned char)*at;
  if (profile_is_of_kernel (name))
    fprintf (out, "#%02x%02x%02x", 90 + hash % 60, 150 + hash / 60 % 50,
             205 + hash / 3000 % 50);
  else if (*name == '[')
    fputs ("#c8c8c8", out);
  else
    fprintf (out, "#%02x%02x%02x", 205 + hash % 50, 70 + hash / 50 % 140,
             40 + hash / 7000 % 40);
}

static const char *
name_of (const struct picture *picture, uint32_t node)
{
  const struct named_profile *profile = picture->profile;
  return node == 0 ? picture->words->root
                   : profile->names[profile->calls.nodes[node].key];
}

/* WEIGHT in percent.  */
static double
percent (const struct picture *picture, uint64_t weight)
{
  uint64_t all = picture->profile->totals[0];
  return all == 0 ? 100 : 100 * (double)weight / (double)all;
}

/* Which functions are drawn first: the widest ones, and of these the ones that
   are nearest to the root.  A caller's rank is above those of what it
   calls.  */
static uint64_t
rank_of (const struct picture *picture, uint32_t node)
{
  const uint32_t deepest = (1 << 12) - 1;
  uint32_t depth = picture->depth[node];
  return picture->profile->totals[node] << 12
         | (deepest - (depth < deepest ? depth : deepest));
}

static bool
is_drawn (const struct picture *picture, uint32_t node)
{
  return rank_of (picture, node) >= picture->narrowest;
}

static unsigned
row_of (const struct picture *picture, uint32_t node)
{
  uint32_t depth = picture->depth[node];
  return HEAD
         + (picture->words->icicle ? depth : picture->deepest - depth) * ROW;
}

/* A picture in the picture: what is in there is cut off at its edges.  */
static void
print_node (const struct picture *picture, uint32_t node)
{
  FILE *out = picture->out;
  uint64_t total = picture->profile->totals[node];
  const char *name = name_of (picture, node);
  fprintf (out,
           "<svg x=\"%.5f%%\" y=\"%u\" width=\"%.5f%%\" height=\"%d\">"
           "<title>",
           percent (picture, picture->start[node]), row_of (picture, node),
           percent (picture, total), ROW - 1);
  print_text (name, SIZE_MAX, out);
  /* The script takes what is behind the name away.  */
  if (picture->profile->off_cpu)
    fprintf (out, " (%.6f s, ", (double)total * 1e-9);
  else
    fprintf (out, " (%" PRIu64 " samples, ", total);
  fprintf (out, "%.2f %%)</title>", percent (picture, total));
  fputs ("<rect width=\"100%\" height=\"100%\" fill=\"", out);
  print_colour (name, out);
  fputs ("\"/>", out);
  if (percent (picture, total) >= labelled)
    {
      fputs ("<text x=\"3\" y=\"12\">", out);
      print_text (name, SIZE_MAX, out);
      fputs ("</text>", out);
    }
  fputs ("</svg>\n", out);
}

/* Set where each function is drawn: callees side by side on their caller.  */
static void
place (struct picture *picture)
{
  const struct call_tree *tree = &picture->profile->calls;
  for (uint32_t node = 0; (node = call_tree_next (tree, node)) != 0;)
    {
      uint32_t parent = tree->nodes[node].parent;
      picture->start[node] = picture->next[node] = picture->next[parent];
      picture->next[parent] += picture->profile->totals[node];
      picture->depth[node] = picture->depth[parent] + 1;
    }
}

/* Choose the functions to be drawn.  False when memory ran out.  */
static bool
choose (struct picture *picture)
{
  uint32_t n = picture->profile->calls.n;
  void *ranks = calloc (n, sizeof (uint64_t));
  uint64_t *ranked = ranks;
  for (uint32_t node = 0; ranks != NULL && node < n; node++)
    ranked[node] = rank_of (picture, node);
  if (ranks == NULL || !radix_sort (&ranks, n, sizeof *ranked))
    {
      free (ranks);
      return false;
    }
  ranked = ranks;
  picture->narrowest
      = n > FUNCTIONS_MAX ? ranked[n - FUNCTIONS_MAX - 1] + 1 : 0;
  free (ranks);
  for (uint32_t node = 0; node < n; node++)
    if (!is_drawn (picture, node))
      picture->left_out++;
    else if (picture->depth[node] > picture->deepest)
      picture->deepest = picture->depth[node];
  return true;
}

static void
print_line (const struct picture *picture, const char *class, unsigned y,
            const char *text, size_t length)
{
  fprintf (picture->out, "<text class=\"%s\" x=\"%d\" y=\"%u\">", class,
           MARGIN, y);
  print_text (text, length, picture->out);
  fputs ("</text>\n", picture->out);
}

/* What stays in view: name, what was measured (in two lines, if it has a
   semicolon: windows may be narrow), controls.  */
static void
print_bar (const struct picture *picture)
{
  FILE *out = picture->out;
  const char *subtitle = picture->words->subtitle;
  size_t first = strcspn (subtitle, ";");
  char left_out[64];
  fprintf (out,
           "<g id=\"bar\"><rect id=\"back\" width=\"100%%\" height=\"%d\" "
           "fill=\"#fdfcf8\"/>\n",
           HEAD - 2);
  print_line (picture, "t", 20, picture->words->root, SIZE_MAX);
  print_line (picture, "s", 38, subtitle, first);
  if (subtitle[first] == ';')
    print_line (picture, "s", 54, subtitle + first + 2, SIZE_MAX);
  snprintf (left_out, sizeof left_out,
            "%" PRIu32 " narrower functions are not drawn", picture->left_out);
  if (picture->left_out > 0)
    print_line (picture, "s", 70, left_out, SIZE_MAX);
  fprintf (out,
           "<foreignObject x=\"%d\" y=\"74\" width=\"100%%\" height=\"24\">"
           "<form xmlns=\"http://www.w3.org/1999/xhtml\">"
           "<input id=\"search\" type=\"text\" autocomplete=\"off\" "
           "placeholder=\"Search (/)\" aria-label=\"Search\" "
           "title=\"Regular expression; Enter, n and N go from one match to "
           "another\"/>"
           "<button id=\"all\" type=\"button\" "
           "title=\"Show everything (Escape)\">Reset</button>"
           "<span id=\"found\" aria-live=\"polite\"></span></form>"
           "</foreignObject>\n"
           "<text class=\"s\" id=\"detail\" x=\"%d\" y=\"110\"></text></g>\n",
           MARGIN, MARGIN);
}

static void
print_head (const struct picture *picture, bool as_page)
{
  FILE *out = picture->out;
  unsigned height = HEAD + (picture->deepest + 1) * ROW + FOOT;
  if (as_page)
    {
      fputs ("<!DOCTYPE html>\n<html lang=\"en\"><head>"
             "<meta charset=\"utf-8\">"
             "<meta name=\"viewport\" content=\"width=device-width\">"
             "<meta name=\"color-scheme\" content=\"light dark\">"
             "<title>",
             out);
      print_text (picture->words->root, SIZE_MAX, out);
      fputs ("</title></head><body style=\"margin:0\">\n", out);
    }
  fprintf (out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"flames\" "
           "class=\"%s\" data-row=\"%d\" width=\"100%%\" height=\"%u\">\n",
           picture->words->icicle ? "icicle" : "flames", ROW, height);
  fputs (style, out);
  fputs ("<rect id=\"page\" width=\"100%\" height=\"100%\" "
         "fill=\"#fdfcf8\"/>\n",
         out);
}

static void
print_picture (const struct picture *picture, bool as_page)
{
  FILE *out = picture->out;
  uint32_t node = 0;
  print_head (picture, as_page);
  fputs ("<g class=\"f\" tabindex=\"0\" aria-label=\"Functions: arrow keys "
         "move, Enter enlarges, Backspace goes back\">\n",
         out);
  do
    if (is_drawn (picture, node))
      print_node (picture, node);
  while ((node = call_tree_next (&picture->profile->calls, node)) != 0);
  fputs ("</g>\n", out);
  print_bar (picture);
  fputs (script, out);
  fputs (as_page ? "</svg>\n</body></html>\n" : "</svg>\n", out);
}

bool
flame_graph_print (const struct named_profile *profile,
                   const struct flame_graph *words, bool as_page, FILE *out)
{
  uint32_t n = profile->calls.n;
  struct picture picture = { .profile = profile, .words = words, .out = out };
  picture.start = calloc (n, sizeof *picture.start);
  picture.next = calloc (n, sizeof *picture.next);
  picture.depth = calloc (n, sizeof *picture.depth);
  bool ready
      = picture.start != NULL && picture.next != NULL && picture.depth != NULL;
  if (ready)
    {
      place (&picture);
      ready = choose (&picture);
    }
  if (ready)
    print_picture (&picture, as_page);
  free (picture.start);
  free (picture.next);
  free (picture.depth);
  return ready;
}
