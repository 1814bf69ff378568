"""Each amount to which a fix raises a cap is written as money."""

from decimal import Decimal
from typing import get_args

import pytest

from gpuinfra.model.table_rows import Origin
from gpuinfra.report.html.money import ORIGIN_LABELS, cap_share_text, fix_with_money

ROOM = "(covers outdated prices that double;"


@pytest.mark.parametrize(
    ("fix", "shown"),
    [
        (
            "raise budget.per_month to 5034.79 with that, to 40273.51 without",
            "raise budget.per_month to $5,034.79 with that, to $40,273.51 without",
        ),
        (
            f"raise budget.per_hour to 1100.1 {ROOM} 9 is enough",
            f"raise budget.per_hour to $1,100.10 {ROOM} $9.00 is enough",
        ),
    ],
)
def test_every_amount_of_a_fix_is_money(fix: str, shown: str) -> None:
    assert fix_with_money(fix) == shown


@pytest.mark.parametrize(
    ("share", "words"), [("96.1", "96% of"), ("863.0", "8.6 ×"), ("11022.1", "110.2 ×")]
)
def test_many_times_a_cap_are_told_as_times(share: str, words: str) -> None:
    assert cap_share_text(Decimal(share)) == words


def test_the_page_says_where_each_price_comes_from() -> None:
    assert ORIGIN_LABELS.keys() == set(get_args(Origin))
