#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""Print the recorded results as a page: page.py results.json >page.html

It has the table of readers and groups of vectors, and for each reader the vectors
that it did not answer as it has to.  The page needs no other file.
"""

import argparse
import collections
import html
import os

import run

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; padding: 0 1em;
       max-width: 75em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { border: 1px solid #8888; padding: .3em .6em; text-align: left;
         vertical-align: top; }
.good { background: #2a42; }
.some { background: #ca02; }
.dies { background: #d222; }
.none { color: #888; }
summary { cursor: pointer; margin: .4em 0; }
"""


def shade(counter):
    if not counter:
        return "none"
    if counter[run.CRASH]:
        return "dies"
    return "some" if set(counter) - {run.OK} else "good"


def table(record, names, vectors):
    columns = [record.groups(name, vectors) for name in names]
    yield "<div class=wide><table><tr><th>"
    yield from (f"<th>{html.escape(name)}" for name in names)
    for group in run.group_names(vectors):
        yield f"<tr><th>{group}"
        yield from (f"<td class={shade(column[group])}>"
                    f"{run.cell(column[group])}" for column in columns)
    yield "</table></div>"


def failures(record, name, vectors):
    """For each kind of failure the vectors of the reader NAME."""
    found = collections.defaultdict(list)
    for vector in vectors:
        letter = record.letters[name].get(vector["name"], "?")
        if run.claims(record.readers[name], vector) \
           and run.LETTERS.get(letter, run.OK) != run.OK:
            found[run.LETTERS[letter]].append(vector["name"])
    for kind in run.RESULTS:
        if found[kind]:
            yield (f"<details><summary>{kind}: {len(found[kind])}</summary>"
                   f"<p>{', '.join(map(html.escape, found[kind]))}</details>")


def page(record, vectors):
    names = list(record.readers)
    yield ("<!doctype html><html lang=en><meta charset=utf-8>"
           "<meta name=viewport content='width=device-width'>"
           f"<title>SFrame conformance</title><style>{STYLE}</style>"
           "<h1>SFrame: what readers make of it</h1>"
           f"<p>{len(vectors)} vectors by group: how many each reader answers"
           " as it has to, of those that it claims to read. <em>Wrong"
           " rule</em>: a rule was given where another one, or none, holds."
           " <em>No rule</em>: there is one. <em>Refused</em>: a section that"
           " is right. <em>Crash</em>: of the process.")
    yield from table(record, names, vectors)
    for name in names:
        yield f"<h2>{html.escape(name)}</h2>"
        yield from list(failures(record, name, vectors)) \
            or ["<p>Everything as it has to be."]
    yield "</html>"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", metavar="DIR",
                        default=os.path.join(run.HERE, "vectors"))
    parser.add_argument("results")
    options = parser.parse_args()
    print("\n".join(page(run.Record(options.results),
                         run.read_vectors(options.vectors))))


if __name__ == "__main__":
    main()
