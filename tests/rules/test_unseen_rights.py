"""Code that runs with permissions declared elsewhere: told in one line, and never refused."""

import re
from importlib import import_module

import pytest

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.unseen_runtime_identities import runners
from gpuinfra.model import UNKNOWN, Resource, Trust, Usage
from tests.clouds import sdk_inputs
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, verdict
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ROLE = "arn:aws:iam::123456789012:role/etl"
POLICY = "arn:aws:iam::123456789012:policy/etl"
READS = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
EMAIL = "etl@host.iam.gserviceaccount.com"
IDENTITY = (
    "/subscriptions/1/resourceGroups/ids/providers/Microsoft.ManagedIdentity"
    "/userAssignedIdentities/etl"
)
STACK = "pulumi:pulumi:StackReference"
SERVES = {"name": "etl", "role": ROLE, "runtime": "python3.12", "handler": "h.h"}
LETS_LAMBDA = (
    '{"Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, '
    '"Action": "sts:AssumeRole"}]}'
)


def unseen(resources, *trust):
    rows = of_resources(resources, usage=Usage(trust=trust)).unseen_rights
    return [(row.subject.rpartition("::")[2], row.unseen_rights) for row in rows]


def one(token, **inputs):
    urn = f"urn:pulumi:dev::shop::{token}::etl"
    return Resource(urn=urn, type=token, name="etl", inputs=inputs)


ELSEWHERE = [
    (one("aws:lambda/function:Function", **SERVES), ROLE, "role"),
    (one("aws:ecs/taskDefinition:TaskDefinition", taskRoleArn=ROLE), ROLE, "taskRoleArn"),
    (one("aws:glue/job:Job", roleArn=ROLE), ROLE, "roleArn"),
    (
        one("gcp:cloudrunv2/service:Service", template={"serviceAccount": EMAIL}),
        EMAIL,
        "template",
    ),
    (
        one("gcp:cloudfunctions/function:Function", serviceAccountEmail=EMAIL),
        EMAIL,
        "serviceAccountEmail",
    ),
    (
        one(
            "azure-native:web:WebApp",
            resourceGroupName="rg",
            identity={"type": "UserAssigned", "userAssignedIdentities": [IDENTITY]},
        ),
        IDENTITY,
        "identity",
    ),
    (
        one(
            "azure-native:app:ContainerApp",
            resourceGroupName="rg",
            identity={"type": "UserAssigned", "userAssignedIdentities": {IDENTITY: {}}},
        ),
        IDENTITY,
        "identity",
    ),
]


every = pytest.mark.parametrize(("code", "name", "prop"), ELSEWHERE)


@every
def test_code_that_runs_as_an_identity_of_elsewhere_is_told_until_it_is_trusted(code, name, prop):
    assert unseen([code]) == [("etl", (name,))]
    assert unseen([code], Trust(input=prop, value="*etl*", limited=True, why="reviewed")) == []


@every
def test_trust_in_another_fact_or_another_name_settles_nothing(code, name, prop):
    assert unseen([code], Trust(input=prop, private=True, why="closed")) == [("etl", (name,))]
    other = Trust(input=prop, value="nothing-*", limited=True, why="reviewed")
    assert unseen([code], other) == [("etl", (name,))]


@every
@pytest.mark.parametrize("covers", [False, True])
def test_it_refuses_nothing_and_costs_nothing_more(code, name, prop, covers):
    seen, hidden = of_resources([code]), of_resources([replaced(code, prop)])

    def refused(plan):
        found = verdict(plan, covers_everything=covers).findings
        return [(each.rule, each.outcome, each.message) for each in found]

    assert refused(seen) == refused(hidden)
    assert seen.not_judged == hidden.not_judged
    assert seen.not_fully_judged == (*seen.not_judged, *seen.unseen_rights)


def replaced(code, prop):
    """The code without the input that names its identity."""
    inputs = {key: value for key, value in code.inputs.items() if key != prop}
    return Resource(urn=code.urn, type=code.type, name=code.name, inputs=inputs)


def test_the_reason_is_the_same_for_all_of_a_kind():
    rows = of_resources([code for code, _, _ in ELSEWHERE]).unseen_rights
    assert len({row.reason for row in rows}) == 1
    assert not any(row.may_start_machines or row.by_type for row in rows)


