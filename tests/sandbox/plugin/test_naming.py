from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.sandbox.plugin import naming, schema
from gpuinfra.sandbox.plugin.aws.naming import NAMING
from gpuinfra.sandbox.plugin.naming import Autonaming, Naming

RULE = Naming(maximum=32)
BUCKET = "aws:s3/bucket:Bucket"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def test_an_unset_name_is_made_up_of_the_logical_name_and_seven_digits() -> None:
    inputs: dict[str, Any] = {}

    assert naming.fill(RULE, inputs, {}, "web", b"seed") == []
    assert inputs["name"].startswith("web-")
    assert len(inputs["name"]) == len("web-") + 7
    assert inputs["__defaults"] == ["name"]


def test_the_same_seed_gives_the_same_name() -> None:
    assert naming.generated_name(RULE, "web", b"a") == naming.generated_name(RULE, "web", b"a")
    assert naming.generated_name(RULE, "web", b"a") != naming.generated_name(RULE, "web", b"b")


def test_digits_and_glue_are_the_clouds() -> None:
    made = naming.generated_name(Naming(digits=8, separator=""), "web", b"seed")

    assert made.startswith("web")
    assert len(made) == len("web") + 8


def test_a_copied_name_counts_as_given() -> None:
    rule = Naming(generation="copy")
    inputs: dict[str, Any] = {}
    naming.fill(rule, inputs, {}, "web", b"seed")

    assert inputs == {"name": "web"}
    assert naming.keeps_given_name(rule, {"name": "web"}, inputs)


def test_a_uuid_is_the_same_for_the_same_seed() -> None:
    rule = Naming(generation="uuid")
    made = naming.generated_name(rule, "web", b"seed")

    assert made == naming.generated_name(rule, "web", b"seed")
    assert len(made.split("-")) == 5


def test_names_without_case_are_compared_without_it() -> None:
    rule = Naming(taken_code="Taken", ignores_case=True, scope=("group",))
    names = [{"name": "Web", "group": "RG"}, {"name": "web", "group": "rg"}]

    assert len({naming.unique(rule, name, "here") for name in names}) == 1


def test_a_made_up_name_is_kept() -> None:
    inputs: dict[str, Any] = {}
    naming.fill(RULE, inputs, {"name": "web-1234567", "__defaults": ["name"]}, "web", b"other")

    assert inputs["name"] == "web-1234567"


def test_a_name_that_the_program_took_back_is_made_up_anew() -> None:
    inputs: dict[str, Any] = {}
    naming.fill(RULE, inputs, {"name": "fixed"}, "web", b"seed")

    assert inputs["name"].startswith("web-")


@pytest.mark.parametrize("given_name", [{"name": "mine"}, {"namePrefix": "mine-"}])
def test_a_given_name_or_prefix_is_left_alone(given_name: dict[str, Any]) -> None:
    inputs = dict(given_name)

    assert naming.fill(RULE, inputs, {}, "web", b"seed") == []
    assert inputs == given_name


def test_a_logical_name_that_leaves_no_room_is_refused_with_the_way_out() -> None:
    [failure] = naming.fill(RULE, {}, {}, "w" * 30, b"seed")

    assert failure.path == "name"
    assert "32 characters" in failure.reason
    assert "set 'name'" in failure.reason


@pytest.mark.parametrize(
    ("proposal", "name"),
    [(Autonaming("town-web", True), "town-web"), (Autonaming("town-web", False), None)],
)
def test_a_binding_proposal_of_the_engine_is_taken(proposal: Autonaming, name: str | None) -> None:
    inputs: dict[str, Any] = {}
    naming.fill(RULE, inputs, {}, "web", b"seed", proposal)

    assert (inputs["name"] == name) is (name is not None)


def test_disabled_autonaming_wants_a_name() -> None:
    [failure] = naming.fill(RULE, {}, {}, "web", b"seed", Autonaming("", False))

    assert failure.reason == "automatic naming is disabled: set 'name'"


@pytest.mark.parametrize("token", sorted(NAMING))
@given(logical=st.from_regex(r"[a-z][a-z0-9]{2,20}", fullmatch=True), seed=st.binary(min_size=1))
def test_made_up_names_are_valid_names(token: str, logical: str, seed: bytes) -> None:
    rule = NAMING[token]
    if token.endswith(":SecurityGroup") and logical == "sg":
        return

    name = naming.generated_name(rule, logical, seed)

    assert naming.problems(rule, {rule.key: name}) == []


@pytest.mark.parametrize(
    ("token", "name"),
    [
        (BUCKET, "Upper-Case"),
        (BUCKET, "ab"),
        (BUCKET, "a..b"),
        (BUCKET, "192.168.0.1"),
        (BUCKET, ".dot"),
        (TEMPLATE, "no spaces"),
        (TEMPLATE, "ab"),
        ("aws:ec2/securityGroup:SecurityGroup", "sg-mine"),
        ("aws:lb/loadBalancer:LoadBalancer", "internal-mine"),
        ("aws:lb/loadBalancer:LoadBalancer", "mine-"),
        ("aws:lb/targetGroup:TargetGroup", "x" * 33),
        ("aws:iam/role:Role", "a/b"),
        ("aws:iam/role:Role", "r" * 65),
        ("aws:budgets/budget:Budget", "a:b"),
        ("aws:kms/alias:Alias", "mine"),
        ("aws:sqs/queue:Queue", "a.fifo.b"),
    ],
)
def test_a_name_that_aws_refuses_is_refused_with_the_rule(token: str, name: str) -> None:
    rule = NAMING[token]

    [failure] = naming.problems(rule, {rule.key: name})

    assert failure.path == rule.key
    assert (
        f"'{name}' is not a valid name: {rule.minimum}-{rule.maximum} characters" in failure.reason
    )


def test_a_refused_name_says_whether_it_was_made_of_the_resources_name() -> None:
    rule = NAMING["aws:ec2/securityGroup:SecurityGroup"]
    made = {"name": "sg-0a1b2c3", naming.DEFAULTS_KEY: ["name"]}

    [stated] = naming.problems(rule, {"name": "sg-0a1b2c3"})
    [generated] = naming.problems(rule, made)

    assert "(made of the resource's name)" not in stated.reason
    assert generated.reason.startswith("'sg-0a1b2c3' (made of the resource's name) is not")


def test_names_are_unique_within_their_scope() -> None:
    group = NAMING["aws:ec2/securityGroup:SecurityGroup"]
    role = NAMING["aws:iam/role:Role"]

    key = naming.unique(group, {"name": "web", "vpcId": "vpc-1"}, "us-east-1")
    assert key != naming.unique(group, {"name": "web", "vpcId": "vpc-2"}, "us-east-1")
    assert key != naming.unique(group, {"name": "web", "vpcId": "vpc-1"}, "us-west-2")
    assert naming.unique(role, {"name": "r"}, "a") == naming.unique(role, {"name": "r"}, "b")
    assert naming.unique(NAMING["aws:sns/topic:Topic"], {"name": "t"}, "a") is None


def test_every_rule_is_about_a_type_and_an_input_of_the_tables() -> None:
    tables = schema.load("aws")
    for token, rule in NAMING.items():
        kind = tables.type(token)
        assert kind is not None, token
        assert rule.key in kind.inputs, token
        assert not set(rule.scope) - kind.inputs.keys(), token
        assert bool(rule.taken_code) == bool(rule.taken_message), token
