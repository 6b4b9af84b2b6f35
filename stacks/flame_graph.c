/* Flame graphs: pictures of profiles.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A function is a rectangle, as wide as its share of the samples, and its
   callees are side by side above it (below it in an icicle graph).  Each
   rectangle is an <svg> element of its own, which cuts off its label.  */

#include <config.h>

#include "stacks/profile_writers.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/amounts.h"
#include "base/printable.h"
#include "stacks/flame_graph_page.h"

enum
{
  ROW = 17,        /* height of a function in pixels */
  TABLE_MAX = 500, /* functions in the table of a page */
  HEAD = 116,
  FOOT = 8,
  MARGIN = 6,
  /* Functions that are drawn, the widest ones: each costs the browser time,
     and most others are narrower than a pixel.  */
  FUNCTIONS_MAX = 10000
};

/* Functions of at least this share, in percent, have a label from the start;
   the script makes labels for others.  */
static const double labelled = 1;

/* The order in which functions are chosen to be drawn: the widest ones first;
   then those nearest to the root.  So a caller comes before its callees.  */
struct rank
{
  uint64_t total;
  uint32_t depth;
};

struct picture
{
  const struct named_profile *profile;
  const struct flame_graph_settings *settings;
  FILE *out;
  struct
  {
    uint64_t start; /* the weight of all that is left of the node */
    uint64_t next;  /* the start of its next callee */
    uint32_t depth;
  } * places; /* owned, by node */
  uint32_t deepest;
  struct rank left_out_first; /* the first function that is not drawn */
  uint32_t left_out;
  bool icicle;
  uint64_t *before; /* weights of the nodes in the other profile, or NULL */
  double most;      /* the greatest change of a share, in percent */
};

