#!/usr/bin/env python3
# Do the links of static pages lead somewhere?
#   links.py FOLDER
# Each link that has no scheme has to lead to a file in FOLDER, and what is
# behind its "#" has to be there; nothing is loaded from elsewhere.  Pages that
# no other one leads to are told, too.
# SPDX-License-Identifier: LGPL-2.1-or-later

import os
import sys
import urllib.parse
from html.parser import HTMLParser


class Page(HTMLParser):
    """What a page links to, loads, and can be linked to by."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()
        self.leads_on = False # an old name of another page
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        about = dict(attrs)
        self.leads_on |= about.get("http-equiv", "").lower() == "refresh"
        self.ids |= {about[key] for key in ("id", "name") if about.get(key)}
        loads = about.get("src") or (
            about.get("href") if tag == "link"
            and about.get("rel") == "stylesheet" else None)
        if loads:
            self.loads.append(loads)
        elif tag in ("a", "link") and about.get("href"):
            self.links.append(about["href"])


def main():
    folder = os.path.realpath(sys.argv[1])
    pages = {path: Page(path) for path in (
        os.path.join(where, name) for where, _, names in os.walk(folder)
        for name in names if name.endswith(".html"))}
    wrong, reached = [], {os.path.join(folder, "index.html")}
    for path, one in sorted(pages.items()):
        for link in one.loads + one.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in one.loads:
                    wrong.append((path, link, "loaded from elsewhere"))
                continue
            target = os.path.normpath(os.path.join(
                os.path.dirname(path), urllib.parse.unquote(parts.path))) \
                if parts.path else path
            if not target.startswith(folder + "/") \
               or not os.path.isfile(target):
                wrong.append((path, link, "not there"))
            elif parts.fragment and target in pages \
                    and urllib.parse.unquote(parts.fragment) \
                    not in pages[target].ids:
                wrong.append((path, link, "no such place in it"))
            if target != path:
                reached.add(target)
    wrong += [(path, "", "no page leads to it")
              for path in sorted(set(pages) - reached)
              if not pages[path].leads_on]
    for path, link, why in wrong:
        print("%s: %s: %s" % (os.path.relpath(path, folder), link, why))
    return 1 if wrong or not pages else 0


sys.exit(main())
