# SPDX-License-Identifier: LGPL-2.1-or-later
"""What this machine's administrator says about conversions.

Read are /etc/cfi2sframe.conf and then, in the order of their names,
/etc/cfi2sframe.conf.d/*.conf.  A line is "setting = value"; what is behind a
"#" at the beginning or after a blank is a comment.  Of settings with one value
the last one counts, the others add up:

  exclude-package  packages that stay as they are, a pattern
  exclude          files that stay as they are, a pattern of their paths in the
                   system that they are installed in
  checksummed      yes: files that something keeps a checksum of (FIPS 140) are
                   converted, too
  min-coverage     percent of the code that have to get rows
  format           version of SFrame
"""

import fnmatch
import os
import re
from typing import Callable, Dict, List, NamedTuple, Optional

from sframe_retrofit import Refused
from sframe_retrofit.files import open_regular

PATH = "/etc/cfi2sframe.conf"
# Names another file, or, if it is empty, none.
VARIABLE = "CFI2SFRAME_CONFIG"
SIZE_MAX = 1 << 20 # bytes of a file


class Setting(NamedTuple):
    """A line."""
    name: str
    value: str
    where: str # FILE:LINE


def is_percentage(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text, re.ASCII) \
        is not None and float(text) <= 100


def is_pattern(text: str) -> bool:
    return 0 < len(text) <= 4096 and text.isprintable()


class Kind(NamedTuple):
    """What a setting may be."""
    fits: Callable[[str], bool]
    rule: str


KINDS: Dict[str, Kind] = {
    "exclude-package": Kind(is_pattern, "a pattern"),
    "exclude": Kind(lambda text: is_pattern(text) and text[0] in "/*",
                    "a pattern that begins with '/' or '*'"),
    "checksummed": Kind(lambda text: text in ("yes", "no"), "yes or no"),
    "min-coverage": Kind(is_percentage, "a percentage"),
    "format": Kind(lambda text: text in ("3", "2", "2.0", "1"),
                   "3, 2, 2.0 or 1"),
}


def shown(text: str) -> str:
    """TEXT on one line, and not too long."""
    return ascii(text[:60])


def parse_line(line: str, where: str) -> Optional[Setting]:
    """The setting in LINE, or None."""
    text = re.sub(r"(^|[ \t])#.*", "", line).strip(" \t")
    if not text:
        return None
    name, equals, value = (part.strip(" \t") for part in text.partition("="))
    if not equals:
        raise Refused("%s: %s is no 'setting = value'" % (where, shown(text)))
    if name not in KINDS:
        raise Refused("%s: unknown setting %s; there are: %s"
                      % (where, shown(name), ", ".join(sorted(KINDS))))
    if not KINDS[name].fits(value):
        raise Refused("%s: %s is %s, not %s" % (where, name, KINDS[name].rule,
                                                shown(value)))
    return Setting(name, value, where)


def read_text(path: str) -> str:
    """The contents of a regular file."""
    try:
        with open_regular(path) as file:
            data = file.read(SIZE_MAX + 1)
    except OSError as error:
        raise Refused("%s: %s" % (path, error.strerror)) from None
    if len(data) > SIZE_MAX:
        raise Refused("%s: larger than %d bytes" % (path, SIZE_MAX))
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused("%s: not UTF-8" % path) from None


def read_file(path: str) -> List[Setting]:
    lines = read_text(path).split("\n")
    found = (parse_line(line, "%s:%d" % (path, number))
             for number, line in enumerate(lines, 1))
    return [setting for setting in found if setting is not None]


def files_of(path: str) -> List[str]:
    """PATH and what is in its folder, as far as there is any."""
    folder = path + ".d"
    try:
        names = sorted(name for name in os.listdir(folder)
                       if name.endswith(".conf") and name[0] != ".")
    except (FileNotFoundError, NotADirectoryError):
        names = []
    except OSError as error:
        raise Refused("%s: %s" % (folder, error.strerror)) from None
    return [path] * os.path.lexists(path) \
        + [os.path.join(folder, name) for name in names]


class Config:
    """All settings."""

    def __init__(self, path: str) -> None:
        self.settings = [setting for name in (files_of(path) if path else [])
                         for setting in read_file(name)]

    def values(self, name: str) -> List[Setting]:
        """What counts of the lines with this setting."""
        found = [one for one in self.settings if one.name == name]
        return found if name.startswith("exclude") else found[-1:]

    def value(self, name: str) -> Optional[str]:
        """Of a setting with one value."""
        found = self.values(name)
        return found[0].value if found else None

    def why_left(self, name: str, text: str) -> Optional[str]:
        """Which line of the setting NAME leaves TEXT out, or None."""
        for one in self.values(name):
            if fnmatch.fnmatchcase(text, one.value):
                return "left out by %s" % one.where
        return None

    def why_package(self, package: str) -> Optional[str]:
        return self.why_left("exclude-package", package)

    def why_file(self, path: str) -> Optional[str]:
        """PATH as in the installed system, with or without "/" or "./"."""
        return self.why_left("exclude", "/" + re.sub(r"^(\./|/)+", "", path))

    def options(self, further: List[str]) -> List[str]:
        """For cfi2sframe, with what the user adds, FURTHER, behind them."""
        coverage, version = self.value("min-coverage"), self.value("format")
        if any(one.startswith(("--for=", "--format=")) for one in further):
            version = None
        return (["--min-coverage=" + coverage] if coverage else []) \
            + (["--format=" + version] if version else []) \
            + (["--convert-checksummed"]
               if self.value("checksummed") == "yes" else []) + further

    def key(self) -> List[List[str]]:
        """What results depend on; equal configurations have equal keys."""
        return [[one.name, one.value] for one in self.settings]

    def show(self) -> str:
        """What counts, a line each, with its origin."""
        return "".join("%s = %s # %s\n" % (one.name, one.value, one.where)
                       for name in KINDS for one in self.values(name))


def read(environment: Optional[Dict[str, str]] = None) -> Config:
    """The configuration of this machine; raises Refused."""
    given = os.environ if environment is None else environment
    return Config(given.get(VARIABLE, PATH))
