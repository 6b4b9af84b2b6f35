# Control files of Debian packages: fields, versions, relations.
# SPDX-License-Identifier: LGPL-2.1-or-later

import re

from sframe_retrofit import Suffix

# Sorts above the version it is appended to, and below everything that a
# distribution appends to it for its next one: of all characters letters sort
# lowest (but for "~"), capital letters lowest among them.  See deb-version(7).
SUFFIX = Suffix("A~sframe1", r"[A-Za-z.+][A-Za-z0-9.+~]*",
                "letters, digits, '.', '+' and '~', the first no digit and no "
                "'~'")


def get_field(control, field):
    match = re.search(r"(?mi)^%s:[ \t]*(.*)$" % re.escape(field), control)
    return match.group(1).strip() if match else None


def set_field(control, field, value):
    return re.sub(r"(?mi)^(%s:)[ \t]*.*$" % re.escape(field),
                  lambda match: "%s %s" % (match.group(1), value),
                  control, count=1)


# Fields whose entries have to be met, and fields whose entries say of which
# packages something holds.
NEEDING = ("depends", "pre-depends", "recommends", "suggests", "enhances")
NAMING = ("breaks", "conflicts", "replaces", "provides")

# A name and a version that a package we convert can leave by getting a new
# one; what is between them stays as somebody wrote it.
RELATION = re.compile(r"([A-Za-z0-9][A-Za-z0-9+._-]*)"
                      r"((?::[a-z0-9-]+)?\s*\(\s*)(=|<=|>>)(\s*)"
                      r"([^\s()]+)(\s*\))")


def map_relations(control, function):
    """Let FUNCTION, given field and match, rewrite the relations of CONTROL."""
    lines, field = [], None
    for line in control.split("\n"):
        if not line.startswith((" ", "\t")):
            field = line.split(":", 1)[0].lower()
        if field in NEEDING + NAMING:
            line = RELATION.sub(lambda match: function(field, match), line)
        lines.append(line)
    return "\n".join(lines)


def relations(control):
    """The (name, version) pairs that CONTROL names with =, <= or >>."""
    pairs = set()

    def collect(_, match):
        pairs.add((match.group(1), match.group(5)))
        return match.group(0)

    map_relations(control, collect)
    return pairs


def follow_versions(control, renewed, suffix):
    """Let relations to the packages RENEWED follow their new versions.

    RENEWED has (name, version) pairs.  What Breaks, Replaces, Conflicts and
    Provides say of exactly one version holds for the old and the new one.
    """
    def one(field, match):
        name, before, operator, space, version, after = match.groups()
        if (name, version) not in renewed:
            return match.group(0)
        new = "".join((name, before, operator, space,
                       new_version(version, suffix), after))
        if operator == "=" and field in NAMING:
            return "%s, %s" % (match.group(0), new)
        return new

    return map_relations(control, one)


def new_version(version, suffix):
    # Behind a letter a digit would sort below the suffix: 1.0rc, 1.0rc1.
    if not version[-1].isdigit() and suffix[0].isalpha():
        return version + "0" + suffix
    return version + suffix


