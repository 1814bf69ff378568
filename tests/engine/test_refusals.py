import pytest

from gpuinfra.engine import refusals
from gpuinfra.engine.contract import Diagnostic

URN = "urn:pulumi:cloud::demo::gpuinfra:index:TrainingNode$aws:ec2/instance:Instance::n0"


def test_a_known_code_is_explained_with_a_way_out():
    message = (
        "error: 1 error occurred:\n\t* creating EC2 Instance: operation error EC2: RunInstances, "
        "api error VcpuLimitExceeded: You have requested more vCPU capacity than your limit of 0"
    )

    (refusal,) = refusals.translate([Diagnostic(severity="error", message=message, urn=URN)])

    assert refusal.what == "aws:ec2/instance:Instance n0"
    assert refusal.code == "VcpuLimitExceeded"
    assert refusal.why.startswith("the account's quota of vCPUs for this family")
    assert "limit of 0" in refusal.why
    assert "Service Quotas" in refusal.fix
    assert refusal.urn == URN


def test_an_unknown_code_keeps_the_provider_s_own_words():
    refusal = refusals.explain("creating Thing: QuantumFlux: the flux is off", URN)

    assert (refusal.code, refusal.why) == ("", "creating Thing: QuantumFlux: the flux is off")
    assert refusal.fix


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("api error InvalidPlacementGroup.Unknown: no", "InvalidPlacementGroup.Unknown"),
        (
            "AuthFailure.ServiceLinkedRoleCreationNotPermitted: no",
            "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
        ),
        ("AuthFailure: bad key", "AuthFailure"),
        ("ZonalAllocationFailed: x", "ZonalAllocationFailed"),
        ("NotThrottlingAtAll", ""),
    ],
)
def test_the_whole_code_counts(message, code):
    assert refusals.explain(message).code == code


def test_a_group_of_google_cloud_that_waits_for_machines_says_where_the_cause_is():
    refusal = refusals.explain(
        "1 error occurred:\n\t* timeout while waiting for state to become 'created' "
        "(last state: 'creating', timeout: 10m0s)\n\n",
        "urn:pulumi:dev::p::gcp:compute/instanceGroupManager:InstanceGroupManager::trainer-group",
    )

    assert refusal.code == "GroupNotStable"
    assert refusals.another_rung_helps(refusal.code)
    assert "list-errors" in refusal.fix
    assert "machines that start later are billed" in refusal.fix


@pytest.mark.parametrize(
    ("message", "code", "way"),
    [
        (
            "Compute Engine API has not been used in project 123 before or it is disabled.",
            "SERVICE_DISABLED",
            "gcloud services enable compute.googleapis.com",
        ),
        (
            "API requires a quota project, which is not set by default. reason: SERVICE_DISABLED",
            "QuotaProjectNotSet",
            "USER_PROJECT_OVERRIDE=true",
        ),
        (
            "Error creating Budget: googleapi: Error 400: Request contains an invalid argument.",
            "BudgetRefused",
            "gcloud billing accounts list",
        ),
        (
            "Error 403: Required 'compute.networks.create' permission for 'projects/p', forbidden",
            "PERMISSION_DENIED",
            "roles/compute.admin",
        ),
        (
            "Error 403: Quota 'NETWORKS' exceeded.  Limit: 5.0 globally., quotaExceeded",
            "QuotaOfNetworks",
            "network: {vpc: …",
        ),
        (
            "Quota 'NVIDIA_L4_GPUS' exceeded.  Limit: 0.0 in region r., quotaExceeded",
            "QUOTA_EXCEEDED",
            "ask for a higher quota",
        ),
        (
            "MissingSubscriptionRegistration: not registered to use namespace 'Microsoft.Compute'",
            "MissingSubscriptionRegistration",
            "az provider register",
        ),
        (
            "'Microsoft.Compute/EncryptionAtHost' feature is not enabled for this subscription.",
            "EncryptionAtHostNotEnabled",
            "az feature register",
        ),
        (
            "AuthorizationFailed: no right to 'Microsoft.Authorization/roleAssignments/write'",
            "AuthorizationFailed",
            "Role Based Access Control Administrator",
        ),
        (
            "RequestDisallowedByPolicy: Resource 'x' was disallowed by policy.",
            "RequestDisallowedByPolicy",
            "exemption",
        ),
    ],
)
def test_what_a_new_project_or_subscription_lacks_is_said_with_the_command(message, code, way):
    refusal = refusals.explain(f"1 error occurred:\n\t* {message}")

    assert refusal.code == code
    assert way in refusal.fix
    assert refusals.another_rung_helps(code) is (code == "QUOTA_EXCEEDED")


