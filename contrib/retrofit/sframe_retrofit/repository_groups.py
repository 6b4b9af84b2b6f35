# SPDX-License-Identifier: LGPL-2.1-or-later
"""A new apt repository: groups of packages, and checksums in others.

Packages that name each other exactly have to be converted in one call (see
find_renewed in packages.py), others need not.
"""

import concurrent.futures
import fcntl
import hashlib
import json
import os
import subprocess
import sys
from typing import Any, Dict, List, Tuple

from sframe_retrofit import Refused, commands
from sframe_retrofit.commands import run
from sframe_retrofit.files import load_json, write_text
from sframe_retrofit.repository_plan import Item, RepositoryOptions, chunks

APT_HELPER = "/usr/lib/apt/apt-helper"

Pair = Tuple[str, str]                # package, version
Groups = List[Tuple[str, List[Item]]] # by their keys


def group(items: List[Item]) -> List[List[Item]]:
    """Return ITEMS in lists that do not name each other."""
    leader: Dict[Pair, Pair] = {}

    def find(key: Pair) -> Pair:
        while leader.setdefault(key, key) != key:
            leader[key] = leader[leader[key]]
            key = leader[key]
        return key

    known = {(item["package"], item["version"]) for item in items}
    for item in items:
        for need in item["needs"]:
            pair = (need[0], need[1])
            if pair in known:
                leader[find(pair)] = find((item["package"], item["version"]))
    groups: Dict[Pair, List[Item]] = {}
    for item in items:
        groups.setdefault(find((item["package"], item["version"])),
                          []).append(item)
    return list(groups.values())


def size_of(items: List[Item]) -> int:
    return sum(item["size"] for item in items)


def group_key(options: RepositoryOptions, items: List[Item]) -> str:
    """Return the name of the record of ITEMS, a digest of all that the result
    depends on.

    Another level, or a newer converter, does not make it begin anew: clients
    that have a package would not fetch another one of the same version.
    Checksums that others have are one, since what they are of must not be
    converted; those that have new contents are none.
    """
    what: List[Any] = [sorted(item["sha256"] for item in items),
                       "detached" if options.detached else options.suffix,
                       options.further]
    if options.config.settings:
        what.append(options.config.key())
    names = sorted({name for item in other_holders(options, items)
                    for name in item["checksums"]})
    if names:
        what.append(names)
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def ordered(options: RepositoryOptions, items: List[Item]) -> Groups:
    """Return (key, items) pairs, the largest group first: at the end, one of them
    would be waited for.

    Packages of detached sections follow no other package's version.  They are
    grouped by their sources, since packages of one source may have the same files.
    """
    sources: Dict[str, List[Item]] = {}
    for item in items:
        sources.setdefault(item["source"], []).append(item)
    groups = list(sources.values()) if options.detached else group(items)
    return sorted(((group_key(options, some), some) for some in groups),
                  key=lambda pair: (-size_of(pair[1]), pair[0]))


def own_part(part: Tuple[int, int], groups: Groups) -> Groups:
    """Return those of GROUPS, the largest first, that --part is for."""
    number, of = part
    loads = [0] * of
    mine: Groups = []
    for pair in groups:
        lightest = loads.index(min(loads))
        # A group costs something, however small it is.
        loads[lightest] += size_of(pair[1]) + 10000
        if lightest == number - 1:
            mine.append(pair)
    return mine


# Holders are packages with files that may be checksums of other packages' files
# (FIPS 140).  They have to be known before anything is converted, so that
# sframe-retrofit-deb looks at all packages of the plan, once.  Packages that have
# to be fetched for that are kept until they are converted.

def archive_path(options: RepositoryOptions, item: Item) -> str:
    return os.path.join(options.state, "archives", item["sha256"] + ".deb")


def learn_checksums(options: RepositoryOptions, items: List[Item]) -> None:
    """Set options.holders: those of ITEMS that have checksums, with their
    names as "checksums".  No checksum matters to files that stay."""
    options.holders = []
    if options.detached:
        return
    store = os.path.join(options.state, "checksums.json")
    with open(os.path.join(options.state, "checksums.lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        names = load_json(store) or {}
        unknown = {item["sha256"]: item for item in items
                   if item["sha256"] not in names}
        if unknown:
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                for found in pool.map(lambda some: look_for_checksums(
                        options, some), chunks(list(unknown.values()))):
                    names.update(found)
            write_text(store, json.dumps(names))
    options.holders = [dict(item, checksums=names[item["sha256"]])
                       for item in items if names.get(item["sha256"])]


def look_for_checksums(options: RepositoryOptions,
                       items: List[Item]) -> Dict[str, List[str]]:
    """Return the names of what may be checksums in ITEMS, by the items' digests.

    What cannot be read is left out, and told when it is to be converted.  What
    cannot be had now is not converted, even if it could be had later: the
    libraries that it has checksums of are converted meanwhile.
    """
    digests: Dict[str, str] = {}
    for item in items:
        try:
            digests[at_hand(options, item)] = item["sha256"]
        except Refused as error:
            item["missing"] = str(error)
    if not digests:
        return {}
    command = [sys.executable, options.retrofit_deb, "--list-checksums",
               "--cfi2sframe", options.cfi2sframe, *digests]
    done = commands.complete(command, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1): # killed before it had looked at all
        raise commands.failure(command[1:], done.returncode, done.stderr)
    found = map(json.loads, done.stdout.decode().splitlines())
    return {digests[one["input"]]: one["checksums"] for one in found}


def download(options: RepositoryOptions, item: Item, path: str) -> None:
    run([APT_HELPER, "-qq", "-c",
         os.path.join(options.state, "apt", "apt.conf"),
         "download-file", item["uri"], path, "SHA256:" + item["sha256"]])


def at_hand(options: RepositoryOptions, item: Item) -> str:
    """Return the path of the package of ITEM, which is fetched if need be."""
    if "path" in item:
        return str(item["path"])
    path = archive_path(options, item)
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        download(options, item, path)
    return path


def other_holders(options: RepositoryOptions, items: List[Item]) -> List[Item]:
    """Return the packages with checksums that are not among ITEMS."""
    own = {item["sha256"] for item in items}
    return [item for item in options.holders if item["sha256"] not in own]
