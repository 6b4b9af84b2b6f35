/* Profiles as pictures: flame graphs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/flame_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

enum
{
  WIDTH = 1200,
  MARGIN = 10,
  ROW = 17, /* pixels of one function's height */
  HEAD = 56,
  FOOT = 24
};

/* Pixels: a character of a function's name, and the narrowest function that is
   drawn.  */
static const double character_width = 6.65, narrowest = 0.15;

struct picture
{
  const struct named_profile *profile;
  const char *root;
  FILE *out;
  double *x; /* of each node, and of the next callee to come */
  double *next_x;
  uint32_t *depth;
  uint32_t deepest;
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

/* A warm colour, always the same one for a name; grey for what is no
   function.  */
static void
print_colour (const char *name, FILE *out)
{
  unsigned hash = 5381;
  for (const char *at = name; *at != '\0'; at++)
    hash = hash * 33 + (unsigned char)*at;
  if (*name == '[')
    fputs ("#c8c8c8", out);
  else
    fprintf (out, "#%02x%02x%02x", 205 + hash % 50, 70 + hash / 50 % 140,
             40 + hash / 7000 % 40);
}

static const char *
name_of (const struct picture *picture, uint32_t node)
{
  const struct named_profile *profile = picture->profile;
  return node == 0 ? picture->root
                   : profile->names[profile->calls.nodes[node].key];
}

static double
width_of (const struct picture *picture, uint32_t node)
{
  const uint64_t *totals = picture->profile->totals;
  return (double)(WIDTH - 2 * MARGIN) * (double)totals[node]
         / (double)totals[0];
}

static void
print_node (const struct picture *picture, uint32_t node)
{
  FILE *out = picture->out;
  const uint64_t *totals = picture->profile->totals;
  const char *name = name_of (picture, node);
  double width = width_of (picture, node), x = picture->x[node];
  unsigned y = HEAD + (picture->deepest - picture->depth[node]) * ROW;
  fputs ("<g><title>", out);
  print_text (name, SIZE_MAX, out);
  fprintf (out, " (%" PRIu64 " samples, %.2f %%)</title>", totals[node],
           100.0 * (double)totals[node] / (double)totals[0]);
  fprintf (out,
           "<rect x=\"%.3f\" y=\"%u\" width=\"%.3f\" height=\"%d\" "
           "fill=\"",
           x, y, width, ROW - 1);
  print_colour (name, out);
  fprintf (out, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
  double room = (width - 6) / character_width;
  if (room >= 3)
    {
      bool cut = (double)strlen (name) > room;
      print_text (name, (size_t)room - (cut ? 2 : 0), out);
      if (cut)
        fputs ("..", out);
    }
  fputs ("</text></g>\n", out);
}

/* Set where each function is drawn: callees side by side on their caller.  */
static void
place (struct picture *picture)
{
  const struct call_tree *tree = &picture->profile->calls;
  picture->x[0] = picture->next_x[0] = MARGIN;
  for (uint32_t node = 0; (node = call_tree_next (tree, node)) != 0;)
    {
      uint32_t parent = tree->nodes[node].parent;
      picture->x[node] = picture->next_x[node] = picture->next_x[parent];
      picture->next_x[parent] += width_of (picture, node);
      picture->depth[node] = picture->depth[parent] + 1;
      if (picture->depth[node] > picture->deepest
          && width_of (picture, node) >= narrowest)
        picture->deepest = picture->depth[node];
    }
}

static const char style[]
    = "<style>.f text{font:11px ui-monospace,Menlo,Consolas,monospace;"
      "pointer-events:none}.f g{cursor:pointer}.f rect{stroke:#fff;"
      "stroke-width:.4}.f g:hover rect{stroke:#000;stroke-width:1}"
      ".t{font:16px sans-serif}.s{font:12px sans-serif;fill:#555}"
      ".b{font:12px sans-serif;fill:#06c;cursor:pointer}</style>\n";

/* Script of the page: zooming and searching.  After a click on a function,
   only what is above or below that function is drawn again; the rest is
   hidden.  */
static const char script[]
    = "<script><![CDATA[\n"
      "(function () {\n"
      "var L = 10, W = 1180, C = 6.65, found = null;\n"
      "var svg = document.getElementById ('flames');\n"
      "var all = Array.prototype.map.call (svg.querySelectorAll ('.f g'),\n"
      "  function (g) {\n"
      "    var r = g.querySelector ('rect'), t = g.querySelector ('title');\n"
      "    return { g: g, r: r, t: g.querySelector ('text'),\n"
      "             x: +r.getAttribute ('x'), y: +r.getAttribute ('y'),\n"
      "             w: +r.getAttribute ('width'), c: r.getAttribute "
      "('fill'),\n"
      "             n: t.textContent.replace (/ \\([0-9]+ samples.*/, '') };\n"
      "  });\n"
      "function draw (f, x, w) {\n"
      "  var n = Math.floor ((w - 6) / C);\n"
      "  f.g.style.display = w < 0.15 ? 'none' : '';\n"
      "  f.r.setAttribute ('x', x); f.r.setAttribute ('width', w);\n"
      "  f.t.setAttribute ('x', x + 3);\n"
      "  f.t.textContent = n < 3 ? '' : f.n.length <= n ? f.n\n"
      "    : f.n.slice (0, n - 2) + '..';\n"
      "}\n"
      "function zoom (to) {\n"
      "  var scale = W / to.w;\n"
      "  all.forEach (function (f) {\n"
      "    var e = 0.02, inside = f.x >= to.x - e\n"
      "      && f.x + f.w <= to.x + to.w + e;\n"
      "    if (inside && f.y <= to.y)\n"
      "      draw (f, L + (f.x - to.x) * scale, f.w * scale);\n"
      "    else if (f.y > to.y && f.x <= to.x + e\n"
      "             && f.x + f.w >= to.x + to.w - e)\n"
      "      draw (f, L, W);\n"
      "    else\n"
      "      f.g.style.display = 'none';\n"
      "  });\n"
      "}\n"
      "function search () {\n"
      "  var what = prompt ('Functions whose names match:', found || '');\n"
      "  if (what === null) return;\n"
      "  var pattern, spans = [], sum = 0, end = -1;\n"
      "  try { pattern = new RegExp (what); } catch (e) { return; }\n"
      "  found = what;\n"
      "  all.forEach (function (f) {\n"
      "    var hit = what !== '' && pattern.test (f.n);\n"
      "    f.r.setAttribute ('fill', hit ? '#d0f' : f.c);\n"
      "    if (hit) spans.push ([f.x, f.x + f.w]);\n"
      "  });\n"
      "  spans.sort (function (a, b) { return a[0] - b[0]; });\n"
      "  spans.forEach (function (s) {\n"
      "    if (s[1] > end) { sum += s[1] - Math.max (s[0], end); end = s[1]; "
      "}\n"
      "  });\n"
      "  document.getElementById ('found').textContent = what === '' ? ''\n"
      "    : (100 * sum / W).toFixed (2) + ' % in functions that match';\n"
      "}\n"
      "all.forEach (function (f) {\n"
      "  f.g.addEventListener ('click', function () { zoom (f); });\n"
      "});\n"
      "document.getElementById ('all').addEventListener ('click',\n"
      "  function () { zoom (all[0]); });\n"
      "document.getElementById ('search').addEventListener ('click', "
      "search);\n"
      "window.scrollTo (0, 1e6);\n"
      "}) ();\n"
      "]]></script>\n";

static void
print_head (const struct picture *picture, const char *subtitle, bool as_page)
{
  FILE *out = picture->out;
  unsigned height = HEAD + (picture->deepest + 1) * ROW + FOOT;
  if (as_page)
    {
      fputs ("<!DOCTYPE html>\n<html lang=\"en\"><head>"
             "<meta charset=\"utf-8\"><title>",
             out);
      print_text (picture->root, SIZE_MAX, out);
      fputs ("</title></head><body>\n", out);
    }
  fprintf (out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"flames\" "
           "width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\">\n",
           WIDTH, height, WIDTH, height);
  fputs (style, out);
  fprintf (out,
           "<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfcf8\"/>\n"
           "<text class=\"t\" x=\"%d\" y=\"22\">",
           MARGIN);
  print_text (picture->root, 120, out);
  fprintf (out, "</text>\n<text class=\"s\" x=\"%d\" y=\"42\">", MARGIN);
  print_text (subtitle, 200, out);
  fprintf (out,
           "</text>\n<text class=\"b\" id=\"all\" x=\"%d\" y=\"22\">All</text>"
           "<text class=\"b\" id=\"search\" x=\"%d\" y=\"22\">Search</text>"
           "<text class=\"s\" id=\"found\" x=\"%d\" y=\"42\"></text>\n",
           WIDTH - 120, WIDTH - 80, WIDTH - 240);
}

bool
flame_graph_print (const struct named_profile *profile, const char *root,
                   const char *subtitle, bool as_page, FILE *out)
{
  const struct call_tree *tree = &profile->calls;
  struct picture picture = { .profile = profile, .root = root, .out = out };
  picture.x = calloc (tree->n, sizeof *picture.x);
  picture.next_x = calloc (tree->n, sizeof *picture.next_x);
  picture.depth = calloc (tree->n, sizeof *picture.depth);
  bool ready
      = picture.x != NULL && picture.next_x != NULL && picture.depth != NULL;
  if (ready)
    {
      place (&picture);
      print_head (&picture, subtitle, as_page);
      fputs ("<g class=\"f\">\n", out);
      uint32_t node = 0;
      do
        if (width_of (&picture, node) >= narrowest)
          print_node (&picture, node);
      while ((node = call_tree_next (tree, node)) != 0);
      fputs ("</g>\n", out);
      fputs (script, out);
      fputs (as_page ? "</svg>\n</body></html>\n" : "</svg>\n", out);
    }
  free (picture.x);
  free (picture.next_x);
  free (picture.depth);
  return ready;
}
