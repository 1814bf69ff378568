"""The children of a component on AWS: in its region, with its tags."""

from collections.abc import Mapping
from typing import Any, ClassVar

from gpuinfra.clouds.aws.declare import names
from gpuinfra.clouds.building import children
from gpuinfra.clouds.building.customize import Marks


class Children(children.Children):
    """The children of one component; each says its region, and takes the tags that it can."""

    MARKS: ClassVar[Marks] = Marks(
        ours="gpuinfra:", joined={"tags": "key", "tag_specifications": "resource_type"}
    )
    LIMITS: ClassVar[Mapping[str, int]] = {
        "load_balancer": names.BALANCER,
        "target_group": names.BALANCER,
    }

    def defaults(self, child: str, accepted: frozenset[str]) -> Mapping[str, Any]:
        """The region, and a name tag beside the other tags."""
        values = {
            "region": self.order.region,
            "tags": {"Name": self.name(child), **self.tags},
        }
        return {key: value for key, value in values.items() if key in accepted}
