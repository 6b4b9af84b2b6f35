#!/usr/bin/env bats
# tools/size-report.sh: a page about a tree.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

@test "a page with the packages of a tree, which stays as it is" {
  needs python3
  mkdir -p tree/one tree/two
  small_program tree/one/a
  small_program tree/two/b -g
  small_program "tree/two/<i>&amp;"
  printf '\177ELF%060d' 0 >tree/two/broken
  cp -a tree before
  CFI2SFRAME=$CFI2SFRAME run -0 --separate-stderr \
    "$srcdir/tools/size-report.sh" -o page.html tree
  [ "$output" = page.html ] || report
  diff -r tree before
  python3 - page.html <<'END'
import html.parser, sys
class Page(html.parser.HTMLParser):
    void = {"meta"}
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.texts = [], [], []
    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        assert not any(n in ("src", "href") for n, _ in attrs), attrs
        if tag not in self.void:
            self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.texts.append(data.strip())
page = Page()
page.feed(open(sys.argv[1]).read())
assert not page.open, page.open
assert "script" not in page.seen and "i" not in page.seen
assert page.seen.count("svg") > 3
for text in "one", "two", "tree/two/broken", "Files converted", "3", "0, 1":
    assert text in page.texts, text
END
}

@test "wrong usage and an empty tree" {
  needs python3
  run -2 "$srcdir/tools/size-report.sh"
  mkdir empty
  run -0 "$srcdir/tools/size-report.sh" -o page.html empty
  grep -q '<dd>0</dd>' page.html
}
