"""The machines to choose from: those in the clouds' tables, or a given list."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Machine


class OfferedMachines:
    """The machines and regions of clouds, by default those of the clouds' tables.

    Args:
        machines: by cloud, in place of the tables'. Their prices are the book's to give.
    """

    def __init__(self, machines: Mapping[str, tuple[Machine, ...]] | None = None) -> None:
        self._machines = machines
        self.regions_with_offerings = cache(self._regions_with_offerings)
        """The regions of a cloud of which the offerings of machines tell something."""
        self.usage_classes = cache(self._usage_classes)
        """The ways to buy of which the machines of a cloud tell."""
        self.regions = cache(self._regions)
        """The regions of a cloud, sorted."""
        self.types = cache(self._types)
        """The machines of a cloud by their names."""

    def machines(self, cloud: str) -> tuple[Machine, ...]:
        """Return every machine type of a cloud."""
        if self._machines is None:
            return priced_cloud_of(cloud).machines.all_machines()
        return self._machines.get(cloud, ())

    def _types(self, cloud: str) -> Mapping[str, Machine]:
        return {machine.type: machine for machine in self.machines(cloud)}

    def _regions_with_offerings(self, cloud: str) -> frozenset[str]:
        return frozenset(region for machine in self.machines(cloud) for region in machine.regions)

    def _usage_classes(self, cloud: str) -> frozenset[str]:
        return frozenset(
            usage_class
            for machine in self.machines(cloud)
            for usage_class in machine.usage_classes
        )

    def _regions(self, cloud: str) -> tuple[str, ...]:
        if self._machines is None:
            return priced_cloud_of(cloud).regions.all()
        return tuple(sorted(self._regions_with_offerings(cloud)))


STOCK: Final = OfferedMachines()
"""The machines of the clouds' tables."""