/* Print at most LENGTH bytes of TEXT as XML, control characters escaped.  */
static void
print_text (const char *text, size_t length, FILE *out)
{
  static const char *const escapes[UCHAR_MAX + 1]
      = { ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;" };
  char safe[1024];
  printable_copy (safe, length < sizeof safe ? length + 1 : sizeof safe, text);
  for (const char *at = safe; *at != '\0'; at++)
    if (escapes[(unsigned char)*at] != NULL)
      fputs (escapes[(unsigned char)*at], out);
    else
      fputc (*at, out);
}

/* Print the colour of NAME: blue for functions of the kernel, grey for names
   in brackets, otherwise a warm colour that depends on the name.  */
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

/* Return how much the share of NODE has grown, in percent of all samples.  */
static double
change_of (const struct picture *picture, uint32_t node)
{
  const struct named_profile *profile = picture->profile;
  double all = (double)profile->totals[0], before = (double)picture->before[0];
  return 100
         * ((all > 0 ? (double)profile->totals[node] / all : 0)
            - (before > 0 ? (double)picture->before[node] / before : 0));
}

/* Print the colour for CHANGE: white for none, red for growth, else blue.  */
static void
print_change_colour (const struct picture *picture, double change)
{
  double part = picture->most > 0 ? fabs (change) / picture->most : 0;
  int pale = 242 - (int)(200 * part), less = 242 - (int)(60 * part);
  fprintf (picture->out, "#%02x%02x%02x", change < 0 ? pale : less,
           change < 0 ? (pale + less) / 2 : pale, change < 0 ? less : pale);
}

static const char *
name_of (const struct picture *picture, uint32_t node)
{
  const struct named_profile *profile = picture->profile;
  return node == 0 ? picture->settings->root
                   : profile->names.list[profile->calls.nodes[node].key];
}

static double
percent (const struct picture *picture, uint64_t weight)
{
  uint64_t all = picture->profile->totals[0];
  return all == 0 ? 100 : 100 * (double)weight / (double)all;
}

static struct rank
rank_of (const struct picture *picture, uint32_t node)
{
  return (struct rank){ picture->profile->totals[node],
                        picture->places[node].depth };
}

static int
by_rank (const void *a, const void *b)
{
  const struct rank *x = a, *y = b;
  return x->total != y->total ? (x->total < y->total ? 1 : -1)
                              : (x->depth > y->depth) - (x->depth < y->depth);
}

static bool
is_drawn (const struct picture *picture, uint32_t node)
{
  const struct rank rank = rank_of (picture, node);
  return by_rank (&rank, &picture->left_out_first) < 0;
}

static void
print_node (const struct picture *picture, uint32_t node)
{
  FILE *out = picture->out;
  uint64_t total = picture->profile->totals[node];
  const char *name = name_of (picture, node);
  uint32_t depth = picture->places[node].depth;
  unsigned y
      = HEAD + (picture->icicle ? depth : picture->deepest - depth) * ROW;
  fprintf (out,
           "<svg x=\"%.5f%%\" y=\"%u\" width=\"%.5f%%\" height=\"%d\">"
           "<title>",
           percent (picture, picture->places[node].start), y,
           percent (picture, total), ROW - 1);
  print_text (name, SIZE_MAX, out);
  /* The script removes the text behind the name.  */
  if (picture->profile->off_cpu)
    fprintf (out, " (%.6f s, ", (double)total * 1e-9);
  else
    fprintf (out, " (%" PRIu64 " sample%s, ", total, plural_s (total));
  fprintf (out, "%.2f %%", percent (picture, total));
  if (picture->before != NULL)
    fprintf (out, ", %+.2f", change_of (picture, node));
  fputs (")</title><rect width=\"100%\" height=\"100%\" fill=\"", out);
  if (picture->before != NULL)
    print_change_colour (picture, change_of (picture, node));
  else
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

static bool
choose_drawn (struct picture *picture)
{
  uint32_t n = picture->profile->calls.n;
  picture->left_out_first = (struct rank){ 0, UINT32_MAX };
  if (n > FUNCTIONS_MAX)
    {
      struct rank *ranks = calloc (n, sizeof *ranks);
      if (ranks == NULL)
        return false;
      for (uint32_t node = 0; node < n; node++)
        ranks[node] = rank_of (picture, node);
      qsort (ranks, n, sizeof *ranks, by_rank);
      picture->left_out_first = ranks[FUNCTIONS_MAX];
      free (ranks);
    }
  for (uint32_t node = 0; node < n; node++)
    if (!is_drawn (picture, node))
      picture->left_out++;
    else if (picture->places[node].depth > picture->deepest)
      picture->deepest = picture->places[node].depth;
  return true;
}

/* Prepare to draw PROFILE.  False when memory ran out.  PICTURE has to be
   closed in any case.  */
static bool
open_picture (struct picture *picture, const struct named_profile *profile,
              const struct flame_graph_settings *settings, bool icicle,
              FILE *out)
{
  uint32_t n = profile->calls.n;
  *picture = (struct picture){
    .profile = profile, .settings = settings, .out = out, .icicle = icicle
  };
  picture->places = calloc (n, sizeof *picture->places);
  if (picture->places == NULL)
    return false;
  /* Put callees side by side on their caller.  */
  const struct call_tree *tree = &profile->calls;
  for (uint32_t node = 0; (node = call_tree_next (tree, node)) != 0;)
    {
      uint32_t parent = tree->nodes[node].parent;
      uint64_t start = picture->places[parent].next;
      picture->places[parent].next += profile->totals[node];
      picture->places[node].start = picture->places[node].next = start;
      picture->places[node].depth = picture->places[parent].depth + 1;
    }
  return choose_drawn (picture);
}

static bool
compare (struct picture *picture, const struct named_profile *old)
{
  if (!folded_weights_before (picture->profile, old, &picture->before))
    return false;
  for (uint32_t i = 1; i < picture->profile->calls.n; i++)
    {
      double change = fabs (change_of (picture, i));
      picture->most = change > picture->most ? change : picture->most;
    }
  return true;
}

static void
close_picture (struct picture *picture)
{
  free (picture->places);
  free (picture->before);
}

static unsigned
height_of (const struct picture *picture)
{
  return HEAD + (picture->deepest + 1) * ROW + FOOT;
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

/* Print the bar at the top, which stays in view: the name, the subtitle and
   the controls.  A subtitle with a semicolon takes two lines, because windows
   may be narrow.  */
static void
print_bar (const struct picture *picture, bool as_page)
{
  FILE *out = picture->out;
  const char *subtitle = picture->settings->subtitle;
  size_t first = strcspn (subtitle, ";");
  char left_out[64];
  fprintf (out,
           "<g id=\"bar\"><rect id=\"back\" width=\"100%%\" height=\"%d\" "
           "fill=\"#fdfcf8\"/>\n",
           HEAD - 2);
  print_line (picture, "t", 20, picture->settings->root, SIZE_MAX);
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
           "%s<span id=\"found\" aria-live=\"polite\"></span></form>"
           "</foreignObject>\n"
           "<text class=\"s\" id=\"detail\" x=\"%d\" y=\"110\"></text></g>\n",
           MARGIN,
           as_page ? "<button id=\"turn\" type=\"button\" title=\"Functions "
                     "with their callers above (b)\">Bottom-up</button>"
                   : "",
           MARGIN);
}

static void
print_head (const struct picture *picture, bool as_page)
{
  FILE *out = picture->out;
  if (as_page)
    {
      fputs ("<!DOCTYPE html>\n<html lang=\"en\"><head>"
             "<meta charset=\"utf-8\">"
             "<meta name=\"viewport\" content=\"width=device-width\">"
             "<meta name=\"color-scheme\" content=\"light dark\">"
             "<title>",
             out);
      print_text (picture->settings->root, SIZE_MAX, out);
      fputs ("</title>", out);
      fputs (page_style, out);
      fputs ("</head><body>\n<div id=\"graph\">\n", out);
    }
  fprintf (out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"flames\" "
           "data-row=\"%d\" width=\"100%%\" height=\"%u\">\n",
           ROW, height_of (picture));
  fputs (style, out);
  fputs ("<rect id=\"page\" width=\"100%\" height=\"100%\" "
         "fill=\"#fdfcf8\"/>\n",
         out);
}

/* Print all functions of PICTURE.  The script can show a HIDDEN picture.  */
static void
print_group (const struct picture *picture, bool hidden)
{
  FILE *out = picture->out;
  uint32_t node = 0;
  fprintf (out,
           "<g class=\"f %s\" data-height=\"%u\"%s tabindex=\"0\" "
           "aria-label=\"Functions: arrow keys move, Enter enlarges, "
           "Backspace goes back\">\n",
           picture->icicle ? "icicle" : "flames", height_of (picture),
           hidden ? " style=\"display:none\"" : "");
  do
    if (is_drawn (picture, node))
      print_node (picture, node);
  while ((node = call_tree_next (&picture->profile->calls, node)) != 0);
  fputs ("</g>\n", out);
}

static bool
print_table (const struct picture *picture)
{
  FILE *out = picture->out;
  const struct named_profile *old = picture->settings->old;
  size_t n;
  struct function_share *shares = top_list (picture->profile, old, &n);
  if (shares == NULL)
    return false;
  fprintf (out,
           "<table id=\"list\"><thead><tr><th>Self</th><th>Total</th>%s"
           "<th>Function</th></tr></thead><tbody>\n",
           old != NULL ? "<th>Change</th>" : "");
  for (size_t i = 0; i < n && i < TABLE_MAX; i++)
    {
      fprintf (out, "<tr><td>%.2f</td><td>%.2f</td>", shares[i].self,
               shares[i].total);
      if (old != NULL)
        fprintf (out, "<td>%+.2f</td>", shares[i].change);
      fputs ("<td tabindex=\"0\">", out);
      print_text (shares[i].name, SIZE_MAX, out);
      fputs ("</td></tr>\n", out);
    }
  fputs ("</tbody></table>\n", out);
  free (shares);
  return true;
}

/* Print PICTURE.  In a page, also print TURNED, the inverted picture, and the
   table.  False when memory ran out.  */
static bool
print_picture (const struct picture *picture, const struct picture *turned)
{
  FILE *out = picture->out;
  print_head (picture, turned != NULL);
  print_group (picture, false);
  if (turned != NULL)
    print_group (turned, true);
  print_bar (picture, turned != NULL);
  fputs (script, out);
  fputs ("</svg>\n", out);
  if (turned == NULL)
    return true;
  fputs ("</div>\n", out);
  bool printed = print_table (picture);
  fputs (page_script, out);
  fputs ("</body></html>\n", out);
  return printed;
}

/* Print a page with PICTURE and its inversion.  False when memory ran out.  */
static bool
print_page (const struct picture *picture)
{
  const struct flame_graph_settings *settings = picture->settings;
  struct named_profile inverted, old = { 0 };
  struct picture turned = { 0 };
  bool ready
      = profile_invert (picture->profile, &inverted)
        && open_picture (&turned, &inverted, settings, true, picture->out);
  if (ready && settings->old != NULL)
    ready = profile_invert (settings->old, &old) && compare (&turned, &old);
  ready = ready && print_picture (picture, &turned);
  close_picture (&turned);
  profile_inverted_free (&inverted);
  profile_inverted_free (&old);
  return ready;
}

bool
flame_graph_print (const struct named_profile *profile,
                   const struct flame_graph_settings *settings, bool as_page,
                   FILE *out)
{
  struct picture picture;
  bool ready
      = open_picture (&picture, profile, settings, settings->icicle, out)
        && (settings->old == NULL || compare (&picture, settings->old));
  if (ready)
    ready = as_page ? print_page (&picture) : print_picture (&picture, NULL);
  close_picture (&picture);
  return ready;
}
