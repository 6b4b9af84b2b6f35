# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the programs that convert packages, images and systems have in common.

  ending       how a program ends, and what must not outlive it
  commands     other programs
  files        files that appear complete or not at all, and their names
  elf          headers of ELF files
  compression  of packages; limits of what is unpacked
  archives     tar archives, which are rewritten member by member
  checksums    what may be a checksum of a file that is to be converted
  config       /etc/cfi2sframe.conf
  converter    cfi2sframe, what is asked for, and what it says of files
  mtree        pacman's list of the files in a package
  md5sums      dpkg's list of them
  databases    what dpkg, rpm or pacman has installed
  installed    the files of an installed system, and what became of them
  progress     a progress bar on the terminal, and a line at the end
  page         a table as an HTML page
  packages     the two passes over all packages of a run
  arguments    options that the programs have in common
  debian       control files of Debian packages
  image_blobs            a container image: its JSON files and its blobs
  image_layers           its layers: a new one, or those there, changed
  repository_plan        a new apt repository: what is wanted
  repository_groups      which of its packages go together
  repository_converting  its packages, and what was made of them
  repository_indexes     its indexes, and what they do not name

A module imports only those above it in this list.
"""

import os
import re
import sys
from typing import Callable, List, Optional

PROGRAM = os.path.basename(sys.argv[0])
VERSION = "0.2.0" # configure.ac's; a test compares them
# The version of objects in JSON, which doc/formats/cfi2sframe.schema.json describes.
JSON_VERSION = 1


class Refused(Exception):
    """Why a package, or the whole task, is left undone, in one sentence."""


# Called before anything is printed: a progress bar is cleared.
before_message: List[Callable[[], None]] = []


def complain(*parts: object) -> None:
    """Print a message on stderr: the program's name and PARTS, with colons."""
    for function in before_message:
        function()
    print(": ".join(map(str, (PROGRAM,) + parts)), file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Print TEXT, a line of what was asked for, on stdout."""
    for function in before_message:
        function()
    try:
        print(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Refused("standard output: " + reason_of(error)) from None


def shown(name: str) -> str:
    """Return NAME fit to be shown: on one line, without control characters."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode()
                   for c in name)


def reason_of(error: BaseException, about: str = "") -> str:
    """Return ERROR in plain words, without the file's name if that is ABOUT."""
    if isinstance(error, OSError) and error.strerror:
        name = error.filename
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        return ("%s: " % shown(name) if isinstance(name, str)
                and name != about else "") + error.strerror
    if isinstance(error, UnicodeDecodeError):
        return "it has text that is not UTF-8"
    if isinstance(error, MemoryError):
        return "not enough memory"
    return str(error)


def percent(part: int, whole: int, digits: int = 2) -> str:
    """Return PART of WHOLE in percent, rounded down, so that 100 means all; ""
    if WHOLE is 0."""
    if not whole:
        return ""
    one = 10 ** digits
    share = part * 100 * one // whole
    return "%d.%0*d" % (share // one, digits, share % one)


def counted(number: int, what: str) -> str:
    """Return NUMBER and WHAT, a noun that takes an "s"."""
    return "%d %s%s" % (number, what, "" if number == 1 else "s")


def checked_name(what: str, value: Optional[str], pattern: str) -> str:
    """Return VALUE, a package's WHAT, if all of it matches PATTERN.

    Whatever a package says of itself goes through here before it becomes a
    part of a file name, of a command or of an index.  A value with a slash, or
    with a dot in front, is refused, whatever PATTERN says.
    """
    if value is None:
        raise Refused("the package has no %s" % what)
    if value.startswith(".") or "/" in value \
       or not re.fullmatch(pattern, value):
        raise Refused("invalid %s: %s" % (what, ascii(value)[:100]))
    return value
