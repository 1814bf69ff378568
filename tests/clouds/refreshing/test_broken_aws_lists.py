"""A price list of AWS that is broken is refused in words, and nothing of it is kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli import run
from gpuinfra.clouds.refreshing import user_table_files
from tests.clouds.refreshing.conftest import Answer, Interface, Page


class TestAwsPriceList:
    INDEX = "/offers/v1.0/aws/AmazonEC2/current/region_index.json"
    LIST = "/offers/v1.0/aws/AmazonEC2/20261120225308/us-east-1/index.csv"

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (
                lambda text: text.replace('"55.0400000000"', '"n/a"'),
                "no valid price for p5.48xlarge: 'n/a'",
            ),
            (
                lambda text: text.replace('"55.0400000000"', '"NaN"'),
                "no valid price for p5.48xlarge: 'NaN'",
            ),
            (lambda text: text.replace('"Tenancy"', '"Tenure"'), "has no column 'Tenancy'"),
            (
                lambda text: text.replace("2026-11-20T", "Friday "),
                "no valid publication date: 'Friday",
            ),
            (lambda text: text.replace('"SKU"', '"SKO"'), "the price list has no header line"),
            (lambda text: text[:5000], "the price list is not valid CSV: line"),
            (lambda text: text[: text.rindex("\n", 0, 5000)] + '\n"S1","x"', "a line of 2 cells"),
            (lambda text: "<html>", "the price list has no header line"),
            (
                lambda text: "\n".join(text.splitlines()[:6]) + "\n",
                "the price API lists no machine of aws",
            ),
            (lambda text: Answer(text.encode(), cut=5000), "can't be read"),
            (lambda text: Answer(text.encode()[:-5] + b"\xff"), "us-east-1/index.csv is not text"),
        ],
        ids=[
            "is not a number",
            "not a number",
            "no column",
            "no date",
            "no head",
            "half a cell",
            "half a line",
            "another document",
            "empty",
            "cut off",
            "no text",
        ],
    )
    def test_a_broken_list(
        self,
        change: Callable[[str], Any],
        words: str,
        interface: Interface,
        page: Page,
        home: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        list_ = change(page("aws_us-east-1.csv"))
        interface.says({self.INDEX: page("aws_region_index.json"), self.LIST: list_})

        given = ["--only", "prices", "--region", "us-east-1", "--endpoint", interface.endpoint]
        assert run(["catalog", "refresh", "--cloud", "aws", *given]) == 3

        assert words in capsys.readouterr().err
        assert not user_table_files.path("aws").exists()
