"""The plugin under the real engine: refusals, replacements, imports, faults, a lost server."""

import os
import signal
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from pulumi import automation
from pulumi.automation.errors import CommandError

from gpuinfra import sandbox
from gpuinfra.sandbox import faults, lifecycle
from gpuinfra.sandbox.faults import InjectedFault
from gpuinfra.sandbox.ledger import Ledger, Record

pytestmark = pytest.mark.e2e

VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
INSTANCE = "aws:ec2/instance:Instance"
PARAMETER = "aws:ssm/parameter:Parameter"

Stack = Callable[..., automation.Stack]


class Raw(pulumi.CustomResource):
    """A resource past all checks of an SDK."""

    def __init__(
        self, token: str, name: str, /, opts: pulumi.ResourceOptions | None = None, **props: Any
    ) -> None:
        super().__init__(token, name, props, opts)


def failure(action: Callable[[], Any]) -> str:
    with pytest.raises(CommandError) as caught:
        action()
    return str(caught.value)


def changes(result: Any) -> dict[str, int]:
    return dict(result.summary.resource_changes)


@pytest.mark.parametrize(
    ("token", "props", "message"),
    [
        (SUBNET, {"cidrBlock": "10.0.0.0/24"}, "missing required property 'vpcId'"),
        (
            VPC,
            {"cidrBlock": "10.0.0.0/16", "enableDnsSupport": "on"},
            "expected a boolean, got the string 'on'",
        ),
        (
            PLACEMENT,
            {"strategy": "cluster", "partitions": 2},
            "unknown property 'partitions'; did you mean 'partitionCount'?",
        ),
    ],
    ids=["missing", "mistyped", "misspelt"],
)
def test_the_engine_shows_a_refusal_at_the_preview(
    token: str, props: dict[str, Any], message: str, stack: Stack
) -> None:
    def program() -> None:
        Raw(token, "wrong", **props)

    assert message in failure(stack(program).preview)


def test_the_engine_shows_a_broken_reference_in_the_clouds_words(stack: Stack) -> None:
    def program() -> None:
        Raw(SUBNET, "lost", vpcId="vpc-0123456789abcdef0", cidrBlock="10.0.0.0/24")

    message = failure(stack(program).up)

    assert "InvalidVpcID.NotFound: The vpc ID 'vpc-0123456789abcdef0' does not exist" in message


def test_an_immutable_input_replaces_and_a_fixed_name_deletes_first(stack: Stack) -> None:
    props: dict[str, Any] = {"strategy": "cluster", "name": "fixed"}

    def program() -> None:
        Raw(PLACEMENT, "group", **props)

    town = stack(program)
    town.up()
    before = sandbox.existing_resources()
    props["strategy"] = "spread"
    replaced = town.up()
    after = sandbox.existing_resources()

    assert changes(replaced) == {"same": 1, "replace": 1}
    assert [item.id for item in after] == ["fixed"]
    assert before[0].properties["strategy"] == "cluster"
    assert after[0].properties["strategy"] == "spread"
    assert before[0].properties["placementGroupId"] != after[0].properties["placementGroupId"]


def test_drift_in_the_ledger_is_seen_and_mended(stack: Stack) -> None:
    def program() -> None:
        Raw(PLACEMENT, "group", strategy="cluster", tags={"team": "a"})

    town = stack(program)
    town.up()
    ledger = Ledger(sandbox.sandbox_home() / "ledger.db")
    [record] = ledger.all()
    changed = {**record.properties, "tags": {"team": "b"}}
    ledger.replace(_with(record, properties=changed))

    assert changes(town.refresh()) == {"same": 1, "update": 1}
    assert changes(town.up()) == {"same": 1, "update": 1}
    assert sandbox.existing_resources()[0].properties["tags"] == {"team": "a"}


def test_what_is_gone_is_forgotten_and_made_again(stack: Stack) -> None:
    def program() -> None:
        Raw(PLACEMENT, "group", strategy="cluster")

    town = stack(program)
    town.up()
    [record] = Ledger(sandbox.sandbox_home() / "ledger.db").all()
    Ledger(sandbox.sandbox_home() / "ledger.db").forget(record.type, record.region, record.id)

    assert changes(town.refresh()) == {"same": 1, "delete": 1}
    assert changes(town.up()) == {"same": 1, "create": 1}


