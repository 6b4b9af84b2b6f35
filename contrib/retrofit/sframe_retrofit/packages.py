# SPDX-License-Identifier: LGPL-2.1-or-later
"""The passes over all packages of a run.

Each kind of packages has a class; here is what they do in the same way.  The
first pass converts and packs the new contents, the second writes packages, when
it is known which of them get a new version.
"""

import collections
import contextlib
import dataclasses
import functools
import itertools
import os
import re
import subprocess
import time
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Optional,
                    Sequence, Set, Tuple, Type, TypeVar)

from sframe_retrofit import (Refused, checksums, complain, counted, elf,
                             reason_of, say)
from sframe_retrofit.archives import Files
from sframe_retrofit.commands import complete
from sframe_retrofit.compression import compress
from sframe_retrofit.converter import (DEFAULT_OPTIONS, DryRunOptions, Report,
                                       build_id, run_converter)
from sframe_retrofit.ending import Workplace, parent_for
from sframe_retrofit.files import Outputs, copy_package
from sframe_retrofit.progress import Progress

Key = Tuple[str, str]         # name and version
Reports = Dict[int, Report]   # by a file's index
Result = TypeVar("Result")

# Exceptions that end the work on one package, and not on the others of a run.
FAILURES = (Refused, OSError, UnicodeDecodeError, MemoryError)


@dataclasses.dataclass
class PackageOptions(DryRunOptions):
    """What a program was asked for that converts packages."""
    packages: List[str]    # their files
    output: str            # the folder of the new ones
    suffix: str            # of new versions
    level: Optional[int]   # of compression
    threads_max: int       # for that
    unpacked_max: Optional[int] # in MiB
    # Further packages of the run, which may have checksums of files.
    checksums_of: List[str] = dataclasses.field(default_factory=list)

    def writes(self) -> bool:
        """Whether there are to be new packages."""
        return not self.dry_run

    @functools.cached_property
    def outputs(self) -> Outputs:
        """The names of the new ones; OUTPUT is there."""
        return Outputs(self.output, self.packages)

    def compress(self, kind: str, data: bytes,
                 level: Optional[int] = None) -> bytes:
        """DATA, compressed as KIND, with LEVEL unless another was asked for."""
        return compress(kind, data, self.level or level, self.threads_max)


class Package:
    """The package in the file PATH; a class for each kind of packages derives
    from this one, and reads the file."""

    NUMBERED = "version"   # what the suffix is appended to
    KIB = 1024             # how many units of growth are a KiB

    progress = Progress("packages", []) # of all; begin_progress () sets it

    name: str
    number: str            # the version or release

    def __init__(self, path: str) -> None:
        self.path = path
        self.output = path # until it is written; "" if nothing is
        # How long each kind of work took.
        self.seconds = {"decompress": 0.0, "convert": 0.0, "compress": 0.0}
        self.reports: Dict[str, Report] = {} # by an ELF file's name
        self.n_converted = self.n_files = self.growth = 0
        self.status = "copied" # what became of it
        self.well = True   # no file in it failed
        self.fixed = False # of a kind that is never changed
        # Why it could not be written with a new version.
        self.unwritable: Optional[str] = None

    @contextlib.contextmanager
    def during(self, what: str) -> Iterator[None]:
        start = time.monotonic()
        self.progress.show("%sing %s" % (what, os.path.basename(self.path)))
        yield
        self.seconds[what] += time.monotonic() - start

    # What the class of a kind defines.

    @property
    def key(self) -> Key:
        return self.name, self.number

    def files(self) -> Files:
        raise NotImplementedError

    def may_have_checksums(self) -> bool:
        """Return whether the package has to be unpacked to look for checksums."""
        return True

    def relations(self) -> Set[Key]:
        """Return the packages that this one names so that it has to get a new
        version if they do."""
        raise NotImplementedError

    def pack(self, options: PackageOptions, files: Any,
             changed: Dict[int, bytes], work: str) -> None:
        """Write new contents of the package to the file WORK: FILES, with those
        in CHANGED for the old ones."""
        raise NotImplementedError

    def write(self, options: PackageOptions, renewed: Set[Key], work: str) \
            -> None:
        """Write the new package to self.output."""
        raise NotImplementedError

    def output_name(self, options: PackageOptions) -> str:
        raise NotImplementedError

    def grown(self, old: int, new: int) -> int:
        """Return how much more a file of NEW bytes takes than one of OLD."""
        return new - old

    def copy(self, options: PackageOptions) -> None:
        """Write the package as it is."""
        self.output = options.outputs.path(self.path,
                                           os.path.basename(self.path))
        copy_package(self.path, self.output)


