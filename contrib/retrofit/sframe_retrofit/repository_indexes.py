# SPDX-License-Identifier: LGPL-2.1-or-later
"""A new apt repository: its indexes, their signatures, and the removal of
packages that are no longer in them."""

import os
from typing import Dict, List, Set, Tuple

from sframe_retrofit import Refused
from sframe_retrofit.commands import output_text, run
from sframe_retrofit.files import write_text
from sframe_retrofit.repository_converting import (Record, name_in_repository,
                                                   tell_more)
from sframe_retrofit.repository_plan import Item, RepositoryOptions


def ftparchive_configuration(options: RepositoryOptions, items: List[Item],
                             packages: List[Record]) -> Tuple[str, List[str]]:
    """Write a configuration file for "apt-ftparchive generate"; return its path,
    and the architectures in it."""
    architectures = sorted({package["architecture"] for package in packages}
                           - {"all"}) or options.architectures[:1]
    write_text(os.path.join(options.state, "index", "files"),
               "".join(sorted(package["output"] + "\n"
                              for package in packages)))
    write_text(os.path.join(options.state, "index", "override"),
               "".join(sorted({
                   "%s %s %s\n" % (
                       name_in_repository(options, item),
                       "optional" if options.detached else item["priority"],
                       "debug" if options.detached else item["section"])
                   for item in items})))
    for architecture in architectures:
        os.makedirs(os.path.join(options.output, "dists", options.suite, "main",
                                 "binary-" + architecture), exist_ok=True)
    path = os.path.join(options.state, "index", "apt-ftparchive.conf")
    write_text(path, """
Dir { ArchiveDir "%s"; CacheDir "%s"; OverrideDir "%s"; FileListDir "%s"; };
APT::FTPArchive { DoByHash "true"; By-Hash-Keep "12"; Contents "false";
                  MD5 "false"; SHA1 "false"; SHA512 "false"; };
Default { Packages::Compress ". gzip xz"; Contents::Compress "gzip"; };
Tree "dists/%s" {
  Sections "main";
  Architectures "%s";
  FileList "files";
  BinOverride "override";
  BinCacheDB "packages-$(ARCH).db";
  Contents " ";
};
""" % (options.output, os.path.dirname(path), os.path.dirname(path),
       os.path.dirname(path), options.suite, " ".join(architectures)))
    return path, architectures


def check_indexed(folder: str, architectures: List[str],
                  packages: List[Record]) -> None:
    """Refuse indexes without some of PACKAGES: apt-ftparchive leaves out what it
    cannot read, and does not fail."""
    indexed: Set[str] = set()
    for architecture in architectures:
        with open(os.path.join(folder, "main", "binary-" + architecture,
                               "Packages"), encoding="utf-8") as file:
            indexed |= {line.split(" ", 1)[1].rstrip("\n") for line in file
                        if line.startswith("Filename: ")}
    missing = {package["output"] for package in packages} - indexed
    if missing:
        raise Refused("apt-ftparchive does not index %s" % min(missing))


def sign(options: RepositoryOptions, release: str) -> Dict[str, str]:
    """Write the signed InRelease and Release.gpg next to RELEASE; return their
    paths, which are not their last names yet."""
    if not options.sign:
        return {}
    made: Dict[str, str] = {}
    for name, mode in (("InRelease", ["--clearsign"]),
                       ("Release.gpg", ["--armor", "--detach-sign"])):
        made[name] = release + "-" + name
        run(["gpg", "--batch", "--yes", "--local-user", options.sign,
             "--output", made[name]] + mode + [release])
    return made


def make_indexes(options: RepositoryOptions, items: List[Item],
                 packages: List[Record]) -> None:
    """Make indexes that name PACKAGES.

    A reader goes by InRelease, which is renamed last, and fetches the files
    it names by their digests; those of the last releases stay.
    """
    configuration, architectures = ftparchive_configuration(options, items,
                                                            packages)
    # apt-ftparchive takes some settings from -c, and some from the argument.
    run(["apt-ftparchive", "-qq", "-c", configuration, "generate",
         configuration])
    folder = os.path.join(options.output, "dists", options.suite)
    check_indexed(folder, architectures, packages)
    about = {"Origin": options.origin, "Label": options.origin,
             "Suite": options.suite, "Codename": options.suite,
             "Architectures": " ".join(architectures), "Components": "main",
             "Acquire-By-Hash": "yes",
             "Description": "Packages with SFrame data"}
    text = output_text(
        ["apt-ftparchive", "-c", configuration]
        + [argument for pair in about.items() for argument in
           ("-o", "APT::FTPArchive::Release::%s=%s" % pair)]
        + ["release", folder])
    release = os.path.join(options.state, "index", "Release")
    write_text(release, text)
    made = dict(sign(options, release), Release=release)
    for name in ("Release.gpg", "Release", "InRelease"):
        if name in made:
            os.rename(made[name], os.path.join(folder, name))
        elif os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name)) # signed with another key


def prune(options: RepositoryOptions, packages: List[Record], keys: Set[str]) \
        -> None:
    """Remove packages, and records of groups, that are no longer in use."""
    indexed = {package["output"] for package in packages}
    for folder, _, names in os.walk(os.path.join(options.output, "pool"),
                                    topdown=False):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, options.output) not in indexed:
                os.unlink(path)
                tell_more(options, "removed: %s" % path)
        if not os.listdir(folder):
            os.rmdir(folder)
    done = os.path.join(options.state, "done")
    for name in os.listdir(done) if os.path.isdir(done) else ():
        if name.removesuffix(".json") not in keys:
            os.unlink(os.path.join(done, name))