@both
def test_a_role_of_the_stack_is_seen(moment):
    program = Program()
    role = program.add("aws:iam/role:Role", "role", assumeRolePolicy=LETS_LAMBDA)
    program.add("aws:lambda/function:Function", "etl", **{**SERVES, "role": role.arn})
    named = program.add("aws:iam/role:Role", "named", name="etl", assumeRolePolicy=LETS_LAMBDA)
    program.add("aws:glue/job:Job", "job", roleArn="etl")
    assert unseen(program.resources(moment)) == []
    program.drop(named)
    assert unseen(program.resources(moment)) == [("job", ("etl",))]


@both
@pytest.mark.parametrize("by", ["attachment", "role", "attachments"])
def test_a_role_that_runs_code_with_a_policy_of_elsewhere_is_told(by, moment):
    program = Program()
    own = {"managedPolicyArns": [POLICY, READS]} if by == "role" else {}
    role = program.add("aws:iam/role:Role", "role", assumeRolePolicy=LETS_LAMBDA, **own)
    program.add("aws:lambda/function:Function", "etl", **{**SERVES, "role": role.arn})
    for number, arn in enumerate((POLICY, READS) if by == "attachment" else ()):
        token = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
        program.add(token, f"a{number}", role=role.out("name"), policyArn=arn)
    if by == "attachments":
        token = "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive"
        program.add(token, "all", roleName=role.out("name"), policyArns=[POLICY, READS])
    resources = program.resources(moment)
    assert unseen(resources) == [("role", (POLICY,))]
    prop = {"attachment": "policyArn", "role": "managedPolicyArns", "attachments": "policyArns"}[
        by
    ]
    trust = Trust(input=prop, value=POLICY, limited=True, why="reviewed")
    assert unseen(resources, trust) == []


def test_a_policy_of_elsewhere_on_a_role_of_people_is_not_code_s():
    program = Program()
    program.add("aws:iam/role:Role", "people", managedPolicyArns=[POLICY])
    assert unseen(program.resources()) == []


@both
def test_an_account_of_the_stack_is_seen_also_by_its_future_address(moment):
    program = GcpProgram()
    account = program.add("serviceAccount/account:Account", "a", accountId="etl", project="host")
    for number, email in enumerate((account.out("email"), EMAIL)):
        inputs = {"template": {"serviceAccount": email}}
        program.add("cloudrunv2/service:Service", f"s{number}", **inputs)
    assert unseen(program.resources(moment)) == []


def test_a_role_that_a_stack_reference_names_is_told_by_its_stack():
    stack = one(STACK, name="acme/identity/prod")
    code = Resource(
        urn="urn:pulumi:dev::shop::aws:lambda/function:Function::etl",
        type="aws:lambda/function:Function",
        name="etl",
        inputs={**SERVES, "role": UNKNOWN},
        relations={"role": (stack.urn,)},
    )
    assert unseen([stack, code]) == [("etl", ("acme/identity/prod",))]
    trust = Trust(input="role", value="acme/identity/*", limited=True, why="reviewed")
    assert unseen([stack, code], trust) == []


def test_a_role_that_nothing_is_known_of_is_not_called_one_of_elsewhere():
    assert unseen([one("aws:lambda/function:Function", **{**SERVES, "role": UNKNOWN})]) == []


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_every_type_of_the_table_is_looked_for(cloud):
    held = TABLES.table("may_start")["held_by"] if cloud == "aws" else ()
    looked = import_module(f"gpuinfra.clouds.{cloud}.observe")._RUNS
    for kind in (*runners(), *held):
        if kind.startswith(cloud):
            assert looked.match(kind), kind
            assert looked.match(re.sub(r"^(azure-native:\w+):", r"\1/v20240301:", kind)), kind


@pytest.mark.slow
@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure-native"])
def test_the_sdks_have_every_input_of_the_table(cloud):
    inputs = {kind: names for kind, names, _ in sdk_inputs.types_of(cloud)}
    for kind, paths in runners().items():
        if kind.startswith(f"{cloud}:"):
            keys = {key for path in paths.split() for key in path.split(".")}
            spelled = {re.sub("([A-Z])", r"_\1", key).lower() for key in keys}
            assert spelled <= inputs[kind], kind
