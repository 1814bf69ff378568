"""The lifecycle with the real engine and the sandbox's plugins: drift, refusals, interruptions."""

import json
import signal
import threading
from pathlib import Path
from urllib.parse import urlsplit

import boto3
import pulumi
import pytest
from pulumi_aws import ec2

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import RunRequest, Target
from gpuinfra.sandbox.faults import InjectedFault

pytestmark = pytest.mark.e2e

REGION = "us-east-1"


def vpcs(*names, tag="first", cidr="10.0.0.0/16"):
    def program():
        for name in names:
            ec2.Vpc(name, cidr_block=cidr, tags={"round": tag})

    return program


@pytest.fixture
def variables(module_sandbox_home):
    sandbox.reset()
    yield sandbox.environment(region=REGION)
    sandbox.faults.clear()


@pytest.fixture
def request_for(variables):
    target = Target(name="sandbox", environment=variables)

    def make(program):
        return RunRequest(project="demo", program=program, target=target)

    return make


@pytest.fixture
def cloud(variables):
    return boto3.client(
        "ec2",
        region_name=REGION,
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )


def standing_vpcs(cloud):
    own = [vpc for vpc in cloud.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]]
    return {tag["Value"] for vpc in own for tag in vpc.get("Tags", [])}, len(own)


def test_built_changed_replaced_drifted_and_destroyed(request_for, cloud):
    assert lifecycle.up(request_for(vpcs("a", "b"))).changes == {"create": 2}
    assert standing_vpcs(cloud) == ({"first"}, 2)
    (vpc, _) = lifecycle.current_status(request_for(vpcs())).resources
    assert vpc.id.startswith("vpc-")
    assert vpc.custom

    assert lifecycle.up(request_for(vpcs("a", "b"))).is_unchanged

    changed = lifecycle.up(request_for(vpcs("a", "b", tag="second")))
    assert changed.changes == {"update": 2}
    assert all(
        "tags.round" in step.differences for step in changed.steps if step.operation == "update"
    )

    replaced = lifecycle.preview(request_for(vpcs("a", "b", tag="second", cidr="10.9.0.0/16")))
    assert replaced.changes == {"replace": 2}
    assert {step.causes for step in replaced.steps if step.operation == "replace"} == {
        ("cidrBlock",)
    }

    cloud.create_tags(Resources=[vpc.id], Tags=[{"Key": "round", "Value": "by hand"}])
    assert lifecycle.refresh(request_for(vpcs()), preview_only=True).changes == {
        "update": 1,
        "same": 1,
    }
    drifted = lifecycle.refresh(request_for(vpcs()))
    assert (drifted.ok, drifted.changes) == (True, {"update": 1, "same": 1})

    assert lifecycle.destroy(request_for(vpcs())).changes == {"delete": 2}
    assert standing_vpcs(cloud) == (set(), 0)


def test_a_cloud_s_refusal_is_translated_and_the_next_up_goes_on(request_for):
    sandbox.faults.add(InjectedFault(kind="throttling", type="aws:ec2/vpc:Vpc", times=1000))

    outcome = lifecycle.up(request_for(vpcs("a", "b")))

    assert (outcome.ending, outcome.exit_code) == ("cloud", 3)
    refusal = outcome.refusals[0]
    assert refusal.code in {"RequestLimitExceeded", "Throttling"}
    assert refusal.what.startswith("aws:ec2/vpc:Vpc ")
    assert "wait a minute" in refusal.fix
    assert outcome.reason.startswith(f"{refusal.what} was refused: the cloud is throttling")
    sandbox.faults.clear()
    assert lifecycle.up(request_for(vpcs("a", "b"))).ok


def test_a_plugin_s_refusal_of_an_input_is_a_refusal(request_for):
    def program():
        pulumi.CustomResource("aws:ec2/vpc:Vpc", "a", {"cidrBlock": "10.0.0.0/16", "tenancy": 7})

    outcome = lifecycle.preview(request_for(program))

    assert outcome.ending == "cloud"
    assert outcome.refusals[0].what == "aws:ec2/vpc:Vpc a"


def test_an_invoke_without_an_answer_ends_the_run(request_for):
    outcome = lifecycle.preview(request_for(lambda: ec2.get_coip_pool(pool_id="p-1")))

    assert (outcome.ending, outcome.exit_code) == ("cloud", 3)
    assert "aws:ec2/getCoipPool:getCoipPool" in outcome.refusals[0].what


