"""What settings of a machine cost beside it, as a share of the machine's own price."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from gpuinfra.clouds.aws.observe.options import GroupRequest
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Item, Resource, Unknown


def of_settings(resource: Resource, request: GroupRequest) -> Iterator[Item]:
    """Yield what machines pay for settings that are switched on, or may be: see surcharges.json.

    Of several types each counts, which is never too low.
    """
    for row in TABLES.table("surcharges")["rows"]:
        on = (option.machine for option in request.options if _may_be_on(option.launch, row))
        for machine in dict.fromkeys(on):
            yield Item(
                name=f"{row['name']} of {machine}",
                subject=resource.urn,
                kind="fee",
                cloud="aws",
                item=str(machine),
                unit="hour",
                quantity=Decimal(row["share"]),
                group=resource.name,
                per_machine=True,
                resource=resource.urn,
                mode="on-demand",
            )


def _may_be_on(launch: Layers, row: Mapping[str, str]) -> bool:
    key, *more = row["input"].split(".")
    layer, settings = launch.stated(key)
    value = at(settings, *more)
    return layer is not None and (value == row["value"] or isinstance(value, Unknown))
