# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files in an archive, as a conversion needs them; and tar archives, where
everything that does not change is copied byte for byte."""

import io
import os
import tarfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

from sframe_retrofit import Refused, elf

BLOCK = 512

# What tarfile raises for a damaged archive: it has no one exception for damaged
# numbers, and recurses for a header of a long name behind another one.
DAMAGES = (tarfile.TarError, ArithmeticError, ValueError, RecursionError,
           EOFError)


class TarMember(tarfile.TarInfo):
    """A member of an archive; two kinds of harmful archives are refused.

    Python up to 3.13.5 reads an archive for ever if a member's size is negative.
    Fields of the archive are copied for each member, so that many fields and
    many members would take memory by their product.
    """

    FIELDS_MAX = 32 # in an archive; git archive writes one

    @classmethod
    def fromtarfile(cls, tarfile_: Any) -> Any:
        if len(tarfile_.pax_headers) > cls.FIELDS_MAX:
            raise tarfile.ReadError("too many global headers")
        return super().fromtarfile(tarfile_)

    def _block(self, count: int) -> int:
        if count < 0:
            raise tarfile.ReadError("negative size")
        parent: Any = super()
        return int(parent._block(count))


def tar_members(data: bytes) -> Sequence[Any]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:",
                          tarinfo=TarMember) as archive:
            return archive.getmembers()
    except DAMAGES as error:
        raise Refused("damaged tar archive: %s" % error) from None


def patched_header(header: bytes, size: int) -> bytes:
    """Return HEADER, a ustar or GNU header, with SIZE as the file's size."""
    if size >= 8 ** 11:
        raise Refused("a file is too large for its tar header")
    new = bytearray(header)
    new[124:136] = b"%011o\0" % size
    new[148:156] = b" " * 8
    new[148:156] = b"%06o\0 " % sum(new)
    return bytes(new)


def replace_in_tar(data: bytes, members: Sequence[Any],
                   replacements: Dict[int, bytes]) -> bytes:
    """Return the archive DATA with other contents for some members.

    REPLACEMENTS maps the index of a member to its new contents.
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


def clean_name(name: str) -> str:
    """Return a tar member's name as md5sums has it: without "./" in front."""
    while name.startswith("./"):
        name = name[2:]
    return name


class Files:
    """The files in an archive, by index.

    MEMBERS have what a TarInfo has: name, offset_data, size, isreg (), isdir ()
    and issym ().
    """

    def __init__(self, data: bytes, members: Sequence[Any]) -> None:
        self.data, self.members = data, members

    def name(self, index: int) -> str:
        return clean_name(self.members[index].name)

    def names(self, index: int) -> List[str]:
        """Return all names of a file, hard links included."""
        return [self.name(index)]

    def size(self, index: int) -> int:
        """Return how many bytes of a file are stored in the archive."""
        return int(self.members[index].size)

    def file(self, index: int, most: Optional[int] = None) -> bytes:
        """Return the contents of a file, or the first MOST bytes of them."""
        begin = self.members[index].offset_data
        end = begin + self.size(index)
        return self.data[begin:end if most is None else min(end, begin + most)]

    def start(self, index: int) -> bytes:
        """Return the bytes that tell whether a file is ELF, and of which type."""
        return self.file(index, elf.START)

    def elf_files(self) -> List[int]:
        """Return the indices of the regular files that are ELF files."""
        return [index for index, member in enumerate(self.members)
                if member.isreg() and self.start(index)[:4] == elf.MAGIC]

    def all_names(self) -> List[Tuple[int, str]]:
        """Return (index, name) pairs of all members but folders."""
        return [(index, self.name(index))
                for index, member in enumerate(self.members)
                if not member.isdir()]

    def link_targets(self) -> List[Tuple[str, str]]:
        """Return (name, target) pairs of the symbolic links."""
        return [(self.name(index), os.fsdecode(self.file(index)))
                for index, member in enumerate(self.members)
                if member.issym()]


class TarContents(Files):
    """The files of a tar archive."""

    def __init__(self, tar: bytes) -> None:
        super().__init__(tar, tar_members(tar))
        self.links: Dict[int, List[str]] = {} # hard links' names, by a file's index
        named: Dict[str, int] = {} # of two files with one name the last
        for index, member in enumerate(self.members):
            if member.islnk():
                target = named.get(clean_name(member.linkname))
                if target is None:
                    continue
                self.links.setdefault(target, []).append(self.name(index))
                index = target
            named[clean_name(member.name)] = index

    def size(self, index: int) -> int:
        """Return 0 for a link or a sparse file, whose size is not that of what is
        stored.

        Such a member takes 512 bytes of the archive, and could claim all of it;
        there may be any number of them.
        """
        member = self.members[index]
        return super().size(index) \
            if member.isreg() and not member.issparse() else 0

    def names(self, index: int) -> List[str]:
        """Return the file's own name, and those of hard links to it."""
        return [self.name(index)] + self.links.get(index, [])

    def link_targets(self) -> List[Tuple[str, str]]:
        """Return (name, target) pairs of the symbolic links and the hard links.

        The target of a hard link is given relative to its folder, too.
        """
        return [(clean_name(member.name),
                 member.linkname if member.issym()
                 else os.path.relpath(clean_name(member.linkname) or ".",
                                      os.path.dirname(clean_name(member.name))
                                      or "."))
                for member in self.members
                if member.issym() or member.islnk()]

    def replaced(self, replacements: Dict[int, bytes]) -> bytes:
        """Return the archive with other contents for some files, by index."""
        return replace_in_tar(self.data, self.members, replacements)

    def with_files(self, contents: Dict[str, bytes]) -> bytes:
        """Return the archive with CONTENTS, by name, for those regular files of
        these names that are there."""
        return self.replaced({
            index: new for name, new in contents.items()
            for index in [self.where(name)] if index is not None})

    def where(self, name: str) -> Optional[int]:
        """Return the index of the regular file NAME, or None.

        Two files of this name are refused, since programs differ in which of them
        they take.
        """
        found = [index for index, member in enumerate(self.members)
                 if member.isreg() and clean_name(member.name) == name]
        if len(found) > 1:
            raise Refused("%s is in the archive more than once" % name)
        return found[0] if found else None

    def find(self, name: str) -> Optional[bytes]:
        """Return the contents of the regular file NAME, or None."""
        index = self.where(name)
        return None if index is None else self.file(index)
