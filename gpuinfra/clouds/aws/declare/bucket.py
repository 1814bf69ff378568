"""Declares a data bucket, with its key, its copy in a second region and its log of requests."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.declare import bucket_policies, hardened_bucket, names
from gpuinfra.clouds.aws.declare.bucket_rules import lifecycle, log_bucket_rules
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.build_spec import BucketOutputs, BuildSpec
from gpuinfra.clouds.declaring.children import BUCKET
from gpuinfra.clouds.declaring.inputs import ORGANIZATION, PROJECT, STACK
from gpuinfra.clouds.declaring.names import logs_name, replica_name
from gpuinfra.graph import Options, Resource, ResourceGraph, compute, format_values
from gpuinfra.specs.storage import Bucket

LOGS: Final = "_logs"
"""How the names of the children end that make the log."""


def declare_bucket(spec: BuildSpec, bucket: Bucket, key: str) -> ResourceGraph:
    """Declare a bucket and its companions; a bucket with content is not deleted."""
    maker = _Maker(spec, bucket, key)
    main_bucket = maker.bucket()
    if bucket.replicate_to is not None:
        maker.copy(main_bucket, bucket.replicate_to)
    if bucket.access_logs is not None:
        maker.log(main_bucket, spec.value("access_logs", bucket.access_logs))
    graph = maker.children.graph
    graph.outputs[key] = BucketOutputs(
        bucket_name=_name_after_companions(graph, main_bucket.bucket),
        bucket_id=main_bucket.bucket["arn"],
        key_id=maker.key,
    )
    return graph


def _name_after_companions(graph: ResourceGraph, bucket: Resource) -> Any:
    """Return the bucket's name, available once all of its companions exist.

    What uses the bucket by this name is deleted before them: machines that still write their last
    checkpoint write it into a bucket that is encrypted, versioned, locked and copied as it was.
    Each gives back the name that it was given, which is known in a preview already.
    https://www.pulumi.com/docs/iac/concepts/resources/options/dependson/
    """
    companions = [
        resource["bucket"]
        for resource in graph.resources.values()
        if resource.key != bucket.key
        and "bucket" in resource.inputs
        and resource.type != bucket.type
    ]
    return format_values(_bucket_name, bucket["bucket"], companions)


def _bucket_name(name: str, _: Sequence[str]) -> str:
    return name


def _key(children: Children, name_part: str, *, region: str, bucket: str) -> Any:
    """Declare a bucket's own key."""
    from gpuinfra.clouds.aws.declare.bucket_key import make_key  # noqa: PLC0415  (few buckets have one)

    return make_key(children, name_part, region=region, bucket=bucket)


class _Maker:
    """The maker of the parts of one bucket component, which share its key."""

    def __init__(self, build_spec: BuildSpec, spec: Bucket, key: str) -> None:
        self.build_spec = build_spec
        self.spec = spec
        self.children = Children(build_spec, key, BUCKET)
        self.key: Any = None

    def bucket(self) -> hardened_bucket.DeclaredBucket:
        """Declare the bucket."""
        name = self._name(self.build_spec.name, self.build_spec.region)
        if self.spec.encryption.startswith("arn:"):
            self.key = self.build_spec.value("encryption", self.spec.encryption)
        elif self.spec.encryption == "kms":
            self.key = _key(self.children, "", region=self.build_spec.region, bucket=name)
        return hardened_bucket.make(
            self.children,
            hardened_bucket.BucketSpec(
                part="",
                name=name,
                region=self.build_spec.region,
                versioned=self.spec.versioned,
                rules=lifecycle(self.spec),
                key=self.key,
                lock=self.spec.object_lock,
            ),
        )

    def copy(self, declared_bucket: hardened_bucket.DeclaredBucket, region: str) -> None:
        """Declare the copy, with the same hardening and rules, and its own key in its region."""
        from gpuinfra.clouds.aws.declare import bucket_copy  # noqa: PLC0415  (few have one)

        part, name = bucket_copy.PART, self._name(replica_name(self.build_spec.name), region)
        key = self.key and _key(self.children, part, region=region, bucket=name)
        copy = hardened_bucket.make(
            self.children,
            hardened_bucket.BucketSpec(
                part=part,
                name=name,
                region=region,
                versioned=True,
                rules=lifecycle(self.spec),
                key=key,
                lock=self.spec.object_lock,
            ),
        )
        bucket_copy.replicate(
            self.children,
            declared_bucket,
            copy,
            regions=(self.build_spec.region, region),
            keys=None if key is None else (self.key, key),
            is_locked=self.spec.object_lock is not None,
        )

    def log(self, declared_bucket: hardened_bucket.DeclaredBucket, target: Any) -> None:
        """Declare the log of its requests, in a log bucket of its own or in an existing one.

        A bucket of our own goes with its logs when the stack does, or nothing that is logged could
        ever be destroyed; who has to keep them names a bucket that stays.
        """
        logs = self._logs(declared_bucket) if target == "own" else None
        self.children.make(
            "aws:s3/bucketLogging:BucketLogging",
            "logging",
            Options(depends_on=() if logs is None else (logs.policy.key,)),
            bucket=declared_bucket.bucket["bucket"],
            targetBucket=target if logs is None else logs.bucket["bucket"],
            targetPrefix=f"{self.build_spec.name}/",
        )

    def _logs(
        self, declared_bucket: hardened_bucket.DeclaredBucket
    ) -> hardened_bucket.DeclaredBucket:
        region = self.build_spec.region
        name = self._name(logs_name(self.build_spec.name), region)
        writes = partial(bucket_policies.logs, partition_of(region))
        return hardened_bucket.make(
            self.children,
            hardened_bucket.BucketSpec(
                part=LOGS,
                name=name,
                region=region,
                versioned=False,
                # Logs are delivered to buckets that S3's own keys encrypt.
                rules=log_bucket_rules(),
                policy_statements=[
                    format_values(
                        writes, name, declared_bucket.bucket["bucket"], self.children.account
                    )
                ],
                expendable=True,
            ),
        )

    def _name(self, name: str, region: str) -> Any:
        """Return the physical name, the same for each bucket of a stack, account and region."""
        return compute(
            partial(_generated_name, self.build_spec.stack, name, region),
            *(ORGANIZATION, PROJECT, STACK, self.children.account),
        )


def _generated_name(stack: str, name: str, region: str, *identity: str) -> str:
    organization, program, pulumi_stack, account = identity
    return names.bucket_name(stack, name, [organization, program, pulumi_stack, region, account])
