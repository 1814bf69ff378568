"""What the rules about caps say of several workloads, each once and in plain words."""

from pathlib import Path

import pytest

from gpuinfra import api

RUN = "{{gpu: L4:1, duration: {hours}h, capacity: {capacity}}}"


def messages(folder: Path, budget: str, **runs: str) -> dict[str, list[str]]:
    """The messages and fixes of a stack's rules, by rule."""
    training = "".join(f"  {name}: {run}\n" for name, run in runs.items())
    file = folder / "stack.yaml"
    file.write_text(
        f"name: shop\nowner: me\nwhere: {{regions: [us-east-1]}}\nbudget: {{{budget}}}\n"
        f"training:\n{training}"
    )
    told: dict[str, list[str]] = {}
    for finding in api.check(file).verdict.findings:
        told.setdefault(finding.rule, []).append(f"{finding.message}; fix: {finding.fix}")
    return told


def test_the_cap_that_excludes_the_last_of_several_rungs_names_the_ways_to_buy(
    tmp_path: Path,
) -> None:
    told = messages(
        tmp_path,
        "per_hour: 0.5, per_run: 5, per_month: 9000",
        tune=RUN.format(hours=24, capacity="[spot, on-demand]"),
        other=RUN.format(hours=24, capacity="on-demand"),
    )

    (hour,), (tune, other) = told["cap-per-hour"], told["cap-per-run"]
    assert "above the cap of $5.00; no purchase option is left for tune (spot, on-demand)" in tune
    assert "no way to buy" not in hour + other


@pytest.mark.parametrize("hours", [(24, 24), (24, 48)])
def test_workloads_that_count_a_whole_month_alike_are_told_of_together(
    tmp_path: Path, hours: tuple[int, int]
) -> None:
    runs = {
        name: RUN.format(hours=each, capacity="on-demand")
        for name, each in zip(("tune", "other"), hours, strict=True)
    }
    (told,) = messages(tmp_path, "per_month: 5", **runs)["cap-per-month"]

    if hours[0] == hours[1]:
        assert "; tune and other count 730 hours: nothing ends them after their 24 h on" in told
        assert "end tune and other after their run (time_to_live: 30h): then" in told
    assert told.count("nothing ends") == len(set(hours))
    assert told.count("time_to_live: ") == len(set(hours))
