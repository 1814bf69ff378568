"""The children of a component on Azure: in its region and resource group, with its tags."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Final

import pulumi
import pulumi_azure_native as azure

from gpuinfra.clouds.building import children
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.customize import Marks

GROUPED: Final[Kinds] = {"resource_group": azure.resources.ResourceGroup}
"""The child that holds all others of a workload or a bucket, and that goes with them."""


class Children(children.Children):
    """The children of one component; each says its place, and takes the tags that it can.

    Attributes:
        resource_group: what holds those that are made after it; None until there is one.
    """

    MARKS: ClassVar[Marks] = Marks(ours="gpuinfra:", joined={"tags": "key"})
    LIMITS: ClassVar[Mapping[str, int]] = {"budget": 63}
    """https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update"""

    resource_group: azure.resources.ResourceGroup | None = None

    def make_resource_group(self, **arguments: Any) -> azure.resources.ResourceGroup:
        """Make the resource group that holds everything made from now on."""
        kind = azure.resources.ResourceGroup
        self.resource_group = self.make(kind, "resource_group", **arguments)
        return self.resource_group

    def defaults(self, child: str, accepted: frozenset[str]) -> Mapping[str, Any]:
        """The location, the tags, and the resource group of all but itself."""
        values: dict[str, Any] = {"location": self.order.region, "tags": self.tags}
        if self.resource_group is not None and child not in GROUPED:
            values["resource_group_name"] = self.resource_group.name
        return {key: value for key, value in values.items() if key in accepted}

    @cached_property
    def subscription(self) -> pulumi.Output[str]:
        """The id of the subscription that the component's provider works in."""
        found = azure.authorization.get_client_config_output(opts=self.invoke())
        subscription: pulumi.Output[str] = found.subscription_id
        return subscription
