"""The index of AWS resources by the names that other resources use for them."""

from typing import ClassVar, Final

from gpuinfra.clouds.aws.observe.resource_types import (
    BUCKET,
    FUNCTION,
    POLICY,
    PROFILE,
    QUEUE,
    ROLE,
    TOPIC,
    canonical,
)
from gpuinfra.clouds.observing import index
from gpuinfra.clouds.observing.index import ReferenceKeys, Targets
from gpuinfra.model import Resource

_PRIMARY: Final = "primaryNetworkInterfaceId"
"""What a machine's first interface is called by what hangs on it."""

_NAME_IN_ARN: Final = {
    ROLE: (":role/", "/"),
    POLICY: (":policy/", "/"),
    PROFILE: (":instance-profile/", "/"),
    FUNCTION: (":function:", ":"),
    TOPIC: (":sns:", ":"),
    QUEUE: (":sqs:", ":"),
}
"""What is in ARNs of resources that are named there, and the text before the name:
https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html"""
_ACCOUNT: Final = 4


class Index(index.Index):
    """The resources seen so far."""

    KEYS: ClassVar[ReferenceKeys] = ReferenceKeys(
        outputs=("id", "arn", "name", "bucket", "allocationId", "placementGroupId", _PRIMARY),
        inputs=("name", "bucket", "nodeGroupName"),
        canonical=canonical,
        worldwide=frozenset({BUCKET}),
    )

    def _find_by_name(self, resource: Resource, prop: str, kind: str, name: str) -> Targets:
        """Find a resource also by an ARN that ends in its name, before the resource exists."""
        targets = super()._find_by_name(resource, prop, kind, name)
        mark, text_before_name = _NAME_IN_ARN.get(kind, ("", ""))
        if not mark or mark not in name or targets.certain or targets.possible:
            return targets
        by_own_name = super()._find_by_name(
            resource, prop, kind, name.rpartition(text_before_name)[2]
        )
        account = name.split(":")[_ACCOUNT]
        certain = tuple(
            namesake
            for namesake in by_own_name.certain
            if not isinstance(namesake.outputs.get("arn"), str)
            and namesake.account in {None, account}
        )
        return Targets(certain) if certain else targets