Kind = TypeVar("Kind", bound=Package)


# What is known of all packages of a run while one is converted.

class Programs:
    """Programs that were converted, by their build-ids, in FOLDER: debug files
    that were split off before the conversion (--debug-twin of cfi2sframe) come in
    packages that are looked into last.  Without a FOLDER none come.
    """

    def __init__(self, folder: Optional[str] = None) -> None:
        self.folder = folder

    def _path(self, data: bytes) -> Optional[str]:
        name = build_id(data)
        return os.path.join(self.folder, name) if self.folder and name else None

    def keep(self, program: bytes) -> None:
        path = self._path(program)
        if path:
            with open(path, "wb") as file:
                file.write(program)

    def find(self, debug_file: bytes) -> Optional[str]:
        """Return where the program of DEBUG_FILE is, if it was kept."""
        path = self._path(debug_file)
        return path if path and os.path.exists(path) else None


class Known:
    """What may be checksums, and the programs that debug files have to follow."""

    def __init__(self, found: checksums.Checksums) -> None:
        self.checksums = found
        self.programs = Programs()


def has_debug_files(path: str) -> bool:
    """Return whether the package PATH has debug files, as its name tells."""
    return re.search(r"-(dbgsym|debuginfo|debug)[_.-]",
                     os.path.basename(path)) is not None


def prepare_debug_files(options: PackageOptions, known: Known, folder: str) \
        -> None:
    """If there are packages of debug files, put them last, and have programs kept
    in FOLDER for them."""
    options.packages.sort(key=has_debug_files)
    if any(map(has_debug_files, options.packages)):
        known.programs = Programs(os.path.join(folder, "programs"))
        os.mkdir(os.path.join(folder, "programs"))


