"""What is paid for again where it is copied to: tables in other regions."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.model import Resource

_BY_REQUEST: Final = "PAY_PER_REQUEST"
_AGAIN: Final = (
    "the capacity of its table is billed in its region too, unless that is paid by request"
)


def of_table_replica(replica: Resource, index: Index) -> Iterator[str]:
    """Yield why a replica has no known price: its table is paid by capacity, or not of this stack.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html
    """
    prop = "globalTableArn"
    tables = index.targets(replica, prop, kinds.TABLE, replica.inputs.get(prop)).certain
    if not tables or any(table.inputs.get("billingMode") != _BY_REQUEST for table in tables):
        yield _AGAIN
