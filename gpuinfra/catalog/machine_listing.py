"""The machine types of the catalog, each with its lowest effective price of any region."""

from collections.abc import Collection, Sequence
from decimal import Decimal

from gpuinfra.catalog.price_book import CATALOG, CURRENCY, PriceBook
from gpuinfra.catalog.price_row_choice import effective_price
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.model import Machine, Price
from gpuinfra.records import record


@record
class ListedMachine:
    """A machine type and its cheapest on-demand price; None where no price is known."""

    machine: Machine
    cheapest: Price | None


def listing(
    clouds: Sequence[str] = PRICED_CLOUDS,
    keys: Collection[str] | None = None,
    prices: PriceBook = CATALOG,
) -> tuple[ListedMachine, ...]:
    """Return the machine types of some clouds, limited to those with a GPU in `keys` if given.

    In the order of the clouds, then by GPU, by how many, by price, and by name.
    """
    listed_machines = [
        ListedMachine(machine=machine, cheapest=cheapest(machine, "on-demand", prices))
        for cloud in clouds
        for machine in priced_cloud_of(cloud).machines.all_machines()
        if keys is None or machine.gpu in keys
    ]
    listed_machines.sort(key=lambda listed_machine: _order(clouds, listed_machine))
    return tuple(listed_machines)


def cheapest(machine: Machine, mode: str, prices: PriceBook = CATALOG) -> Price | None:
    """Return the lowest effective price of a machine in any region, preferably in dollars."""
    regions = priced_cloud_of(machine.cloud).regions.all()
    rows = [
        row
        for region in regions
        if (row := effective_price(machine.cloud, machine.type, region, mode, prices)) is not None
    ]
    dollars = [row for row in rows if row.currency == CURRENCY]
    return min(dollars or rows, key=lambda row: (row.per_unit, row.region), default=None)


def _order(
    clouds: Sequence[str], listed_machine: ListedMachine
) -> tuple[int, str, Decimal, bool, Decimal, str]:
    machine, price = listed_machine.machine, listed_machine.cheapest
    is_priced = price is not None and price.currency == CURRENCY
    amount = price.per_unit if price is not None and is_priced else Decimal(0)
    cloud_position = clouds.index(machine.cloud)
    return (cloud_position, machine.gpu, machine.gpu_count, not is_priced, amount, machine.type)
