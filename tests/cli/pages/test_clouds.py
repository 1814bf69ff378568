import re
from pathlib import Path

import pytest

from gpuinfra.cli.pages import clouds
from tests.cli.conftest import Run

PAGE = Path(__file__).parents[3] / "docs" / "keys.md"


def test_the_page_is_generated() -> None:
    assert PAGE.read_text() == clouds.page(), "run make docs"


def test_it_says_which_cloud_builds_what_and_why_not() -> None:
    rows = {key: row for row in clouds.keys_on_some() for key in row[0]}

    assert "nodes" in clouds.keys_everywhere()
    assert "network" in clouds.keys_everywhere()
    assert rows["network.shared"][1] == "aws"
    assert "name an existing one by `vpc` and `subnets`" in rows["network.shared"][2]
    assert "interfaces of AWS" in rows["ena_express"][2]
    assert rows["ena_express"] == rows["efa_layout"]
    assert not rows.keys() & set(clouds.keys_everywhere())


def test_it_fits_a_terminal_and_the_page_has_the_same(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = gpuinfra("explain", "--cloud", "all").out
    page = gpuinfra("explain", "--cloud", "all", "--format", "markdown").out

    assert max(map(len, shown.splitlines())) <= 80
    assert page == clouds.page()
    assert set(re.findall(r"`([a-z_.-]+)`[,| \n]", page.partition("## On every")[2])) >= {
        *clouds.keys_everywhere(),
        *(key for row in clouds.keys_on_some() for key in row[0]),
    }
