from pathlib import Path

from gpuinfra.cli.pages import missing_prices

PAGE = Path(__file__).parents[3] / "docs" / "prices-by-region.md"


def test_the_page_is_generated() -> None:
    assert PAGE.read_text() == missing_prices.page(), "run make docs"


def test_it_names_the_regions_that_lack_a_price_or_the_few_that_have_one() -> None:
    lines = missing_prices.page().splitlines()

    assert any("besides cn-north-1, where none has" in line for line in lines)
    assert "- `aks-cluster-premium-hour` in italynorth" in lines
    assert "- `app-service-linux-b1` in all but australiaeast, eastus, westus2" in lines
