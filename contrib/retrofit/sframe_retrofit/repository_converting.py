# SPDX-License-Identifier: LGPL-2.1-or-later
"""A new apt repository: its packages, which are converted group by group.

What was made of a group is a record, in a file that gets its name when the
packages are in their places; a group with such a record is done.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Dict, List, Optional, Set, Tuple

from sframe_retrofit import (Refused, complain, counted, debian, reason_of,
                             say)
from sframe_retrofit.commands import started
from sframe_retrofit.ending import Workplace, check, short_lived
from sframe_retrofit.files import copy_package, load_json, write_text
from sframe_retrofit.progress import Progress
from sframe_retrofit.repository_groups import (Groups, archive_path, at_hand,
                                               download, other_holders,
                                               size_of)
from sframe_retrofit.repository_plan import (Item, RepositoryOptions, key_of,
                                             pool_name)

Record = Dict[str, Any]
Records = Dict[str, Optional[Record]] # by the keys of groups


def record_path(options: RepositoryOptions, key: str) -> str:
    return os.path.join(options.state, "done", key + ".json")


def published(packages: List[Record]) -> List[Record]:
    """Return those of PACKAGES that are in the repository."""
    return [package for package in packages if package["output"] is not None]


def is_complete(options: RepositoryOptions, record: Optional[Record]) -> bool:
    """Return whether RECORD is there, with all packages that it names."""
    def there(package: Record) -> bool:
        path = os.path.join(options.output, package["output"])
        return os.path.isfile(path) \
            and os.path.getsize(path) == package["output_bytes"]

    return record is not None and all(map(there, published(record["packages"])))


def fetch(options: RepositoryOptions, items: List[Item], folder: str) \
        -> List[str]:
    """Put the packages of ITEMS into FOLDER, as files or links to files; return
    their paths.

    apt compares digests of what it downloads.
    """
    paths = []
    for item in items:
        if "missing" in item:
            raise Refused(item["missing"])
        path = os.path.join(folder, debian.file_name(*key_of(item)))
        if "path" in item:
            os.symlink(item["path"], path)
        else:
            try:
                os.rename(archive_path(options, item), path)
            except FileNotFoundError:
                download(options, item, path)
        paths.append(path)
    return paths


def fetch_holders(options: RepositoryOptions, folder: str) -> None:
    """Put the packages with checksums into FOLDER, for all groups."""
    os.mkdir(folder)
    for item in options.holders:
        item["copy"] = os.path.join(folder, item["sha256"] + ".deb")
        copy_package(at_hand(options, item), item["copy"])


def retrofit(options: RepositoryOptions, lock: int, paths: List[str],
             holders: List[Item],
             folder: str) -> Tuple[int, List[str], List[Record], int]:
    """Run sframe-retrofit-deb; return its exit status, its messages, the objects
    of its report, and its memory in KiB."""
    command = [sys.executable, options.retrofit_deb,
               "-o", os.path.join(folder, "out"),
               "--report", os.path.join(folder, "report"),
               "--threads-max=1", "--suffix", options.suffix,
               "--cfi2sframe", options.cfi2sframe] \
        + (["-z", str(options.level)] if options.level else []) \
        + (["--unpacked-max", str(options.unpacked_max)]
           if options.unpacked_max else []) \
        + (["--detached"] if options.detached else []) \
        + ["--checksums-of=" + item["copy"] for item in holders] \
        + paths + ["--"] + options.further
    with open(os.path.join(folder, "log"), "wb+") as log, \
            started(command, stdin=subprocess.DEVNULL, stdout=log,
                    stderr=log, pass_fds=(lock,)) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        check()
        log.seek(0)
        messages = log.read().decode(errors="replace").splitlines()
    reports: List[Record] = []
    if os.path.exists(os.path.join(folder, "report")):
        with open(os.path.join(folder, "report"), encoding="utf-8") as file:
            reports = [json.loads(line) for line in file]
    return child.returncode, messages, reports, usage.ru_maxrss


def as_it_was(options: RepositoryOptions, item: Item, path: str, reason: str) \
        -> Record:
    """Return a report on a package that is left alone because of REASON."""
    there = not options.detached
    return {"input": path,
            "output": os.path.realpath(path) if there else None,
            "status": "refused", "reason": reason, "package": item["package"],
            "version": item["version"], "new_version": item["version"],
            "architecture": item["architecture"],
            "input_bytes": item["size"],
            "output_bytes": item["size"] if there else 0}


def disagreement(items: List[Item], reports: List[Record]) -> Optional[str]:
    """Return why REPORTS are on other packages than ITEMS, or None."""
    if {key_of(item) for item in items} == {key_of(report)
                                            for report in reports}:
        return None
    return "the package names itself otherwise than the index does"


def name_in_repository(options: RepositoryOptions, item: Item) -> str:
    return str(item["package"]) + ("-sframe" if options.detached else "")


def publish(options: RepositoryOptions, items: List[Item],
            reports: List[Record]) -> None:
    """Move the packages of REPORTS into the pool; the reports name them there from
    then on."""
    known_by = {key_of(item): item for item in items}
    for report in reports:
        item = known_by[key_of(report)]
        report["source"] = item["source"]
        report["input"] = os.path.basename(
            str(item.get("path", report["input"])))
        if report["output"] is None:
            continue
        name = pool_name(dict(item, package=name_in_repository(options, item)),
                         report["new_version"])
        target = os.path.join(options.output, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if report["output"].startswith(os.path.join(options.state, "")):
            os.rename(report["output"], target)
        else:
            copy_package(report["output"], target)
        report["output"] = name


def work_on(options: RepositoryOptions, place: Workplace, key: str,
            items: List[Item]) -> Record:
    """Convert a group; return its record.

    When a package is refused, or a file in it fails, the group stays as it
    was (others may depend on the version it had), and is tried again next
    time.
    """
    start = time.monotonic()
    folder = tempfile.mkdtemp(dir=place.folder)
    with short_lived(folder):
        paths = fetch(options, items, folder)
        fetched = time.monotonic()
        status, messages, reports, memory = retrofit(
            options, place.lock, paths, other_holders(options, items), folder)
        other = disagreement(items, reports) if status == 0 else None
        if status != 0 or other:
            status = status or 1
            reasons = {report["input"]: report.get("reason")
                       for report in reports}
            last = other or (messages[-1] if messages else "it failed")
            reports = [as_it_was(options, item, path, reasons.get(path) or last)
                       for item, path in zip(items, paths)]
        publish(options, items, reports)
    record = {"status": status, "messages": messages, "packages": reports,
              "seconds": {"fetch": fetched - start,
                          "all": time.monotonic() - start},
              "max_rss_kib": memory}
    if status == 0:
        write_text(record_path(options, key), json.dumps(record))
    return record


def carry_out(options: RepositoryOptions, groups: Groups) \
        -> Tuple[Records, Set[str]]:
    """Work on GROUPS; return the records of all, None where there is none, and the
    keys of the groups that were not done before."""
    records = {key: load_json(record_path(options, key)) for key, _ in groups}
    todo = [(key, items) for key, items in groups
            if not is_complete(options, records[key])]
    done = len(groups) - len(todo)
    tell_more(options, "%s of packages, %d of them done before"
              % (counted(len(groups), "group"), done))
    counter, counting = [done], threading.Lock()
    options.progress = Progress("groups of packages",
                                [size_of(items) for _, items in todo])

    def one(place: Workplace, key: str, items: List[Item]) \
            -> Tuple[str, Optional[Record]]:
        try:
            record = work_on(options, place, key, items)
        except (OSError, Refused) as error:
            complain(items[0]["package"], reason_of(error))
            return key, None
        with counting:
            counter[0] += 1
            tell(options, record, counter[0], len(groups))
            options.progress.step(size_of(items))
        return key, record

    parent = os.path.join(options.state, "tmp")
    os.makedirs(parent, exist_ok=True)
    with Workplace(parent, "") as place, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if todo:
            fetch_holders(options, os.path.join(place.folder, "holders"))
        futures = [pool.submit(one, place, *pair) for pair in todo]
        try:
            for future in concurrent.futures.as_completed(futures):
                key, record = future.result()
                records[key] = record
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return records, {key for key, _ in todo}


def tell_more(options: RepositoryOptions, text: str) -> None:
    if options.verbose:
        say(text)
        sys.stdout.flush()


def complain_as_is(line: str) -> None:
    """Print a message of sframe-retrofit-deb, without that program's name."""
    name, _, text = line.partition(": ")
    complain(text if name == "sframe-retrofit-deb" else line)


def tell(options: RepositoryOptions, record: Record, number: int, of: int) \
        -> None:
    for line in record["messages"]:
        complain_as_is(line)
    for package in record["packages"]:
        tell_more(options, "[%d/%d] %s %s %s: %s" % (
            number, of, package["package"], package["new_version"],
            package["architecture"], package["status"]))
