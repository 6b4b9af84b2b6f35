// node picture.js PICTURE...: the script of a flame graph, driven by keys and clicks
// in as much of a browser as it asks for.
// SPDX-License-Identifier: LGPL-2.1-or-later

const assert = require ('assert'), fs = require ('fs'), vm = require ('vm');

class Element {
  constructor (attributes = {}) {
    const names = new Set ((attributes.class || '').split (' '));
    Object.assign (this, { attributes, names, style: {}, heard: {}, children: [],
                           textContent: '', value: '' });
    this.classList = { contains: n => names.has (n), add: n => names.add (n),
                       remove: n => names.delete (n),
                       toggle: (n, on) => on ? names.add (n) : names.delete (n) };
  }
  getAttribute (name) { return this.attributes[name]; }
  setAttribute (name, value) { this.attributes[name] = value; }
  appendChild (child) { this.children.push (child); }
  addEventListener (name, listener) { this.heard[name] = listener; }
  getBoundingClientRect () { return { width: 1000, top: 0 }; }
  querySelector (name) { return this[name] || null; }
  scrollIntoView () {} scrollTo () {} blur () {}
  tell (name, event) { this.heard[name] ({ preventDefault () {}, ...event }); }
}
const attributes_of = text => Object.fromEntries (
  Array.from (text.matchAll (/([\w-]+)="([^"]*)"/g), found => found.slice (1)));

// The picture FILE after its scripts have run.
function open (file) {
  const text = fs.readFileSync (file, 'utf8'), known = {};
  const window = new Element (), document = new Element ();
  const groups = text.split ('<g class="f ').slice (1).map (part => {
    const group = new Element (attributes_of ('class="f ' + part.match (/[^>]*/)[0]));
    for (const [, box, title] of part.matchAll (/<svg ([^>]*height="16")><title>([^<]*)</g))
      group.appendChild (Object.assign (new Element (attributes_of (box)), {
        title: { textContent: title }, parentNode: group }));
    return group;
  });
  known.flames = new Element (attributes_of (text.match (/<svg [^>]*id="flames"[^>]*>/)[0]));
  known.flames.querySelectorAll = () => groups;
  known.turn = text.includes ('id="turn"') ? new Element () : null;
  document.getElementById = id => id in known ? known[id] : known[id] = new Element ();
  document.createElementNS = () => new Element ();
  const search = document.getElementById ('search');
  search.form = new Element ();
  search.dispatchEvent = event => search.heard[event] ();
  const rows = Array.from (text.matchAll (/<tr>(<td.*)<\/tr>/g), ([, cells]) => {
    const row = { cells: Array.from (cells.matchAll (/<td[^>]*>([^<]*)</g), (found, i) => (
      { tagName: 'TD', cellIndex: i, textContent: found[1] })) };
    row.cells.forEach (cell => cell.parentNode = row);
    row.lastElementChild = row.cells[row.cells.length - 1];
    return row;
  });
  const body = { rows, appendChild (row) {
    rows.splice (rows.indexOf (row), 1); rows.push (row); } };
  Object.assign (document.getElementById ('list'), { tBodies: [body] });
  const context = { document, window, Event: function (name) { return new String (name); } };
  vm.runInNewContext (text.match (/<script><!\[CDATA\[([^]*)\]\]>/)[1], context);
  const second = text.match (/<script>\n(\(function[^]*?)<\/script>/);
  if (second)
    vm.runInNewContext (second[1], context);
  const key = key => document.tell ('keydown', { key, target: {} });
  const type = value => Object.assign (known.search, { value }).tell ('input');
  // Of the group that is seen.
  const group = () => groups.find (group => group.style.display !== 'none');
  const shown = () => group ().children.map (e => e.style.display === 'none' ? ''
    : [e.attributes.x, e.attributes.width].map (n => parseFloat (n).toFixed (3)).join (' '));
  return { groups, group, rows, known, key, type, shown };
}

// The page P: its other side, and its table.
function check_page (p) {
  const [, other] = p.groups, all = e => parseFloat (e.attributes.width);
  assert.strictEqual (p.group (), p.groups[0]);
  p.known.turn.tell ('click');
  assert (p.group () === other && p.known.turn.names.has ('on'));
  assert.strictEqual (p.known.flames.attributes.height, other.attributes['data-height']);
  // Every function stands on the root, by what is in itself.
  const row = y => other.children.filter (e => +e.attributes.y === y);
  const first = row (+other.children[0].attributes.y + 17);
  for (const cells of p.rows.map (row => row.cells)) {
    const box = first.find (e => e.title.textContent.startsWith (cells[2].textContent + ' ('));
    if (+cells[0].textContent > .5)
      assert (Math.abs (all (box) - cells[0].textContent) < .01, cells[2].textContent);
  }
  p.key ('b');
  assert (p.group () === p.groups[0] && !p.known.turn.names.has ('on'));
  // The table is sorted by a click, and another one searches.
  const column = i => p.rows.map (row => row.cells[i].textContent);
  const sorted = list => list.slice ().sort ((a, b) => b - a);
  assert.deepStrictEqual (column (0).map (Number), sorted (column (0)).map (Number));
  p.known.list.tell ('click', { target: { tagName: 'TH', cellIndex: 1 } });
  assert.deepStrictEqual (column (1).map (Number), sorted (column (1)).map (Number));
  p.known.list.tell ('click', { target: { tagName: 'TH', cellIndex: 2 } });
  assert.deepStrictEqual (column (2), column (2).slice ().sort ());
  const odd = p.rows.find (row => row.cells[2].textContent.startsWith ('odd&lt;name'));
  p.known.list.tell ('click', { target: odd.cells[0] });
  assert.match (p.known.found.textContent, /^[0-9.]+ % match$/);
  p.key ('Escape');
}

for (const file of process.argv.slice (2)) {
  const p = open (file), start = p.shown (), group = p.groups[0];
  assert.strictEqual (p.groups.length, file.endsWith ('.html') ? 2 : 1);
  if (file.endsWith ('.html'))
    check_page (p);
  const places = start.map (text => text.split (' ').map (Number));
  const found = () => p.known.found.textContent;
  const hits = () => group.children.filter (e => e.names.has ('hit'));
  const click = target => group.tell ('click', { target });
  const [caller, box] = ['odd', 'middle'].map (
    name => group.children.find (e => e.title.textContent.startsWith (name)));
  p.type ('^(odd|middle)');
  assert.deepStrictEqual (hits (), [caller, box]);
  assert.strictEqual (found (), parseFloat (caller.attributes.width).toFixed (2) + ' % match');
  // What is enlarged is as wide as the picture, and what was beside it is gone.
  places.forEach (([x, width], i) => {
    if (!(width > 1)) return;
    click (group.children[i]);
    const shown = p.shown (), end = x + width;
    assert.strictEqual (shown[i], '0.000 100.000');
    assert (places.every (([from, wide], j) => shown[j] === ''
      || from < end - .01 && from + wide > x + .01));
  });
  click (box), assert.strictEqual (found (), '100.00 % match');
  group.children.forEach (() => p.key ('Backspace'));
  assert.deepStrictEqual (p.shown (), start);
  click (box), p.key ('Escape');
  assert.deepStrictEqual ([p.shown (), hits (), p.known.search.value], [start, [], '']);
  p.type ('('), assert.strictEqual (found (), 'no regular expression');
  p.type ('nobody'), assert.strictEqual (found (), 'no match');
  p.type ('middle'), p.key ('n');
  assert (box.names.has ('at') && p.known.detail.textContent === box.title.textContent);
  p.key ('Enter'), assert.strictEqual (p.shown ()[group.children.indexOf (box)], '0.000 100.000');
  p.known.all.tell ('click'), assert.deepStrictEqual (p.shown (), start);
}
