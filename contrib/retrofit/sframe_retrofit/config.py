# SPDX-License-Identifier: LGPL-2.1-or-later
"""What this machine's administrator says about conversions.

cfi2sframe reads /etc/cfi2sframe.conf and /etc/cfi2sframe.conf.d/*.conf, and
says with --show-config what counts of them.
"""

import fnmatch
import os
import re
from typing import List, NamedTuple, Optional

from sframe_retrofit.commands import run

PATH = "/etc/cfi2sframe.conf"
VARIABLE = "CFI2SFRAME_CONFIG" # names another file, or, if it is empty, none


# Classes of characters in a pattern's brackets, in ASCII.
CLASSES = {b"alnum": b"0-9A-Za-z", b"alpha": b"A-Za-z", b"blank": b" \t",
           b"digit": b"0-9", b"lower": b"a-z", b"space": b" \t-\r",
           b"upper": b"A-Z", b"xdigit": b"0-9A-Fa-f"}


def fits(pattern: str, text: str) -> bool:
    """Return whether PATTERN matches TEXT, as configuration_pattern_matches () of
    src/cli/configuration.c has it.

    That function goes by bytes, and knows [^...] and [[:digit:]], which Python's
    fnmatch does not.
    """
    wanted = re.sub(rb"\[:(\w+):\]",
                    lambda match: CLASSES.get(match[1], match[0]),
                    os.fsencode(pattern)).replace(b"[^", b"[!")
    return fnmatch.fnmatchcase(os.fsencode(text), wanted)


class Setting(NamedTuple):
    """A line of the configuration."""
    name: str
    value: str
    where: str # FILE:LINE


def parse_line(line: str) -> Setting:
    """A line of cfi2sframe --show-config.  A value has no " #" in it."""
    setting, _, where = line.partition(" # ")
    name, _, value = setting.partition(" = ")
    return Setting(name, value, where)


class Config:
    """All settings that count: TEXT, as cfi2sframe --show-config has it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.settings = [parse_line(line) for line in text.split("\n")[:-1]]

    def values(self, name: str) -> List[Setting]:
        return [one for one in self.settings if one.name == name]

    def value(self, name: str) -> Optional[str]:
        """Return the value of a setting that has at most one."""
        found = self.values(name)
        return found[0].value if found else None

    def why_left(self, name: str, text: str) -> Optional[str]:
        """Return which line of the setting NAME leaves TEXT out, or None."""
        for one in self.values(name):
            if fits(one.value, text):
                return "left out by %s" % one.where
        return None

    def why_package(self, package: str) -> Optional[str]:
        return self.why_left("exclude-package", package)

    def why_file(self, path: str) -> Optional[str]:
        """Return which line leaves the file PATH out, or None.

        PATH is that of the installed system, with or without "/" or "./".
        """
        return self.why_left("exclude", "/" + re.sub(r"^(\./|/)+", "", path))

    def options(self, further: List[str]) -> List[str]:
        """Return cfi2sframe's options for these settings, and behind them FURTHER,
        which the user adds."""
        coverage, version = self.value("min-coverage"), self.value("format")
        if any(one.startswith(("--for=", "--format=")) for one in further):
            version = None
        return (["--min-coverage=" + coverage] if coverage else []) \
            + (["--format=" + version] if version else []) \
            + (["--convert-checksummed"]
               if self.value("checksummed") == "yes" else []) + further

    def key(self) -> List[List[str]]:
        """Return what results depend on; equal configurations have equal keys."""
        return [[one.name, one.value] for one in self.settings]


def read(program: str) -> Config:
    """Return the configuration of this machine, as PROGRAM, cfi2sframe, reads it.

    Where there is none, PROGRAM is not run: configuration_read () of
    src/cli/configuration.c looks at the same names.
    """
    path = os.environ.get(VARIABLE, PATH)
    if not path or not any(map(os.path.lexists, (path, path + ".d"))):
        return Config("")
    return Config(run([program, "--show-config"])
                  .decode(errors="backslashreplace"))
