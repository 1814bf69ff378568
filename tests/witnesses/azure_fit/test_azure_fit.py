"""Declared stacks on Azure fit themselves, and each witness complains about one that does not."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.graph import ResourceGraph
from tests.witnesses import graphs
from tests.witnesses.aws import defaults
from tests.witnesses.aws.stack import Stack
from tests.witnesses.aws.test_fit import Change, alone, changed, removed, without
from tests.witnesses.azure_fit import PACKAGE, budgets, complaints, machines, served, stored
from tests.witnesses.azure_fit.table import DEFAULTS

RULE = {"backendPort": 80, "frontendPort": 81}
OFF = {"a": {"enabled": False, "threshold": 80.0}, "b": {"enabled": True, "threshold": 80.0}}


def stack_of(graph: ResourceGraph) -> Stack:
    return Stack(graph, PACKAGE)


@pytest.mark.parametrize("name", graphs.shared())
@pytest.mark.parametrize("rung", graphs.RUNGS)
def test_a_declared_stack_fits_itself(name: str, rung: str) -> None:
    assert complaints(graphs.graph(name, rung)) == []


def profile(**more: Any) -> Change:
    """A scale set with parts of its machines' model changed; None takes one away."""

    def change(resource: Any) -> Any:
        now = {**resource.inputs["virtualMachineProfile"], **more}
        kept = {key: value for key, value in now.items() if value is not None}
        return replace(resource, inputs={**resource.inputs, "virtualMachineProfile": kept})

    return change


def asked_at(port: int) -> Change:
    settings = {"protocol": "http", "port": port, "requestPath": "/health"}
    return profile(extensionProfile={"extensions": [{"settings": settings}]})


LATER = {
    "rules": [
        {"definition": {"actions": {"version": {"delete": {"daysAfterCreationGreaterThan": 31}}}}}
    ]
}
TRIGGER = {"metricName": "gpu_load", "metricNamespace": "gpuinfra", "threshold": 140.0}
BITING = [
    (budgets, "stack/budget", without("filter"), "the whole subscription"),
    (budgets, "stack/budget", without("notifications"), "who is told"),
    (budgets, "stack/budget", without(notifications=OFF), "the notice a is off"),
    (budgets, "stack/budget", without(notifications=OFF), "two notices say the same"),
    (machines, "training.dev/group", profile(scheduledEventsProfile=None), "without a word"),
    (machines, "training.dev/group", profile(securityProfile=None), "are not encrypted"),
    (machines, "training.dev/group", profile(osProfile={}), "does not name the identity"),
    (machines, "training.dev/firewall", None, "no security group"),
    (machines, "training.wide/peers", None, "takes the role acdd72a7"),
    (machines, "pool.steady/metrics", None, "takes the role 3913510d"),
    (
        machines,
        "pool.steady/autoscale",
        without(profiles=[{"rules": [{"metricTrigger": TRIGGER}]}]),
        "publish no figure gpu_load",
    ),
    (
        machines,
        "pool.steady/autoscale",
        without(profiles=[{"rules": [{"metricTrigger": TRIGGER}]}]),
        "never comes to 140",
    ),
    (budgets, "training.dev/nat_gateway", without("tags"), "does not count it"),
    (stored, "bucket.huge/lifecycle", without(policy=LATER), "kept for 31 days, or 30"),
    (served, "pool.steady/load_balancer", without(loadBalancingRules=[RULE]), "at port 80"),
    (served, "pool.steady/group", asked_at(81), "where it does not serve"),
    (stored, "bucket.huge/bucket", without(containerName="datq"), "mounts call it data"),
    (stored, "bucket.huge/bucket", alone, "made before its account keeps versions"),
    (stored, "bucket.huge/lifecycle", alone, "made before its account keeps versions"),
    (stored, "bucket.huge/blob_service", None, "nothing says what its account keeps"),
    (
        stored,
        "bucket.huge/blob_service",
        without(isVersioningEnabled=False),
        "does not fit",
    ),
]


@pytest.mark.parametrize(("witness", "key", "change", "message"), BITING)
def test_what_does_not_fit_is_seen(
    witness: Any, key: str, change: Change | None, message: str
) -> None:
    broken = stack_of(removed("more-azure", key) if change is None else changed_here(key, change))

    assert message in "\n".join(witness.complaints(broken))


def test_what_is_left_to_a_default_is_seen() -> None:
    broken = stack_of(changed_here("bucket.huge/account", without("allowSharedKeyAccess")))

    assert list(defaults.complaints(broken, DEFAULTS)) == [
        "bucket.huge/account: without allowSharedKeyAccess: account keys open it beside roles"
    ]


def test_a_mount_takes_its_role() -> None:
    (key,) = (
        key
        for key in graphs.graph("startup-azure").resources
        if key.startswith("training.trainer/writes_")
    )
    broken = stack_of(removed("startup-azure", key))

    assert "takes the role ba92f5b4" in "\n".join(machines.complaints(broken))


def changed_here(key: str, change: Change) -> ResourceGraph:
    return changed("more-azure", key, change)


def test_an_end_that_is_off_is_seen() -> None:
    broken = stack_of(changed("startup-azure", "training.trainer/end", without("enabled")))

    assert list(defaults.complaints(broken, DEFAULTS)) == [
        "training.trainer/end: without enabled: nothing is scaled, or ended"
    ]
