"""Capacity that Azure keeps for a stack, and the scale sets that grow within it: paid once."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.model import UNKNOWN, Usage
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import TODAY, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment

SIZE = "Standard_NC4as_T4_v3"


def priced(
    *kept: Any,
    moment: Moment = "created",
    capacity: Any = 0,
    scaled: tuple[Any, Any] | None = None,
    enabled: bool = True,
    nightly: bool = False,
    usage: Usage | None = None,
    **changes: Any,
) -> Quote:
    program = AzureProgram()
    group = program.add("azure-native:compute:CapacityReservationGroup", "kept")
    for number, count in enumerate(kept):
        program.add(
            "azure-native:compute:CapacityReservation",
            f"kept{number}",
            capacityReservationGroupName=group.out("name"),
            sku={"name": SIZE, "capacity": count},
        )
    profile = {
        "capacityReservation": {"capacityReservationGroup": {"id": group.id}},
        **changes.pop("profile", {}),
    }
    sku = {"name": SIZE, "capacity": capacity}
    servers = stacks.scale_set(program, profile=profile, sku=sku, **changes)
    if scaled is not None:
        least, most = scaled
        limits = {"minimum": least, "maximum": most, "default": least}
        none = {"minimum": "0", "maximum": "0", "default": "0"}
        night = {"name": "night", "capacity": none, "recurrence": {"frequency": "Week"}}
        program.add(
            "azure-native:monitor:AutoscaleSetting",
            "scale",
            enabled=enabled,
            targetResourceUri=servers.id,
            profiles=[{"name": "load", "capacity": limits, "rules": []}, *([night] * nightly)],
        )
    return estimate(
        of_resources(program.resources(moment), usage=usage), PricingTerms(as_of=TODAY)
    )


def paid(quote: Quote, figure: str = "per_hour") -> Decimal:
    """What the machines of the stack cost, in machines."""
    lines = [line for line in quote.lines if line.item == SIZE]
    return sum((getattr(line, figure) for line in lines), Decimal(0)) / (lines[0].rate or 1)


@both
@pytest.mark.parametrize(
    ("kept", "inputs", "surely", "most"),
    [
        ((4,), {"scaled": ("0", "4")}, 4, 4),
        ((4,), {"scaled": ("1", "4")}, 4, 4),
        ((4,), {"scaled": ("4", "4")}, 4, 4),
        ((4,), {"scaled": ("0", "4"), "capacity": 2}, 4, 4),
        ((8,), {"scaled": ("0", "4")}, 8, 8),
        ((4,), {"scaled": ("0", "6")}, 4, 6),
        ((4,), {"scaled": ("5", "6")}, 5, 6),
        ((4, 4), {"scaled": ("0", "6")}, 8, 8),
        ((2, 2), {"scaled": ("1", "6")}, 4, 6),
        ((4,), {"scaled": ("0", "4"), "enabled": False}, 4, 4),
        ((4,), {"capacity": 4}, 4, 4),
        ((4,), {"scaled": ("0", "4"), "zones": ["1"]}, 4, 8),
    ],
    ids=str,
)
def test_what_is_kept_and_a_scale_set_that_grows_within_it_are_paid_once(
    moment: Moment, kept: tuple[int, ...], inputs: dict[str, Any], surely: int, most: int
) -> None:
    quote = priced(*kept, moment=moment, **inputs)

    assert paid(quote) == most
    assert paid(quote, "minimum_per_hour") == surely


def test_a_scale_set_of_an_unknown_maximum_takes_only_its_minimum() -> None:
    lines = {line.name: line for line in priced(4, scaled=("1", UNKNOWN)).lines}

    assert lines["kept0"].quantity == 3


def test_a_machine_that_ends_leaves_its_place_in_it_paid_for() -> None:
    usage = Usage(ends_after={"servers": Decimal(10)})
    quote = priced(4, usage=usage, capacity=4, scaled=("0", "4"), nightly=True)

    assert paid(quote, "per_month") == 4 * 730
