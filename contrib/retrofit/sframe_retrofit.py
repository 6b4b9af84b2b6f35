# What the programs that retrofit packages and images have in common.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A program brings, for its kind of package, a class of packages and one of
# their files, and what its two passes do with one of them; here are
# converting ELF files, rewriting tar archives, files that appear complete or
# not at all, the passes over all packages, and the options of all programs.

import argparse
import contextlib
import importlib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import sframe_checksums as checksums
import sframe_config

PROGRAM = os.path.basename(sys.argv[0])
VERSION = "0.2.0" # configure.ac's; a test compares them
BLOCK = 512
ELF_MAGIC = b"\x7fELF"
ET_REL = 1

# What cfi2sframe is always given; the user's options come behind.
# Of the objects in JSON; doc/cfi2sframe.schema.json describes them.
JSON_VERSION = 1
DEFAULT_OPTIONS = ["--skip-unconvertible", "--replace=auto"]


class Refused(Exception):
    """Why a package is left alone, in one sentence."""


def complain(*parts):
    """A message on stderr: the program's name and PARTS, colons between."""
    print(": ".join(map(str, (PROGRAM,) + parts)), file=sys.stderr)


def shown(name):
    """NAME on one line, for people."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode()
                   for c in name)


# Names that packages bring.

def checked_name(what, value, pattern):
    """VALUE, if all of it matches PATTERN.

    Whatever a package says of itself goes through here before it becomes a
    part of a file name, of a command or of an index.  WHAT is its field.  No
    such name has a slash or begins with a dot, whatever PATTERN says.
    """
    if value is None:
        raise Refused("the package has no %s" % what)
    if value.startswith(".") or "/" in value \
       or not re.fullmatch(pattern, value):
        raise Refused("invalid %s: %s" % (what, ascii(value)[:100]))
    return value


class Outputs:
    """The files that a run makes in FOLDER: no package's takes another's name.

    Nor does one take the place of a package that was given, unless it is that
    package itself.
    """

    def __init__(self, folder, packages):
        self.folder = folder
        self.owners = {self._place(os.path.dirname(path), path): path
                       for path in packages}

    @staticmethod
    def _place(folder, name):
        return os.path.join(os.path.realpath(folder), os.path.basename(name))

    def path(self, package, name):
        """Where the file NAME, made of PACKAGE, goes."""
        place = self._place(self.folder, name)
        owner = self.owners.setdefault(place, package.path)
        if owner != package.path:
            raise Refused("%s would be written over: it is of %s"
                          % (os.path.join(self.folder, name), owner))
        return os.path.join(self.folder, os.path.basename(name))


# Files.

def replace_file(path, write):
    """Call WRITE with a new file that gets its name when it is complete."""
    temporary = path + ".part"
    try:
        with open(temporary, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def copy_package(source, target):
    """A copy with the same time stamps; nothing if it is the same file."""
    if os.path.exists(target) and os.path.samefile(source, target):
        return
    with open(source, "rb") as file:
        replace_file(target, lambda new: shutil.copyfileobj(file, new))
    shutil.copystat(source, target)


# Compression: the kind stays what it was.  xz and zstd cut their input into
# blocks of a fixed size when they work in threads, as dpkg-deb has them do: the
# result does not depend on the number of threads, as long as it is not one.

DEFAULT_LEVELS = {".gz": 9, ".xz": 6, ".bz2": 9, ".zst": 19} # dpkg-deb's


# Modules that a Python can be built without.
OPENERS = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}


def needed_module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Refused("Python's module %s is missing" % name) from None


def damages():
    """What those modules raise for damaged data."""
    return (OSError, EOFError, ValueError) + tuple(
        getattr(sys.modules[module], name)
        for module, name in (("lzma", "LZMAError"), ("zlib", "error"))
        if hasattr(sys.modules.get(module), name))


class Allowance:
    """How much PACKED bytes may unpack to.

    A package of a few kilobytes can unpack to any number of gigabytes, and is
    handled in memory.  Packages of Debian unpack to a few times their size.
    """

    RATIO = 200
    FREE = 256 << 20       # whatever the ratio
    MAX = 8 << 30
    PART = 1 << 20
    given = None           # --unpacked-max, in bytes

    def __init__(self, packed):
        self.limit = self.given or min(self.MAX,
                                       max(self.FREE, packed * self.RATIO))
        self.left = self.limit

    def parts(self, stream):
        """What can be read from STREAM, part by part."""
        while part := stream.read(self.PART):
            self.left -= len(part)
            if self.left < 0:
                raise Refused("unpacks to more than %d MiB (see "
                              "--unpacked-max)" % (self.limit >> 20))
            yield part


@contextlib.contextmanager
def output_of(command, source):
    """What COMMAND makes of the file SOURCE, as a file."""
    with tempfile.TemporaryFile() as errors, \
         subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE,
                          stderr=errors) as child:
        try:
            yield child.stdout
        except BaseException:
            child.kill()
            raise
        if child.wait() != 0:
            errors.seek(0)
            raise Refused("%s: %s" % (
                command[0], errors.read().decode(errors="replace").strip()))


@contextlib.contextmanager
def unpacked(kind, file):
    """What is in FILE, which is compressed, as a file."""
    if kind == "":
        yield file
    elif kind == ".zst":
        need_zstd()
        with output_of(["zstd", "-dcq"], file) as stream:
            yield stream
    elif kind in OPENERS:
        library = needed_module(OPENERS[kind])
        try:
            with library.open(file) as stream:
                yield stream
        except damages() as error:
            raise Refused("damaged compressed data: %s" % error) from None
    else:
        raise Refused("unknown compression %s" % kind)


def run_filter(command, data):
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise Refused("%s: %s" % (command[0],
                                  done.stderr.decode(errors="replace").strip()))
    return done.stdout


def need_zstd():
    if shutil.which("zstd") is None:
        raise Refused("compressed with zstd, which is not installed")


def decompress(kind, data):
    if kind == "":
        return data
    # A command can only read from a file of the system.
    with tempfile.TemporaryFile() if kind == ".zst" else io.BytesIO() as file:
        file.write(data)
        file.seek(0)
        with unpacked(kind, file) as stream:
            return b"".join(Allowance(len(data)).parts(stream))


def compress(options, kind, data):
    level = DEFAULT_LEVELS.get(kind, 0) if options.level is None \
        else options.level if kind == ".zst" else min(options.level, 9)
    threads = "-T%d" % max(2, options.threads_max)
    if kind == "":
        return data
    if kind == ".gz":
        return needed_module("gzip").compress(data, level, mtime=0)
    if kind == ".bz2":
        return needed_module("bz2").compress(data, level)
    if kind == ".xz" and shutil.which("xz") is None:
        lzma = needed_module("lzma")
        return lzma.compress(data, check=lzma.CHECK_CRC32, preset=level)
    if kind == ".xz":
        return run_filter(["xz", "-cq", "-%d" % level, "--check=crc32",
                           threads], data)
    return run_filter(["zstd", "-cq", "-%d" % level, threads], data)


# The inner archives.

class TarMember(tarfile.TarInfo):
    """A member whose size is not negative.

    Python versions up to 3.13.5 read such an archive for ever.
    """

    def _block(self, count):
        if count < 0:
            raise tarfile.ReadError("negative size")
        return super()._block(count)


def tar_members(data):
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:",
                          tarinfo=TarMember) as archive:
            return archive.getmembers()
    # Damaged numbers are told in many ways.
    except (tarfile.TarError, ArithmeticError, ValueError) as error:
        raise Refused("damaged tar archive: %s" % error) from None


def contents(data, member):
    return data[member.offset_data:member.offset_data + member.size]


def patched_header(header, size):
    """HEADER, a ustar or GNU header, for a file of SIZE bytes."""
    if size >= 8 ** 11:
        raise Refused("a file is too large for its tar header")
    new = bytearray(header)
    new[124:136] = b"%011o\0" % size
    new[148:156] = b" " * 8
    new[148:156] = b"%06o\0 " % sum(new)
    return bytes(new)


def replace_in_tar(data, members, replacements):
    """The archive DATA with other contents for some members.

    REPLACEMENTS maps the index of a member to its new bytes.
    """
    out = bytearray()
    done = 0
    for index in sorted(replacements):
        member, new = members[index], replacements[index]
        if "size" in member.pax_headers or member.sparse is not None:
            raise Refused("%s is stored in a form that cannot be changed"
                          % member.name)
        header = member.offset_data - BLOCK
        out += data[done:header]
        out += patched_header(data[header:member.offset_data], len(new))
        out += new
        out += b"\0" * (-len(new) % BLOCK)
        done = member.offset_data + (member.size + BLOCK - 1) // BLOCK * BLOCK
    out += data[done:]
    return bytes(out)


def clean_name(name):
    """A tar member's name as md5sums spells it."""
    while name.startswith("./"):
        name = name[2:]
    return name


