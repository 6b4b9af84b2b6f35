# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of an installed system, and what became of each.

Is a file as its package ships it, did we convert it, or has somebody changed
it?  Whoever wants to convert, to undo, or to verify asks here.  The package
manager's digests answer, and the record that cfi2sframe leaves in each file
that it converts, from which the original can be had.  A package may ship
converted files: these are as shipped, and their records are not ours to use.
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import enum
import errno
import os
import stat
import subprocess
from typing import (Counter, Dict, Iterable, List, NamedTuple, Optional,
                    Tuple)

from sframe_retrofit import (Refused, complain, config, elf, reason_of,
                             shown)
from sframe_retrofit.commands import started
from sframe_retrofit.converter import DryRunOptions, run_converter, with_status
from sframe_retrofit.databases import Database, File, Package
from sframe_retrofit.ending import check
from sframe_retrofit.files import digest_of, open_regular

MAX_LINKS = 40 # as the kernel

Digest = Tuple[str, str] # algorithm and value


@dataclasses.dataclass
class SystemOptions(DryRunOptions):
    """What sframe-system was asked for."""
    command: str
    packages: List[str]  # by name; none are all
    root: str            # without a slash at the end
    exclude: List[str]   # patterns of names
    jobs: Optional[int]
    triggered: bool
    # Whether packages stay that the configuration leaves out.
    leave_out_packages: bool = dataclasses.field(default=False, init=False)
    well: bool = dataclasses.field(default=True, init=False) # all could be read


class Tree:
    """The files below a root, as a program sees them for which it is /."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.folders: Dict[str, str] = {}

    def path(self, name: str) -> str:
        """Return the path of NAME; links in its folder's name are followed."""
        folder, last = os.path.split(name)
        if folder not in self.folders:
            self.folders[folder] = self.target(folder)
        return os.path.join(self.folders[folder], last)

    def target(self, name: str) -> str:
        """Return the path of what NAME is or, as a link, leads to."""
        done: List[str] = []
        todo, links = name.split("/")[::-1], 0
        while todo:
            part = todo.pop()
            if part in ("", "."):
                continue
            if part == "..":
                del done[-1:]
                continue
            try:
                target = os.readlink("/".join([self.root] + done + [part]))
            except OSError: # no link, or nothing there
                done.append(part)
                continue
            links += 1
            if links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
            if target.startswith("/"):
                done = []
            todo += target.split("/")[::-1]
        return "/".join([self.root] + done) or "/"


