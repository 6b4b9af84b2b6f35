# SPDX-License-Identifier: LGPL-2.1-or-later
"""Control files of Debian packages: fields, versions, relations."""

import importlib
import logging
from typing import Any, Collection, Dict, List, Optional, Set

from sframe_retrofit import Refused, checked_name
from sframe_retrofit.arguments import Suffix
from sframe_retrofit.packages import Key

Control = Any                # a Deb822
Relation = Dict[str, Any]
deb822: Any = None # need_module ()


def need_module() -> None:
    """Load python3-debian, or refuse to go on.

    Called when the options are read: --help and wrong usage do without it.
    """
    global deb822
    try:
        deb822 = importlib.import_module("debian.deb822")
    except ImportError:
        raise Refused("Python's module debian is missing (package "
                      "python3-debian)") from None
    # The module warns of relations that it does not know, which stay as they are.
    logging.getLogger("debian.deb822").setLevel(logging.ERROR)


# A version with this suffix sorts above the version itself, and below everything
# that a distribution appends for its next version.  Letters sort lowest of all
# characters but "~", and capital letters lowest of letters (deb-version(7)).
SUFFIX = Suffix("A~sframe1", r"[A-Za-z.+][A-Za-z0-9.+~]*",
                "letters, digits, '.', '+' and '~', the first no digit and no "
                "'~'")


# The values of fields by which files, relations or lines of an index are named
# (deb-control(5)).
PATTERNS = {
    "Package": r"[A-Za-z0-9][A-Za-z0-9+._-]*",
    "Version": r"[0-9A-Za-z][0-9A-Za-z.+~:-]*",
    "Architecture": r"[a-z0-9][a-z0-9-]*",
    "Source": r"[A-Za-z0-9][A-Za-z0-9+._-]*",
    "Section": r"[A-Za-z0-9][A-Za-z0-9+._-]*",
    "Priority": r"[A-Za-z]+",
    "Size": r"[0-9]{1,18}",
    "SHA256": r"[0-9a-f]{64}",
}


def read_control(text: str) -> Control:
    """Return the fields of TEXT, a control file or a paragraph of an index.

    Text that could not be written as it was read (a field twice, a second
    paragraph, a line that belongs to no field) is refused, as dpkg does.
    """
    try:
        control = deb822.Deb822(text.split("\n"))
        same = squeezed(control.dump()) == squeezed(text)
    except ValueError as error:
        raise Refused("damaged control file: %s" % error) from None
    if not same:
        raise Refused("a control file with lines that belong to no field, or "
                      "a field twice")
    return control


def squeezed(text: str) -> str:
    return "".join(text.split())


def name_in(control: Control, field: str,
            default: Optional[str] = None) -> str:
    """Return the value of FIELD, by which something is named."""
    return checked_name(field, control.get(field, default), PATTERNS[field])


def source_of(control: Control) -> str:
    """Return the name of the source package."""
    source = control.get("Source") or control.get("Package")
    return checked_name("Source", source.split("(", 1)[0].strip(),
                        PATTERNS["Source"])


def section_of(control: Control) -> str:
    """Return the section, which may begin with an archive's area: contrib/net."""
    return "/".join(checked_name("Section", part, PATTERNS["Section"])
                    for part in control.get("Section", "misc").split("/"))


# Fields whose entries have to be met, and fields whose entries say of which
# packages something is true.
NEEDING = ("Depends", "Pre-Depends", "Recommends", "Suggests", "Enhances")
NAMING = ("Breaks", "Conflicts", "Replaces", "Provides")

# Operators of relations whose truth a new version of the package may change.  Such
# relations follow the package; all others stay as they were written.
LEFT = ("=", "<=", ">>")


def parse_relations(value: str) -> List[List[Relation]]:
    """Return the relations of a field: a list of lists of alternatives.

    Runs of spaces, which a value may have between any two words, would take
    the parser time by the square of their length.
    """
    found: List[List[Relation]] = deb822.PkgRelation.parse_relations(
        " ".join(value.split()))
    return found


def pair_of(relation: Relation) -> Optional[Key]:
    """Return the (name, version) pair that RELATION names, if a new version of
    that package could meet it no longer, or only then; otherwise None."""
    name, (operator, version) = relation["name"], \
        relation["version"] or ("", "")
    return (name, version) if operator in LEFT else None


def relations(control: Control) -> Set[Key]:
    """Return the (name, version) pairs that CONTROL names with =, <= or >>."""
    pairs = (pair_of(relation)
             for field in NEEDING + NAMING if field in control
             for alternatives in parse_relations(control[field])
             for relation in alternatives)
    return {pair for pair in pairs if pair is not None}


def following(relation: Relation, suffix: str) -> Relation:
    """Return RELATION with the new version of the package that it names."""
    operator, version = relation["version"]
    return dict(relation, version=(operator, new_version(version, suffix)))


def follow_versions(control: Control, renewed: Collection[Key],
                    suffix: str) -> None:
    """Let relations to the packages RENEWED follow their new versions.

    RENEWED has (name, version) pairs.  What Breaks, Replaces, Conflicts and
    Provides say of exactly one version holds for the old and the new one.
    Fields in which nothing changes stay as they were written.
    """
    for field in NEEDING + NAMING:
        old = parse_relations(control.get(field, ""))
        new = []
        for alternatives in old:
            moved = [following(relation, suffix)
                     if pair_of(relation) in renewed else relation
                     for relation in alternatives]
            if field in NAMING and moved != alternatives \
               and alternatives[0]["version"][0] == "=":
                new.append(alternatives)
            new.append(moved)
        if new != old:
            control[field] = deb822.PkgRelation.str(new)


def provide_original(control: Control, name: str, version: str) -> None:
    """Let CONTROL provide NAME in the VERSION it had.

    So packages that were not converted, and depend on exactly that version,
    can be installed with it.
    """
    entry = "%s (= %s)" % (name, version)
    old = control.get("Provides")
    if old is not None and any(
            pair_of(relation) == (name, version)
            for alternatives in parse_relations(old)
            for relation in alternatives if relation["archqual"] is None):
        return
    control["Provides"] = "%s, %s" % (old, entry) if old else entry
    if old is None and "Description" in control:
        control.order_before("Provides", "Description")


def new_version(version: str, suffix: str) -> str:
    # Behind a letter a digit would sort below the suffix: 1.0rc, 1.0rc1.
    if not version[-1].isdigit() and suffix[0].isalpha():
        return version + "0" + suffix
    return version + suffix


def file_name(name: str, version: str, architecture: str,
              kind: str = ".deb") -> str:
    """Return a file name as dpkg-name has it: package_version_architecture.deb,
    without the epoch."""
    return "%s_%s_%s%s" % (name, version.split(":", 1)[-1], architecture, kind)
