# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that appear complete or not at all, and who a name belongs to."""

import errno
import hashlib
import json
import os
import secrets
import shutil
import stat
from typing import IO, Any, Callable, Dict, Iterable

from sframe_retrofit import Refused
from sframe_retrofit.ending import short_lived

# rpm's numbers of digest algorithms; a package without a number has MD5.
RPM_ALGORITHMS = {None: "md5", 0: "md5", 1: "md5", 2: "sha1", 8: "sha256",
                  9: "sha384", 10: "sha512", 11: "sha224", 12: "sha3_256",
                  14: "sha3_512"}


def open_regular(path: str, flags: int = 0) -> IO[bytes]:
    """Open the regular file PATH for reading; do not wait for a fifo."""
    file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "no regular file", path)
    return file


def digest_of(file: IO[bytes], algorithm: str = "sha256") -> str:
    """Return the digest of what can be read from FILE."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def is_regular_or_new(path: str) -> bool:
    """Return whether a new file may take the place of PATH.

    It may not take that of a device or of a link, as /dev/stdout is one.
    """
    return not os.path.lexists(path) or stat.S_ISREG(os.lstat(path).st_mode)


def replace_file(path: str, write: Callable[[IO[bytes]], Any]) -> None:
    """Call WRITE with a new file that gets its name when it is complete.

    Until then it has a name of its own: PATH.part may be a browser's.
    """
    temporary = f"{path}.{secrets.token_hex(6)}.part"
    with short_lived(temporary):
        try:
            new = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL,
                          0o666)
        except OSError as error: # nobody asked for that name
            raise OSError(error.errno, error.strerror, path) from None
        with open(new, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)


def write_text(path: str, text: str) -> None:
    """Write TEXT, of any bytes, to PATH, and make its folder if need be."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    replace_file(path, lambda file: file.write(
        text.encode(errors="surrogateescape")))


def load_json(path: str) -> Any:
    """Return what a file of JSON has, None if it is missing or has no JSON."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return None


def copy_package(source: str, target: str) -> None:
    """Copy a file with its time stamps, unless both are the same file."""
    if os.path.exists(target) and os.path.samefile(source, target):
        return
    with open(source, "rb") as file:
        replace_file(target, lambda new: shutil.copyfileobj(file, new))
    shutil.copystat(source, target)


class Outputs:
    """The files that a run makes in FOLDER: no package's takes another's name.

    Nor does one take the place of a package that was given, unless it is that
    package itself.
    """

    def __init__(self, folder: str, packages: Iterable[str]) -> None:
        self.folder = folder
        self.owners: Dict[str, str] = {
            self._place(os.path.dirname(path), path): path
            for path in packages}

    @staticmethod
    def _place(folder: str, name: str) -> str:
        return os.path.join(os.path.realpath(folder), os.path.basename(name))

    def path(self, package: str, name: str) -> str:
        """Return where the file NAME goes that is made of the package in the
        file PACKAGE."""
        owner = self.owners.setdefault(self._place(self.folder, name), package)
        if owner != package:
            raise Refused("%s would be written over: it is of %s"
                          % (os.path.join(self.folder, name), owner))
        return os.path.join(self.folder, os.path.basename(name))
