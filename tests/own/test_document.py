"""The examples of docs/prices.md can be written as they stand."""

import re
from pathlib import Path

import pytest

from gpuinfra.own import prices, purchase

DOCUMENT = Path(__file__).parents[2] / "docs" / "prices.md"


@pytest.mark.parametrize(("place", "read"), [(0, prices.read), (1, purchase.read)])
def test_an_example_is_read(tmp_path, place, read):
    path = tmp_path / "example.yaml"
    path.write_text(re.findall(r"```yaml\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[place])

    assert read(path)
