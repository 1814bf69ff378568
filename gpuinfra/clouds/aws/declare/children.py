"""The children of a component on AWS: in its region, with its tags."""

from collections.abc import Mapping
from typing import Any, ClassVar

from gpuinfra.clouds.aws.declare import names
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.declaring import children
from gpuinfra.clouds.declaring.tagging import TagFormat
from gpuinfra.clouds.tables import Tables
from gpuinfra.graph import Lookup


class Children(children.Children):
    """The children of one component; each says its region, and takes the tags that it can."""

    MARKS: ClassVar[TagFormat] = TagFormat(
        ours="gpuinfra:", joined={"tags": "key", "tagSpecifications": "resourceType"}
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
        """The region, and a name tag beside the other tags."""
        return {"region": self.order.region, "tags": {"Name": self.name(child), **self.tags}}
