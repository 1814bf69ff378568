"""The quickstart's whole life on the real engine: what is made, changed, drifts and goes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.engine import lifecycle
from tests.e2e.lives import aws, changed, left, request_of, up

pytestmark = pytest.mark.e2e
STACK = Path(__file__).parents[2] / "stacks" / "quickstart" / "stack.yaml"


@pytest.fixture(scope="module")
def stack(
    tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path
) -> Callable[..., Path]:
    """Writes the quickstart's stack file with some of its text replaced, always to one place."""
    path = tmp_path_factory.mktemp("stack") / "stack.yaml"

    def write(*replaced: tuple[str, str]) -> Path:
        text = STACK.read_text()
        for old, new in replaced:
            assert old in text, old
            text = text.replace(old, new, 1)
        path.write_text(text)
        return path

    return write


def test_preview_announces_what_up_creates(stack: Callable[..., Path]) -> None:
    path = stack()

    preview = lifecycle.preview(request_of(path))
    made = up(path)

    assert preview.ok, preview.reason
    assert preview.changes == made.changes
    assert set(made.changes) == {"create"}


def test_a_second_up_changes_nothing(stack: Callable[..., Path]) -> None:
    again = up(stack())

    assert set(again.changes) == {"same"}


def test_refresh_right_after_sees_no_drift(stack: Callable[..., Path]) -> None:
    outcome = lifecycle.refresh(request_of(stack()), preview_only=True)

    assert outcome.ok, outcome.reason
    assert changed(outcome) == {}


def test_refresh_sees_a_change_behind_the_back_and_up_mends_it(
    stack: Callable[..., Path],
) -> None:
    path = stack()
    (group,) = (
        auto_scaling_group
        for auto_scaling_group in aws("autoscaling").describe_auto_scaling_groups()[
            "AutoScalingGroups"
        ]
        if auto_scaling_group["MaxSize"] == 3
    )
    name = group["AutoScalingGroupName"]
    aws("autoscaling").update_auto_scaling_group(AutoScalingGroupName=name, MaxSize=7)

    drift = lifecycle.refresh(request_of(path))
    mended = up(path)

    assert changed(drift)["chat-group"][0] in {"update", "refresh"}
    assert changed(mended)["chat-group"] == ("update", ("maxSize",))
    now = aws("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
    assert now["AutoScalingGroups"][0]["MaxSize"] == 3


def test_a_larger_pool_is_updated_in_place(stack: Callable[..., Path]) -> None:
    path = stack(("replicas: 1..3", "replicas: 1..4"), ("per_month: 6000", "per_month: 7000"))

    outcome = up(path)

    refresh = "instanceRefresh.preferences.minHealthyPercentage"
    assert changed(outcome)["chat-group"] == ("update", (refresh, "maxSize"))
    assert {operation for operation, _ in changed(outcome).values()} == {"update"}


def test_another_zone_replaces_the_subnet_and_says_why(stack: Callable[..., Path]) -> None:
    path = stack(
        ("regions: [us-east-1]}", "regions: [us-east-1], zones: [us-east-1c, us-east-1b]}"),
        # What is replaced counts twice until the old one is gone.
        ("per_hour: 8", "per_hour: 20"),
        ("per_month: 6000", "per_month: 9000"),
    )

    outcome = up(path)

    operation, causes = changed(outcome)["trainer-private-subnet"]
    assert operation == "replace"
    assert "availabilityZone" in causes
    zones = {
        subnet["AvailabilityZone"]
        for subnet in aws("ec2").describe_subnets()["Subnets"]
        if any(tag["Value"] == "trainer" for tag in subnet.get("Tags", []))
    }
    assert zones == {"us-east-1c"}


def test_destroy_leaves_nothing(stack: Callable[..., Path]) -> None:
    outcome = lifecycle.destroy(request_of(stack(), judged=False))

    assert outcome.ok, outcome.reason
    assert left() == []
