import pytest

from tests.money_forms import other_forms


@pytest.mark.parametrize(
    "text",
    [
        *("-142.25 USD/h", "-72 %", "\N{MINUS SIGN}8.25 per hour", "$0.4 per GB", "$-3.10"),
        *("2.80 $/h", "at most $0.8753/h", "$19.814/run", "20 dollars"),
    ],
)
def test_another_form_is_found(text: str) -> None:
    assert other_forms(text) == [text]


def test_the_one_form_is_not_found() -> None:
    text = "-$142.25/h, -72%, $0.61, $0.0125 per GB, at most $1,234.50/h, 20.00 CNY, prices in USD"

    assert other_forms(text) == []
