# SPDX-License-Identifier: LGPL-2.1-or-later
"""A new apt repository: the plan, which says what packages are wanted.

An item of the plan is one package: a dictionary with package, version,
architecture, source, sha256, size, where it is (uri or path), priority and
section; same, whether its Multi-Arch is "same"; and needs, the (name, version)
pairs that it names exactly.
"""

import dataclasses
import hashlib
import json
import os
import shutil
import subprocess
import time
import urllib.parse
from typing import Any, Collection, Dict, List, Optional, Tuple, TypeVar

from sframe_retrofit import Refused, commands, complain, debian
from sframe_retrofit.commands import output_text, run
from sframe_retrofit.converter import ConvertingOptions
from sframe_retrofit.files import load_json, write_text
from sframe_retrofit.progress import Progress

Item = Dict[str, Any]
ItemKey = Tuple[str, str, str] # package, version, architecture
Items = Dict[ItemKey, Item]
T = TypeVar("T")

@dataclasses.dataclass
class RepositoryOptions(ConvertingOptions):
    """What sframe-retrofit-repo was asked for."""
    retrofit_deb: str        # the program
    packages: List[str]      # as apt-get understands them
    packages_from: List[str] # files with more of them
    folder: List[str]        # or else: folders with packages
    sources: Optional[str]
    architectures: List[str]
    no_recommends: bool
    output: str              # the new repository
    suite: str
    origin: str
    sign: Optional[str]
    prune: bool
    plan: bool
    part: Optional[Tuple[int, int]] # the first of the second
    detached: bool
    suffix: str
    level: Optional[int]
    unpacked_max: Optional[int] # in MiB
    jobs: int
    holders: List[Item] = dataclasses.field(init=False) # learn_checksums ()
    progress: Progress = dataclasses.field(init=False)

    @property
    def state(self) -> str:
        """The folder of what a later run has to know."""
        return os.path.join(self.output, ".retrofit")


PLAN_FORMAT = 1
CHUNK = 500 # packages named in one command


def chunks(items: List[T]) -> List[List[T]]:
    return [items[i:i + CHUNK] for i in range(0, len(items), CHUNK)]


def item_of(text: str) -> Item:
    """Return an item without its place, from TEXT, a paragraph of an index."""
    record = debian.read_control(text)

    def field(name: str, default: Optional[str] = None) -> str:
        return debian.name_in(record, name, default)

    return {"package": field("Package"), "version": field("Version"),
            "architecture": field("Architecture"),
            "source": debian.source_of(record),
            "sha256": field("SHA256"), "size": int(field("Size")),
            "priority": field("Priority", "optional"),
            "section": debian.section_of(record),
            "same": record.get("Multi-Arch") == "same",
            "needs": sorted(debian.relations(record))}


def key_of(item: Item) -> ItemKey:
    return item["package"], item["version"], item["architecture"]


def wanted(name: str, version: str, architecture: str) -> str:
    """Return how apt is asked for exactly one package."""
    return "%s:%s=%s" % (name, architecture, version)


def paragraphs(text: str) -> List[str]:
    return [one for one in text.split("\n\n") if one.strip()]


