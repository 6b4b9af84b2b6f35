# SPDX-License-Identifier: LGPL-2.1-or-later
"""The layers of a container image: a new one, or those that are there, changed.

umoci unpacks (layers hide and remove files of each other), tar packs.
"""

import dataclasses
import functools
import glob
import os
import re
import shutil
import subprocess
from typing import (Any, Dict, FrozenSet, Iterator, List, NamedTuple, Optional,
                    Tuple)

from sframe_retrofit import (Refused, checksums, complain, counted, md5sums,
                             packages, say, shown)
from sframe_retrofit.archives import BLOCK, TarContents
from sframe_retrofit.commands import run
from sframe_retrofit.compression import Allowance, parts
from sframe_retrofit.converter import (DEFAULT_OPTIONS, DryRunOptions, Report,
                                       run_converter)
from sframe_retrofit.image_blobs import (MANIFESTS, OCI_LAYER, Blobs,
                                         compression_of, digest_of_file, put,
                                         to_bytes)
from sframe_retrofit.progress import Progress

TAG = "image"


@dataclasses.dataclass
class ImageOptions(DryRunOptions):
    """What sframe-retrofit-image was asked for."""
    image: str
    output: str # "" without one
    squash: bool
    unpacked_max: Optional[int] # in MiB
    progress: Progress = dataclasses.field(init=False)
    well: bool = dataclasses.field(default=True, init=False) # no file failed


class Layer(NamedTuple):
    """A layer that was made."""
    path: str    # where it is, not compressed, until an image has it
    diff_id: str # its digest
    n_files: int # converted files in it
    growth: int  # of these, in bytes
    size: int    # of the layer


def directory_times(root: str) -> List[Tuple[str, os.stat_result]]:
    return [(folder, os.lstat(folder)) for folder, _, _ in os.walk(root)]


def convert_files(options: ImageOptions, root: str) -> List[Report]:
    """Convert the files in ROOT; return the reports on those converted."""
    times = directory_times(root)
    outcome = run_converter(
        options, ["-r", "-p", "--sync=none"]
        + (["-n"] if options.dry_run else [])
        + ["--exclude=" + glob.escape(root + "/") + one.value.lstrip("/")
           for one in options.config.values("exclude")]
        + DEFAULT_OPTIONS + options.converting + ["--", root],
        stderr=subprocess.PIPE)
    for line in outcome.messages:
        complain(line.replace(root + "/", "/").removeprefix("cfi2sframe: "))
    for folder, status in times:
        os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
    options.well &= outcome.well
    return [report for report in outcome.reports
            if report["status"] == "converted"]


