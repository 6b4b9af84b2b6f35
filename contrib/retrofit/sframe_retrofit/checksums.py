# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the ELF files of packages lie while they are converted.

cfi2sframe leaves a file out that something near it has a checksum of (FIPS
140).  It alone decides; so each file is put where it is in its package, in a
folder of its own, with its further names and with everything near it that may
be a checksum, be it in another package of the same run.
"""

import os
import re
from typing import Dict, Iterable, List, Sequence, Tuple

from sframe_retrofit.archives import Files

Pair = Tuple[str, bytes] # name and contents

# What may be a file of checksums.  More than that does no harm.
CANDIDATE = re.compile(
    r"\.(hmac|chk)\Z|(\A|/)(fipsmodule\.cnf|ICCSIG\.txt)\Z", re.DOTALL)
NEAR_MAX = 64 # near one file
LIST_MAX = 1 << 16 # bytes of one that are kept
LINKS_MAX = 8 # to links


def is_candidate(name: str) -> bool:
    return CANDIDATE.search(name) is not None


def candidates_in(files: Files) -> List[Pair]:
    """(name, contents) pairs of what may be checksums in a package's FILES."""
    return [(name, files.file(index)[:LIST_MAX])
            for index, name in files.all_names() if is_candidate(name)]


def is_plain(name: str) -> bool:
    """Whether NAME can be put below a folder as it is."""
    return "\0" not in name and all(
        part not in ("", ".", "..") and len(os.fsencode(part)) < 200
        for part in name.split("/")) and len(os.fsencode(name)) < 2000


def installed(name: str) -> str:
    """NAME, without a slash in front (RPM's have it), where /bin and /lib lead
    to /usr/bin and /usr/lib."""
    return re.sub(r"\Ausr/(?=s?bin/|lib[^/]*/)", "", name.lstrip("/"))


class Checksums:
    """Files that may be checksums, of all packages of a run."""

    def __init__(self) -> None:
        # Of the folders of them: contents by name.
        self.folders: Dict[str, Dict[str, bytes]] = {}
        # By folder and relation: those of self.folders.
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
                    (os.path.dirname(above), "beside")}:
            self.around.setdefault(key, []).append(folder)

    def near(self, name: str) -> List[Pair]:
        """(path relative to its folder, contents) pairs of what is near NAME:
        there, in a folder of it, or in one of a folder beside it.

        At most one more than NEAR_MAX.
        """
        own = os.path.dirname(installed(name))
        folders = self.around.get((own, "in"), [])
        if own:
            folders = folders \
                + self.around.get((os.path.dirname(own), "beside"), [])
        found = {}
        for folder in folders:
            for base, contents in self.folders[folder].items():
                found[os.path.join(os.path.relpath(
                    folder or ".", own or "."), base)] = contents
                if len(found) > NEAR_MAX:
                    return list(found.items())
        return list(found.items())


def further_names(files: Files) -> Dict[str, List[str]]:
    """By name of a file, names of links to it in the same folder."""
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
    """The last part of NAME: the loader is recognised by it."""
    last = name.rsplit("/", 1)[-1].replace("\0", "_")
    return last if last not in ("", ".", "..") else "_"


def lay_out(folder: str, name: str, contents: bytes, near: Sequence[Pair],
            links: Sequence[str]) -> str:
    """Put a file and what is around it into FOLDER, which is new; its path."""
    if not is_plain(name.lstrip("/")):
        name, near, links = file_name(name), [], []
    path = os.path.join(folder, name.lstrip("/"))
    own = os.path.dirname(path)
    os.makedirs(own)
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
