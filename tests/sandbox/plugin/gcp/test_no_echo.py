"""The plugin judges Google Cloud: missing, mistyped, misspelt, dangling, per type."""

from collections.abc import Iterator
from typing import Any

import pytest

from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.wire import from_wire
from tests.sandbox.plugin.filling import filled
from tests.sandbox.plugin.gcp.judged import DISK, Case
from tests.sandbox.plugin.gcp.judged_cases import CASES, IDS

TABLES = schema.load("gcp")


def test_every_type_of_the_tables_has_a_case() -> None:
    assert sorted(case.token for case in CASES) == sorted(TABLES.tokens)


@pytest.fixture(scope="module")
def town(gcp: Any) -> Iterator[dict[str, str]]:
    """One of each thing that others refer to."""
    made: list[tuple[str, str, dict[str, Any], str]] = []

    def make(kind: str, output: str = "selfLink", **inputs: Any) -> str:
        token = Case(kind, {}, "", ("", "")).token
        name = f"town{len(made)}"
        resource_id, outputs = gcp.create(token, inputs, name=name)
        made.append((token, resource_id, outputs, name))
        return str({**outputs, "id": resource_id}[output])

    network = make("compute.Network", autoCreateSubnetworks=False)
    check = make("compute.HealthCheck", tcpHealthCheck={"port": 80})
    template = make("compute.InstanceTemplate", machineType="e2-small", disks=[DISK])
    group = {"baseInstanceName": "m", "versions": [{"instanceTemplate": template}]}
    manager = make("compute.InstanceGroupManager", **group)
    region_manager = make("compute.RegionInstanceGroupManager", **group)
    backend = make("compute.BackendService", healthChecks=check)
    url_map = make("compute.URLMap", defaultService=backend)
    yield {
        "network": network,
        "subnet": make("compute.Subnetwork", network=network, ipCidrRange="10.1.0.0/24"),
        "check": check,
        "template": template,
        "manager": manager,
        "manager_name": manager.rsplit("/", 1)[-1],
        "group": manager.replace("instanceGroupManagers", "instanceGroups"),
        "region_manager": region_manager,
        "region_group": region_manager.replace("instanceGroupManagers", "instanceGroups"),
        "region_check": make("compute.RegionHealthCheck", tcpHealthCheck={"port": 80}),
        "region_backend": make("compute.RegionBackendService"),
        "backend": backend,
        "url_map": url_map,
        "proxy": make("compute.TargetHttpProxy", urlMap=url_map),
        "router": make("compute.Router", "name", network=network),
        "address": make("compute.Address"),
        "cluster": make(
            "container.Cluster",
            "name",
            location="us-central1",
            initialNodeCount=1,
            deletionProtection=False,
        ),
        "ring": make("kms.KeyRing", "id", location="us-central1"),
        "member": make("serviceaccount.Account", "member"),
        "bucket": make("storage.Bucket", "name", location="US"),
    }
    for token, resource_id, outputs, name in reversed(made):
        gcp.delete(token, resource_id, outputs, name)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_good_inputs_stand_and_are_read_back_unchanged(
    case: Case, gcp: Any, town: dict[str, str]
) -> None:
    inputs, failures = gcp.check(case.token, filled(case.inputs, town), name="good")
    assert not failures
    resource_id, outputs = gcp.create(case.token, filled(case.inputs, town), name="good")
    try:
        answer = gcp.read(case.token, resource_id, "good", outputs=outputs, inputs=inputs)
        again = gcp.diff(case.token, inputs, from_wire(answer.inputs), **outputs)
        imported = gcp.read(case.token, resource_id, "imported")
        taken = gcp.diff(case.token, from_wire(imported.inputs), inputs, **outputs)

        assert answer.id == resource_id
        assert list(again.diffs) == []
        assert imported.id == resource_id
        assert list(taken.diffs) == []
        assert outputs.keys() >= {*TABLES.type(case.token).computed}
    finally:
        gcp.delete(case.token, resource_id, outputs, "good")
    gone = gcp.read(case.token, resource_id, "good", outputs=outputs, inputs=inputs)
    assert gone.id == ""


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.required], ids=lambda case: case.kind
)
def test_a_missing_required_input_is_refused(case: Case, gcp: Any, town: dict[str, str]) -> None:
    inputs = filled(case.inputs, town)
    del inputs[case.required]

    _, failures = gcp.check(case.token, inputs)

    assert failures[case.required].startswith("missing required")


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_mistyped_input_is_refused(case: Case, gcp: Any, town: dict[str, str]) -> None:
    key, value = case.mistyped

    _, failures = gcp.check(case.token, filled({**case.inputs, key: value}, town))

    path, reason = next(iter(failures.items()))
    assert path.startswith(key)
    assert "expected" in reason or "is not one of" in reason or "missing required" in reason


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_an_unknown_input_is_refused_with_the_word_meant(
    case: Case, gcp: Any, town: dict[str, str]
) -> None:
    key = next(iter(case.inputs))

    _, failures = gcp.check(case.token, filled({**case.inputs, f"{key}x": 1}, town))

    assert failures[f"{key}x"].startswith(f"unknown property '{key}x'; did you mean '{key}'?")


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.broken], ids=lambda case: case.kind
)
def test_a_broken_reference_is_refused_in_the_clouds_words(
    case: Case, gcp: Any, town: dict[str, str]
) -> None:
    assert case.broken is not None
    key, value = case.broken

    refusal = gcp.refusal(case.token, filled({**case.inputs, key: value}, town))

    assert "absent" in refusal or "notificationChannels/1" in refusal
    assert "does not exist" in refusal or "Not found" in refusal
    assert refusal.endswith("(sandbox)")
