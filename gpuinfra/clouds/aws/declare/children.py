"""The children of a component on AWS, in its region and with its tags."""

from collections.abc import Mapping
from typing import Any, ClassVar

from gpuinfra.clouds.aws.declare import names
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.declaring import children
from gpuinfra.clouds.declaring.tag_format import TagFormat
from gpuinfra.clouds.tables import Tables
from gpuinfra.graph import Lookup


class Children(children.Children):
    """The children of one component, each with its region and the tags that it supports."""

    MARKS: ClassVar[TagFormat] = TagFormat(
        own_prefix="gpuinfra:", tag_inputs={"tags": "key", "tagSpecifications": "resourceType"}
    )
    LIMITS: ClassVar[Mapping[str, int]] = {
        "load_balancer": names.BALANCER,
        "target_group": names.BALANCER,
    }
    TABLES: ClassVar[Tables] = TABLES

    @property
    def account(self) -> Lookup:
        """The account of the component's provider."""
        return Lookup("aws:index/getCallerIdentity:getCallerIdentity", {}, "accountId")

    def defaults(self, child: str) -> Mapping[str, Any]:
        """Return the region, and a name tag added to the other tags."""
        return {"region": self.spec.region, "tags": {"Name": self.name(child), **self.tags}}
