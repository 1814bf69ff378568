"""The end of a training workload on Google Cloud, as it reaches the engine."""

from datetime import UTC, datetime
from typing import Any

import pytest

from gpuinfra.components import register
from gpuinfra.components.args import TrainingArgs
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.training import TrainingNode

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(register, "_now", lambda: NOW)


def node(life: str | None = "72h", **more: Any) -> TrainingNode:
    given = {"cloud": "gcp", "region": "us-central1", "gpu": "L4:1", **more}
    return TrainingNode("dev", TrainingArgs(time_to_live=life, **given))


def pins(seen: Any) -> list[str]:
    """The names under which moments are kept."""
    return [each.name for each in seen.resources if each.name.startswith("dev-end-")]


def test_node_with_an_end_is_the_golden_one(record, golden) -> None:
    golden("gcp-time-to-live", record(node).golden())


@pytest.mark.parametrize("capacity", ["spot", "on-demand"])
def test_machines_are_deleted_at_a_moment_in_utc(record, capacity: str) -> None:
    seen = record(lambda: node(capacity=capacity))

    scheduling = seen.of("dev-template").inputs["scheduling"]
    assert scheduling["terminationTime"] == "2026-11-24T12:00:00Z"
    assert scheduling["instanceTerminationAction"] == "DELETE"
    assert scheduling["provisioningModel"] == ("SPOT" if capacity == "spot" else "STANDARD")


def test_without_a_time_nothing_ends_them(record) -> None:
    seen = record(lambda: node(None))

    assert "terminationTime" not in seen.of("dev-template").inputs["scheduling"]
    assert pins(seen) == []
    assert seen.of("dev-group").options["replacementTrigger"] == ["g2-standard-4", "on-demand"]


def test_another_time_is_another_moment_and_replaces_the_machines(record) -> None:
    """A group leaves running machines the end that they were made with."""

    def made(life: str) -> tuple[Any, list[str]]:
        seen = record(lambda: node(life))
        return seen.of("dev-group").options["replacementTrigger"], pins(seen)

    assert made("72h") == made("3d")
    assert all(one != other for one, other in zip(made("72h"), made("73h"), strict=True))


@pytest.mark.parametrize("life", ["121d", "20s"])
def test_a_time_that_google_cloud_does_not_take_is_refused(record, life: str) -> None:
    with pytest.raises(ProgramError, match="deleted automatically after this time"):
        record(lambda: node(life))


def test_a_component_on_aws_says_where_the_word_is_built(record) -> None:
    with pytest.raises(ProgramError, match="needs resources of the whole stack on aws"):
        record(lambda: node(cloud="aws", region="us-east-1"))
