"""Every kind of workload through the real engine, on the sandbox's ledger."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path

import pulumi
import pytest

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import RunRequest, Target
from gpuinfra.sandbox.ledger import Ledger
from tests.components.azure import workloads

pytestmark = pytest.mark.e2e


@pytest.fixture
def request_of(module_sandbox_home: Path) -> Callable[..., RunRequest]:
    sandbox.reset()
    target = Target(name="sandbox", environment=sandbox.environment())
    return lambda program: RunRequest(project="llama", program=program, target=target)


def stack(now: str = "2026-11-21T08:00:00+00:00") -> None:
    """A cluster and a pool that mount a bucket, and a budget."""
    data = workloads.bucket()
    workloads.training(
        capacity="spot", max_price=Decimal(30), given={"buckets": {"data": data.bucket_name}}
    )
    front = workloads.pool(
        words={"data": [{"bucket": "data"}]}, given={"buckets": {"data": data.bucket_name}}
    )
    workloads.budget(now, per_month=Decimal(40000), notify=("ml-platform@example.com",))
    pulumi.export("bucket", data.bucket_name)
    pulumi.export("url", front.url)


def standing(home: Path) -> list[str]:
    return [f"{record.type} {record.name}" for record in Ledger(home / "ledger.db").all()]


def test_all_of_it_comes_up_stays_as_it_is_and_goes(
    request_of: Callable[..., RunRequest], module_sandbox_home: Path
) -> None:
    request = request_of(stack)

    foreseen = lifecycle.preview(request)
    assert foreseen.ok, foreseen
    assert foreseen.outputs["bucket"].endswith("/data"), "scripts and rights are known as early"

    made = lifecycle.up(request)
    assert made.outputs["bucket"] == foreseen.outputs["bucket"]
    assert made.ending == "fine", made
    assert set(made.changes) == {"create"}
    assert "azure-native:compute:VirtualMachineScaleSet trainer-group" in standing(
        module_sandbox_home
    )
    ended = [step.urn for step in made.steps]
    (rights_of, cluster) = (":RoleAssignment::trainer-", "VirtualMachineScaleSet::trainer-group")
    (started,) = [place for place, urn in enumerate(ended) if urn.endswith(cluster)]
    given = [place for place, urn in enumerate(ended) if rights_of in urn]
    assert len(given) == 3
    assert max(given) < started

    later = request_of(partial(stack, "2027-02-01T08:00:00+00:00"))
    assert lifecycle.up(later).is_unchanged

    assert lifecycle.destroy(request).ending == "fine"
    assert standing(module_sandbox_home) == []