def apt_configuration(options: RepositoryOptions) -> str:
    """Write a configuration file for an apt with a state of its own; return the
    file's path."""
    root = os.path.join(options.state, "apt")
    for folder in ("lists/partial", "archives/partial", "sources"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    write_text(os.path.join(root, "status"), "")
    sources = "/etc/apt"
    if options.sources:
        sources = os.path.join(root, "sources")
        for old in os.listdir(sources):
            os.unlink(os.path.join(sources, old))
        shutil.copy(options.sources, sources)
    settings = {
        "Dir::State": root,
        "Dir::State::lists": os.path.join(root, "lists"),
        "Dir::State::status": os.path.join(root, "status"),
        "Dir::Cache": root,
        "Dir::Cache::archives": os.path.join(root, "archives"),
        "Dir::Etc::preferences": "/dev/null",
        "Dir::Etc::preferencesparts": "/dev/null",
        "APT::Architecture": options.architectures[0],
        "APT::Default-Release": "",
        "APT::Install-Recommends":
            "false" if options.no_recommends else "true",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    if options.sources:
        settings["Dir::Etc::sourcelist"] = "/dev/null"
        settings["Dir::Etc::sourceparts"] = sources
    text = "".join('%s "%s";\n' % pair for pair in settings.items())
    path = os.path.join(root, "apt.conf")
    write_text(path, "#clear APT::Architectures;\n" + text
               + "APT::Architectures { %s };\n" % " ".join(
                   '"%s";' % one for one in options.architectures))
    return path


def places(listing: str) -> Dict[ItemKey, str]:
    """Return where packages are, by name, version and architecture, from LISTING,
    which apt-get prints with --print-uris."""
    found: Dict[ItemKey, str] = {}
    for line in listing.splitlines():
        uri, _, rest = line.partition("' ")
        parts = rest.split(" ", 1)[0].removesuffix(".deb").rsplit("_", 2)
        if uri.startswith("'") and len(parts) == 3:
            name, version, architecture = map(urllib.parse.unquote, parts)
            found[name, version, architecture] = uri[1:]
    return found


def known_items(options: RepositoryOptions, apt: List[str],
                keys: Collection[ItemKey]) -> Items:
    """Return items, by their keys, for those of KEYS that apt knows."""
    items: Items = {}
    for some in chunks(sorted(keys)):
        text = output_text(["apt-cache"] + apt + ["show"] + [
            wanted(name, version, options.architectures[0]
                   if architecture == "all" else architecture)
            for name, version, architecture in some])
        for record in paragraphs(readable(text)):
            item = item_of(record)
            if key_of(item) in keys:
                items.setdefault(key_of(item), item)
    return items


def readable(text: str) -> str:
    """Return TEXT with what is not UTF-8 replaced; names have nothing else."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def counterparts(options: RepositoryOptions, apt: List[str], items: Items) \
        -> Items:
    """Return items for the further architectures, with their places.

    What is Multi-Arch: same can be installed for several architectures in
    the same version only.
    """
    same = {key for key, item in items.items() if item["same"]}
    further = {(name, version, architecture)
               for name, version, _ in same
               for architecture in options.architectures[1:]} - set(items)
    if not further:
        return {}
    # apt fails if it knows none of the packages, so known ones are asked for, too.
    found = {key: item
             for key, item in known_items(options, apt, further | same).items()
             if key in further}
    where: Dict[ItemKey, str] = {}
    for some in chunks(sorted(found)):
        where.update(places(output_text(
            ["apt-get"] + apt + ["--print-uris", "download"]
            + [wanted(*key) for key in some])))
    return {key: dict(item, uri=where[key]) for key, item in found.items()
            if key in where}


def resolve(options: RepositoryOptions) -> List[Item]:
    """Return items for the packages named and, as apt sees it, all that they
    need."""
    apt = ["-qq", "-c", apt_configuration(options)]
    run(["apt-get"] + apt + ["update"])
    where = places(output_text(
        ["apt-get"] + apt + ["-y", "--print-uris", "install"]
        + options.packages))
    items = known_items(options, apt, set(where))
    missing = sorted(set(where) - set(items))
    if missing:
        raise Refused("apt-cache does not know %s" % " ".join(missing[0]))
    items = {key: dict(item, uri=where[key]) for key, item in items.items()}
    items.update(counterparts(options, apt, items))
    return [items[key] for key in sorted(items)]


def scan(options: RepositoryOptions) -> Tuple[List[Item], bool]:
    """Return items for the packages in folders, and whether all can be read."""
    items: Items = {}
    well = True
    for folder in options.folder:
        folder = os.path.abspath(folder)
        name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
        # With a database the second run is short.
        database = os.path.join(options.state, "in-%s.db" % name)
        start = time.time()
        done = commands.complete(
            ["apt-ftparchive", "--db", database,
             "-o", "APT::FTPArchive::AlwaysStat=true",
             "-o", "APT::FTPArchive::Contents=false", "packages", "."],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in done.stderr.decode(errors="replace").splitlines():
            if line.startswith("E:"):
                complain(line[2:].strip())
                well = False
        for record in paragraphs(done.stdout.decode(errors="replace")):
            well &= take(items, folder, record)
        forget_if_new(database, folder, start)
    return [items[key] for key in sorted(items)], well


def forget_if_new(database: str, folder: str, start: float) -> None:
    """Remove DATABASE if a package in FOLDER is as new as START.

    apt-ftparchive knows a package by its size and the second of its change:
    another one of the same size could take its place within that second.
    """
    newest = max((os.lstat(os.path.join(path, name)).st_mtime
                  for path, _, names in os.walk(folder) for name in names
                  if name.endswith(".deb")), default=0)
    if newest >= start - 2 and os.path.exists(database):
        os.unlink(database)


def take(items: Items, folder: str, record: str) -> bool:
    """Put a package in FOLDER into ITEMS; return whether all is well with it."""
    path = folder
    try:
        name = debian.read_control(record).get("Filename", "")
        path = os.path.join(folder, os.path.normpath(name))
        item = dict(item_of(record), path=path)
        if not os.path.isfile(path):
            raise Refused("the file's name is not text")
    except Refused as error:
        complain(path, error)
        return False
    other = items.setdefault(key_of(item), item)
    if other["sha256"] != item["sha256"]:
        complain("%s and %s are different packages with the same name "
                 "and version; the first is taken"
                 % (other["path"], item["path"]))
        return False
    return True


def pool_name(item: Item, version: str) -> str:
    """Return where in the repository the package of ITEM is in VERSION; pools are
    as in Debian's."""
    source = item["source"]
    prefix = source[:4] if source.startswith("lib") else source[:1]
    return os.path.join("pool", prefix, source, debian.file_name(
        item["package"], version, item["architecture"]))


def without_clashes(options: RepositoryOptions,
                    items: List[Item]) -> Tuple[List[Item], bool]:
    """Return ITEMS without those whose files would be written over another's, and
    whether that is all of them."""
    owners: Dict[str, Item] = {}
    kept: List[Item] = []
    for item in items:
        names = {pool_name(item, version) for version in
                 (item["version"], debian.new_version(item["version"],
                                                      options.suffix))}
        other = next((owners[name] for name in sorted(names & owners.keys())),
                     None)
        if other is None:
            owners.update(dict.fromkeys(names, item))
            kept.append(item)
        else:
            complain("%s would be written over %s: left out"
                     % (" ".join(key_of(item)), " ".join(key_of(other))))
    return kept, len(kept) == len(items)


def make_plan(options: RepositoryOptions) -> Tuple[List[Item], bool]:
    """Return the items, from the command line or from the plan that is there, and
    whether all packages could be read."""
    path = os.path.join(options.state, "plan.json")
    if not options.packages and not options.folder:
        plan = load_json(path)
        if plan is None or plan.get("format") != PLAN_FORMAT:
            raise Refused("%s: no packages are named, and there is no plan"
                          % options.output)
        return plan["items"], plan["well"]
    items, well = scan(options) if options.folder \
        else (resolve(options), True)
    if not items:
        raise Refused("there are no packages")
    write_text(path, json.dumps({"format": PLAN_FORMAT, "items": items,
                                 "well": well}))
    return items, well
