// The report of sframe-retrofit-repo: sorted by clicks, readable when narrow.
// SPDX-License-Identifier: LGPL-2.1-or-later
const document = page.document, headings = [...document.querySelectorAll ('th')];
const names = () => [...document.querySelectorAll ('tbody tr')]
  .map (row => row.cells[0].textContent).join (' ');
const click = text => headings.find (h => h.textContent === text).firstChild.click ();
const style = element => page.getComputedStyle (element);
const cell = number => document.querySelector ('tbody tr').cells[number];
told ('headings without text', headings.filter (h => h.textContent === '').length);
told ('at first', names ());
click ('size after');
told ('up', names ());
click ('size after');
told ('down', names ());
click ('package');
told ('by name', names ());
told ('sorted by', headings.filter (h => h.hasAttribute ('aria-sort'))
  .map (h => h.textContent).join ());
told ('size', cell (9).textContent);
told ('alignment', style (cell (9)).textAlign);
told ('display', style (cell (9)).display);
told ('too wide', document.documentElement.scrollWidth > page.innerWidth);
told ('label', page.getComputedStyle (cell (9), '::before').content);
told ('font', style (document.body).fontFamily);