def files_below(root: str) -> Iterator[Tuple[str, os.stat_result]]:
    """Yield the names below ROOT of all but folders, and their status."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            yield os.path.relpath(path, root), os.lstat(path)


def identities(root: str) -> Dict[str, Tuple[int, int]]:
    """Return, for each name below ROOT, what tells whether its file was replaced.

    Reports do not tell it: names that are not UTF-8 are changed in them, so that
    they can be shown.
    """
    return {name: (status.st_ino, status.st_ctime_ns)
            for name, status in files_below(root)}


def make_layer(options: ImageOptions, layout: str, work: str,
               path: str) -> Optional[Layer]:
    """Convert the files of the image TAG in LAYOUT; return their layer, in the
    file PATH, or None if there is nothing to convert.

    Hard links of converted files are converted, too.
    """
    bundle = os.path.join(work, "bundle")
    options.progress.show("unpacking layers")
    # umoci takes what is behind the first colon for a name, so the folder's path,
    # which may have a colon, is not given.
    run(["umoci", "unpack", "--image",
         "%s:%s" % (os.path.basename(layout), TAG), bundle],
        cwd=os.path.dirname(layout))
    root = os.path.join(bundle, "rootfs")
    before = identities(root)
    options.progress.show("converting files")
    reports = convert_files(options, root)
    if options.dry_run:
        for report in sorted(reports, key=lambda report: str(report["file"])):
            say(shown(report["file"].removeprefix(root)))
    layer = None
    if reports and not options.dry_run:
        options.progress.show("packing the layer")
        after = identities(root)
        names = sorted(name for name in after if after[name] != before[name])
        run(["tar", "-c", "-f", path, "-C", root, "--format=pax",
             "--pax-option=delete=atime,delete=ctime,exthdr.name=%d/%f",
             "--numeric-owner", "--xattrs", "--xattrs-include=*",
             "--no-recursion", "--null", "--verbatim-files-from", "-T", "-"],
            input=b"".join(os.fsencode(name) + b"\0" for name in names))
        layer = Layer(path, "sha256:" + digest_of_file(path), len(reports),
                      sum(report["output_bytes"] - report["input_bytes"]
                          for report in reports), os.path.getsize(path))
    shutil.rmtree(bundle)
    return layer


def view_of(work: str, layers: List[Tuple[str, str, str, str]]) -> str:
    """Return a layout of one image, for umoci, with LAYERS, of which each has a
    path, a media type, a digest and a diff_id.

    Files are not copied.
    """
    layout = os.path.join(work, "view")
    shutil.rmtree(layout, ignore_errors=True)
    blobs = Blobs(layout)
    os.makedirs(blobs.folder)
    descriptors, diff_ids = [], []
    for path, kind, digest, diff_id in layers:
        target = os.path.join(blobs.folder, digest)
        if not os.path.exists(target):
            try:
                # A hard link to a symbolic link would lead nowhere from here.
                os.link(os.path.realpath(path), target)
            except OSError:
                shutil.copyfile(path, target)
        descriptors.append({"mediaType": kind, "digest": "sha256:" + digest,
                            "size": os.path.getsize(path)})
        diff_ids.append(diff_id)
    config = blobs.add(to_bytes({
        "architecture": "amd64", "os": "linux", "config": {},
        "rootfs": {"type": "layers", "diff_ids": diff_ids}}))
    manifest = blobs.add(to_bytes({
        "schemaVersion": 2, "layers": descriptors,
        "config": dict(config, mediaType=
                       "application/vnd.oci.image.config.v1+json")}))
    index = {"schemaVersion": 2, "manifests": [
        dict(manifest, mediaType=MANIFESTS[0],
             annotations={"org.opencontainers.image.ref.name": TAG})]}
    put(os.path.join(layout, "oci-layout"),
        to_bytes({"imageLayoutVersion": "1.0.0"}))
    put(os.path.join(layout, "index.json"), to_bytes(index))
    return layout


def check_size(paths: List[str]) -> None:
    """Refuse an image if its layers unpack to more than is allowed."""
    allowance = Allowance(sum(map(os.path.getsize, paths)))
    for path in paths:
        with open(path, "rb") as file:
            for _ in parts(compression_of(path).name, file, allowance):
                pass


def check_layers(paths: List[str], config: Any) -> List[str]:
    """Return the diff_ids that CONFIG has of the layers in the files PATHS; refuse
    layers that are too large, or of another number."""
    check_size(paths)
    diff_ids: List[str] = (config.get("rootfs") or {}).get("diff_ids") or []
    if len(diff_ids) != len(paths):
        raise Refused("the image's configuration has another number of layers")
    return diff_ids


def layer_paths(paths: List[str],
                diff_ids: List[str]) -> List[Tuple[str, str, str, str]]:
    """Return the layers in the files PATHS as view_of () takes them."""
    return [(path, OCI_LAYER + compression_of(path).oci, digest_of_file(path),
             diff_id) for path, diff_id in zip(paths, diff_ids)]


# --squash: files change in the layers that have them.

class LayerContents(TarContents):
    """The files of the layer in the file PATH."""

    SIGNATURES = ("SCHILY.xattr.security.ima", "SCHILY.xattr.security.evm")

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            tar = b"".join(parts(compression_of(path).name, file,
                                 Allowance(os.path.getsize(path))))
        # Some tools end a layer right behind its last file (umoci 0.4).
        super().__init__(tar + b"\0" * (-len(tar) % BLOCK))

    def elf_files(self) -> List[int]:
        """Return the indices of ELF files without a signature of their own."""
        return [index for index in super().elf_files()
                if not any(name in self.members[index].pax_headers
                           for name in self.SIGNATURES)]


class RewrittenLayer(packages.Package):
    """A layer, converted as a package is; it has no package's name."""

    name = ""


# Where dpkg, or in images without dpkg the tool that made them, has the digests of
# installed files.
MD5SUMS = re.compile(r"var/lib/dpkg/(info|status\.d)/[^/]+\.md5sums")


@functools.lru_cache(maxsize=None)
def candidates_in(path: str) -> Tuple[checksums.Pair, ...]:
    """Return what may be checksums in the layer PATH.

    The result is kept, since several images may have the layer.
    """
    return tuple(checksums.candidates_in(LayerContents(path)))


