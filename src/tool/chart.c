/* The bar chart of --compare-formats.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A group of horizontal bars for the sum and for each file.  A bar's length is
   the format's size relative to .eh_frame and .eh_frame_hdr; compact unwind
   has what it needs of .eh_frame behind it.  No scripts, no fonts to load.  */

#include "tool/chart.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  GROUPS_MAX = 40, /* more would not be read; then the sum stands alone */
  MARGIN = 16,
  LABELS = 160, /* width of what stands left of the bars */
  BAR = 14,     /* height */
  STEP = 17,    /* from bar to bar */
  GAP = 30,     /* between groups; holds the name */
  UNIT = 480,   /* width of a bar of ratio 1 */
  WIDTH = MARGIN + LABELS + UNIT + UNIT / 2 + MARGIN,
  HEAD = 64
};

static const char *const colours[CFI2SFRAME_COMPARED_COUNT]
    = { "#b8b8b8", "#8fa8c8", "#6f93c4", "#3f6fb0", "#1f4f8f", "#d08030" };
#define KEPT_COLOUR "#ecc9a0"

static void
print_escaped (const char *text, FILE *out)
{
  for (; *text != '\0'; text++)
    switch (*text)
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
      default:
        /* Control characters cannot stand in XML at all.  */
        fputc ((unsigned char)*text < ' ' ? '?' : *text, out);
      }
}

static double
bar_width (const struct formats_row *row, uint64_t bytes)
{
  return row->cfi == 0 ? 0 : UNIT * (double)bytes / (double)row->cfi;
}

static void
draw_bar (double x, int y, double width, const char *colour, FILE *out)
{
  fprintf (out,
           "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
           "fill=\"%s\"/>\n",
           x, y, width, BAR, colour);
}

static void
draw_format (const struct formats_row *row, unsigned format, int y, FILE *out)
{
  double begin = MARGIN + LABELS;
  double width = bar_width (row, row->bytes[format]);
  uint64_t bytes = row->bytes[format];
  fprintf (out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
           MARGIN + LABELS - 6, y + BAR - 3,
           cfi2sframe_compared_text (format));
  draw_bar (begin, y, width, colours[format], out);
  if (format == CFI2SFRAME_COMPARED_COMPACT_UNWIND)
    {
      draw_bar (begin + width, y, bar_width (row, row->eh_frame), KEPT_COLOUR,
                out);
      width += bar_width (row, row->eh_frame);
      bytes += row->eh_frame;
    }
  fprintf (out, "<text x=\"%.1f\" y=\"%d\">%.3f</text>\n", begin + width + 5,
           y + BAR - 3, row->cfi == 0 ? 0 : (double)bytes / (double)row->cfi);
}

static int
draw_group (const struct formats_row *row, int y, FILE *out)
{
  y += GAP;
  fprintf (out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">", MARGIN,
           y - 8);
  print_escaped (row->path, out);
  fprintf (out, " (%" PRIu64 " bytes of .eh_frame and .eh_frame_hdr)</text>\n",
           row->cfi);
  for (unsigned i = 0; i < CFI2SFRAME_COMPARED_COUNT; i++)
    if (row->bytes[i] > 0)
      {
        draw_format (row, i, y, out);
        y += STEP;
      }
  return y;
}

static int
group_height (const struct formats_row *row)
{
  int height = GAP;
  for (unsigned i = 0; i < CFI2SFRAME_COMPARED_COUNT; i++)
    height += row->bytes[i] > 0 ? STEP : 0;
  return height;
}

static void
draw_head (int height, FILE *out)
{
  const int one = MARGIN + LABELS + UNIT;
  fprintf (out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
           "height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n"
           "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n"
           "<text x=\"%d\" y=\"24\" font-size=\"15\">Unwind data relative to "
           ".eh_frame and .eh_frame_hdr</text>\n"
           "<text x=\"%d\" y=\"44\">SFrame is right at every instruction, "
           "compact unwind at calls; light: what .eh_frame must keep for "
           "it</text>\n"
           "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#888\" "
           "stroke-dasharray=\"3 3\"/>\n",
           WIDTH, height, WIDTH, height, MARGIN, MARGIN, one, HEAD - 8, one,
           height - MARGIN);
}

static int
compare_rows (const void *a, const void *b)
{
  const struct formats_row *left = a, *right = b;
  return strcmp (left->path, right->path);
}

static void
draw (struct formats_totals *totals, FILE *out)
{
  char name[] = "Sum";
  struct formats_row sum = formats_sum_row (totals);
  sum.path = name;
  bool with_sum = totals->n_rows != 1;
  size_t n = totals->n_rows <= GROUPS_MAX ? totals->n_rows : 0;
  if (n > 0)
    qsort (totals->rows, n, sizeof *totals->rows, compare_rows);
  int height = HEAD + MARGIN + (with_sum ? group_height (&sum) : 0);
  for (size_t i = 0; i < n; i++)
    height += group_height (&totals->rows[i]);
  draw_head (height, out);
  int y = HEAD - GAP / 2;
  if (with_sum)
    y = draw_group (&sum, y, out);
  for (size_t i = 0; i < n; i++)
    y = draw_group (&totals->rows[i], y, out);
  fputs ("</svg>\n", out);
}

bool
chart_write (const char *path, struct formats_totals *totals,
             struct cfi2sframe_error *err)
{
  FILE *out = fopen (path, "we");
  bool written = out != NULL;
  if (written)
    {
      draw (totals, out);
      written = !ferror (out);
      written = fclose (out) == 0 && written;
    }
  if (!written)
    {
      err->status = CFI2SFRAME_IO;
      snprintf (err->reason, sizeof err->reason, "%s", strerror (errno));
    }
  return written;
}
