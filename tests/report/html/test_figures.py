"""The charts of a page: their figures, and the names of their marks."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from markupsafe import Markup

from gpuinfra.cost.interruption_sweep import SpotCurve
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


@pytest.mark.parametrize(
    ("per_day", "told"),
    [
        (0.0035, "one in 290 days"),
        (0.5, "one in 2 days"),
        (67.2, "67 a day"),
        (11_230, "11,000 a day"),
    ],
)
def test_interruptions_are_counted_without_an_exponent(per_day: float, told: str) -> None:
    points = ((per_day / 1000, 10.0), (per_day * 2, 30.0))
    curve = SpotCurve(
        group="a", points=points, on_demand=20.0, counted_per_day=per_day, break_even=per_day
    )
    drawn = figures.spot_chart("a", curve)
    labels = [tag.text for tag in parsed(str(drawn.drawing)).named("text")]

    assert dict(drawn.legend) == {
        "spot": "spot",
        "on-demand": "on demand",
        "counted": f"counted, {told}",
        "break-even": f"break-even, {told}",
    }
    assert len(labels) > 5
    assert not [label for label in labels if "e+" in label or "e-" in label]


def test_the_machines_of_the_hollow_circles_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[figures.Point] = []

    def scatter(_name: str, _title: str, points: Sequence[figures.Point], _: str) -> figures.Chart:
        drawn.extend(point for point in points if point.rank == OTHERS)
        return figures.Chart(drawing=Markup())

    monkeypatch.setattr(figures, "scatter", scatter)
    (tmp_path / "stack.yaml").write_text(ONE_TYPE)
    text = page_of(tmp_path, tmp_path)
    page = parsed(text)
    _, listed = text.split("the hollow circles: ", 1)
    rows = [tag.text for tag in page.named("th") if tag.attributes.get("scope") == "row"]

    assert "p5.48xlarge is the only machine that fits what the stack file asks for." in page.words
    assert "Machines that fit, by" not in page.words
    assert "p6-b200.48xlargeB200-SXM-180GB, aws us-east-1" in rows
    assert listed.startswith(f"{len(drawn)}<")
    assert drawn
    named = set(re.findall(r'per TFLOPS"><data value="([^"]+)"', listed))
    assert {float(price) for price in named} == {point.price for point in drawn}


ONE_TYPE = """\
name: one-type
budget: {per_hour: 100}
where: {cloud: aws, regions: [us-east-1]}
training: {tune: {instance: p5.48xlarge, duration: 24h}}
"""


def test_a_price_that_is_not_known_has_no_date(tmp_path: Path) -> None:
    rows = page_of(STACKS / "training", tmp_path).split("<tr")
    (unpriced,) = (row for row in rows if ">a3-edgegpu-8g<" in row)

    assert 'data-label="price of">–</td>' in unpriced
