"""What AWS and its provider really say, as a person reads it."""

import tomllib
from pathlib import Path

import pytest

from gpuinfra.engine import missing_permission, refusals
from gpuinfra.engine.contract import Diagnostic

GROUP = (
    "urn:pulumi:cloud::demo::gpuinfra:index:TrainingCluster$aws:autoscaling/group:Group::t-group"
)
ACTIVITY = (
    f"1 error occurred:\n\t* creating {GROUP}: 1 error occurred:\n\t* waiting for Auto Scaling "
    "Group (t-group-1234567) capacity satisfied: scaling activity (0d5): Failed: {} Launching EC2 "
    "instance failed."
)
"""hashicorp/terraform-provider-aws, internal/service/autoscaling/group.go."""

CALL = (
    "1 error occurred:\n\t* {}: operation error {}, https response error StatusCode: 403, "
    "RequestID: 1b2, api error {}"
)
"""github.com/aws/aws-sdk-go-v2, aws/middleware OperationError."""


def told(message):
    (refusal,) = refusals.translate([Diagnostic(severity="error", message=message, urn=GROUP)])
    return refusal


WORDS = tomllib.loads(Path(__file__).with_name("aws_words.toml").read_text())


@pytest.mark.parametrize(("status", "code"), WORDS["activities"])
def test_a_group_that_stands_without_machines_says_why_and_how_it_goes_on(status, code):
    refusal = told(ACTIVITY.format(status))

    assert refusal.code == code
    assert "; the group itself exists, and keeps trying (" in refusal.why
    assert refusal.fix.endswith(
        "the next gpuinfra up continues with it, and gpuinfra destroy deletes it"
    )
    assert "urn:" not in refusal.why


def test_a_wait_that_ran_out_without_a_reason_is_no_hang_and_has_a_way_on():
    refusal = told(
        "waiting for Auto Scaling Group (t-group-1) capacity satisfied: timeout while waiting for "
        "state to become 'ok' (last state: 'want at least 2 healthy instance(s) in Auto Scaling "
        "Group, have 0', timeout: 10m0s)"
    )

    assert refusal.code == "NoMachinesInTime"
    assert "describe-scaling-activities" in refusal.fix
    assert refusals.another_rung_helps(refusal.code)


CALLS = [
    ("creating EC2 Fleet", "EC2: CreateFleet", "UnfulfillableCapacity: no", True),
    ("creating EC2 Instance", "EC2: RunInstances", "ReservationCapacityExceeded: no", True),
    ("creating EC2 Instance", "EC2: RunInstances", "InsufficientHostCapacity: no", True),
    (
        "creating Launch Template",
        "EC2: CreateLaunchTemplate",
        "InvalidCapacityReservationId.NotFound: The capacity reservation 'cr-0' does not exist",
        True,
    ),
    ("creating", "EC2: CreatePlacementGroup", "InvalidPlacementGroup.Duplicate: no", False),
    ("creating group", "EC2: RunInstances", "InvalidPlacementGroup.Unknown: no", False),
    (
        "creating",
        "EC2: RunInstances",
        "AuthFailure.ServiceLinkedRoleCreationNotPermitted: no",
        True,
    ),
    ("creating", "EC2: RunInstances", "AuthFailure: AWS was not able to validate", False),
    ("creating", "EC2: RunInstances", "RequestLimitExceeded: Request limit exceeded.", False),
    ("creating", "EC2: RunInstances", "RequestLimitExceeded: Rate exceeded", False),
    (
        "creating EC2 VPC",
        "EC2: CreateVpc",
        "VpcLimitExceeded: The maximum number of VPCs has been reached.",
        False,
    ),
    ("creating EC2 EIP", "EC2: AllocateAddress", "AddressLimitExceeded: no", False),
    ("creating EC2 VPC", "EC2: CreateVpc", "InvalidVpc.Range: The CIDR is invalid.", False),
    (
        "creating EC2 Instance",
        "EC2: RunInstances",
        "PendingVerification: Your account is currently being verified.",
        False,
    ),
    ("creating", "FSx: CreateFileSystem", "ServiceLimitExceeded: no", False),
    ("creating", "Budgets: CreateBudget", "CreationLimitExceededException: no", False),
]


@pytest.mark.parametrize(("doing", "call", "message", "rung"), CALLS)
def test_a_call_s_refusal_is_known_by_its_code(doing, call, message, rung):
    refusal = told(CALL.format(doing, call, message))

    assert refusal.code == message.partition(":")[0]
    assert refusal.fix != refusals.UNKNOWN_FIX
    assert refusals.another_rung_helps(refusal.code) is rung


@pytest.mark.parametrize(("message", "code"), WORDS["sentences"])
def test_what_is_said_in_sentences_is_known_too(message, code):
    refusal = told(message)

    assert refusal.code == code
    assert refusal.fix != refusals.UNKNOWN_FIX


BLOB = "qoYeuy5DNQMk_k7JauWsrjPnqAi9h90gWITrdEQKpzKtUH4C4XeRuGX"


@pytest.mark.parametrize(("message", "fix"), WORDS["rights"])
def test_the_right_that_is_missing_is_named(message, fix):
    refusal = told(message)

    assert (refusal.code, refusal.fix) == ("UnauthorizedOperation", fix)
    assert BLOB not in refusal.why
    assert "Encoded" not in refusal.why


def test_a_right_that_nobody_names_keeps_the_general_way_out():
    refusal = told("AccessDenied: Access Denied")

    assert refusal.fix.startswith("allow the action that the message names")


def test_every_code_and_each_that_means_the_same_is_found():
    for row in refusals.table():
        for code in (row.code, *row.other_codes):
            assert refusals.explain(f"error {code}: because").code == row.code


def test_no_code_is_in_two_rows():
    codes = [code for row in refusals.table() for code in (row.code, *row.other_codes)]

    assert len(set(codes)) == len(codes)


def test_what_a_right_is_called_is_a_right():
    table = missing_permission.table()

    for call, action in table["actions"].items():
        assert call.partition(":")[0] == action.partition(":")[0]
    assert set(table["prefixes"].values()) >= {"ec2", "autoscaling", "iam", "s3", "fsx", "budgets"}


@pytest.mark.parametrize(
    ("reason", "workload"),
    [
        ("RunError: trainer: the fleet fleet-1 has 0 of 2 machines; for the reason:", "trainer"),
        ("the program failed: KeyError: 'x'", ""),
    ],
)
def test_a_fleet_without_its_machines_is_seen_in_the_program_s_words(reason, workload):
    assert refusals.workload_without_machines(reason) == workload


def test_zones_that_have_machines_now_are_named():
    refusal = told(
        "api error InsufficientInstanceCapacity: We currently do not have sufficient g6.xlarge "
        "capacity in the Availability Zone you requested (us-east-1a). You can currently get "
        "g6.xlarge capacity by not specifying an Availability Zone in your request or choosing "
        "us-east-1b, us-east-1c."
    )

    assert "; AWS says that us-east-1b, us-east-1c have such machines now (" in refusal.why
    assert "; write zones: [us-east-1b, us-east-1c] under `where`" in refusal.fix
