"""S3 buckets."""

from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler, none_if_missing
from gpuinfra.sandbox.aws.shapes import document
from gpuinfra.sandbox.plugin.contract import Call

_DELETE_AT_ONCE = 1000  # DeleteObjects takes so many keys
# us-east-1 is no LocationConstraint; every other region must be one.
_HOME = "us-east-1"


class SandboxBucket(ResourceHandler):
    """``aws:s3/bucket:Bucket``; its old inline settings are applied as the provider does.

    The inline forms of policy, versioning, encryption, lifecycle … are deprecated in pulumi-aws 7;
    of them policy and versioning are applied here, the others are only remembered.
    """

    inline = frozenset({"policy", "versioning"})

    def create(self, call: Call) -> str:
        client, name = call.client("s3"), physical_name(call, "bucket", "bucketPrefix")
        place = (
            {}
            if call.region == _HOME
            else {"CreateBucketConfiguration": {"LocationConstraint": call.region}}
        )
        lock = {"ObjectLockEnabledForBucket": True} if call.inputs.get("objectLockEnabled") else {}
        client.create_bucket(Bucket=name, **place, **lock)
        self._settings(call, name, {})
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("s3")
        client.head_bucket(Bucket=resource_id)
        region = client.get_bucket_location(Bucket=resource_id)["LocationConstraint"] or _HOME
        status = client.get_bucket_versioning(Bucket=resource_id).get("Status")
        policy = none_if_missing(lambda: client.get_bucket_policy(Bucket=resource_id)) or {}
        tagging = none_if_missing(lambda: client.get_bucket_tagging(Bucket=resource_id)) or {}
        return {
            "bucket": resource_id,
            "arn": f"arn:aws:s3:::{resource_id}",
            "bucketRegion": region,
            "bucketDomainName": f"{resource_id}.s3.amazonaws.com",
            "bucketRegionalDomainName": f"{resource_id}.s3.{region}.amazonaws.com",
            "policy": policy.get("Policy"),
            "versioning": _versioning_properties(status, call.inputs.get("versioning")),
            **tags.tag_outputs(call, tags.mapping(tagging.get("TagSet"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._settings(call, resource_id, old)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        if old.get("forceDestroy"):
            _delete_versions(call, resource_id)
        call.client("s3").delete_bucket(Bucket=resource_id)

    def _settings(self, call: Call, name: str, old: Properties) -> None:
        client, inputs = call.client("s3"), call.inputs
        labels = tags.declared_tags(inputs)
        if labels:
            client.put_bucket_tagging(Bucket=name, Tagging={"TagSet": tags.pairs(labels)})
        elif old.get("tags"):
            client.delete_bucket_tagging(Bucket=name)
        if inputs.get("policy"):
            client.put_bucket_policy(Bucket=name, Policy=document(inputs["policy"]))
        elif old.get("policy"):
            client.delete_bucket_policy(Bucket=name)
        if "versioning" in inputs:
            status = "Enabled" if inputs["versioning"].get("enabled") else "Suspended"
            client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": status})


def _versioning_properties(status: str | None, known: Properties | None) -> Properties:
    mfa = {"mfaDelete": known["mfaDelete"]} if known and "mfaDelete" in known else {}
    return {"enabled": status == "Enabled", **mfa}


def _delete_versions(call: Call, bucket: str) -> None:
    """Delete every version and delete marker, for `forceDestroy`."""
    client = call.client("s3")
    while True:
        listed = client.list_object_versions(Bucket=bucket, MaxKeys=_DELETE_AT_ONCE)
        versions: list[dict[str, Any]] = [
            {"Key": item["Key"], "VersionId": item["VersionId"]}
            for item in [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]
        ]
        if not versions:
            return
        client.delete_objects(Bucket=bucket, Delete={"Objects": versions, "Quiet": True})
