"""How managed groups of raw resources on Google Cloud replace their machines."""

from datetime import date
from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import UNKNOWN, Reachability
from gpuinfra.rules import Finding
from tests.rules.cases import gcp_stacks
from tests.rules.cases.gcp_cluster import SPOT
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan

RULE = "machine-upkeep"
ROLLING = {"type": "PROACTIVE", "minimalAction": "REPLACE"}
LATER = {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE"}


def told(
    template: dict[str, Any] | None = None, *, rule: str = RULE, **group: Any
) -> tuple[str, str]:
    finding = finding_of(template, rule=rule, **group)
    return finding.outcome, finding.message


def finding_of(
    template: dict[str, Any] | None = None, *, rule: str = RULE, **group: Any
) -> Finding:
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    made = gcp_stacks.template(program, "how", subnet, **(template or {}))
    workers = gcp_stacks.group(program, "workers", made, targetSize=2)
    program.change(workers, **group)
    judged = findings(of_resources(program.resources()), rule)
    (finding,) = (each for each in judged if each.subject == workers.urn)
    return finding


def disk(**inputs: Any) -> dict[str, Any]:
    return {"disks": [{**gcp_stacks.DISK, **inputs}]}


@pytest.mark.parametrize(
    ("template", "group", "words"),
    [
        ({}, {"updatePolicy": LATER}, "a changed template reaches no machine"),
        (
            disk(autoDelete=False),
            {},
            "disks are kept and billed after their machine is deleted: 1 a machine",
        ),
        ({"scheduling": {"preemptible": True}}, {}, "end within 24 hours"),
        ({}, {"distributionPolicyZones": ["us-central1-q"]}, "unknown zone"),
    ],
)
def test_what_a_group_loses_is_told(
    template: dict[str, Any], group: dict[str, Any], words: str
) -> None:
    outcome, message = told(template, **group)

    assert outcome == "violated"
    assert words in message


@pytest.mark.parametrize(
    ("template", "group", "words"),
    [
        ({}, {}, "machines in us-central1-a, us-central1-b"),
        (
            {},
            {"instanceLifecyclePolicy": {"forceUpdateOnRepair": "YES"}},
            "repaired machines start from the current template",
        ),
        (disk(autoDelete=False), {"statefulDisks": [{"deviceName": "boot"}]}, ""),
        ({"scheduling": SPOT}, {}, "an interrupted machine is"),
        ({}, {"waitForInstances": True}, "waits until its machines are STABLE"),
    ],
)
def test_what_a_group_keeps_is_told(
    template: dict[str, Any], group: dict[str, Any], words: str
) -> None:
    outcome, message = told(template, **group)

    assert outcome == "fine"
    assert words in message


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ({"updatePolicy": {**ROLLING, "maxSurgeFixed": 1}}, "allows 0, or at least 2"),
        (
            {"updatePolicy": {**ROLLING, "maxSurgeFixed": 0, "maxUnavailableFixed": 0}},
            "maxSurgeFixed and maxUnavailableFixed are both 0",
        ),
        (
            {"updatePolicy": ROLLING, "distributionPolicyTargetShape": "BALANCED"},
            "BALANCED requires updatePolicy.instanceRedistributionType: NONE",
        ),
    ],
)
def test_an_update_policy_that_google_refuses_is_told(group: dict[str, Any], words: str) -> None:
    outcome, message = told(rule="scaling-settings", **group)

    assert outcome == "violated"
    assert words in message


@pytest.mark.parametrize(
    ("policy", "surge"),
    [
        (None, 0),
        (LATER, 0),
        ({**LATER, "maxSurgeFixed": 2}, 0),
        (ROLLING, 2),
        ({**ROLLING, "maxSurgeFixed": 4}, 4),
        ({**ROLLING, "maxSurgePercent": 30}, 3),
        ({**ROLLING, "maxSurgeFixed": 4, "replacementMethod": "RECREATE"}, 0),
        ({**ROLLING, "maxSurgeFixed": UNKNOWN}, UNKNOWN),
    ],
)
def test_machines_that_an_update_brings_are_counted(policy: Any, surge: Any) -> None:
    program = GcpProgram()
    made = gcp_stacks.template(program, "how", gcp_stacks.network(program))
    gcp_stacks.group(program, "workers", made, targetSize=10, updatePolicy=policy)
    plan = of_resources(program.resources())
    (group,) = plan.groups
    (line,) = (
        line
        for line in estimate(plan, PricingTerms(as_of=date(2026, 11, 22))).lines
        if line.kind == "on-demand"
    )

    assert group.lifecycle.surge == surge
    assert group.ceiling == (UNKNOWN if surge is UNKNOWN else 10 + surge)
    assert line.quantity == (None if surge is UNKNOWN else 10 + surge)