def test_what_stands_in_moto_can_be_imported(stack: Stack) -> None:
    import boto3

    client = boto3.client(
        "ec2",
        region_name="us-east-1",
        endpoint_url=sandbox.start().endpoint,
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )
    vpc = client.create_vpc(CidrBlock="10.5.0.0/16")["Vpc"]["VpcId"]
    client.close()

    def program() -> None:
        Raw(VPC, "found", cidrBlock="10.5.0.0/16", opts=pulumi.ResourceOptions(import_=vpc))

    town = stack(program)
    imported = town.up()

    assert changes(imported) == {"create": 1, "import": 1}
    assert [item.id for item in sandbox.existing_resources()] == [vpc]
    assert changes(town.up()) == {"same": 2}


def test_an_import_of_nothing_says_so(stack: Stack) -> None:
    def program() -> None:
        options = pulumi.ResourceOptions(import_="pg-nobody")
        Raw(PLACEMENT, "found", strategy="cluster", opts=options)

    assert "does not exist" in failure(stack(program).up)


def test_a_secret_stays_secret_in_the_state(stack: Stack) -> None:
    def program() -> None:
        Raw(PARAMETER, "word", type="SecureString", value=pulumi.Output.secret("open sesame"))

    town = stack(program)
    town.up()

    states = list((sandbox.sandbox_home() / "state").rglob("dev.json"))
    assert states
    assert not any("open sesame" in state.read_text() for state in states)


def test_an_unknown_type_is_refused_when_strict(stack: Stack) -> None:
    def program() -> None:
        Raw("aws:glue/job:Job", "job", command={})

    message = failure(stack(program).preview)

    assert (
        "the sandbox does not know aws:glue/job:Job: its properties were not checked; refused"
        in message
    )


def test_an_unknown_type_stands_in_the_ledger_when_lenient(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUINFRA_SANDBOX_STRICT", "0")
    lines: list[str] = []

    def program() -> None:
        Raw("aws:glue/job:Job", "job", command={"script": "s3://x"})

    town = stack(program)
    town.up(on_output=lines.append)

    assert "its properties were not checked" in "\n".join(lines)
    assert [item.type for item in sandbox.existing_resources()] == ["aws:glue/job:Job"]
    assert changes(town.up()) == {"same": 2}
    town.destroy()
    assert sandbox.existing_resources() == []


def test_an_unanswered_look_up_is_refused_by_name(stack: Stack) -> None:
    def program() -> None:
        pulumi.runtime.invoke("aws:rds/getCluster:getCluster", {"clusterIdentifier": "x"})

    message = failure(stack(program).preview)

    assert "the sandbox does not answer aws:rds/getCluster:getCluster" in message


def test_a_crash_in_the_middle_leaves_a_state_that_the_next_up_completes(stack: Stack) -> None:
    def program() -> None:
        previous: list[Raw] = []
        for number in range(4):
            options = pulumi.ResourceOptions(depends_on=previous[-1:])
            previous.append(Raw(PLACEMENT, f"group{number}", opts=options, strategy="cluster"))

    town = stack(program)
    faults.add(InjectedFault(kind="crash", after=2))
    failure(town.up)

    assert len(sandbox.existing_resources()) == 2
    assert changes(town.up()) == {"same": 3, "create": 2}
    assert len(sandbox.existing_resources()) == 4


def test_no_capacity_is_said_in_the_clouds_words_and_ends_with_the_fault(stack: Stack) -> None:
    def program() -> None:
        Raw(INSTANCE, "node", ami="ami-05a4db0000d122041", instanceType="p5.48xlarge")

    town = stack(program)
    faults.add(InjectedFault(kind="no-capacity", instance_type="p5.48xlarge", times=1))

    assert "InsufficientInstanceCapacity" in failure(town.up)
    assert changes(town.up())["create"] == 1


def test_a_lost_server_is_a_clear_message_and_a_refresh_is_the_way_out(
    stack: Stack, wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    def program() -> None:
        vpc = Raw(VPC, "main", cidrBlock="10.0.0.0/16")
        Raw(SUBNET, "one", vpcId=vpc.id, cidrBlock="10.0.1.0/24")
        Raw(PLACEMENT, "group", strategy="cluster")

    town = stack(program)
    town.up()
    town.set_config("town:any", automation.ConfigValue("x"))
    os.kill(sandbox.start().pid, signal.SIGKILL)
    wait_until(lambda: lifecycle.find() is None)

    assert sandbox.status().lost == 2
    message = failure(town.refresh)
    assert "the sandbox's server ended and with it 2 resources in moto" in message
    assert "gpuinfra sandbox reset" in message

    sandbox.start()
    assert changes(town.refresh()) == {"same": 2, "delete": 2}
    assert changes(town.up()) == {"same": 2, "create": 2}
    assert sandbox.status().lost == 0


def _with(record: Record, **changed: Any) -> Record:
    from dataclasses import replace

    return replace(record, **changed)