def is_linked_elf_file(path: str) -> bool:
    """Return whether PATH is a program or a shared library."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return False # opening a device may do something
    with open_regular(path, os.O_NOFOLLOW) as file:
        return elf.elf_type(file.read(elf.START)) in (elf.ET_EXEC, elf.ET_DYN)


# Which files.

def chosen(options: SystemOptions, database: Database) -> List[Package]:
    """Return the packages that were asked for."""
    if not options.packages:
        return database.packages
    asked = set(options.packages)
    found = [package for package in database.packages
             if package.names & asked]
    missing = asked.difference(*(package.names for package in found))
    if missing:
        raise Refused("%s is not installed" % min(missing))
    return found


class Installed(NamedTuple):
    """A file, and the digests that packages have of it: several where packages
    for several machines share it."""
    paths: List[str] # all its hard links
    names: List[str] # of these, as packages have them
    digests: List[Digest]


def is_excluded(options: SystemOptions, name: str) -> bool:
    return any(config.fits(glob, name) for glob in options.exclude)


def elf_files(options: SystemOptions, database: Database,
              tree: Tree) -> List[Installed]:
    """Return the programs and libraries of the packages that were asked for.

    A message tells of a file that cannot be read, and the run fails.
    """
    found: Dict[Tuple[int, int], Installed] = {}
    seen: Dict[str, Optional[Installed]] = {}
    for package in chosen(options, database):
        if not package.safe or (options.leave_out_packages and
                                options.config.why_package(package.name)):
            continue
        for file in database.files(package):
            with contextlib.suppress(OSError): # links that lead in a ring
                path = tree.path(file.path)
                if path not in seen:
                    seen[path] = installed_file(options, found, path, file.path)
                known = seen[path]
                if known is not None and file.digest:
                    known.digests.append((file.algorithm, file.digest))
    return [file for file in sorted(found.values(), key=lambda one: one.paths)
            if not any(is_excluded(options, name) for name in file.names)]


def installed_file(options: SystemOptions,
                   found: Dict[Tuple[int, int], Installed], path: str,
                   name: str) -> Optional[Installed]:
    """Return PATH's entry in FOUND, where it is added if need be.

    None is for what is neither a program nor a library, or cannot be read.
    """
    try:
        if not is_linked_elf_file(path):
            return None
        about = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if not is_excluded(options, name):
            complain(shown(path), reason_of(error, path))
            options.well = False
        return None
    file = found.setdefault((about.st_dev, about.st_ino),
                            Installed([], [], []))
    file.paths.append(path)
    file.names.append(name)
    return file


def all_paths(files: Iterable[Installed]) -> List[str]:
    return [path for file in files for path in file.paths]


def checked_files(options: SystemOptions, database: Database) -> List[File]:
    """Return those files of the packages asked for of which these have digests."""
    return [file for package in chosen(options, database)
            for file in database.files(package)
            if file.digest and not is_excluded(options, file.path)]


# What became of them.

class Origin(enum.Enum):
    """What a file is, compared with what its package shipped."""
    SHIPPED = "as its package ships it"
    CONVERTED = "converted, and as shipped before"
    CHANGED = "changed by somebody"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    UNKNOWN = "no checksum in the package"


class Verdict(NamedTuple):
    """An origin, and why, if the file is not as it should be."""
    origin: Origin
    reason: str = ""


def original_digest(options: SystemOptions, path: str, algorithm: str) -> str:
    """Return the digest of what PATH was before it was converted, "" if it was
    not."""
    with started([options.cfi2sframe, "-v", "--undo", "-o", "/dev/stdout",
                  path], stdout=subprocess.PIPE,
                 stderr=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stderr is not None
        digest = digest_of(child.stdout, algorithm)
        messages = child.stderr.read() # one line
    # The exit status does not tell: it is 0, too, if there was nothing to undo.
    return digest if messages.endswith(b": restored\n") else ""


def is_shipped(path: str, digests: List[Digest]) -> bool:
    check()
    for algorithm in sorted({algorithm for algorithm, _ in digests}):
        with open_regular(path, os.O_NOFOLLOW) as file:
            if (algorithm, digest_of(file, algorithm)) in digests:
                return True
    return False


def judged_file(options: SystemOptions, path: str,
                digests: List[Digest]) -> Verdict:
    """Return what the file PATH is, of which packages have DIGESTS."""
    if not digests:
        return Verdict(Origin.UNKNOWN)
    try:
        if is_shipped(path, digests):
            return Verdict(Origin.SHIPPED)
        if not is_linked_elf_file(path):
            return Verdict(Origin.CHANGED, "changed")
        originals = {(algorithm, original_digest(options, path, algorithm))
                     for algorithm, _ in digests}
    except FileNotFoundError:
        return Verdict(Origin.MISSING)
    except OSError as error:
        return Verdict(Origin.UNREADABLE, reason_of(error, path))
    if originals & set(digests):
        return Verdict(Origin.CONVERTED)
    if "" in dict(originals).values():
        return Verdict(Origin.CHANGED, "changed, not by cfi2sframe alone")
    return Verdict(Origin.CHANGED,
                   "converted, and was not as packaged before")


def judged_name(options: SystemOptions, tree: Tree, file: File) -> Verdict:
    """Return what is where FILE should be; a link there is followed."""
    try:
        path = tree.target(file.path)
    except OSError as error:
        return Verdict(Origin.UNREADABLE, reason_of(error, file.path))
    return judged_file(options, path, [(file.algorithm, file.digest)])


def at_once(options: SystemOptions) -> concurrent.futures.Executor:
    return concurrent.futures.ThreadPoolExecutor(options.jobs
                                                 or os.cpu_count())


def judged(options: SystemOptions, files: Iterable[Installed]) \
        -> List[Verdict]:
    with at_once(options) as pool:
        return list(pool.map(lambda file: judged_file(
            options, file.paths[0], file.digests), files))


def verified(options: SystemOptions, tree: Tree,
             files: Iterable[File]) -> List[Verdict]:
    with at_once(options) as pool:
        return list(pool.map(lambda file: judged_name(options, tree, file),
                             files))


def outcome_of(options: SystemOptions, arguments: List[str],
               files: List[Installed], status: str) -> List[Installed]:
    """Return those of FILES that would have STATUS after a run of cfi2sframe with
    ARGUMENTS."""
    paths = [file.paths[0] for file in files]
    outcome = run_converter(options, ["-q", "-n"] + arguments, paths,
                            stderr=subprocess.DEVNULL)
    return with_status(zip(files, outcome.reports), status)


# Undoing needs --convert-checksummed: the file that comes back is the one that
# checksums in its package are of.
UNDOING = ["--undo", "--convert-checksummed"]


def can_be_undone(options: SystemOptions,
                  files: List[Installed]) -> List[Installed]:
    """Return those of FILES that cfi2sframe has converted, whoever ran it."""
    return outcome_of(options, UNDOING, files, "restored")


class Selection(NamedTuple):
    """The files that may be changed, and how many are left alone, by why."""
    files: List[Installed]
    left: Counter[str]


def ours_among(options: SystemOptions, files: List[Installed]) -> Selection:
    """Return those of FILES, all converted, that were as shipped before."""
    verdicts = judged(options, files)
    return Selection(
        [file for file, verdict in zip(files, verdicts)
         if verdict.origin is Origin.CONVERTED],
        collections.Counter(verdict.origin.value for verdict in verdicts
                            if verdict.origin is not Origin.CONVERTED))


class Sorted(NamedTuple):
    """Files, sorted by what they are."""
    plain: List[Installed]  # as their packages ship them
    theirs: List[Installed] # likewise, and converted
    others: List[Installed]


def sorted_out(options: SystemOptions, files: List[Installed]) -> Sorted:
    def is_so(file: Installed) -> bool:
        with contextlib.suppress(OSError):
            return is_shipped(file.paths[0], file.digests)
        return False

    with at_once(options) as pool:
        so = list(pool.map(is_so, files))
    shipped = [file for file, yes in zip(files, so) if yes]
    theirs = can_be_undone(options, shipped)
    converted = set(all_paths(theirs))
    return Sorted([file for file in shipped if file.paths[0] not in converted],
                  theirs, [file for file, yes in zip(files, so) if not yes])


def to_be_converted(options: SystemOptions, how: List[str],
                    files: List[Installed]) -> Selection:
    """Return the files that may be converted; HOW has the converter's options.

    These are those as shipped, and those that were as shipped before they were
    converted, if they would be converted otherwise now.

    A file that somebody has changed could not be given back as it was shipped.
    A file that a package ships converted would become another one.
    """
    plain, _, others = sorted_out(options, files)
    again = ours_among(options, outcome_of(options, how, others, "converted"))
    return Selection(sorted(plain + again.files), again.left)


def to_be_undone(options: SystemOptions, files: List[Installed]) -> Selection:
    """Return the files that were as shipped before they were converted."""
    return ours_among(options, can_be_undone(options, files))
