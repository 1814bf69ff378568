"""The charts of a page: their figures, and the names of their marks."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from markupsafe import Markup

from gpuinfra.report.html import figures
from tests.report.html.conftest import Json
from tests.report.html.pages import STACKS, page_of
from tests.report.html.parsing import parsed

OTHERS = 2
"""The rank of a point that does not fit."""


def test_the_chart_of_candidates_shows_the_price_of_a_tflops(
    tmp_path: Path, as_json: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Sequence[figures.Point]] = []
    active_machines: list[str] = []

    def scatter(
        _name: str, _title: str, points: Sequence[figures.Point], active: str
    ) -> figures.Chart:
        drawn.append(points)
        active_machines.append(active)
        return figures.Chart(drawing=Markup())

    monkeypatch.setattr(figures, "scatter", scatter)
    page_of(STACKS / "training", tmp_path)
    ranked = as_json("choose", "H100:8", "--by", "tflops")["ranked"]

    shown = {point.price for point in drawn[0] if point.rank < OTHERS}
    assert shown
    assert shown <= {candidate["figure"] for candidate in ranked}
    assert active_machines == ["p5.48xlarge", "g6.xlarge"]


def test_a_chart_names_its_marks_beside_it(tmp_path: Path) -> None:
    def marks_of(stack: Path) -> list[tuple[str, str]]:
        return [
            (tag.attributes["class"], tag.text)
            for tag in parsed(page_of(stack, tmp_path)).named("li")
            if "class" in tag.attributes
        ]

    marks = marks_of(STACKS / "training")
    text = (STACKS / "training/stack.yaml").read_text("utf-8")
    dear = tmp_path / "dear/stack.yaml"
    dear.parent.mkdir()
    dear.write_text(text.replace("us-east-2", "us-east-1"), encoding="utf-8")

    for machine in ("p5.48xlarge", "g6.xlarge"):
        assert ("active", machine) in marks
    assert marks.count(("fits", "fits")) == marks.count(("other", "does not fit")) == 2
    assert {mark for mark, _ in marks} >= {"spot", "on-demand", "counted", "break-even"}
    assert "break-even" not in {mark for mark, _ in marks_of(dear)}, "spot is as dear as on demand"


def test_a_mark_that_is_not_drawn_is_not_named() -> None:
    drawn = figures.scatter("a", "b", [figures.Point(memory=24, price=0.01, rank=1)], "g6.xlarge")
    planned = figures.Bar(label="a", amount=Decimal(2))

    assert drawn.legend == (("fits", "fits"),)
    assert figures.bars("a", "b", [planned]).legend == ()
    fallback = replace(planned, fallback_extra=Decimal(1))
    assert [mark for mark, _ in figures.bars("a", "b", [fallback]).legend] == [
        "planned",
        "fallback",
    ]
