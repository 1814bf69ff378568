"""Bucket settings with resources of their own, each one S3 document."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.aws.resource_handler import Properties, PutHandler, ResourceHandler
from gpuinfra.sandbox.aws.shapes import document, from_aws, to_aws
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts

_NAMES = facts("aws", "attributes")["aws:s3/bucket:Bucket settings"]


@dataclass(frozen=True)
class S3Document:
    """The S3 names of a document: its operations, their argument, and its content.

    Attributes:
        name: what boto3's `put_…`, `get_…` and `delete_…` put, get and delete.
        shape: botocore's shape of the document, the key of the answer of `get`, and the
            argument of `put`.
        write: from the resource's inputs to the document in Pulumi's names.
        read: back from the document, given the known inputs.
        delete: the method that deletes it, where its name is another.
        argument: the argument of `put`, where it is not `shape`.
        put_shape: botocore's shape of what is put, where it is not `shape`.
        is_whole_answer: whether the answer of `get` is the document.
        empty: what is put to remove the setting, where the provider does not delete it.
    """

    name: str
    shape: str
    write: Callable[[Properties], Properties]
    read: Callable[[Properties, Properties], Properties | None]
    delete: str = ""
    argument: str = ""
    put_shape: str = ""
    is_whole_answer: bool = False
    empty: Properties | None = None


class BucketSetting(ResourceHandler):
    """A handler of a ``aws:s3/bucket…`` companion; its id is the bucket's name."""

    def __init__(self, setting: S3Document) -> None:
        self._setting = setting

    def create(self, call: Call) -> str:
        bucket = str(call.inputs["bucket"])
        self._put(call, bucket)
        owner = call.inputs.get("expectedBucketOwner")
        return f"{bucket},{owner}" if owner else bucket

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        setting, client = self._setting, call.client("s3")
        bucket = resource_id.partition(",")[0]
        answer = getattr(client, f"get_{setting.name}")(Bucket=bucket)
        found_document = answer if setting.is_whole_answer else answer.get(setting.shape)
        if found_document is None:
            return None
        values = setting.read(from_aws(client, setting.shape, found_document, _NAMES), call.inputs)
        return None if values is None else {"bucket": bucket, **values}

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, resource_id.partition(",")[0])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        setting, client = self._setting, call.client("s3")
        bucket = resource_id.partition(",")[0]
        if setting.empty is None:
            getattr(client, setting.delete or f"delete_{setting.name}")(Bucket=bucket)
        else:
            self._put_document(client, bucket, setting.empty)

    def _put(self, call: Call, bucket: str) -> None:
        setting, client = self._setting, call.client("s3")
        shape = setting.put_shape or setting.shape
        self._put_document(
            client, bucket, to_aws(client, shape, setting.write(call.inputs), _NAMES)
        )

    def _put_document(self, client: Any, bucket: str, content: Properties) -> None:
        argument = self._setting.argument or self._setting.shape
        getattr(client, f"put_{self._setting.name}")(Bucket=bucket, **{argument: content})


class BucketPolicy(PutHandler):
    """``aws:s3/bucketPolicy:BucketPolicy``."""

    id_input = "bucket"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        answer = call.client("s3").get_bucket_policy(Bucket=resource_id)
        return {"bucket": resource_id, "policy": answer["Policy"]}

    def put(self, call: Call, resource_id: str) -> None:
        policy = document(call.inputs["policy"])
        call.client("s3").put_bucket_policy(Bucket=resource_id, Policy=policy)


_BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")


def _write_versioning(inputs: Properties) -> Properties:
    return dict(inputs["versioningConfiguration"])


def _read_versioning(existing: Properties, known: Properties) -> Properties | None:
    if not existing.get("status"):
        return None
    configuration = known.get("versioningConfiguration") or {}
    mfa = {"mfaDelete": configuration["mfaDelete"]} if "mfaDelete" in configuration else {}
    return {"versioningConfiguration": {"status": existing["status"], **mfa}}


def _write_lifecycle(inputs: Properties) -> Properties:
    """Return the lifecycle rules, each with the filter that S3 requires."""
    return {
        "rules": [
            {"filter": {}, **rule} if rule.get("prefix") is None else rule
            for rule in inputs["rules"]
        ]
    }


def _read_lifecycle(existing: Properties, known: Properties) -> Properties:
    """Return the rules by id in the known order."""
    by_id = {rule.get("id"): rule for rule in known.get("rules") or []}
    place = {rule_id: index for index, rule_id in enumerate(by_id)}
    rules = [_plain_rule(rule, by_id.get(rule.get("id"))) for rule in existing["rules"]]
    return {"rules": sorted(rules, key=lambda rule: place.get(rule.get("id"), len(place)))}


def _plain_rule(rule: Properties, known: Properties | None) -> Properties:
    is_unset = not rule.get("filter") and known is not None and "filter" not in known
    return {key: value for key, value in rule.items() if not (key == "filter" and is_unset)}


def _read_encryption(existing: Properties, known: Properties) -> Properties:
    """Return the rules, matched by position; an unset bucket key that reads False is dropped."""
    declared = known.get("rules") or []
    rules = existing["rules"]
    for rule, declared_rule in zip(rules, declared, strict=False):
        if "bucketKeyEnabled" not in declared_rule and rule.get("bucketKeyEnabled") is False:
            del rule["bucketKeyEnabled"]
    return {"rules": rules}


def _read_ownership(existing: Properties, known: Properties) -> Properties:
    del known
    return {"rule": existing["rules"][0]}


def _read_blocks(existing: Properties, known: Properties) -> Properties:
    del known
    return {name: bool(existing.get(name)) for name in _BLOCKS}


def _write_rules(inputs: Properties) -> Properties:
    return {"rules": [_without_newer_words(rule) for rule in inputs["rules"]]}


def _without_newer_words(rule: Any) -> Any:
    """Return a rule without the properties for which moto's S3 refuses the document."""
    return {key: value for key, value in rule.items() if key != "blockedEncryptionTypes"}


SETTINGS = {
    "bucketVersioning:BucketVersioning": S3Document(
        "bucket_versioning",
        "VersioningConfiguration",
        _write_versioning,
        _read_versioning,
        is_whole_answer=True,
        # Versioning can't be removed, only suspended; the provider does that too.
        empty={"Status": "Suspended"},
    ),
    "bucketPublicAccessBlock:BucketPublicAccessBlock": S3Document(
        "public_access_block",
        "PublicAccessBlockConfiguration",
        lambda inputs: {name: bool(inputs.get(name)) for name in _BLOCKS},
        _read_blocks,
    ),
    "bucketOwnershipControls:BucketOwnershipControls": S3Document(
        "bucket_ownership_controls",
        "OwnershipControls",
        lambda inputs: {"rules": [inputs["rule"]]},
        _read_ownership,
    ),
    "bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": S3Document(
        "bucket_encryption",
        "ServerSideEncryptionConfiguration",
        _write_rules,
        _read_encryption,
    ),
    "bucketLifecycleConfiguration:BucketLifecycleConfiguration": S3Document(
        "bucket_lifecycle_configuration",
        "BucketLifecycleConfiguration",
        _write_lifecycle,
        _read_lifecycle,
        delete="delete_bucket_lifecycle",
        argument="LifecycleConfiguration",
        is_whole_answer=True,
    ),
}
