"""How the page words amounts and the origins of prices."""

from decimal import Decimal
from typing import get_args

import pytest

from gpuinfra.cost import Total
from gpuinfra.model.table_rows import Origin
from gpuinfra.report.html.money import ORIGIN_LABELS, CappedTotal, cap_share_text


@pytest.mark.parametrize(
    ("share", "words"), [("96.1", "96% of"), ("863.0", "8.6 ×"), ("11022.1", "110.2 ×")]
)
def test_many_times_a_cap_are_told_as_times(share: str, words: str) -> None:
    assert cap_share_text(Decimal(share)) == words


@pytest.mark.parametrize(
    ("share", "shown"), [(None, "0"), ("96", "96"), ("100", "100"), ("125", "80"), ("400", "25")]
)
def test_above_a_cap_its_bar_shows_the_part_of_the_cost_that_is_within(
    share: str | None, shown: str
) -> None:
    total = Total(ceiling=Decimal(1), active=Decimal(1), expected=None)
    known = None if share is None else Decimal(share)

    row = CappedTotal(span="hour", total=total, cap=Decimal(1), share=known)

    assert row.shown_share == Decimal(shown)


def test_the_page_says_where_each_price_comes_from() -> None:
    assert ORIGIN_LABELS.keys() == set(get_args(Origin))