def test_an_update_that_takes_all_servers_down_is_told() -> None:
    program = gcp_stacks.pool()
    (base,) = (handle for handle in program.handles.values() if handle.name == "steady")
    policy = {**ROLLING, "maxSurgeFixed": 0, "maxUnavailableFixed": 2}
    program.change(base, updatePolicy=policy)

    (finding,) = findings(of_resources(program.resources()), RULE)
    assert "an update stops 2 machines at once, of 2:" in finding.message


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({}, "violated"),  # 2 zones, so 2 machines of 2
        ({"maxSurgeFixed": 2}, "violated"),
        ({"maxSurgeFixed": 2, "maxUnavailableFixed": 0}, "fine"),
        ({"maxUnavailablePercent": 50}, "fine"),
        ({"maxSurgeFixed": 2, "maxUnavailableFixed": UNKNOWN}, "fine"),
    ],
)
def test_servers_that_an_update_takes_by_default_are_counted(
    more: dict[str, Any], outcome: str
) -> None:
    program = gcp_stacks.pool()
    (base,) = (handle for handle in program.handles.values() if handle.name == "steady")
    program.change(base, updatePolicy={**ROLLING, **more})

    judged = findings(of_resources(program.resources()), RULE)
    assert ("machines at once, of" in judged[0].message) == (outcome == "violated")


@pytest.mark.parametrize(
    ("signal", "outcome"),
    [
        ({}, "violated"),
        ({"cpuUtilization": {"target": 0.6}}, "fine"),
        ({"scalingSchedules": [{"name": "day"}]}, "fine"),
        ({"metrics": [{"name": "queue", "target": 3, "type": "GAUGE"}]}, "fine"),
        ({"mode": "OFF"}, "fine"),
    ],
)
def test_an_autoscaler_of_gpus_that_names_no_figure_is_told(
    signal: dict[str, Any], outcome: str
) -> None:
    program = GcpProgram()
    made = gcp_stacks.template(program, "how", gcp_stacks.network(program))
    workers = gcp_stacks.group(program, "workers", made, targetSize=1)
    program.add(
        "compute/regionAutoscaler:RegionAutoscaler",
        "scale",
        region="us-central1",
        target=workers.link,
        autoscalingPolicy={"minReplicas": 1, "maxReplicas": 4, **signal},
    )
    judged = findings(of_resources(program.resources()), RULE)

    assert any("has no metric, and so scales on CPU" in finding.message for finding in judged) == (
        outcome == "violated"
    )


def test_an_autoscaler_that_never_meets_its_target_is_told() -> None:
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    made = gcp_stacks.template(program, "how", subnet)
    workers = gcp_stacks.group(program, "workers", made)
    gpus = {"name": "agent.googleapis.com/gpu/utilization", "type": "GAUGE"}
    policy = {"minReplicas": 1, "maxReplicas": 4}
    scaler = program.add(
        "compute/regionAutoscaler:RegionAutoscaler",
        "scale",
        region="us-central1",
        target=workers.link,
        autoscalingPolicy={**policy, "metrics": [{**gpus, "target": 140}]},
    )
    assert outcomes(of_resources(program.resources()), RULE) == ["violated"]

    program.change(scaler, autoscalingPolicy={**policy, "metrics": [gpus]})
    assert outcomes(of_resources(program.resources()), RULE) == ["violated"]

    program.change(scaler, autoscalingPolicy={**policy, "metrics": [{**gpus, "target": 70}]})
    assert outcomes(of_resources(program.resources()), RULE) == ["fine"]


@pytest.mark.parametrize(
    ("metadata", "outcome"),
    [
        ({"enable-oslogin": "TRUE"}, "fine"),
        ({"enable-oslogin": "true", "serial-port-enable": "FALSE"}, "fine"),
        ({"enable-oslogin": "TRUE", "serial-port-enable": "TRUE"}, "violated"),
        ({"enable-oslogin": "FALSE"}, "violated"),
        ({"enable-oslogin": "TRUq"}, "violated"),
        ({}, "not-knowable"),
    ],
)
def test_people_log_in_with_their_own_identity(metadata: dict[str, str], outcome: str) -> None:
    assert told({"metadata": metadata}, rule="login-identity")[0] == outcome


@pytest.mark.parametrize("part", ["enableVtpm", "enableIntegrityMonitoring"])
def test_a_boot_that_nothing_measures_is_not_secure(part: str) -> None:
    shield = {"enableSecureBoot": True, part: False}

    finding = finding_of({"shieldedInstanceConfig": shield}, rule="secure-boot")
    assert finding.outcome == "violated"
    assert f"{part}: false" in finding.fix


@pytest.mark.parametrize(
    ("forced", "outcome"), [(True, "violated"), (False, "fine"), (None, "fine")]
)
def test_a_bucket_that_goes_with_its_objects_is_told(forced: bool | None, outcome: str) -> None:
    program = GcpProgram()
    program.add("storage/bucket:Bucket", "data", location="US-CENTRAL1", forceDestroy=forced)

    assert outcomes(of_resources(program.resources()), "force-destroy") == [outcome]


@pytest.mark.parametrize(
    ("upkeep", "outcome"),
    [
        (Reachability(), "fine"),
        (Reachability(faults=rule_faults(RULE, ("one", "two"))), "violated"),
        (Reachability(faults=rule_faults(RULE, UNKNOWN)), "not-knowable"),
        (None, "not-applicable"),
    ],
    ids=str,
)
def test_a_group_is_judged_by_its_upkeep(upkeep: Reachability | None, outcome: str) -> None:
    assert outcomes(plan(group(upkeep=upkeep)), RULE) == [outcome]
