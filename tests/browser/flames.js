// A flame graph: search, enlarge a box, come back.
// SPDX-License-Identifier: LGPL-2.1-or-later
const document = page.document;
const boxes = [...document.querySelectorAll ('#flames .f > svg')];
const seen = box => page.getComputedStyle (box).display !== 'none'
  && box.getBoundingClientRect ().width > 0;
const named = text => boxes.find (
  box => box.querySelector ('title').textContent.startsWith (text));
const search = document.getElementById ('search');
const type = text => {
  search.value = text;
  search.dispatchEvent (new page.Event ('input', { bubbles: true }));
};
const click = element => element.dispatchEvent (
  new page.MouseEvent ('click', { bubbles: true, view: page }));
told ('boxes', boxes.length > 3);
type ('^middle');
told ('hits', document.querySelectorAll ('.hit').length > 0);
told ('found', / % match/.test (document.getElementById ('found').textContent));
type ('');
told ('hits then', document.querySelectorAll ('.hit').length);
const middle = named ('middle'), before = middle.getBoundingClientRect ().width;
const all = document.getElementById ('flames').getBoundingClientRect ().width;
click (middle);
told ('enlarged', Math.abs (middle.getBoundingClientRect ().width - all) < 2 && before < all - 2);
document.dispatchEvent (new page.KeyboardEvent ('keydown', { key: 'Escape', bubbles: true }));
told ('back', Math.abs (middle.getBoundingClientRect ().width - before) < 1);
