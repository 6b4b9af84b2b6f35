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

// The picture FILE after its script has run.
function open (file) {
  const text = fs.readFileSync (file, 'utf8'), known = {};
  const window = new Element (), document = new Element (), group = new Element ();
  known.flames = new Element (attributes_of (text.match (/<svg [^>]*id="flames"[^>]*>/)[0]));
  known.flames['.f'] = group;
  for (const [, box, title] of text.matchAll (/<svg ([^>]*height="16")><title>([^<]*)</g))
    group.appendChild (Object.assign (new Element (attributes_of (box)), {
      title: { textContent: title }, parentNode: group }));
  document.getElementById = id => known[id] ||= new Element ();
  document.createElementNS = () => new Element ();
  document.getElementById ('search').form = new Element ();
  vm.runInNewContext (text.match (/<script><!\[CDATA\[([^]*)\]\]>/)[1], { document, window });
  const key = key => document.tell ('keydown', { key, target: {} });
  const type = value => Object.assign (known.search, { value }).tell ('input');
  const shown = () => group.children.map (e => e.style.display === 'none' ? ''
    : [e.attributes.x, e.attributes.width].map (n => parseFloat (n).toFixed (3)).join (' '));
  return { boxes: group.children, group, known, key, type, shown };
}

for (const file of process.argv.slice (2)) {
  const p = open (file), start = p.shown ();
  const places = start.map (text => text.split (' ').map (Number));
  const found = () => p.known.found.textContent;
  const hits = () => p.boxes.filter (e => e.names.has ('hit'));
  const click = target => p.group.tell ('click', { target });
  const [caller, box] = ['odd', 'middle'].map (
    name => p.boxes.find (e => e.title.textContent.startsWith (name)));
  p.type ('^(odd|middle)');
  assert.deepStrictEqual (hits (), [caller, box]);
  assert.strictEqual (found (), parseFloat (caller.attributes.width).toFixed (2) + ' % match');
  // What is enlarged is as wide as the picture, and what was beside it is gone.
  places.forEach (([x, width], i) => {
    if (!(width > 1)) return;
    click (p.boxes[i]);
    const shown = p.shown (), end = x + width;
    assert.strictEqual (shown[i], '0.000 100.000');
    assert (places.every (([from, wide], j) => shown[j] === ''
      || from < end - .01 && from + wide > x + .01));
  });
  click (box), assert.strictEqual (found (), '100.00 % match');
  p.boxes.forEach (() => p.key ('Backspace'));
  assert.deepStrictEqual (p.shown (), start);
  click (box), p.key ('Escape');
  assert.deepStrictEqual ([p.shown (), hits (), p.known.search.value], [start, [], '']);
  p.type ('('), assert.strictEqual (found (), 'no regular expression');
  p.type ('nobody'), assert.strictEqual (found (), 'no match');
  p.type ('middle'), p.key ('n');
  assert (box.names.has ('at') && p.known.detail.textContent === box.title.textContent);
  p.key ('Enter'), assert.strictEqual (p.shown ()[p.boxes.indexOf (box)], '0.000 100.000');
  p.known.all.tell ('click'), assert.deepStrictEqual (p.shown (), start);
}
