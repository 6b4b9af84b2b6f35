#!/usr/bin/env python3
"""The documents as static pages, in the new folder OUT.

  python3 tools/maintainer/site.py SOURCE OUT

(make site) makes OUT/index.html and the pages that it leads to, in seconds.  makeinfo
makes the manual, mandoc the manual pages, Python-Markdown the rest.  This program adds
the navigation, the picture of doc/use/speed, and the links between pages.  The pages
need no server of their own and no program in the browser.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import glob
import html
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import common

try:
    import markdown
except ImportError:
    markdown = None

# Documents in the source: pages.
PAGES = {"README.md": "overview.html",
         "conformance/README.md": "conformance.html",
         **{"%s.md" % name: os.path.basename(name) + ".html" for name in (
             "doc/use/building", "analysis/cfi-errors", "doc/use/comparison",
             "doc/use/security", "doc/formats/smaller",
             "doc/formats/cfa-behind-memory",
             "conformance/reports/gnu-ld", "compact-unwind/compact-unwind",
             "doc/site/release-engineers", "doc/site/maintainers",
             "doc/site/toolchain", "doc/site/profilers")}}
PICTURES = ("doc/use/flame.png", "doc/use/size.svg",
            "compact-unwind/compact-unwind.svg")
NAVIGATION = (("index", "cfi2sframe"), ("manual/index", "Manual"),
              ("size-and-speed", "Size and speed"),
              ("conformance", "Conformance"))


def read(source, name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return file.read()


def write(out, name, text):
    path = os.path.join(out, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def bar(above):
    """The line of links, in a page that is ABOVE ("" or "../") from the top."""
    return "<nav>%s</nav>\n" % "\n".join(
        '<a href="%s%s.html">%s</a>' % (above, name, title)
        for name, title in NAVIGATION)


def page(title, body, above=""):
    return ('<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width">\n'
            "<title>%s</title>\n"
            '<link rel="stylesheet" href="%sstyle.css">\n%s%s</html>\n'
            % (html.escape(title), above, bar(above), body))


def from_markdown(text, here=""):
    """A page of TEXT, in the source's folder HERE; links follow the files."""
    body = markdown.markdown(text, extensions=["tables", "fenced_code"])
    title = re.sub("<[^>]*>", "", re.search("<h1>(.*?)</h1>", body).group(1))

    def follow(match):
        name = os.path.normpath(os.path.join(here, match.group(2)))
        if name in PICTURES:
            return '%s"%s"' % (match.group(1), os.path.basename(name))
        return '%s"%s"' % (match.group(1), PAGES.get(name, match.group(2)))

    # What is not a page, like a file of the source, is not linked to.
    body = re.sub(
        r'<a href="([^":#]+)">(.*?)</a>',
        lambda match: match.group(0) if match.group(1).endswith(".html")
        or os.path.normpath(os.path.join(here, match.group(1))) in PAGES
        else match.group(2), body)
    return page(html.unescape(title), re.sub(
        '((?:href|src)=)"([^":#]+)"', follow, body))


def manual_pages(source, out):
    """Write a page for each manual page; links to them, as Markdown."""
    links = []
    paths = [path for folder in ("doc/use", "prove", "stacks", "walk", "contrib/*")
             for path in glob.glob(os.path.join(source, folder, "*.[13]"))]
    for path in sorted(paths, key=os.path.basename):
        name = os.path.basename(path)
        body = subprocess.run(
            ["mandoc", "-T", "html", "-O", "fragment", path], check=True,
            stdout=subprocess.PIPE, encoding="utf-8").stdout
        title = "%s(%s)" % (name[:-2], name[-1])
        links.append("[%s](man/%s.html)" % (title, name))
        write(out, "man/%s.html" % name, page(
            title, "<h1>%s</h1>\n%s" % (title, re.sub(
                "(</?)h2", r"\1h3", re.sub("(</?)h1", r"\1h2", body))),
            "../"))
    return ", ".join(links)


