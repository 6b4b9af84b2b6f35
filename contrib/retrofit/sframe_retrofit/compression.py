# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compression; what was compressed stays compressed in the same way.

xz and zstd cut their input into blocks of a fixed size when they work in
threads, as dpkg-deb has them do: the result does not depend on the number of
threads, as long as it is not one.
"""

import importlib
import io
import shutil
import sys
import tempfile
from typing import IO, Any, Iterator, Optional, Tuple

from sframe_retrofit import Refused
from sframe_retrofit.commands import output_of, run

DEFAULT_LEVELS = {".gz": 9, ".xz": 6, ".bz2": 9, ".zst": 19} # dpkg-deb's

# Modules that open compressed files; a Python may be built without them.
OPENERS = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}


def needed_module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Refused("Python's module %s is missing" % name) from None


def damages() -> Tuple[Any, ...]:
    """Return the exceptions that those modules raise for damaged data."""
    return (OSError, EOFError, ValueError) + tuple(
        getattr(sys.modules[module], name)
        for module, name in (("lzma", "LZMAError"), ("zlib", "error"))
        if hasattr(sys.modules.get(module), name))


# How compressed files begin.
MAGICS = ((b"\x28\xb5\x2f\xfd", ".zst"), (b"\xfd7zXZ\0", ".xz"),
          (b"\x1f\x8b", ".gz"), (b"BZh", ".bz2"))
MAGIC_MAX = 6 # bytes


def kind_of(start: bytes) -> str:
    """Return how data that begins with START is compressed, as file names end:
    ".gz", for one; "" if it is not."""
    return next((kind for magic, kind in MAGICS if start.startswith(magic)),
                "")


class Allowance:
    """How much PACKED bytes may unpack to.

    A package of a few kilobytes can unpack to any number of gigabytes, and is
    handled in memory.  Packages of Debian unpack to a few times their size.
    """

    RATIO = 200
    FREE = 256 << 20       # always allowed, whatever the ratio
    MAX = 8 << 30
    PART = 1 << 20
    given: Optional[int] = None # the limit in bytes, if the user has set one

    @classmethod
    def give(cls, mebibytes: Optional[int]) -> None:
        """Set the limit of all packages: what --unpacked-max says."""
        if mebibytes is not None:
            cls.given = mebibytes << 20

    def __init__(self, packed: int) -> None:
        self.limit = self.given or min(self.MAX,
                                       max(self.FREE, packed * self.RATIO))
        self.left = self.limit

    def parts(self, stream: IO[bytes]) -> Iterator[bytes]:
        """Yield what STREAM has, part by part, up to the limit."""
        while part := stream.read(self.PART):
            self.left -= len(part)
            if self.left < 0:
                raise Refused("unpacks to more than %d MiB (see "
                              "--unpacked-max)" % (self.limit >> 20))
            yield part


def parts(kind: str, file: IO[bytes], allowance: Allowance) -> Iterator[bytes]:
    """Yield what is in FILE, which is compressed as KIND, part by part.

    Errors of whoever takes the parts do not come through here: a full disk is
    no damage of the data.
    """
    if kind == "":
        yield from allowance.parts(file)
    elif kind == ".zst":
        if shutil.which("zstd") is None:
            raise Refused("compressed with zstd, which is not installed")
        with output_of(["zstd", "-dcq"], file) as stream:
            yield from allowance.parts(stream)
    elif kind in OPENERS:
        library = needed_module(OPENERS[kind])
        try:
            with library.open(file) as stream:
                yield from allowance.parts(stream)
        except damages() as error:
            raise Refused("damaged compressed data: %s" % error) from None
    else:
        raise Refused("unknown compression %s" % kind)


def decompress(kind: str, data: bytes) -> bytes:
    if kind == "":
        return data
    # zstd is a command, which needs a file with a descriptor.
    with tempfile.TemporaryFile() if kind == ".zst" else io.BytesIO() as file:
        file.write(data)
        file.seek(0)
        return b"".join(parts(kind, file, Allowance(len(data))))


def compress(kind: str, data: bytes, level: Optional[int],
             threads_max: int) -> bytes:
    """Return DATA, compressed as KIND with LEVEL, by default dpkg-deb's."""
    if level is None:
        level = DEFAULT_LEVELS.get(kind, 0)
    level = min(level, 19 if kind == ".zst" else 9)
    threads = "-T%d" % max(2, threads_max)
    new: bytes = data
    if kind == ".gz":
        new = needed_module("gzip").compress(data, level, mtime=0)
    elif kind == ".bz2":
        new = needed_module("bz2").compress(data, level)
    elif kind == ".lzma":
        lzma = needed_module("lzma")
        new = lzma.compress(data, format=lzma.FORMAT_ALONE, preset=level)
    elif kind == ".xz" and shutil.which("xz") is None:
        lzma = needed_module("lzma")
        new = lzma.compress(data, check=lzma.CHECK_CRC32, preset=level)
    elif kind == ".xz":
        new = run(["xz", "-cq", "-%d" % level, "--check=crc32", threads],
                  input=data)
    elif kind != "":
        new = run(["zstd", "-cq", "-%d" % level, threads], input=data)
    return new
