"""Parameter counts of models as text: 350M, 70B, 1.8T."""

import re
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Final

from gpuinfra.units import UnitError, plain

PARAMETERS: Final = {"M": 10**6, "B": 10**9, "T": 10**12}
"""Parameters of a model are counted in millions, billions and trillions."""

MIN_PARAMETERS: Final = 1000
MAX_PARAMETERS: Final = 10**15

_NUMBER = r"[0-9]{1,18}(?:\.[0-9]{1,6})?"
PARAMETERS_PATTERN: Final = rf"(?!0+(?:\.0+)?[^0-9.]){_NUMBER} ?[MBTmbt]"
PARAMETERS_ALLOWED: Final = "a number of parameters and M, B or T, for example 350M, 70B, 1.8T"

_MAX_SHOWN: Final = 60


def parse_parameters(text: str) -> int:
    """Parse `350M`, `70B`, `1.8T` as a number of parameters, from 1,000 to 1000T; or `70b`.

    Raises:
        UnitError: the text is something else.
    """
    if re.fullmatch(PARAMETERS_PATTERN, text) is None:
        raise UnitError(
            f"{text[:_MAX_SHOWN]!r} is not a number of parameters",
            allowed=PARAMETERS_ALLOWED,
            hint=_hint(text),
        )
    count = int(Decimal(text[:-1].rstrip()) * PARAMETERS[text[-1].upper()])
    if not MIN_PARAMETERS <= count <= MAX_PARAMETERS:
        raise UnitError(
            "the number of parameters is too small"
            if count < MIN_PARAMETERS
            else "the number of parameters is too large",
            allowed=f"{PARAMETERS_ALLOWED}; at least 0.001M, at most 1000T",
            malformed=False,
        )
    return count


def format_parameters(count: int) -> str:
    """Return a number of parameters in its largest unit, for example 70B or 7.2B."""
    for unit in ("T", "B", "M"):
        if count >= PARAMETERS[unit]:
            number = (Decimal(count) / PARAMETERS[unit]).quantize(Decimal("0.1"), ROUND_HALF_EVEN)
            return f"{plain(number)}{unit}"
    return f"{count:,}"


def _hint(text: str) -> str:
    """Return the count that `70b`, `70 billion`, a bare 70 or 7e9 probably meant."""
    match = re.fullmatch(rf"\s*({_NUMBER})\s*([A-Za-z]*)\s*", text)
    word = match.group(2).upper() if match else ""
    if match and word[:1] in PARAMETERS:
        return f"{match.group(1)}{word[0]}"
    if match is None and re.fullmatch(r"[0-9.]{1,12}[eE]\+?[0-9]{1,2}", text) is None:
        return ""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return ""
    if MIN_PARAMETERS <= number <= MAX_PARAMETERS:
        return format_parameters(int(number))
    return f"{plain(number)}B" if 0 < number < MIN_PARAMETERS else ""