def follow_programs(options: DryRunOptions, programs: Programs,
                    package: Package, files: Files, paths: Dict[int, str]) \
        -> bool:
    """Change the debug files among PATHS as their programs were; return whether
    all went well."""
    well = True
    for index, path in paths.items():
        program = programs.find(files.file(index)) \
            if files.name(index).lstrip("/").startswith("usr/lib/debug/") \
            else None
        if not program:
            continue
        done = complete(
            [options.cfi2sframe, "-q", "--debug-twin=" + path, program],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            well = False
            complain(os.path.basename(package.path), files.name(index),
                     done.stderr.decode(errors="replace").strip()
                     .rsplit(": ", 1)[-1])
    return well


# One package.

def place_for(files: Files, indices: List[int]) -> Workplace:
    """Return a folder for the files INDICES while they are converted."""
    return Workplace(parent_for(sum(files.members[index].size
                                    for index in indices)))


def lay_out_files(known: checksums.Checksums, files: Files, indices: List[int],
                  folder: str) -> Dict[int, str]:
    """Put the files INDICES into FOLDER; return their paths by index."""
    known.add(checksums.candidates_in(files))
    layout = checksums.Layout(folder, known,
                              checksums.further_names(files))
    return {index: layout.add(files.name(index), files.file(index))
            for index in indices}


def convertible_files(options: DryRunOptions, package: Package,
                      files: Files) -> Tuple[List[int], Reports]:
    """Return the indices of the ELF files to be converted, and reports on the
    others."""
    found = files.elf_files()
    indices: List[int] = []
    reports: Reports = {}
    whole = options.config.why_package(package.name)
    for index in found:
        reason = whole or next(filter(None, map(options.config.why_file,
                                                files.names(index))), None)
        # Kernel packages have thousands of objects, and they are large.
        if not reason and elf.elf_type(files.start(index)) == elf.ET_REL \
           and "--relocatable" not in options.converting:
            reason = "relocatable object"
        if reason:
            reports[index] = {"status": "skipped", "reason": reason}
        else:
            indices.append(index)
    package.n_files = len(found)
    return indices, reports


def run_on_files(options: DryRunOptions, package: Package,
                 paths: Dict[int, str], folder: str, arguments: List[str]) \
        -> Reports:
    """Have the files PATHS converted; return the reports on them.

    They are in folders, named by numbers, of FOLDER.
    """
    with package.during("convert"):
        outcome = run_converter(
            options, ["--sync=none"] + (["-n"] if options.dry_run else [])
            + arguments, list(paths.values()), stderr=subprocess.PIPE)
    package.well = outcome.well
    # Messages name the files there; what is left is the name in the package.
    ours = re.compile(re.escape(folder) + r"/[0-9]+/")
    for line in outcome.messages:
        complain(os.path.basename(package.path),
                 ours.sub("", line).removeprefix("cfi2sframe: "))
    return dict(zip(paths, outcome.reports))


def detach_files(options: PackageOptions, package: Package, files: Files,
                 store: str) -> Reports:
    """Put the sections of the files into the folder STORE, by build-id; return
    reports.

    The files themselves do not change, so that no checksum matters.
    """
    indices, reports = convertible_files(options, package, files)
    if not indices:
        return reports
    with place_for(files, indices) as place:
        layout = checksums.Layout(place.folder, checksums.Checksums(), {})
        paths = {index: layout.add(files.name(index), files.file(index))
                 for index in indices}
        reports.update(run_on_files(
            options, package, paths, place.folder,
            ["--detached=" + store, "--skip-unconvertible"]
            + [one for one in options.converting
               if one != "--convert-checksummed"]))
    return reports


def convert_files(options: DryRunOptions, known: Known, package: Package,
                  files: Files) -> Tuple[Dict[int, bytes], Reports]:
    """Convert a package's files; return new contents by index, and reports."""
    indices, reports = convertible_files(options, package, files)
    if not indices:
        return {}, reports
    changed = {}
    with place_for(files, indices) as place:
        paths = lay_out_files(known.checksums, files, indices, place.folder)
        reports.update(run_on_files(options, package, paths, place.folder,
                                    DEFAULT_OPTIONS + options.converting))
        package.well &= follow_programs(options, known.programs, package,
                                        files, paths)
        for index, path in paths.items():
            with open(path, "rb") as file:
                new = file.read()
            if new != files.file(index):
                changed[index] = new
                known.programs.keep(new)
    return changed, reports


def show_list(package: Package, files: Files, reports: Reports) -> None:
    for index, report in sorted(reports.items()):
        status = report.get("status", "?")
        say("%s: %s: %s%s" % (os.path.basename(package.path), files.name(index),
                              "would be converted" if status == "converted"
                              else status,
                              " (%s)" % report["reason"]
                              if report.get("reason") else ""))


def look_into(options: PackageOptions, known: Known, kind: Type[Kind],
              path: str, work: Optional[str]) -> Kind:
    """Do the first pass over the package PATH.

    The new contents go to the file WORK, which a dry run does without.
    """
    package = kind(path)
    if package.number.endswith(options.suffix):
        raise Refused("was converted before (%s %s)" % (kind.NUMBERED,
                                                        package.number))
    if package.fixed:
        return package
    files = package.files()
    changed, reports = convert_files(options, known, package, files)
    package.reports = {files.name(index): report
                       for index, report in reports.items()}
    if package.unwritable and (changed or any(
            report["status"] == "converted" for report in reports.values())):
        raise Refused(package.unwritable)
    if options.dry_run:
        show_list(package, files, reports)
    elif changed:
        assert work is not None
        package.n_converted = len(changed)
        package.growth = sum(package.grown(files.members[index].size, len(new))
                             for index, new in changed.items())
        package.pack(options, files, changed, work)
    return package


def write_package(options: PackageOptions, package: Package, renewed: Set[Key],
                  work: str) -> None:
    """Do the second pass over PACKAGE: write it, new or as it was."""
    if package.unwritable and (package.key in renewed
                               or package.relations() & renewed):
        raise Refused(package.unwritable)
    package.progress.show("writing " + os.path.basename(package.path))
    if package.key not in renewed or package.fixed:
        package.copy(options)
        what = "nothing to convert: copied"
    else:
        package.output = options.outputs.path(package.path,
                                              package.output_name(options))
        package.write(options, renewed, work)
        package.status = "converted" if package.n_converted else "renamed"
        what = "%d of %s converted, %+d KiB installed: %s" \
            % (package.n_converted, counted(package.n_files, "ELF file"),
               package.growth // package.KIB, package.output)
    if options.verbose:
        say("%s: %s" % (package.path, what))


# All packages.

def size_of(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def begin_progress(options: PackageOptions) -> None:
    Package.progress = Progress("packages", list(map(size_of, options.packages)))


def each_package(options: PackageOptions, function: Callable[[str], Result]
                 ) -> Tuple[List[Result], Dict[str, str]]:
    """Call FUNCTION for all packages, and say how far that is."""
    def one(path: str) -> Result:
        try:
            return function(path)
        finally:
            Package.progress.step(size_of(path))

    return each(options.packages, one)


def end_progress(packages: Sequence[Package], failures: Dict[str, str]) \
        -> None:
    """Print a line that says what became of all packages."""
    kinds = collections.Counter(package.status for package in packages
                                if package.path not in failures)
    if failures:
        kinds["refused"] = len(failures)
    Package.progress.end("%s: %s; %d of %s converted, %+d KiB" % (
        counted(sum(kinds.values()), "package"),
        ", ".join("%d %s" % (number, kind)
                  for kind, number in sorted(kinds.items())),
        sum(package.n_converted for package in packages),
        counted(sum(package.n_files for package in packages), "ELF file"),
        sum(package.growth // package.KIB for package in packages)))


def each(items: Iterable[Any],
         function: Callable[[Any], Result]) -> Tuple[List[Result],
                                                     Dict[str, str]]:
    """Call FUNCTION for ITEMS, packages or their paths; go on after failures.

    Return its results, and the reasons of failures by path.
    """
    results, failures = [], {}
    for item in items:
        try:
            results.append(function(item))
        except FAILURES as error:
            path = getattr(item, "path", item)
            failures[path] = reason_of(error, path)
            complain(path, failures[path])
    return results, failures


def find_renewed(packages: Iterable[Package]) -> Set[Key]:
    """Return the keys of the packages that get a new version.

    Packages depend on each other by exact version, mostly within one source.
    Those given together keep fitting each other: packages with new contents
    get a new version, and so do the others that name one of them exactly.  The
    same package for another architecture has the same key: if they can be
    installed together, then only in equal versions.  What could not be written
    gets none, so that others do not follow it.
    """
    renewed = {package.key for package in packages if package.n_converted}
    named = [(package.key, package.relations()) for package in packages
             if not package.unwritable]
    while True:
        more = {key for key, pairs in named
                if key not in renewed and pairs & renewed}
        if not more:
            return renewed
        renewed |= more


def checksums_in(kind: Type[Package], path: str) -> List[checksums.Pair]:
    """Return what may be checksums in the package PATH."""
    package = kind(path)
    return checksums.candidates_in(package.files()) \
        if package.may_have_checksums() else []


def collect_checksums(options: PackageOptions, kind: Type[Package]) \
        -> checksums.Checksums:
    """Return what may be checksums in any package of the run.

    A package that is to be converted and cannot be read is told of later, by
    look_into ().  A package that is looked at for checksums alone has to be read,
    or a library that it has a checksum of would be converted.
    """
    found = checksums.Checksums()
    paths = options.packages + options.checksums_of
    for path in paths if len(paths) > 1 else []:
        try:
            found.add(checksums_in(kind, path))
        except FAILURES as error:
            if path in options.checksums_of:
                raise Refused("%s: %s" % (path, reason_of(error, path))) \
                    from None
    return found


def new_outputs(options: PackageOptions) -> Workplace:
    """Make the folder for new packages, and return a folder for work in it."""
    try:
        os.makedirs(options.output, exist_ok=True)
        return Workplace(options.output)
    except OSError as error:
        raise Refused("%s: %s" % (options.output,
                                  reason_of(error, options.output))) from None


def convert_packages(options: PackageOptions, kind: Type[Kind]) -> Tuple[
        List[Kind], Dict[str, str]]:
    """Do both passes; return the packages, and the reasons of failures by path."""
    begin_progress(options)
    known = Known(collect_checksums(options, kind))
    if options.dry_run:
        return each_package(
            options, lambda path: look_into(options, known, kind, path, None))
    with new_outputs(options) as place:
        prepare_debug_files(options, known, place.folder)
        work = ("%s/%d" % (place.folder, number)
                for number in itertools.count())
        packages, failures = each_package(
            options,
            lambda path: look_into(options, known, kind, path, next(work)))
        renewed = find_renewed(packages)
        _, more = each(packages, lambda package: write_package(
            options, package, renewed, next(work)))
    failures.update(more)
    end_progress(packages, failures)
    return packages, failures


def exit_status(packages: Iterable[Package],
                failures: Dict[str, str]) -> int:
    well = not failures and all(package.well for package in packages)
    return 0 if well else 1
