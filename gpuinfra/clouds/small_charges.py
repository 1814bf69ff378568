"""The hourly cost of resources with a small fixed price, from the amounts in their inputs.

One of them is too little for a cap of machines; all of a stack together may not be.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.observing.free_cases import values_at
from gpuinfra.clouds.observing.values import amount
from gpuinfra.model import Unknown

_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)


def per_hour(inputs: Mapping[str, Any], case: Mapping[str, Any]) -> Decimal | None:
    """Return the most that a resource costs an hour by a case of `small`; None where it is hidden.

    A path of `costs` leads to numbers, or to things that cost so much each; the empty one is for
    the resource itself. `copies` names a list of places in each of which all of it is paid again,
    or a number of times.
    """
    total = _ZERO
    for path, usd in case["costs"].items():
        units = _units(inputs, path)
        if units is None:
            return None
        total += units * Decimal(usd)
    copies = _units(inputs, case["copies"]) if "copies" in case else _ZERO
    return None if copies is None else total * (1 + copies)


def _units(inputs: Mapping[str, Any], path: str) -> Decimal | None:
    """Return the sum of the numbers at a path, or the count of its items; None if unknown."""
    total = _ZERO
    for value in values_at(inputs, path):
        number = _ONE if isinstance(value, Mapping) else amount(value)
        if isinstance(number, Unknown):
            return None
        total += number or _ZERO
    return total
