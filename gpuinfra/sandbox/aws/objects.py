"""Objects of a bucket."""

import base64
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.plugin import assets
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

_NAMES = facts("aws", "attributes")["aws:s3/bucketObjectv2:BucketObjectv2"]
_UNTIL = "objectLockRetainUntilDate"


class BucketObject(ResourceHandler):
    """``aws:s3/bucketObjectv2:BucketObjectv2``, id ``<bucket>/<key>``.

    A change replaces the object. The content is answered as last known; its ETag is read.
    """

    def create(self, call: Call) -> str:
        key = physical_name(call, "key", "keyPrefix")
        self._put(call, key)
        return f"{call.inputs['bucket']}/{key}"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("s3")
        bucket, _, key = resource_id.partition("/")
        headers = client.head_object(Bucket=bucket, Key=key)
        existing = client.get_object_tagging(Bucket=bucket, Key=key)["TagSet"]
        return {
            **read_fields(call.token, headers),
            "bucket": bucket,
            "key": key,
            "etag": headers["ETag"].strip('"'),
            "metadata": headers.get("Metadata") or None,
            "storageClass": headers.get("StorageClass") or "STANDARD",
            "versionId": headers.get("VersionId"),
            "arn": f"arn:aws:s3:::{bucket}/{key}",
            **tags.tag_outputs(call, tags.mapping(existing)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, resource_id.partition("/")[2])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        """Delete the object with all its versions, as the provider does."""
        client = call.client("s3")
        bucket, _, key = resource_id.partition("/")
        client.delete_object(Bucket=bucket, Key=key)
        listed = client.list_object_versions(Bucket=bucket, Prefix=key)
        for version in [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]:
            if version["Key"] == key:
                client.delete_object(
                    Bucket=bucket,
                    Key=key,
                    VersionId=version["VersionId"],
                    BypassGovernanceRetention=bool(old.get("forceDestroy")),
                )

    def _put(self, call: Call, key: str) -> None:
        client, inputs = call.client("s3"), call.inputs
        plain = {name: value for name, value in inputs.items() if name != _UNTIL}
        request = arguments(client, "PutObject", plain, _NAMES)
        if labels := tags.declared_tags(inputs):
            request["Tagging"] = urlencode(labels)
        if until := inputs.get(_UNTIL):
            request["ObjectLockRetainUntilDate"] = datetime.fromisoformat(until)
        client.put_object(**request | {"Key": key, "Body": _body(inputs)})


def _body(inputs: Properties) -> bytes:
    """Return the object's content: of the file, the text or the base64 text."""
    source: Any = inputs.get("source")
    if assets.is_asset(source):
        return assets.content(source)
    if inputs.get("contentBase64"):
        return base64.b64decode(inputs["contentBase64"])
    return str(inputs.get("content") or "").encode()
