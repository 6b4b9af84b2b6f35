# SPDX-License-Identifier: LGPL-2.1-or-later
"""A container image: its JSON files, and its blobs, which are named by their
digests.

Tools that read and write the JSON files drop members that are not in the OCI's
specification (Healthcheck, for instance), so it is done here.
"""

import hashlib
import json
import os
import re
from typing import Any, Dict, List, NamedTuple

from sframe_retrofit import Refused
from sframe_retrofit.compression import MAGIC_MAX, kind_of
from sframe_retrofit.files import digest_of

JSON_MAX = 64 << 20

Descriptor = Dict[str, Any] # OCI's: of a blob, by its digest


class Compression(NamedTuple):
    """How layers are compressed."""
    name: str          # how names of files end
    command: List[str] # that compresses them
    oci: str           # how their media types end, OCI's and Docker's
    docker: str


PLAIN = Compression("", ["cat"], "", "")
COMPRESSIONS = {
    ".gz": Compression(".gz", ["gzip", "-cn9"], "+gzip", ".gzip"),
    ".zst": Compression(".zst", ["zstd", "-cq", "-T2"], "+zstd", ".zstd")}
OCI_LAYER = "application/vnd.oci.image.layer.v1.tar"
DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar"
MANIFESTS = ("application/vnd.oci.image.manifest.v1+json",
             "application/vnd.docker.distribution.manifest.v2+json")
INDEXES = ("application/vnd.oci.image.index.v1+json",
           "application/vnd.docker.distribution.manifest.list.v2+json")


class Maybe(NamedTuple):
    """The shape of a member that may be missing or null."""
    shape: Any


# Shapes: what the JSON files of an image must have in which place.  A shape is a
# type; a list with the shape of all its elements, or with none; or an object with
# the shapes of members.

INDEX: Any = {"manifests": Maybe([{"digest": Maybe(str),
                                   "annotations": Maybe({})}])}
MANIFEST: Any = {"layers": Maybe([{"mediaType": Maybe(str),
                                   "digest": Maybe(str)}]),
                 "config": Maybe({"digest": Maybe(str)})}
CONFIG: Any = {"rootfs": Maybe({"diff_ids": Maybe([])}), "history": Maybe([])}
DOCKER_MANIFEST: Any = [{"Config": str, "Layers": [str]}]
KINDS = {"dict": "an object", "list": "a list", "str": "text"}


def expect(value: Any, shape: Any, what: str) -> None:
    """Refuse an image if VALUE, called WHAT in the message, has not this SHAPE."""
    kind = shape if isinstance(shape, type) else type(shape)
    well = isinstance(value, kind)
    if not well:
        raise Refused("damaged image: %s is not %s"
                      % (what, KINDS[kind.__name__]))
    if isinstance(shape, list) and shape:
        for one in value:
            expect(one, shape[0], "an element of " + what)
    if isinstance(shape, dict):
        for name, inner in shape.items():
            if value.get(name) is not None or not isinstance(inner, Maybe):
                expect(value.get(name), getattr(inner, "shape", inner), name)


def read_json(path: str) -> Any:
    if os.path.getsize(path) > JSON_MAX:
        raise Refused("%s is too large" % path)
    with open(path, "rb") as file:
        try:
            return json.load(file)
        except (ValueError, RecursionError) as error:
            raise Refused("%s: %s" % (path, error)) from None


def to_bytes(value: Any) -> bytes:
    try:
        return json.dumps(value, separators=(",", ":"),
                          ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Refused("damaged image: text that is not Unicode") from None


def digest_of_file(path: str) -> str:
    with open(path, "rb") as file:
        return digest_of(file)


def put(path: str, data: bytes) -> None:
    """Make PATH a file with DATA, whatever it was before."""
    with open(path + ".new", "xb") as file:
        file.write(data)
    os.replace(path + ".new", path)


def compression_of(path: str) -> Compression:
    with open(path, "rb") as file:
        return COMPRESSIONS.get(kind_of(file.read(MAGIC_MAX)), PLAIN)


def lead_to(descriptor: Descriptor, new: Descriptor, *further: str) -> None:
    """Make DESCRIPTOR name the blob NEW.

    Its members that tell of the old blob's bytes go: "data" has these bytes,
    "urls" says where they can be had; and those in FURTHER.
    """
    for name in ("data", "urls") + further:
        descriptor.pop(name, None)
    descriptor.update(new)


class Missing(Refused):
    """A blob that is named is not here."""


class Blobs:
    """The blobs of an OCI layout."""

    def __init__(self, layout: str) -> None:
        self.folder = os.path.join(layout, "blobs", "sha256")
        for path in (os.path.join(layout, "blobs"), self.folder):
            if os.path.islink(path):
                raise Refused("%s is a symbolic link" % path)

    def path(self, digest: object) -> str:
        match = re.fullmatch(r"sha256:([0-9a-f]{64})", str(digest))
        if not match:
            raise Refused("unknown digest %s" % ascii(digest))
        path = os.path.join(self.folder, match.group(1))
        if os.path.islink(path) or not os.path.isfile(path):
            raise Missing("blob %s is missing" % digest)
        return path

    def read(self, descriptor: Descriptor) -> Any:
        path = self.path(descriptor.get("digest"))
        if "sha256:" + digest_of_file(path) != descriptor["digest"]:
            raise Refused("blob %s has another digest" % descriptor["digest"])
        return read_json(path)

    def add(self, data: bytes) -> Descriptor:
        """Store DATA; return its digest and size, as members of a descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        put(os.path.join(self.folder, digest), data)
        return {"digest": "sha256:" + digest, "size": len(data)}

    def add_file(self, path: str) -> Descriptor:
        digest, size = digest_of_file(path), os.path.getsize(path)
        os.replace(path, os.path.join(self.folder, digest))
        return {"digest": "sha256:" + digest, "size": size}
