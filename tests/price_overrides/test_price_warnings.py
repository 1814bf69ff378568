"""Exchange rates that can hardly be meant."""

from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import source
from gpuinfra.price_overrides.price_warnings import doubtful_rates
from gpuinfra.today import today
from tests.cli.conftest import STACKS


def test_a_rate_upside_down_is_told_with_its_direction() -> None:
    (told,) = doubtful_rates({"CNY": Decimal("7.14")})

    assert told.startswith("exchange_rates: CNY: 7.14 is far from 0.1370 (European Central Bank")
    assert told.endswith("2024-12-31): write US dollars per CNY: 0.1401")


@pytest.mark.parametrize(("code", "rate"), [("CNY", "0.14"), ("EUR", "1.10"), ("XAF", "600")])
def test_a_rate_that_is_near_or_of_no_known_currency_is_no_doubt(code: str, rate: str) -> None:
    assert not list(doubtful_rates({code: Decimal(rate)}))


def test_a_rate_far_off_both_ways_has_no_proposal() -> None:
    (told,) = doubtful_rates({"EUR": Decimal(140)})

    assert told.endswith("write US dollars per EUR")


@pytest.mark.parametrize("name", ["stack.yaml", "prices.yaml"])
def test_both_files_are_looked_at(tmp_path: Path, name: str) -> None:
    text = (STACKS / "quickstart" / "stack.yaml").read_text()
    rates = "exchange_rates: {CNY: 7.14}"
    if name == "stack.yaml":
        text = text.replace("where:", f"prices: {{{rates}}}\nwhere:", 1)
    else:
        (tmp_path / name).write_text(f"version: 1\n{rates}\n")
    path = tmp_path / "stack.yaml"
    path.write_text(text)
    read, _ = source.read(path, {})
    own = () if read.own_prices is None else read.own_prices.notes(today())

    assert any("CNY: 7.14 is far from 0.137" in note for note in (*read.notes, *own))