def test_one_resource_s_refusal_is_told_once():
    diagnostic = Diagnostic(severity="error", message="RequestLimitExceeded: slow down", urn=URN)
    again = Diagnostic(severity="error", message="RequestLimitExceeded: slow", urn=URN)
    other = Diagnostic(severity="warning", message="RequestLimitExceeded", urn=URN)

    assert len(refusals.translate([diagnostic, again, other])) == 1


DIED = "error reading from server: read tcp 127.0.0.1:4->127.0.0.1:5: connection reset by peer"


@pytest.mark.parametrize(
    "words",
    [
        DIED,
        'connection error: desc = "error reading server preface: EOF"',
        'connection error: desc = "transport: failed to write client preface: broken pipe"',
        "closing transport due to: connection error, received prior goaway: code: NO_ERROR",
        "the connection is draining",
    ],
)
def test_each_way_in_which_grpc_says_that_a_server_is_gone_is_a_provider_s_death(words):
    assert refusals.explain(words, URN).code == "ProviderDied"


def test_a_provider_s_death_is_told_once_with_all_that_it_struck():
    struck = [URN, URN.replace("::n0", "::n1"), URN.replace("::n0", "::n2")]
    words = [DIED, "error reading from server: EOF", DIED]
    diagnostics = [
        Diagnostic(severity="error", message=message, urn=urn)
        for message, urn in zip(words, struck, strict=True)
    ]

    (refusal,) = refusals.translate(diagnostics)

    assert refusal.what == "aws:ec2/instance:Instance n0 and 2 more"
    assert refusal.code == "ProviderDied"
    assert "may exist without being in the state: " in refusal.why
    assert refusal.why.endswith(
        "Instance n0, aws:ec2/instance:Instance n1, aws:ec2/instance:Instance n2"
    )
    assert "run the same command again" in refusal.fix


def test_a_cloud_s_own_broken_connection_is_not_the_provider_s_death():
    message = 'Post "https://ec2.amazonaws.com/": read tcp 10.0.0.1:4: connection reset by peer'

    assert refusals.explain(message, URN).code == ""


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("SandboxServerGone: the sandbox's server ended. Start it", "SandboxServerGone"),
        (
            (
                "the sandbox does not know aws:glue/job:Job: its properties were not checked; "
                "refused, because the sandbox is strict"
            ),
            "TypeNotInSandbox",
        ),
    ],
)
def test_the_sandbox_s_own_refusals_have_their_way_out(message, code):
    refusal = refusals.explain(message, URN)

    assert refusal.code == code
    assert refusal.fix != refusals.UNKNOWN_FIX


def test_every_row_has_a_reason_a_way_out_and_a_source():
    rows = refusals.table()

    assert len({row.code for row in rows}) == len(rows)
    for row in rows:
        assert row.why
        assert row.fix
        assert row.source
        assert row.as_of


def test_no_row_is_hidden_by_an_earlier_one():
    for row in refusals.table():
        assert refusals.explain(f"error {row.code}: because").code == row.code


def test_an_invoke_without_an_answer_is_named():
    refusal = refusals.unanswered_call_refusal(
        "invoke of aws:ec2/getVpc:getVpc failed: not known here ()"
    )

    assert refusal.what == "the call aws:ec2/getVpc:getVpc"
    assert refusal.why == "not known here ()"
    assert refusals.unanswered_call_refusal("ValueError: seven") is None


def test_a_question_that_the_sandbox_does_not_answer_has_its_way_out():
    refusal = refusals.unanswered_call_refusal(
        "invoke of aws:rds/x:x failed: UnansweredInvoke: the sandbox does not answer aws:rds/x:x; "
        "nothing after it was checked"
    )

    assert refusal.code == "UnansweredInvoke"
    assert refusal.what == "the call aws:rds/x:x"
    assert refusal.why == "the sandbox does not answer it; nothing after it was checked"
    assert "--target cloud" in refusal.fix


@pytest.mark.parametrize(
    "message",
    [
        "name: 'sg-ebf' (made of the resource's name) is not a valid name: not starting with sg-",
        "invalid value for name (cannot begin with sg-)",
    ],
)
def test_a_name_that_a_cloud_does_not_take_is_told_where_it_comes_from(message: str) -> None:
    refusal = refusals.explain(
        message, "urn:pulumi:dev::p::aws:ec2/securityGroup:SecurityGroup::sg"
    )

    assert refusal.fix.startswith("rename the resource in the program")
    assert message in refusal.why


def test_a_name_that_the_program_states_is_to_be_set_anew() -> None:
    message = "accountId: 'vllm' is not a valid name: 6-30 characters, a lower-case letter first"
    account = "urn:pulumi:dev::p::gcp:serviceaccount/account:Account::vllm"

    assert refusals.explain(message, account).fix.startswith("set the input")