# Converting.

class Clock:
    """What the time went to, in seconds."""

    def __init__(self):
        self.seconds = {"decompress": 0.0, "convert": 0.0, "compress": 0.0}

    @contextlib.contextmanager
    def during(self, what):
        start = time.monotonic()
        yield
        self.seconds[what] += time.monotonic() - start


def is_relocatable(data):
    """Whether the ELF file that begins with DATA is an object (e_type)."""
    order = "big" if data[5:6] == b"\2" else "little"
    return int.from_bytes(data[16:18], order) == ET_REL


class TarContents:
    """The files of a tar archive."""

    def __init__(self, tar):
        self.tar = tar
        self.members = tar_members(tar)
        self.links = {}      # name: names of the hard links to it
        for member in self.members:
            if member.islnk():
                self.links.setdefault(clean_name(member.linkname),
                                      []).append(clean_name(member.name))

    def elf_files(self):
        """Indices of the regular files that are ELF files."""
        return [index for index, member in enumerate(self.members)
                if member.isreg() and self.start(index)[:4] == ELF_MAGIC]

    def start(self, index):
        member = self.members[index]
        return self.tar[member.offset_data:
                        member.offset_data + min(member.size, 18)]

    def file(self, index):
        return contents(self.tar, self.members[index])

    def name(self, index):
        return clean_name(self.members[index].name)

    def all_names(self):
        """(index, name) pairs of what is no folder."""
        return [(index, self.name(index))
                for index, member in enumerate(self.members)
                if not member.isdir()]

    def link_targets(self):
        """(name, target) pairs of the links; those of hard links are in the
        same folder, or of no use here."""
        return [(clean_name(member.name),
                 member.linkname if member.issym()
                 else os.path.relpath(clean_name(member.linkname) or ".",
                                      os.path.dirname(clean_name(member.name))
                                      or "."))
                for member in self.members
                if member.issym() or member.islnk()]

    def names(self, index):
        """All names of a file; the further ones are hard links to it."""
        first = self.name(index)
        return [first] + self.links.get(first, [])


