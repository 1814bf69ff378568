"""The control plane of EKS is priced; what ECS runs on other machines costs nothing more."""

from datetime import date
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.aws.starts import reasons
from tests.rules.cases.program import Program

MOMENTS = ("created", "preview")


@pytest.mark.parametrize(
    ("auto", "words"),
    [
        ({}, []),
        ({"computeConfig": {"enabled": False}}, []),
        (
            {"computeConfig": {"enabled": True}},
            ["Auto Mode may start machines in it that are not declared here"],
        ),
        ({"controlPlaneScalingConfig": {"tier": "standard"}}, []),
        (
            {"controlPlaneScalingConfig": {"tier": "tier-8xl"}},
            ["the hourly price of its control plane (tier tier-8xl) is unknown"],
        ),
        (
            {"controlPlaneScalingConfig": {"tier": UNKNOWN}},
            ["the hourly price of its control plane (tier not known yet) is unknown"],
        ),
    ],
)
def test_a_control_plane_is_paid_by_the_hour(auto: dict[str, Any], words: list[str]) -> None:
    program = Program()
    program.add("aws:eks/cluster:Cluster", "main", **auto)
    rows = observe(program.resources("created"))

    assert [(item.item, item.quantity, item.region) for item in rows.items] == [
        ("eks-cluster-hour", 1, "us-east-1"),
        ("eks-cluster-extended-support-hour", None, "us-east-1"),
    ]
    assert reasons(program, "created") == words


@pytest.mark.parametrize(("support", "rates"), [("STANDARD", 0), ("EXTENDED", 1), (UNKNOWN, 1)])
def test_extended_support_is_a_rate_unless_the_cluster_is_upgraded(
    support: Any, rates: int
) -> None:
    program = Program()
    program.add("aws:eks/cluster:Cluster", "main", upgradePolicy={"supportType": support})
    rows = observe(program.resources("created"))

    assert [item.item for item in rows.items if item.quantity is None] == (
        ["eks-cluster-extended-support-hour"] * rates
    )


@pytest.mark.parametrize(
    ("version", "day", "hours"),
    [
        ("1.33", date(2026, 7, 29), [None]),
        ("1.33", date(2026, 7, 30), [1]),
        ("1.28", date(2026, 7, 30), [1]),
        ("1.9", date(2026, 7, 30), [1]),
        ("1.99", date(2026, 7, 30), [None]),
        ("latest", date(2026, 7, 30), [None]),
        (UNKNOWN, date(2026, 7, 30), [None]),
        (None, date(2026, 7, 30), [None]),
    ],
)
def test_extended_support_counts_from_the_end_of_standard_support(
    version: Any, day: date, hours: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpuinfra.clouds.aws.observe.clusters.containers.today", lambda: day)
    program = Program()
    program.add("aws:eks/cluster:Cluster", "main", version=version)
    items = observe(program.resources("created")).items

    assert [item.quantity for item in items if "extended" in item.item] == hours


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("here", [True, False])
def test_a_capacity_provider_is_bounded_by_its_group(moment: str, here: bool) -> None:
    program = Program()
    group = program.add("aws:autoscaling/group:Group", "gpus", maxSize=2)
    arn = group.arn if here else "arn:aws:autoscaling:us-east-1:1:autoScalingGroup:x:y/other"
    settings = {"autoScalingGroupArn": arn}
    program.add(
        "aws:ecs/capacityProvider:CapacityProvider", "p", autoScalingGroupProvider=settings
    )

    assert ("not declared here" in "; ".join(reasons(program, moment))) is not here


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(
    ("inputs", "judged"),
    [
        ({"launchType": "EC2"}, True),
        ({"launchType": "FARGATE"}, False),
        ({}, False),
        ({"capacityProviderStrategies": [{"capacityProvider": "FARGATE_SPOT"}]}, False),
        ({"capacityProviderStrategies": [{"capacityProvider": "machines"}]}, True),
        ({"capacityProviderStrategies": [{"capacityProvider": "own"}, {"base": 1}]}, False),
    ],
)
def test_a_service_on_machines_starts_none(
    inputs: dict[str, Any], judged: bool, moment: str
) -> None:
    program = Program()
    program.add("aws:ecs/service:Service", "s", **inputs)

    assert reasons(program, moment) == (
        [] if judged else ["its tasks may run on Fargate, and their size is not known"]
    )


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_service_on_a_provider_of_the_stack_starts_none(moment: str) -> None:
    program = Program()
    group = program.add("aws:autoscaling/group:Group", "gpus", maxSize=2)
    settings = {"autoScalingGroupArn": group.arn}
    provider = program.add(
        "aws:ecs/capacityProvider:CapacityProvider", "p", autoScalingGroupProvider=settings
    )
    strategy = {"capacityProvider": provider.out("name")}
    program.add("aws:ecs/service:Service", "s", capacityProviderStrategies=[strategy])

    assert "Fargate" not in "; ".join(reasons(program, moment))
