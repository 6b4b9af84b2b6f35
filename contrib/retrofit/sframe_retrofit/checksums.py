# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the ELF files of packages lie while they are converted.

cfi2sframe leaves a file out that something near it has a checksum of (FIPS
140).  It alone decides; so each file is put where it is in its package, with
everything near it that may be a checksum, be it in another package of the same
run, and with those of its further names that the checksum may be of.
"""

import itertools
import os
import re
from typing import Dict, Iterable, List, Sequence, Set, Tuple

from sframe_retrofit import Refused
from sframe_retrofit.archives import Files

Pair = Tuple[str, bytes] # name and contents

# Names that a file of checksums may have.  A file too many does no harm.
CANDIDATE = re.compile(
    r"\.(hmac|chk|ji)\Z|(\A|/)(fipsmodule\.cnf|ICCSIG\.txt)\Z", re.DOTALL)
NEAR_MAX = 64 # checksums near one file
LIST_MAX = 1 << 16 # bytes of one that are kept
LINKS_MAX = 8 # links to links that are followed
NAME_MAX = 200 # bytes of a name


def is_candidate(name: str) -> bool:
    return CANDIDATE.search(name) is not None


def candidates_in(files: Files) -> List[Pair]:
    """Return (name, contents) pairs of those FILES that may be checksums."""
    return [(name, files.file(index, LIST_MAX))
            for index, name in files.all_names() if is_candidate(name)]


def is_plain(name: str) -> bool:
    """Whether NAME can be put below a folder as it is."""
    return "\0" not in name and all(
        part not in ("", ".", "..") and len(os.fsencode(part)) <= NAME_MAX
        for part in name.split("/")) and len(os.fsencode(name)) < 2000


def installed(name: str) -> str:
    """Return one spelling of NAME: without a slash in front, which RPM has, and
    with bin and lib for usr/bin and usr/lib, where /bin and /lib lead."""
    return re.sub(r"\Ausr/(?=s?bin/|lib[^/]*/)", "", name.lstrip("/"))


class Checksums:
    """Files that may be checksums, of all packages of a run."""

    def __init__(self) -> None:
        # By folder: the contents of its checksums, by name.
        self.folders: Dict[str, Dict[str, bytes]] = {}
        # By a folder and "in" or "near": which of self.folders are so.
        self.around: Dict[Tuple[str, str], List[str]] = {}

    def add(self, pairs: Iterable[Pair]) -> None:
        for name, contents in pairs:
            name = installed(name)
            if is_plain(name):
                folder, base = os.path.split(name)
                if folder not in self.folders:
                    self._add_folder(folder)
                self.folders[folder][base] = contents

    def _add_folder(self, folder: str) -> None:
        self.folders[folder] = {}
        above = os.path.dirname(folder)
        for key in {(folder, "in"), (above, "in"),
                    (os.path.dirname(above), "near")}:
            self.around.setdefault(key, []).append(folder)

    def near(self, name: str) -> List[Pair]:
        """Return (path, contents) pairs of what may be checksums near NAME.

        Near a file are its folder, the folders in that, and the folders in any
        folder next to that.  Paths are relative to its folder.  There are at
        most NEAR_MAX + 1 pairs.
        """
        own = os.path.dirname(installed(name))
        near = self.around.get((os.path.dirname(own), "near"), []) \
            if own else []
        found = {}
        for folder in itertools.chain(self.around.get((own, "in"), []),
                                      near):
            for base, contents in self.folders[folder].items():
                found[os.path.join(os.path.relpath(
                    folder or ".", own or "."), base)] = contents
                if len(found) > NEAR_MAX:
                    return list(found.items())
        return list(found.items())


def further_names(files: Files) -> Dict[str, List[str]]:
    """Return, by the name of a file, the names of links to it in its folder."""
    links = {}
    for name, target in files.link_targets():
        if target and "/" not in target:
            links[name] = os.path.join(os.path.dirname(name), target)
    found: Dict[str, List[str]] = {}
    for name, target in links.items():
        for _ in range(LINKS_MAX):
            target = links.get(target, target)
        if target != name:
            found.setdefault(target, []).append(os.path.basename(name))
    return found


def file_name(name: str) -> str:
    """Return the last part of NAME, cut to NAME_MAX bytes.

    cfi2sframe recognises the dynamic loader by its name.
    """
    last = os.fsencode(name.rsplit("/", 1)[-1].replace("\0", "_"))
    return os.fsdecode(last[-NAME_MAX:]) if last not in (b"", b".", b"..") \
        else "_"


def lay_out(folder: str, name: str, contents: bytes, near: Sequence[Pair],
            links: Iterable[str]) -> str:
    """Put a file, and what is NEAR it, into FOLDER; return the file's path."""
    if not is_plain(name.lstrip("/")):
        name, near, links = file_name(name), [], []
    path = os.path.join(folder, name.lstrip("/"))
    own = os.path.dirname(path)
    os.makedirs(own, exist_ok=True)
    with open(path, "xb") as file:
        file.write(contents)
    for other, data in near:
        other = os.path.normpath(os.path.join(own, other))
        os.makedirs(os.path.dirname(other), exist_ok=True)
        if not os.path.lexists(other):
            with open(other, "xb") as file:
                file.write(data)
    for link in links:
        if is_plain(link) and not os.path.lexists(os.path.join(own, link)):
            os.symlink(os.path.basename(path), os.path.join(own, link))
    return path


