"""`gpuinfra sandbox` as a person reads it, whatever a cloud's ids look like."""

import json

import pytest

from gpuinfra import sandbox
from gpuinfra.cli.commands.sandbox import LONG_ID, short_id
from gpuinfra.cli.views.type_names import short_type
from gpuinfra.sandbox.inventory import SandboxResource
from tests.cli.conftest import Run

SCALE_SET = (
    "/subscriptions/5a4db0c5-0000-4000-8000-000000000000/resourceGroups/trainer-resource-group"
    "/providers/Microsoft.Compute/virtualMachineScaleSets/trainer-group8d1c824a"
)


def standing(project: str, type_: str, id_: str, name: str) -> SandboxResource:
    return SandboxResource(
        urn=f"urn:pulumi:sandbox::{project}::gpuinfra:index:Stack${type_}::{name}",
        type=type_,
        id=id_,
        name=name,
        stack="sandbox",
        region="eastus",
        backend="ledger",
        created_at="2026-11-21T12:00:00+00:00",
        properties={},
    )


@pytest.fixture
def two_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [
        standing("b", "azure-native:compute:VirtualMachineScaleSet", SCALE_SET, "trainer-group"),
        standing("a", "gcp:compute/network:Network", "projects/p/global/networks/net", "net"),
        standing("b", "aws:ec2/vpc:Vpc", "vpc-0a1b2c3d", "main"),
    ]
    monkeypatch.setattr(sandbox, "existing_resources", lambda: made)


@pytest.mark.parametrize(
    ("id_", "short"),
    [
        ("vpc-0a1b2c3d4e5f60718", "vpc-0a1b2c3d4e5f60718"),
        (SCALE_SET, "…/trainer-group8d1c824a"),
        ("projects/p/zones/us-central1-a/instances/x", "…/us-central1-a/instances/x"),
        ("arn:aws:elb:us-east-1:000000000000:loadbalancer/net/chat/0a1b2c", "…/net/chat/0a1b2c"),
        ("a-very-long-name-without-any-slash-in-it", "a-very-long-name-without-any-slash-in-it"),
    ],
)
def test_a_long_id_shows_its_end(id_: str, short: str) -> None:
    assert short_id(id_) == short
    assert short.startswith("…") is (len(id_) > LONG_ID and "/" in id_)


def test_a_type_is_told_without_saying_its_class_twice() -> None:
    assert short_type("gcp:compute/instanceGroupManager:InstanceGroupManager") == (
        "gcp:compute:InstanceGroupManager"
    )
    assert short_type("azure-native:network:Subnet") == "azure-native:network:Subnet"


def test_ls_lists_each_stack_apart(gpuinfra: Run, two_stacks: None) -> None:
    lines = gpuinfra("sandbox", "ls").out.splitlines()
    names = [line.split()[0] for line in lines if line.strip() and "─" not in line]

    assert names == ["a", "name", "net", "b", "name", "trainer-group", "main"]
    assert max(map(len, lines)) <= 100 + len("…")
    assert "main" not in gpuinfra("sandbox", "ls", "a").out


@pytest.mark.parametrize("word", ["trainer-group", SCALE_SET, short_id(SCALE_SET)])
def test_show_takes_what_ls_shows(gpuinfra: Run, two_stacks: None, word: str) -> None:
    (shown,) = json.loads(gpuinfra("sandbox", "show", word).out)

    assert shown["id"] == SCALE_SET


def test_show_of_nothing_says_where_to_look(gpuinfra: Run, two_stacks: None) -> None:
    ran = gpuinfra("sandbox", "show", "group8d1c824a")

    assert ran.code == 2
    assert "gpuinfra sandbox ls" in ran.err


def test_an_empty_sandbox_says_so(gpuinfra: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "existing_resources", list)

    assert gpuinfra("sandbox", "ls").out == "the sandbox has no resources\n"
    assert json.loads(gpuinfra("sandbox", "ls", "--json").out) == []


def test_types_say_where_each_lives_and_why_not_in_moto(gpuinfra: Run) -> None:
    told = {row["type"]: row for row in json.loads(gpuinfra("sandbox", "types", "--json").out)}

    assert told["aws:sqs/queue:Queue"]["where"] == "moto"
    reservation = told["aws:ec2/capacityReservation:CapacityReservation"]
    assert reservation["where"] == "ledger"
    assert "CreateCapacityReservation" in reservation["why"]


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        (
            "g6.9xlarge",
            "note: no table has the machine type g6.9xlarge; did you mean g6.xlarge?\n",
        ),
        ("nope", "note: no table has the machine type nope\n"),
        ("g6.xlarge", ""),
        ("t3.micro", ""),
    ],
)
@pytest.mark.usefixtures("sandbox_home")
def test_a_fault_on_an_unlisted_machine_is_noted(gpuinfra: Run, machine: str, said: str) -> None:
    added = gpuinfra("sandbox", "fault", "add", "no-capacity", "--machine", machine)

    assert (added.code, added.err) == (0, said)
    assert f"no-capacity machine={machine} id=" in gpuinfra("sandbox", "fault", "ls").out


@pytest.mark.usefixtures("sandbox_home")
def test_without_faults_the_list_says_so(gpuinfra: Run) -> None:
    gpuinfra("sandbox", "fault", "clear")

    assert gpuinfra("sandbox", "fault", "ls").out == "no faults\n"
    assert json.loads(gpuinfra("sandbox", "fault", "ls", "--json").out) == []


def test_a_wrong_condition_of_a_fault_is_refused(gpuinfra: Run) -> None:
    refused = gpuinfra("sandbox", "fault", "add", "no-capacity", "--capacity", "spt")

    assert refused.code == 2
    assert "error: the capacity of a fault is not accepted\n  value:   spt" in refused.err
