"""`energy`: the overhead of a data centre on the watts of the GPUs, as a user writes it."""

import re
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import Field

from gpuinfra.specs.fields import FieldReader, input_error
from gpuinfra.specs.forms import Form
from gpuinfra.specs.numbers import FINITE, measure, number_of
from gpuinfra.units import UnitError

MOST_PUE: Final = 5
CARBON_PATTERN: Final = r"[0-9]{1,4}(?:\.[0-9]{1,3})? ?g/kWh"
CARBON_ALLOWED: Final = "grams of CO2 per kWh, for example 400 g/kWh"


def parse_carbon(text: str) -> Decimal:
    """Read `400 g/kWh` as grams of CO2 per kWh.

    Raises:
        UnitError: the text is something else.
    """
    if re.fullmatch(CARBON_PATTERN, text) is None:
        match = re.match(r"\s*([0-9]{1,4}(?:\.[0-9]{1,3})?)\s*(?:g|$)", text)
        raise UnitError(
            f"{text[:40]!r} is not a carbon intensity",
            allowed=CARBON_ALLOWED,
            hint=f"{match[1]} g/kWh" if match else "",
        )
    return Decimal(text.removesuffix("g/kWh").strip())


def _pue() -> FieldReader:
    """Return the reader of power usage effectiveness, data centre energy per computer energy."""
    allowed = f"a number from 1 (no losses) to {MOST_PUE}, for example 1.5"

    def read(value: Any) -> Decimal:
        number = number_of(value, allowed)
        if not 1 <= number <= MOST_PUE:
            raise input_error("is out of range", allowed=allowed)
        return number

    return FieldReader(read, {"type": "number", **FINITE, "minimum": 1, "maximum": MOST_PUE})


class Energy(Form):
    """The factors from GPU power to data centre energy and carbon."""

    pue: Annotated[Decimal, _pue()] | None = Field(
        default=None, description="Power usage effectiveness of the data centre, for example 1.5."
    )
    carbon: Annotated[Decimal, measure(parse_carbon, CARBON_PATTERN, CARBON_ALLOWED)] | None = (
        Field(default=None, description="Carbon intensity of its power, for example 400 g/kWh.")
    )