def test_ctrl_c_lets_what_is_under_way_finish(request_for, cloud):
    sandbox.faults.add(InjectedFault(kind="slow-create", type="aws:ec2/vpc:Vpc", seconds=3))

    def interrupt(progress):
        if progress.kind == "start" and progress.type == "aws:ec2/vpc:Vpc":
            threading.Timer(
                1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)
            ).start()

    outcome = lifecycle.up(request_for(vpcs("a")), interrupt)

    assert (outcome.ending, outcome.exit_code, outcome.work_left) == ("interrupted", 130, ())
    assert (
        standing_vpcs(cloud)[1]
        == len(lifecycle.current_status(request_for(vpcs())).resources)
        == 1
    )
    sandbox.faults.clear()
    assert lifecycle.up(request_for(vpcs("a", "b"))).changes == {"same": 1, "create": 1}


def test_a_type_that_the_sandbox_lacks_is_refused_with_a_way_out(request_for):
    def program():
        pulumi.CustomResource("aws:glue/job:Job", "job", {"command": {}})

    (refusal,) = lifecycle.preview(request_for(program)).refusals

    assert (refusal.what, refusal.code) == ("aws:glue/job:Job job", "TypeNotInSandbox")


def test_a_crash_among_many_is_one_refusal_and_up_then_destroy_end_clean(request_for, cloud):
    def program():
        network = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        for number in range(12):
            subnet = ec2.Subnet(f"s{number}", vpc_id=network.id, cidr_block=f"10.0.{number}.0/24")
            ec2.RouteTable(f"r{number}", vpc_id=network.id, tags={"of": subnet.id})

    sandbox.faults.add(InjectedFault(kind="crash", after=14))

    crashed = lifecycle.up(request_for(program))

    assert [refusal.code for refusal in crashed.refusals] == ["ProviderDied"], crashed.refusals
    assert lifecycle.up(request_for(program)).ok
    assert not any(record.unfinished for record in sandbox.existing_resources())
    assert len(sandbox.existing_resources()) == 25
    assert lifecycle.destroy(request_for(program)).ok
    assert standing_vpcs(cloud)[1] == 0
    assert sandbox.existing_resources() == []


def test_what_a_killed_engine_did_not_write_down_is_deleted_by_the_next_up(
    request_for, cloud, variables
):
    """An engine has the answer of a create, and is killed before it is in the state."""
    lifecycle.up(request_for(vpcs("a", "b")))
    backend = Path(urlsplit(variables["PULUMI_BACKEND_URL"]).path)
    (path,) = backend.rglob("stacks/demo/sandbox.json")
    state = json.loads(path.read_text())
    latest = state["checkpoint"]["latest"]
    (lost,) = [entry for entry in latest["resources"] if entry["urn"].endswith("::a")]
    latest["resources"].remove(lost)
    latest["pending_operations"] = [{"type": "creating", "resource": lost}]
    path.write_text(json.dumps(state))

    again = lifecycle.up(request_for(vpcs("a", "b")))

    assert again.changes == {"create": 1, "same": 1}
    assert standing_vpcs(cloud) == ({"first"}, 2)
    assert any(lost["id"] in diagnostic.message for diagnostic in again.diagnostics)
    assert lifecycle.refresh(request_for(vpcs()), clear_pending=True).ok
    assert lifecycle.destroy(request_for(vpcs())).exit_code == 0
    assert standing_vpcs(cloud) == (set(), 0)


def test_a_crash_in_the_middle_leaves_a_stack_that_goes_on(request_for):
    sandbox.faults.add(InjectedFault(kind="crash", type="aws:ec2/vpc:Vpc"))

    crashed = lifecycle.up(request_for(vpcs("a")))

    assert (crashed.ending, crashed.exit_code) == ("cloud", 3)
    assert "the provider's process ended during the operation" in crashed.reason
    assert [refusal.code for refusal in crashed.refusals] == ["ProviderDied"], crashed.refusals
    assert not [
        diagnostic for diagnostic in crashed.diagnostics if diagnostic.severity == "warning"
    ]
    again = lifecycle.up(request_for(vpcs("a")))
    assert again.ok
