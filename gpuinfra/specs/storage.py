"""The storage of data: buckets, and a parallel file system beside the machines."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from gpuinfra.model import EXAMPLE_SIZE
from gpuinfra.specs import values as v
from gpuinfra.specs.forms import Form, ListRule


class Expiry(Form):
    """The expiry rule of a bucket's objects."""

    prefix: v.Prefix = Field(description="The part of the bucket, for example tmp/ .")
    after: v.Retention = Field(description="Age at which objects are deleted, for example 7d.")


Expiries = Annotated[tuple[Expiry, ...], ListRule("expire: [{prefix: tmp/, after: 7d}]")]


class ObjectLock(Form):
    """The retention of every object version, enforced for all principals."""

    mode: v.LockMode = Field(
        default="governance",
        description="governance; or compliance, which no account can override.",
    )
    keep: v.Retention = Field(description="How long, for example 30d.")


class Bucket(Form):
    """A private, encrypted bucket."""

    size: v.Size | None = Field(
        default=None, description="Expected content, for the quote: 2TB.", examples=[EXAMPLE_SIZE]
    )
    reads: v.Tally | None = Field(
        default=None, description="Read requests per month, for the quote: 10M."
    )
    writes: v.Tally | None = Field(
        default=None, description="Write and list requests per month, for the quote: 1M."
    )
    versioned: v.Flag = Field(default=True, description="Keep old versions of objects.")
    keep_noncurrent: v.Retention = Field(
        default=timedelta(days=30), description="How long an old version is kept, for example 30d."
    )
    overwritten: v.Size | None = Field(
        default=None,
        description="Data overwritten or deleted per month, whose old versions stay for "
        "keep_noncurrent, for the quote; checkpoints are counted separately.",
    )
    region: v.Region | None = Field(
        default=None, description="The stack's first region when absent."
    )
    encryption: v.Encryption = Field(
        default="managed", description="managed, kms for the bucket's own key, or a key's ARN."
    )
    tiering: v.Retention | None = Field(
        default=None, description="Age at which objects move to the cheaper tier, for example 30d."
    )
    expire: Expiries = Field(default=(), description="Parts whose objects are deleted by age.")
    access_logs: v.AccessLogs | None = Field(
        default=None, description="own, or the name of the bucket that receives the access logs."
    )
    object_lock: ObjectLock | None = Field(
        default=None,
        description="Parts whose versions can't be deleted for a time, for example weights.",
    )
    replicate_to: v.Region | None = Field(
        default=None, description="A second region that receives a copy of everything."
    )


class SharedStorage(Form):
    """A parallel file system (FSx for Lustre) for a training workload."""

    size: v.Size | None = Field(
        default=None, description="Its size, for example 4.8TiB; none with intelligent-tiering."
    )
    deployment: v.Deployment = Field(
        default="persistent-2", description="scratch-1, scratch-2, persistent-1 or persistent-2."
    )
    storage: v.StorageKind = Field(
        default="ssd", description="ssd, hdd or intelligent-tiering, as the deployment has it."
    )
    throughput: v.StorageThroughput | None = Field(
        default=None,
        description="MB/s per TiB; for intelligent-tiering MB/s in total.",
    )
    efa: v.Flag = Field(default=False, description="Access over EFA.")
    metadata_iops: v.MetadataIops | None = Field(
        default=None, description="Metadata operations per second; automatic when absent."
    )
    bucket: v.Name | None = Field(
        default=None, description="A bucket of this file whose content appears in the file system."
    )
    prefix: v.Prefix = Field(default="", description="Only this part of the bucket.")
    export: v.Flag = Field(default=False, description="Export changes to the bucket.")
