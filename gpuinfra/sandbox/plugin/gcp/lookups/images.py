"""Look-ups of public images: the sandbox has their projects, not every family."""

import re
from typing import Any

from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import names_in_table
from gpuinfra.sandbox.plugin.gcp import resource_names
from gpuinfra.sandbox.plugin.gcp.lookups.accounts import project

# docs.cloud.google.com/compute/docs/images/os-details and /deep-learning-vm/docs/images.
_PUBLISHERS = names_in_table("gcp", "publishers")
_NAME = re.compile(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?")
_VERSION = "v20260801"  # the sandbox's newest image of each family


def _image(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    owner = project(lookup_context, args)
    family, name = args.get("family"), args.get("name")
    if args.get("filter"):
        raise CloudRefusalError(
            "UnansweredInvoke", "the sandbox supports getImage by name or family, not by filter"
        )
    if bool(family) == bool(name):
        raise CloudRefusalError("invalid", "one of image family or name must be set")
    image = str(name or family)
    if owner not in _PUBLISHERS or not _NAME.fullmatch(image):
        kind = "images" if name else "images/family"
        raise CloudRefusalError(
            "notFound",
            f"Error 404: The resource 'projects/{owner}/global/{kind}/{image}' was not found",
        )
    chosen = str(name or f"{family}-{_VERSION}")
    path = f"projects/{owner}/global/images/{chosen}"
    return {
        "id": path,
        "name": chosen,
        "family": family or "",
        "filter": "",
        "project": owner,
        "selfLink": f"{resource_names.COMPUTE}{path}",
        "archiveSizeBytes": 0,
        "creationTimestamp": "2026-08-01T00:00:00.000-07:00",
        "description": "",
        "diskSizeGb": 10,
        "imageEncryptionKeySha256": "",
        "imageId": "1",
        "labelFingerprint": "",
        "labels": {},
        "licenses": [],
        "sourceDisk": "",
        "sourceDiskEncryptionKeySha256": "",
        "sourceDiskId": "",
        "sourceImageId": "",
        "status": "READY",
    }


INVOKES: dict[str, Invoke] = {"gcp:compute/getImage:getImage": _image}
