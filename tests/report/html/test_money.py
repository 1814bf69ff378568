"""How the page words amounts and the origins of prices."""

from decimal import Decimal
from typing import get_args

import pytest

from gpuinfra.model.table_rows import Origin
from gpuinfra.report.html.money import ORIGIN_LABELS, cap_share_text


@pytest.mark.parametrize(
    ("share", "words"), [("96.1", "96% of"), ("863.0", "8.6 ×"), ("11022.1", "110.2 ×")]
)
def test_many_times_a_cap_are_told_as_times(share: str, words: str) -> None:
    assert cap_share_text(Decimal(share)) == words


def test_the_page_says_where_each_price_comes_from() -> None:
    assert ORIGIN_LABELS.keys() == set(get_args(Origin))