def run_converter(options, package, paths, folder, arguments):
    """Convert the files in PATHS, below FOLDER/INDEX; report per file."""
    command = [options.cfi2sframe, "--stats=json", "--sync=none",
               "--files0-from=-"] \
        + (["-n"] if options.list else []) + arguments
    done = subprocess.run(command,
                          input=b"".join(os.fsencode(path) + b"\0"
                                         for path in paths.values()),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode not in (0, 1):
        raise Refused("cfi2sframe: %s"
                      % done.stderr.decode(errors="replace").strip())
    ours = re.compile(re.escape(folder) + r"/([0-9]+)/")
    for line in done.stderr.decode(errors="replace").split("\n")[:-1]:
        # The rest is the name in the package, made fit to be shown.
        line = ours.sub("", line)
        complain(os.path.basename(package.path),
                 line.removeprefix("cfi2sframe: "))
    reports = {}
    for line in done.stdout.decode(errors="replace").split("\n")[:-1]:
        try:
            report = json.loads(line)
        except ValueError:
            continue # hostile names are the program's business
        match = ours.match(report.get("file", ""))
        if match:
            reports[int(match.group(1))] = report
    return done.returncode == 0, reports


# Debug files that were split off before the conversion (--debug-twin of
# cfi2sframe): programs that were converted are kept by their build-ids until
# the packages with debug files, which come last, have been looked into.

BUILD_ID = re.compile(
    rb"(?:\x04\0\0\0([\x08-\x40])\0\0\0\x03\0\0\0|"
    rb"\0\0\0\x04\0\0\0([\x08-\x40])\0\0\0\x03)GNU\0", re.DOTALL)


def has_debug_files(path):
    """Whether the package PATH is one of debug files, by its name."""
    return re.search(r"-(dbgsym|debuginfo|debug)[_-][^/]*$|"
                     r"-(dbgsym|debuginfo|debug)\.",
                     path) is not None


def build_id(data):
    """The build-id of the ELF file DATA, or None; cfi2sframe looks again."""
    match = BUILD_ID.search(data)
    if not match:
        return None
    size = (match.group(1) or match.group(2))[0]
    return data[match.end():match.end() + size].hex()


def keep_program(options, data):
    name = build_id(data)
    if options.programs and name:
        with open(os.path.join(options.programs, name), "wb") as file:
            file.write(data)


def follow_programs(options, package, files, paths):
    """Bring the debug files among PATHS in step; whether all went well."""
    well = True
    for index, path in paths.items():
        name = build_id(files.file(index))
        if not files.name(index).lstrip("/").startswith("usr/lib/debug/") \
           or not options.programs or not name \
           or not os.path.exists(os.path.join(options.programs, name)):
            continue
        done = subprocess.run(
            [options.cfi2sframe, "-q", "--debug-twin=" + path,
             os.path.join(options.programs, name)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            well = False
            complain(os.path.basename(package.path), files.name(index),
                     done.stderr.decode(errors="replace").strip()
                     .rsplit(": ", 1)[-1])
    return well


def lay_out_files(options, files, indices, folder):
    """Put the files INDICES into FOLDER; their paths by index."""
    options.checksums.add(checksums.candidates_in(files))
    links = checksums.further_names(files)
    paths = {}
    for index in indices:
        name = files.name(index)
        near = options.checksums.near(name)
        if len(near) > checksums.NEAR_MAX:
            raise Refused("more than %d checksums are near %s"
                          % (checksums.NEAR_MAX, ascii(name)))
        paths[index] = checksums.lay_out(os.path.join(folder, str(index)),
                                         name, files.file(index), near,
                                         links.get(name, []))
    return paths


def convertible_files(options, package, files):
    """Their indices, and what is said of the other ELF files."""
    found = files.elf_files()
    indices, reports = [], {}
    whole = options.config.why_package(package.name)
    for index in found:
        reason = whole or next(filter(None, map(options.config.why_file,
                                                files.names(index))), None)
        if reason:
            reports[index] = {"status": "skipped", "reason": reason}
            continue
        if is_relocatable(files.start(index)) \
           and "--relocatable" not in options.options:
            # Kernel packages have thousands, and they are large.
            reports[index] = {"status": "skipped",
                              "reason": "relocatable object"}
        else:
            indices.append(index)
    package.n_files = len(found)
    return indices, reports


def detach_files(options, package, files, store):
    """Put the sections of the files into the folder STORE, by build-id; what
    became of each file.  The files stay, so that no checksum matters."""
    indices, reports = convertible_files(options, package, files)
    if not indices:
        return reports
    with tempfile.TemporaryDirectory(prefix=PROGRAM + "-") as folder:
        paths = {}
        for index in indices:
            paths[index] = os.path.join(folder, str(index), "file")
            os.mkdir(os.path.dirname(paths[index]))
            with open(paths[index], "wb") as file:
                file.write(files.file(index))
        package.well, told = run_converter(
            options, package, paths, folder,
            ["--detached=" + store, "--skip-unconvertible"]
            + [one for one in options.options
               if one != "--convert-checksummed"])
    reports.update(told)
    return reports


def convert_files(options, package, files):
    """New contents by member index, and what became of each file."""
    indices, reports = convertible_files(options, package, files)
    if not indices:
        return {}, reports
    changed = {}
    with tempfile.TemporaryDirectory(prefix=PROGRAM + "-") as folder:
        paths = lay_out_files(options, files, indices, folder)
        with package.clock.during("convert"):
            package.well, told = run_converter(
                options, package, paths, folder,
                DEFAULT_OPTIONS + options.options)
        reports.update(told)
        package.well &= follow_programs(options, package, files, paths)
        for index, path in paths.items():
            with open(path, "rb") as file:
                new = file.read()
            if new != files.file(index):
                changed[index] = new
                keep_program(options, new)
    return changed, reports


# All packages.

def show_list(package, files, reports):
    for index in sorted(reports):
        report = reports[index]
        print("%s: %s: %s%s" % (os.path.basename(package.path),
                                files.name(index),
                                report.get("status", "?"),
                                (" (%s)" % report["reason"])
                                if report.get("reason") else ""))


def prepare_debug_files(options, folder):
    """Put packages of debug files last, if any; keep programs in FOLDER."""
    options.packages.sort(key=has_debug_files)
    if any(map(has_debug_files, options.packages)):
        options.programs = os.path.join(folder, "programs")
        os.mkdir(options.programs)


def each(items, function):
    """Call FUNCTION for ITEMS, (path, value) pairs; go on after failures.

    Its results, and the reasons of failures by path.
    """
    results, failures = [], {}
    for path, value in items:
        try:
            results.append(function(value))
        except (Refused, OSError, UnicodeDecodeError) as error:
            complain(path, error)
            failures[path] = str(error)
    return results, failures


def find_renewed(packages, relations):
    """The (name, version) pairs that get a new version.

    RELATIONS says of a package which pairs it names.  Packages depend on each
    other by exact version, mostly within one source.  Those given together
    keep fitting each other: packages with new contents get a new version, and
    so do the others that name one of them exactly.  The same package for
    another architecture is the same pair: if they can be installed together,
    then only in equal versions.
    """
    renewed = {package.key for package in packages if package.changed}
    named = [(package.key, relations(package)) for package in packages]
    while True:
        more = {key for key, pairs in named
                if key not in renewed and pairs & renewed}
        if not more:
            return renewed
        renewed |= more


def collect_checksums(options, checksums_in):
    """What may be checksums in any package; pairs that CHECKSUMS_IN (path)
    returns.  What is wrong with a package is told when it is looked into."""
    options.checksums = checksums.Checksums()
    paths = options.packages + getattr(options, "checksums_of", [])
    for path in paths if len(paths) > 1 else []:
        with contextlib.suppress(Refused, OSError, UnicodeDecodeError):
            options.checksums.add(checksums_in(path))


def new_outputs(options):
    """The folder for new packages is there; a folder for work in it."""
    try:
        os.makedirs(options.output, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(prefix=".%s-" % PROGRAM,
                                              dir=options.output)
    except OSError as error:
        complain(options.output, error.strerror)
        sys.exit(1)
    options.outputs = Outputs(options.output, options.packages)
    return scratch


def convert_packages(options, look_into, write_package, relations,
                     checksums_in):
    """Both passes; the packages, what failed, and which are renewed.

    LOOK_INTO (options, path, work) makes a package of PATH and puts its new
    contents into the file WORK, which is None when nothing shall be written.
    WRITE_PACKAGE (options, package, renewed, work) writes it.
    """
    collect_checksums(options, checksums_in)
    if options.list:
        packages, failures = each(
            [(path, path) for path in options.packages],
            lambda path: look_into(options, path, None))
        return packages, failures, set()
    with new_outputs(options) as folder:
        prepare_debug_files(options, folder)
        work = ("%s/%d" % (folder, number) for number in itertools.count())
        packages, failures = each(
            [(path, path) for path in options.packages],
            lambda path: look_into(options, path, next(work)))
        renewed = find_renewed(packages, relations)
        _, more = each(
            [(package.path, package) for package in packages],
            lambda package: write_package(options, package, renewed,
                                          next(work)))
    failures.update(more)
    return packages, failures, renewed


def exit_status(packages, failures):
    well = not failures and all(package.well for package in packages)
    return 0 if well else 1


# Options.

def new_parser(description, epilog=""):
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=description,
        epilog=epilog + "Options after -- are given to cfi2sframe.")
    parser.add_argument("-V", "--version", action="version",
                        version="%s %s" % (PROGRAM, VERSION))
    return parser


def read_config():
    """The configuration of this machine; ends the program if it is wrong."""
    try:
        return sframe_config.read()
    except sframe_config.Wrong as error:
        complain(error)
        sys.exit(1)


class ShowConfig(argparse.Action):
    """Like --version: nothing else is done or needed."""

    def __call__(self, parser, namespace, values, option_string=None):
        sys.stdout.write(read_config().show())
        parser.exit()


def add_show_config(parser):
    parser.add_argument("--show-config", action=ShowConfig, nargs=0,
                        help="print what %s and %s.d/*.conf say, and exit"
                        % (sframe_config.PATH, sframe_config.PATH))


def parse(parser, *needed):
    """The options, those that all programs have among them.

    NEEDED are programs besides cfi2sframe; what is for that is in
    OPTIONS.options.
    """
    parser.add_argument("-v", "--verbose", action="store_true",
                        help="say what is done")
    parser.add_argument("--cfi2sframe", metavar="PROGRAM",
                        default=os.environ.get("CFI2SFRAME", "cfi2sframe"),
                        help="the converter (default %(default)s)")
    arguments, further = sys.argv[1:], []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, further = arguments[:split], arguments[split + 1:]
    add_show_config(parser)
    options = parser.parse_args(arguments)
    options.config = read_config()
    options.further = further
    options.options = options.config.options(further)
    if getattr(options, "unpacked_max", None) is not None:
        if options.unpacked_max < 1:
            parser.error("--unpacked-max: at least 1")
        Allowance.given = options.unpacked_max << 20
    for program in (options.cfi2sframe,) + needed:
        if shutil.which(program) is None:
            parser.error("%s not found" % program)
    return options


def add_unpacked_max(parser):
    parser.add_argument("--unpacked-max", metavar="MIB", type=int,
                        help="leave alone what unpacks to more (default: %d "
                        "times its size, at least %d and at most %d)"
                        % (Allowance.RATIO, Allowance.FREE >> 20,
                           Allowance.MAX >> 20))


class Suffix:
    """What is appended to versions: the default, and which others may be."""

    def __init__(self, default, pattern, rule):
        self.default, self.pattern, self.rule = default, pattern, rule

    def add_to(self, parser):
        parser.add_argument("--suffix", default=self.default,
                            help="appended to versions (default %(default)s)")

    def check(self, parser, suffix):
        if not re.fullmatch(self.pattern, suffix):
            parser.error("--suffix: " + self.rule)


def add_dry_run(parser, what):
    parser.add_argument("-n", "--dry-run", action="store_true", dest="list",
                        help="say what would %s, write nothing" % what)
    # Its name before it was called as in cfi2sframe.
    parser.add_argument("--list", action="store_true", dest="list",
                        help=argparse.SUPPRESS)


def new_packages_parser(description, kind, suffix, level_max, level_help):
    """A parser for a program that converts packages of KIND."""
    parser = new_parser(description)
    parser.add_argument("packages", nargs="+", metavar="IN." + kind)
    parser.add_argument("-o", "--output", metavar="DIR",
                        help="folder for the new packages")
    add_dry_run(parser, "happen")
    suffix.add_to(parser)
    parser.add_argument("-z", "--level", metavar="LEVEL", type=int,
                        choices=range(1, level_max + 1), help=level_help)
    parser.add_argument("--threads-max", metavar="N", type=int,
                        default=len(os.sched_getaffinity(0)),
                        help="threads for compressing (default: as many as "
                        "there are processors); the result is the same")
    add_unpacked_max(parser)
    return parser


def parse_packages(parser, suffix, *needed):
    """The options of such a program."""
    options = parse(parser, *needed)
    options.programs = None
    if not (options.list or options.output
            or getattr(options, "list_checksums", False)):
        parser.error("-o DIR or --dry-run is needed")
    options.packages = list(dict.fromkeys(options.packages))
    suffix.check(parser, options.suffix)
    if options.threads_max < 1:
        parser.error("--threads-max: at least 1")
    return options
