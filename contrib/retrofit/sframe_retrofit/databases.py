# SPDX-License-Identifier: LGPL-2.1-or-later
"""What package managers have installed below a root: dpkg, rpm, pacman.

Each knows packages, their files with the digests that these were packaged
with, and a lock that keeps the package manager away.  Nothing is written but
that lock.

The formats are those of deb-control(5), deb-md5sums(5), rpm's query tags, and
alpm's local database with mtree(5).  dpkg's diversions are three lines each:
the name, the other name, and who keeps the name.
"""

import contextlib
import fcntl
import os
import re
import struct
from typing import IO, Dict, Iterator, List, NamedTuple, Set, Tuple, Type

from sframe_retrofit import Refused
from sframe_retrofit.commands import run
from sframe_retrofit.compression import decompress, kind_of
from sframe_retrofit.files import RPM_ALGORITHMS
from sframe_retrofit.mtree import mtree_digests

# struct flock of fcntl(2): to write, from the start, everything, no process.
WHOLE_FILE = struct.pack("@hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


class Package:
    """An installed package."""

    def __init__(self, name: str, names: Set[str], place: str,
                 safe: bool = True) -> None:
        self.name = name
        self.names = names # by which it can be asked for
        self.place = place # of its data, as its database wants it
        self.safe = safe   # its files are not being exchanged


class File(NamedTuple):
    """A file of a package, where it is: a diversion has been followed.

    A configuration file belongs to the administrator, whatever digest the
    package manager has of it.
    """
    path: str
    algorithm: str # of the digest
    digest: str    # "" if there is none


class Database:
    """What one package manager has installed."""

    NAME = ""

    def __init__(self, root: str) -> None:
        self.root = root
        self.packages: List[Package] = []

    @staticmethod
    def found(root: str) -> str:
        """Return the file by which the database is known below ROOT, or ""."""
        raise NotImplementedError

    def files(self, package: Package) -> List[File]:
        raise NotImplementedError

    def interrupted(self) -> str:
        """Return why no file may be touched now, or ""."""
        return ""

    def locked(self) -> "contextlib.AbstractContextManager[List[int]]":
        """Keep the package manager away, as its front ends do with each other.

        The context has the descriptors of the locks, for the programs that do
        the work to inherit.
        """
        raise NotImplementedError

    def is_running(self) -> Refused:
        return Refused("%s, or a program that uses it, is running" % self.NAME)


def first_there(root: str, *names: str) -> str:
    """Return the first of NAMES that is a file below ROOT, or ""."""
    return next(filter(os.path.isfile, (os.path.join(root + "/", name)
                                        for name in names)), "")


def text_of(*names: str) -> str:
    """Return the text of the file, "" if there is none.

    Lines end with a newline alone: a name may have a carriage return.
    """
    try:
        with open(os.path.join(*names), encoding="utf-8",
                  errors="surrogateescape", newline="\n") as file:
            return file.read()
    except FileNotFoundError:
        return ""


@contextlib.contextmanager
def locks_on(database: Database, paths: List[str]) -> Iterator[List[int]]:
    """Put write locks on the files PATHS.

    A lock of this kind (F_OFD_SETLK) lasts until all processes that have the file
    open are gone.  The package managers' own kind (F_SETLK) conflicts with it, but
    ends with the process that took it, whatever its children are doing.
    """
    with contextlib.ExitStack() as stack:
        locks: List[IO[bytes]] = [stack.enter_context(open(path, "ab"))
                                  for path in paths]
        for lock in locks:
            try:
                fcntl.fcntl(lock, fcntl.F_OFD_SETLK, WHOLE_FILE)
            except OSError:
                raise database.is_running() from None
        yield [lock.fileno() for lock in locks]


class Dpkg(Database):
    """What dpkg has installed."""

    NAME = "dpkg"
    # The state of a package whose files are being exchanged, or were when dpkg
    # was interrupted.
    UNSAFE = "half-installed"
    CONFFILE = re.compile(r"(?m)^ (.+?) (?:[0-9a-f]{32}|newconffile)\b")

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.folder = root + "/var/lib/dpkg"
        self.conffiles: Dict[str, Set[str]] = {} # by a package's place
        self.packages = list(self._packages())
        lines = text_of(self.folder, "diversions").split("\n")
        # By name: which package keeps it, and what others' file is called.
        self.diversions = {lines[i]: (lines[i + 2], lines[i + 1])
                           for i in range(0, len(lines) - 2, 3)}

    @staticmethod
    def found(root: str) -> str:
        return first_there(root, "var/lib/dpkg/status")

    def _packages(self) -> Iterator[Package]:
        for paragraph in text_of(self.folder, "status").split("\n\n"):
            fields = dict(re.findall(r"(?m)^(Package|Architecture|Status|"
                                     r"Conffiles):[ \t]*(.*(?:\n[ \t].*)*)$",
                                     paragraph))
            words = fields.get("Status", "").split()
            if "Package" not in fields or len(words) != 3 \
               or words[2] in ("not-installed", "config-files"):
                continue
            name = fields["Package"]
            full = "%s:%s" % (name, fields.get("Architecture", ""))
            place = full if self._has_list(full) else name
            self.conffiles[place] = set(self.CONFFILE.findall(
                fields.get("Conffiles", "")))
            yield Package(name, {name, full}, place,
                          words[2] != self.UNSAFE and words[1] == "ok")

    def _has_list(self, place: str) -> bool:
        return os.path.exists(os.path.join(self.folder, "info",
                                           place + ".list"))

    def _placed(self, package: Package, path: str) -> str:
        """Return where the file is that PACKAGE has as PATH."""
        owner, other = self.diversions.get(path, (package.name, path))
        return path if owner == package.name else other

    def _digests(self, package: Package) -> Dict[str, str]:
        """Return digests by the file's name in the package, with "/" in front.

        Files that another package has taken over are among them.
        """
        lines = (line.partition("  ") for line in
                 text_of(self.folder, "info", package.place + ".md5sums")
                 .split("\n"))
        return {"/" + name.removeprefix("./").lstrip("/"): digest
                for digest, separator, name in lines if separator}

    def files(self, package: Package) -> List[File]:
        digests = self._digests(package)
        for name in self.conffiles[package.place]:
            digests.pop(name, None)
        return [File(self._placed(package, line), "md5", digests.get(line, ""))
                for line in text_of(self.folder, "info",
                                    package.place + ".list").split("\n")
                if line.startswith("/") and line != "/."]

    def interrupted(self) -> str:
        journal = os.path.join(self.folder, "updates")
        if os.path.isdir(journal) and any(name.isdigit()
                                          for name in os.listdir(journal)):
            return "dpkg was interrupted; \"dpkg --configure -a\" comes first"
        unsafe = [package.name for package in self.packages
                  if not package.safe]
        return "%s is half installed; see \"dpkg --audit\"" % unsafe[0] \
            if unsafe else ""

    def locked(self) -> "contextlib.AbstractContextManager[List[int]]":
        return locks_on(self, [os.path.join(self.folder, name)
                               for name in ("lock-frontend", "lock")])


class Rpm(Database):
    """What rpm has installed; rpm itself is asked, since its database has had
    three formats."""

    NAME = "rpm"
    # A line for a package, and one, behind a space, for each of its files.
    FORMAT = "%{NAME}\t%{ARCH}\t%{FILEDIGESTALGO}\n" \
        "[ %{FILEFLAGS} %{FILESTATES} %{FILEDIGESTS} %{FILENAMES}\n]"
    CONFIG, GHOST = 1, 64 # flags of files that need not be as packaged
    NORMAL = "0" # the state of a file that was installed, and not replaced

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.folder = os.path.dirname(self.found(root))
        self.of: Dict[str, List[File]] = {}
        algorithm = ""
        # rpm lists a program that two machines' packages have with both, but only
        # one is installed: the state of the other is not NORMAL.
        for line in run(["rpm", "--dbpath", self.folder, "-qa", "--qf",
                         self.FORMAT]).decode(errors="surrogateescape") \
                .split("\n"):
            about, file = line.split("\t"), line[1:].split(" ", 3)
            if len(about) == 3 and not line.startswith(" "):
                name, machine = about[:2]
                algorithm = RPM_ALGORITHMS.get(
                    int(about[2]) if about[2].isdigit() else None, "")
                place = str(len(self.packages))
                self.packages.append(Package(
                    name, {name, "%s.%s" % (name, machine)}, place))
                self.of[place] = []
            elif line.startswith(" ") and len(file) == 4 \
                    and file[1] == self.NORMAL:
                self.of[place].append(self._file(algorithm, *file))

    def _file(self, algorithm: str, flags: str, _: str, digest: str,
              path: str) -> File:
        kept = not int(flags) & (self.CONFIG | self.GHOST) and algorithm
        return File(path, algorithm, digest if kept else "")

    @staticmethod
    def found(root: str) -> str:
        return first_there(root, *(
            "%s/%s" % (folder, name)
            for folder in ("usr/lib/sysimage/rpm", "var/lib/rpm")
            for name in ("rpmdb.sqlite", "Packages.db", "Packages")))

    def files(self, package: Package) -> List[File]:
        return self.of[package.place]

    def locked(self) -> "contextlib.AbstractContextManager[List[int]]":
        return locks_on(self, [os.path.join(self.folder, ".rpm.lock")])


class Pacman(Database):
    """What pacman has installed; its database has a folder for each package."""

    NAME = "pacman"
    FOLDER = "var/lib/pacman/local"

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.folder = os.path.join(root + "/", self.FOLDER)
        for place in sorted(entry.name for entry in os.scandir(self.folder)
                            if entry.is_dir()):
            about = self._lists(place, "desc")
            for name in about.get("NAME", [])[:1]:
                self.packages.append(Package(name, {name, place}, place))

    @staticmethod
    def found(root: str) -> str:
        return first_there(root, Pacman.FOLDER + "/ALPM_DB_VERSION")

    def _lists(self, place: str, name: str) -> Dict[str, List[str]]:
        """Return the lists in a file of a package, by their headings."""
        lists: Dict[str, List[str]] = {}
        for paragraph in text_of(self.folder, place, name).split("\n\n"):
            lines = paragraph.strip("\n").split("\n")
            lists[lines[0].strip("%")] = lines[1:]
        return lists

    def _digests(self, place: str) -> Dict[str, Tuple[str, str]]:
        try:
            with open(os.path.join(self.folder, place, "mtree"), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return {}
        return mtree_digests(decompress(kind_of(data), data))

    def files(self, package: Package) -> List[File]:
        lists = self._lists(package.place, "files")
        digests = self._digests(package.place)
        for line in lists.get("BACKUP", []):
            digests.pop(line.split("\t")[0], None)
        return [File("/" + name, *digests.get(name, ("", "")))
                for name in lists.get("FILES", []) if not name.endswith("/")]

    @contextlib.contextmanager
    def locked(self) -> Iterator[List[int]]:
        """Make the file that is pacman's lock; it must not be there yet."""
        path = os.path.join(os.path.dirname(self.folder), "db.lck")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0))
        except FileExistsError:
            raise Refused("%s (%s is there)" % (self.is_running(),
                                                path)) from None
        try:
            yield []
        finally:
            os.unlink(path)


KINDS: Tuple[Type[Database], ...] = (Dpkg, Rpm, Pacman)


def open_database(root: str) -> Database:
    """Return the database below ROOT.

    If there are several, the first is taken that is not empty: dpkg may be
    installed on a system of another package manager, and have installed nothing.
    """
    there = [(kind, path) for kind in KINDS for path in [kind.found(root)]
             if path]
    if not there:
        raise Refused("%s: neither dpkg, rpm nor pacman has installed "
                      "anything there" % (root or "/"))
    there.sort(key=lambda pair: os.path.getsize(pair[1]) == 0)
    return there[0][0](root)