def may_name(near: Iterable[Pair]) -> Set[str]:
    """Return the names of files that the checksums NEAR may be of, as their own
    names tell."""
    found = set()
    for path, _ in near:
        name = os.path.basename(path)
        for ending in ".hmac", ".chk", ".ji":
            if name.endswith(ending):
                stem = name.removesuffix(ending)
                found |= {stem, stem.removeprefix("."), stem + ".so"}
    return found


class Layout:
    """Where the files of a package lie below FOLDER.

    They are together as in the package, in groups: cfi2sframe reads a folder
    for each file in it.  What cannot be in one folder with another, like a second file
    of a name, begins a new group.
    """

    GROUP = 256

    def __init__(self, folder: str, known: Checksums,
                 links: Dict[str, List[str]]) -> None:
        self.folder, self.known, self.links = folder, known, links
        self.near: Dict[str, Tuple[List[Pair], Set[str]]] = {} # by folder
        self.groups = self.size = 0
        # Folders of the group that have all checksums near them.
        self.done: Set[str] = set()

    def _near(self, name: str) -> Tuple[List[Pair], Set[str]]:
        """Return the checksums near NAME, and the names that they may be of."""
        own = os.path.dirname(name)
        if own not in self.near:
            near = self.known.near(name)
            if len(near) > NEAR_MAX:
                raise Refused("more than %d checksums are near %s"
                              % (NEAR_MAX, ascii(name)))
            self.near[own] = near, may_name(near)
        return self.near[own]

    def _begin(self) -> None:
        self.groups, self.size = self.groups + 1, 0
        self.done.clear()

    def add(self, name: str, contents: bytes) -> str:
        """Put the file NAME there, and return its path."""
        if self.groups == 0 or self.size == self.GROUP:
            self._begin()
        try:
            return self._add(name, contents)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            if self.size == 0:
                raise Refused("%s is a file and a folder"
                              % ascii(name)) from None
        self._begin()
        return self.add(name, contents)

    def _add(self, name: str, contents: bytes) -> str:
        own = os.path.dirname(name)
        near, names = self._near(name)
        path = lay_out(os.path.join(self.folder, str(self.groups)), name,
                       contents, [] if own in self.done else near,
                       names.intersection(self.links.get(name, [])))
        self.done.add(own)
        self.size += 1
        return path
