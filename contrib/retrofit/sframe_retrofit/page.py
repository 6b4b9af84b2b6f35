# SPDX-License-Identifier: LGPL-2.1-or-later
"""A table as an HTML page that needs nothing else: it is sorted by clicks on
its headings, and readable on a narrow screen.  It looks as the pages of make
site do."""

import html
from typing import Any, List, NamedTuple, Sequence

from sframe_retrofit.progress import format_bytes


class Column(NamedTuple):
    """A column: its heading, and whether its values are numbers, or bytes."""
    heading: str
    kind: str = "" # "number", "bytes"


STYLE = """:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto 3em; padding: 0 1em;
       overflow-wrap: break-word; }
table { border-collapse: collapse; }
th, td { border: 1px solid #8886; padding: .2em .6em; text-align: left;
         vertical-align: top; }
th { padding: 0; background: #8881; }
th button { font: inherit; font-weight: bold; color: inherit; border: 0;
            background: none; width: 100%%; padding: .2em .6em;
            text-align: inherit; white-space: normal; cursor: pointer; }
th[aria-sort=ascending] button::after { content: " \\25b2"; }
th[aria-sort=descending] button::after { content: " \\25bc"; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td:last-child { overflow-wrap: anywhere; min-width: 10em; }
@media (max-width: 87em) {
  table, tbody, tr, td { display: block; }
  thead tr { display: flex; flex-wrap: wrap; }
  tbody tr { border: 1px solid #8886; margin: .6em 0; }
  td, td.n { border: 0; text-align: left; white-space: normal; }
  td:empty { display: none; }
  td::before { font-weight: bold; }
%s}
"""

# A click sorts up, the next one down; equal ones stay in their order.
SCRIPT = """
const body = document.querySelector ('tbody');
document.querySelectorAll ('th').forEach ((heading, column, headings) =>
  heading.firstChild.addEventListener ('click', () => {
    const down = heading.getAttribute ('aria-sort') === 'ascending';
    const key = row => row.cells[column].dataset.value ??
      row.cells[column].textContent;
    const number = heading.classList.contains ('n');
    const compare = number ? (a, b) => (a || -1) - (b || -1)
      : (a, b) => a.localeCompare (b);
    [...body.rows].sort ((a, b) => (down ? -1 : 1) * compare (key (a), key (b)))
      .forEach (row => body.append (row));
    headings.forEach (other => other.removeAttribute ('aria-sort'));
    heading.setAttribute ('aria-sort', down ? 'descending' : 'ascending');
  }));
"""


def cell(column: Column, value: Any) -> str:
    if not column.kind:
        return "<td>%s</td>" % html.escape(str(value))
    shown = "" if value == "" else format_bytes(value) \
        if column.kind == "bytes" else str(value)
    return '<td class="n" data-value="%s">%s</td>' % (value, shown)


def table_page(title: str, lead: str, columns: Sequence[Column],
               rows: List[List[Any]]) -> str:
    """Return a page with the sentence LEAD and a table.  ROWS have a value for
    each column, "" if there is none."""
    labels = "".join(
        '  td:nth-child(%d)::before { content: "%s: "; }\n'
        % (number, column.heading) for number, column in enumerate(columns, 1))
    return """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
%s</style>
<h1>%s</h1>
<p>%s</p>
<table>
<thead><tr>%s</tr></thead>
<tbody>
%s</tbody>
</table>
<script>%s</script>
</html>
""" % (html.escape(title), STYLE % labels, html.escape(title),
       html.escape(lead),
       "".join("<th%s><button>%s</button></th>"
               % (' class="n"' if column.kind else "", column.heading)
               for column in columns),
       "".join("<tr>%s</tr>\n" % "".join(map(cell, columns, row))
               for row in rows), SCRIPT)