def manual(source, out):
    subprocess.run(
        ["makeinfo", "--html", "--css-ref=../style.css", "-I",
         os.path.join(source, "doc/use"), "-o", os.path.join(out, "manual"),
         os.path.join(source, "doc/use/cfi2sframe.texi")], check=True)
    shutil.copy(os.path.join(source, "doc/use/size.svg"),
                os.path.join(out, "manual"))
    for path in glob.glob(os.path.join(out, "manual/*.html")):
        text = re.sub("<body[^>]*>", lambda match: match.group(0)
                      + bar("../"), read("", path), count=1)
        write("", path, text.replace("<head>", '<head>\n<meta name="viewport" '
                                     'content="width=device-width">', 1))


def speed_chart(text):
    """The last table of cp and -o in doc/use/speed, as bars."""
    part = text[text.rindex("  cp, ms "):]
    rows = [line.split() for line in part.splitlines()[:5]]
    names = text[:text.rindex("  cp, ms ")].splitlines()[-1].split()
    copy, convert = rows[0][2:], rows[1][2:]
    if not len(names) == len(copy) == len(convert):
        sys.exit("site.py: doc/use/speed: another table than expected")
    scale = 420 / max(map(float, convert))
    bars = []
    for i, name in enumerate(names):
        for color, value, at in (("#b8c4d0", copy[i], 40 + i * 50),
                                 ("#3b7dd8", convert[i], 58 + i * 50)):
            width = float(value) * scale
            bars.append('<rect x="110" y="%d" width="%.1f" height="16" '
                        'fill="%s"/><text x="%.1f" y="%d">%s ms</text>'
                        % (at, width, color, 116 + width, at + 13, value))
        bars.append('<text x="102" y="%d" text-anchor="end">%s</text>'
                    % (62 + i * 50, name))
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="620" height="%d" '
            'font-family="sans-serif" font-size="12">\n'
            "<title>Time of cp and of cfi2sframe -o</title>\n"
            '<rect width="100%%" height="100%%" fill="#fff"/>\n'
            '<text x="110" y="24">cp (grey), cfi2sframe -o (blue)</text>\n'
            "%s\n</svg>\n" % (50 + len(names) * 50, "\n".join(bars)))


def size_and_speed(source, out):
    text = read(source, "doc/use/speed").split("\n\n", 1)[1]
    write(out, "speed.svg", speed_chart(text))
    write(out, "size-and-speed.html", page("Size and speed", """
<h1>Size and speed</h1>
<p><img src="size.svg" alt="Size of .sframe relative to .eh_frame"></p>
<p>The manual has <a href="manual/Size-and-speed.html">how sections become
small, and how small they could be</a>.</p>
<p><img src="speed.svg" alt="Time of cp and of cfi2sframe"></p>
<pre>%s</pre>
""" % html.escape(text)))


def conformance(source, out):
    text = subprocess.run(
        [sys.executable, os.path.join(source, "conformance/page.py"),
         os.path.join(source, "conformance/results.json")],
        check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    write(out, "conformance.html", text.replace(
        "</style>", "</style>\n" + bar(""), 1))


def main():
    parser = common.parser_of(__doc__)
    parser.add_argument("source", help="top of the source tree")
    parser.add_argument("out", help="folder; what is in it is deleted")
    arguments = parser.parse_args()
    if markdown is None:
        parser.error("Python's module markdown is missing (Debian: python3-markdown)")
    source, out = arguments.source, arguments.out
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    for name in PICTURES + ("doc/site/style.css",):
        shutil.copy(os.path.join(source, name), out)
    manual(source, out)
    links = manual_pages(source, out)
    for name, target in PAGES.items():
        if target == "conformance.html":
            continue
        write(out, target, from_markdown(read(source, name),
                                         os.path.dirname(name)))
    for path in glob.glob(os.path.join(source, "doc/site/*.md")):
        write(out, os.path.basename(path)[:-3] + ".html", from_markdown(
            read("", path).replace("@MANUAL_PAGES@", links)))
    size_and_speed(source, out)
    conformance(source, out)


common.run(main)
