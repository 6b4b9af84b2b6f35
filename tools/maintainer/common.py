"""What the programs in Python share: how they are called and how they end; the path to
sframe_retrofit, which reads ELF.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import os
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(1, os.path.join(TOP, "contrib/retrofit"))


def parser_of(document, **options):
    """A parser whose --help is the DOCUMENT of the program."""
    return argparse.ArgumentParser(
        description=document,
        formatter_class=argparse.RawDescriptionHelpFormatter, **options)


def add_build(parser):
    """-b BUILD, as scripts have it."""
    parser.add_argument("-b", dest="build", metavar="BUILD",
                        default=os.path.join(TOP, "build"),
                        help="build tree (default: build)")


def converter(arguments):
    """The cfi2sframe of the build tree."""
    return os.path.join(arguments.build, "src/cfi2sframe")


def run(main):
    """End with what MAIN says.  A file or a program that is missing is told in a line."""
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")
