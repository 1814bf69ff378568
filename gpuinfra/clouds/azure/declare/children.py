"""The children of a component on Azure, in its region and resource group, with its tags."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.declaring import children
from gpuinfra.clouds.declaring.tag_format import TagFormat
from gpuinfra.clouds.tables import Tables
from gpuinfra.graph import Lookup, Resource

SUBSCRIPTION: Final = Lookup("azure-native:authorization:getClientConfig", {}, "subscriptionId")
"""The id of the subscription that the component's provider works in."""


class Children(children.Children):
    """The children of one component, each with its place and the tags that it supports.

    Attributes:
        resource_group: what holds those that are declared after it; None until there is one.
    """

    MARKS: ClassVar[TagFormat] = TagFormat(own_prefix="gpuinfra:", tag_inputs={"tags": "key"})
    LIMITS: ClassVar[Mapping[str, int]] = {"budget": 63}
    """https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update"""
    TABLES: ClassVar[Tables] = TABLES

    resource_group: Resource | None = None

    def make_resource_group(self, **inputs: Any) -> Resource:
        """Declare the resource group of everything declared from now on, deleted last."""
        kind = "azure-native:resources:ResourceGroup"
        self.resource_group = self.make(kind, "resource_group", **inputs)
        return self.resource_group

    def defaults(self, child: str) -> Mapping[str, Any]:  # noqa: ARG002
        """Return the location, the tags, and the resource group of all children but the group."""
        group = self.resource_group
        return {
            "location": self.spec.region,
            "tags": self.tags,
            "resourceGroupName": None if group is None else group["name"],
        }
