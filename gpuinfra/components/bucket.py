"""The bucket component: private, encrypted, TLS only, versioned, with lifecycle rules."""

from collections.abc import Mapping
from typing import Any, Final

import pulumi

from gpuinfra.components.args import BucketArgs
from gpuinfra.components.caller import CallerInputs
from gpuinfra.components.component import BuiltComponent
from gpuinfra.components.declared import build
from gpuinfra.components.messages import show_plain_errors
from gpuinfra.components.planned import PlannedComponent, plan_bucket
from gpuinfra.specs import Bucket

BUCKET: Final = "gpuinfra:index:DataBucket"


class DataBucket(BuiltComponent):
    """A bucket for data and checkpoints. While it has content, a destroy fails and keeps it.

    Args:
        name: lower-case letters, digits and hyphens; a part of the bucket's name.
        args: what is wanted, in the words of the stack file.
        tags: on everything that takes tags, beside ours, which start with `gpuinfra:`.
        customize: argument values by child and argument, which join or replace the component's:
            {"bucket": {"force_destroy": True}}. A block keeps its other keys, and
            all tags stay; a list replaces; None takes away. Unknown names are refused.
        opts: children inherit providers, aliases, protection and transforms.

    Raises:
        ProgramError: something does not fit; shown by the engine without a traceback.
    """

    bucket_name: pulumi.Output[str]
    """The name that mounts use: the bucket, or on Azure account/container."""
    bucket_id: pulumi.Output[str]
    """The ARN (AWS), the URL (Google Cloud) or the container's resource id (Azure)."""
    key_id: pulumi.Output[str] | None
    """The key of its own, or the one that was named; None for the cloud's."""

    def __init__(
        self,
        name: str,
        args: BucketArgs | PlannedComponent[Bucket],
        *,
        tags: Mapping[str, pulumi.Input[str]] | None = None,
        customize: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        with show_plain_errors():
            planned = plan_bucket(name, args)
            super().__init__(BUCKET, name, planned.inputs, opts)
            built = build(
                planned,
                planned.build_spec(name, tags),
                caller=CallerInputs(parent=self, customize=customize or {}),
            )
        self._show(built)
