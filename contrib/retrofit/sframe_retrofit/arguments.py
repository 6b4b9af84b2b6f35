# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options that the programs have in common."""

import argparse
import os
import re
import shutil
import sys
from typing import Any, Callable, NoReturn, Optional, Type, TypeVar

from sframe_retrofit import PROGRAM, VERSION, complain, config
from sframe_retrofit.commands import not_found
from sframe_retrofit.compression import Allowance
from sframe_retrofit.converter import ConvertingOptions, Options
from sframe_retrofit.packages import PackageOptions

Asked = TypeVar("Asked", bound=Options)
Converting = TypeVar("Converting", bound=ConvertingOptions)
Packages = TypeVar("Packages", bound=PackageOptions)


class Parser(argparse.ArgumentParser):
    """Wrong usage is told as cfi2sframe tells it."""

    def error(self, message: str) -> NoReturn:
        message = message.replace("the following arguments are required: ",
                                  "missing: ").removeprefix("argument ")
        complain(message)
        sys.exit(complain_of_usage())


def complain_of_usage() -> int:
    """Print where to read more, and return the exit status of wrong usage."""
    print("Try '%s --help' for more information." % PROGRAM, file=sys.stderr)
    return 2


def between(least: int, most: Optional[int] = None) -> Callable[[str], int]:
    """Return a type for add_argument (): numbers from LEAST on, to MOST."""
    def parsed(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < least \
           or (most is not None and int(text) > most):
            raise argparse.ArgumentTypeError(
                "%s is not a number from %d%s" % (
                    ascii(text), least, " on" if most is None
                    else " to %d" % most))
        return int(text)

    return parsed


def matching(pattern: str, rule: str) -> Callable[[str], str]:
    """Return a type for add_argument (): text that matches PATTERN, which RULE
    puts in words."""
    def parsed(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise argparse.ArgumentTypeError(rule)
        return text

    return parsed


def new_parser(description: str, epilog: str = "") -> Parser:
    parser = Parser(
        prog=PROGRAM, description=description,
        epilog=epilog + "Options after -- are given to cfi2sframe.")
    parser.add_argument("-V", "--version", action="version",
                        version="%s %s" % (PROGRAM, VERSION))
    return parser


class ShowConfig(argparse.Action):
    """The action of --show-config: as with --version, nothing else is done."""

    def __call__(self, parser: argparse.ArgumentParser,
                 namespace: argparse.Namespace, values: Any,
                 option_string: Any = None) -> None:
        sys.stdout.write(config.read(namespace.cfi2sframe).text)
        parser.exit()


def parse_converting(parser: Parser, kind: Type[Converting],
                     *needed: str) -> Converting:
    """Return what parse () does, with the options of all programs that convert."""
    parser.add_argument("-v", "--verbose", action="store_true",
                        help="say what is done")
    add_converter(parser)
    parser.add_argument("--show-config", action=ShowConfig, nargs=0,
                        default=argparse.SUPPRESS,
                        help="print what %s and %s.d/*.conf say, and exit"
                        % (config.PATH, config.PATH))
    return parse(parser, kind, *needed)


def add_converter(parser: Parser) -> None:
    parser.add_argument("--cfi2sframe", metavar="PROGRAM",
                        default=os.environ.get("CFI2SFRAME", "cfi2sframe"),
                        help="the converter (default %(default)s)")


def parse(parser: Parser, kind: Type[Asked], *needed: str) -> Asked:
    """Return what was asked for, in an object of the class KIND.

    cfi2sframe, and the programs NEEDED besides, have to be installed.
    """
    arguments, further = sys.argv[1:], []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, further = arguments[:split], arguments[split + 1:]
    # Options may stand between names.
    found = parser.parse_intermixed_args(arguments)
    need_programs(found.cfi2sframe, *needed)
    return kind(further=further, **vars(found))


def need_programs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise not_found(program)


def add_unpacked_max(parser: Parser) -> None:
    parser.add_argument("--unpacked-max", metavar="MIB", type=between(1),
                        help="leave alone what unpacks to more (default: %d "
                        "times its size, at least %d and at most %d)"
                        % (Allowance.RATIO, Allowance.FREE >> 20,
                           Allowance.MAX >> 20))


class Suffix:
    """What is appended to versions: the default, and which others may be."""

    def __init__(self, default: str, pattern: str, rule: str) -> None:
        self.default, self.pattern, self.rule = default, pattern, rule

    def add_to(self, parser: Parser) -> None:
        parser.add_argument("--suffix", default=self.default,
                            type=matching(self.pattern, self.rule),
                            help="appended to versions (default %(default)s)")


def add_dry_run(parser: Parser, what: str) -> None:
    parser.add_argument("-n", "--dry-run", action="store_true",
                        help="say what would %s, write nothing" % what)
    # The old name of the option, before it was called as cfi2sframe's.
    parser.add_argument("--list", action="store_true", dest="dry_run",
                        help=argparse.SUPPRESS)


def new_packages_parser(description: str, kind: str, suffix: Suffix,
                        level_max: int, level_help: str) -> Parser:
    """Return a parser for a program that converts packages of KIND."""
    parser = new_parser(description)
    parser.add_argument("packages", nargs="+", metavar="IN." + kind)
    parser.add_argument("-o", "--output", metavar="DIR", default="",
                        help="folder for the new packages")
    add_dry_run(parser, "happen")
    suffix.add_to(parser)
    parser.add_argument("-z", "--level", metavar="LEVEL",
                        type=between(1, level_max), help=level_help)
    parser.add_argument("--threads-max", metavar="N", type=between(1),
                        default=len(os.sched_getaffinity(0)),
                        help="threads for compressing (default: as many as "
                        "there are processors); the result is the same")
    add_unpacked_max(parser)
    return parser


def parse_packages(parser: Parser, kind: Type[Packages],
                   *needed: str) -> Packages:
    """Return what a program that converts packages was asked for."""
    options = parse_converting(parser, kind, *needed)
    if options.writes() and not options.output:
        parser.error("-o DIR or --dry-run is needed")
    options.packages = list(dict.fromkeys(options.packages))
    Allowance.give(options.unpacked_max)
    return options
