"""Finds money and percentages in other forms than `-$142.25/h`, `$0.61` and `-72%`."""

import re

OTHER_FORMS = (
    r"\d ?USD\b",
    r"\d \$(?:/| |$)",
    r"\d dollars\b",
    r"\d %",
    r"\$ ?-|\$ \d",
    "\N{MINUS SIGN}" + r"\$?\d",
    r"\$[\d,]+\.\d(?!\d)",
    r"\$[\d,]+\.\d{3,}/(?:month|run)",
    r"at most \$[\d,]+\.\d{3,}/h",
)
_OTHER = re.compile("|".join(OTHER_FORMS), re.MULTILINE)


def other_forms(text: str) -> list[str]:
    """Each line of a text that has money or a percentage in another form."""
    return [line for line in text.splitlines() if _OTHER.search(line)]
