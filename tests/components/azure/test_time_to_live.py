"""The end of a training workload on Azure, as it reaches the engine."""

from datetime import UTC, datetime
from typing import Any

import pytest

from gpuinfra.components import register
from gpuinfra.components.args import TrainingArgs
from gpuinfra.components.training import TrainingCluster

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(register, "_now", lambda: NOW)


def cluster(life: str | None = "72h") -> TrainingCluster:
    given = {"cloud": "azure", "region": "eastus", "gpu": "T4:1", "nodes": 2, "fabric": "none"}
    return TrainingCluster("dev", TrainingArgs(time_to_live=life, **given))


def test_the_set_is_held_at_its_size_until_the_moment_and_left_empty_then(record) -> None:
    """The start is before any clock: a window that has not begun would take the machines down."""
    setting = record(cluster).of("dev-end").inputs

    assert setting["enabled"] is True
    assert [profile["capacity"]["maximum"] for profile in setting["profiles"]] == ["0", "2"]
    assert [profile["capacity"]["minimum"] for profile in setting["profiles"]] == ["0", "2"]
    assert [profile.get("fixedDate") for profile in setting["profiles"]] == [
        None,
        {"timeZone": "UTC", "start": "2026-11-20T12:00:00", "end": "2026-11-24T12:00:00"},
    ]


def test_it_is_the_setting_of_the_scale_set(record) -> None:
    seen = record(cluster)

    assert seen.of("dev-end").inputs["targetResourceUri"] == seen.of("dev-group").outputs["id"]


def test_another_time_leaves_the_machines_alone(record) -> None:
    def trigger(life: str | None) -> Any:
        return record(lambda: cluster(life)).of("dev-group").options["replacementTrigger"]

    assert trigger("72h") == trigger("73h") == trigger(None)


def test_without_a_time_nothing_ends_them(record) -> None:
    names = {each.name for each in record(lambda: cluster(None)).resources}

    assert not [name for name in names if name.startswith("dev-end")]


def test_cluster_with_an_end_is_the_golden_one(record, golden) -> None:
    golden("azure-time-to-live", record(cluster).golden())