def rewrite_layer(options: ImageOptions, near: Tuple[checksums.Pair, ...],
                  path: str, digests: md5sums.Digests, target: str) \
        -> Optional[Layer]:
    """Write the layer PATH, with files converted, to the file TARGET; return the
    new layer, or None if there is nothing to change.

    NEAR are the checksums in all layers of the image.  DIGESTS has, by name and
    old MD5, the new MD5 of what was converted in this layer and those below it.
    """
    options.progress.show("converting files")
    known = packages.Known(checksums.Checksums())
    known.checksums.add(near)
    layer, files = RewrittenLayer(path), LayerContents(path)
    changed, reports = packages.convert_files(options, known, layer, files)
    options.well &= layer.well
    if options.dry_run:
        for name in sorted(files.name(index)
                           for index, report in reports.items()
                           if report["status"] == "converted"):
            say(shown("/" + name))
        return None
    for index, new in changed.items():
        md5sums.note(digests, files.names(index), files.file(index), new)
    for index, name in files.all_names():
        if MD5SUMS.fullmatch(name) and files.members[index].isreg():
            old = files.file(index)
            new = md5sums.renewed(old, digests)
            if new != old:
                changed[index] = new
    if not changed:
        return None
    tar = files.replaced(changed)
    with open(target, "wb") as file:
        file.write(tar)
    return Layer(target, "sha256:" + digest_of_file(target), len(changed),
                 len(tar) - len(files.data), len(tar))


def add_to_config(config: Any, layer: Layer) -> None:
    """Add LAYER to the configuration, which has a diff_id for each layer, and may
    have an entry that says how it was made."""
    config["rootfs"]["diff_ids"].append(layer.diff_id)
    if config.get("history") is not None:
        entry = {"created_by": "sframe-retrofit-image",
                 "comment": "SFrame data in %s"
                 % counted(layer.n_files, "file")}
        if "created" in config:
            entry["created"] = config["created"]
        config["history"].append(entry)


class Layers:
    """What becomes of layers; one that several images have is converted once."""

    def __init__(self, options: ImageOptions, work: str) -> None:
        self.options, self.work = options, work
        self.made: List[Layer] = []
        # The layer that is added, by all layers of an image and the diff_ids that
        # its configuration has, which umoci compares.
        self.added: Dict[Tuple[Tuple[str, ...], bytes], Optional[Layer]] = {}
        # The new layer and the digests, by the old layer, the checksums near it,
        # and the digests before.
        self.rewritten: Dict[
            Tuple[str, Tuple[checksums.Pair, ...], FrozenSet[Any]],
            Tuple[Optional[Layer], md5sums.Digests]] = {}

    def _target(self) -> str:
        return os.path.join(self.work, "layer-%d.tar" % len(self.made))

    def _noted(self, layer: Optional[Layer]) -> Optional[Layer]:
        self.made += [layer] if layer else []
        return layer

    def changed(self, what: str, paths: List[str],
                config: Any) -> Dict[int, Layer]:
        """Convert the image WHAT, with the layers in the files PATHS, the lowest
        first; return layers that are new or changed, by number.

        CONFIG, the image's configuration, is changed with them.
        """
        return (self._squash if self.options.squash else self._one_more)(
            what, paths, config)

    def _one_more(self, what: str, paths: List[str],
                  config: Any) -> Dict[int, Layer]:
        """Add a layer with the converted files, above the others."""
        diff_ids = check_layers(paths, config)
        key = tuple(os.path.realpath(path) for path in paths), to_bytes(diff_ids)
        if key not in self.added:
            view = view_of(self.work, layer_paths(paths, diff_ids))
            self.added[key] = self._noted(make_layer(
                self.options, view, self.work, self._target()))
        layer = self.added[key]
        if self.options.verbose:
            say("%s: nothing to convert" % what if layer is None else
                "%s: %s converted, %+d KiB, in a layer of %d KiB"
                % (what, counted(layer.n_files, "ELF file"),
                   layer.growth // 1024, layer.size // 1024))
        if layer is None:
            return {}
        add_to_config(config, layer)
        return {len(paths): layer}

    def _squash(self, what: str, paths: List[str],
                config: Any) -> Dict[int, Layer]:
        """Rewrite the layers that have files to convert."""
        diff_ids = check_layers(paths, config)
        near = tuple(pair for path in paths for pair in candidates_in(path))
        layers: Dict[int, Layer] = {}
        digests: md5sums.Digests = {}
        for number, path in enumerate(paths):
            layer, digests = self._rewritten(near, path, digests)
            if layer:
                layers[number] = layer
                diff_ids[number] = layer.diff_id
        if self.options.verbose:
            say("%s: %s changed, %+d KiB, in %d of %s" % (
                what, counted(sum(layer.n_files for layer in layers.values()),
                              "file"),
                sum(layer.growth for layer in layers.values()) // 1024,
                len(layers), counted(len(paths), "layer")))
        return layers

    def _rewritten(self, near: Tuple[checksums.Pair, ...], path: str,
                   digests: md5sums.Digests) \
            -> Tuple[Optional[Layer], md5sums.Digests]:
        key = os.path.realpath(path), near, frozenset(digests.items())
        if key not in self.rewritten:
            digests = dict(digests)
            self.rewritten[key] = self._noted(rewrite_layer(
                self.options, near, path, digests, self._target())), digests
        return self.rewritten[key]
