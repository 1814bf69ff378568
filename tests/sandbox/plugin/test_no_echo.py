"""The plugin judges: one required input missing, one mistyped, one reference broken, per type."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.sandbox.plugin.filling import filled
from tests.sandbox.plugin.judged import TRUST, Case
from tests.sandbox.plugin.judged_cases import CASES, IDS
from tests.sandbox.plugin.judged_services import more_of_the_town

# A bucket's versioning can only be suspended and its lock only be reset, by AWS's own rules; a
# topic always has a policy.
REMAINS = (
    "aws:s3/bucketVersioning:BucketVersioning",
    "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
    "aws:sns/topicPolicy:TopicPolicy",
)


@pytest.fixture(scope="module")
def town(plugin: Any) -> Iterator[dict[str, str]]:
    """One of each thing that others refer to."""
    made: list[tuple[str, str, dict[str, Any]]] = []

    def make(token: str, **inputs: Any) -> tuple[str, dict[str, Any]]:
        resource_id, outputs = plugin.create(token, inputs, name=f"town{len(made)}")
        made.append((token, resource_id, outputs))
        return resource_id, outputs

    vpc, _ = make("aws:ec2/vpc:Vpc", cidrBlock="10.1.0.0/16")
    subnets = [
        make(
            "aws:ec2/subnet:Subnet",
            vpcId=vpc,
            cidrBlock=f"10.1.{number}.0/24",
            availabilityZone=f"us-east-1{letter}",
        )[0]
        for number, letter in enumerate("ab")
    ]
    role, _ = make("aws:iam/role:Role", assumeRolePolicy=TRUST)
    template, _ = make("aws:ec2/launchTemplate:LaunchTemplate", instanceType="g6.xlarge")
    group, _ = make("aws:ec2/securityGroup:SecurityGroup", vpcId=vpc)
    ids = {
        "vpc": vpc,
        "subnet": subnets[0],
        "subnet_b": subnets[1],
        "role": role,
        "template": template,
        "group": group,
        "gateway": make("aws:ec2/internetGateway:InternetGateway", vpcId=vpc)[0],
        "table": make("aws:ec2/routeTable:RouteTable", vpcId=vpc)[0],
        "allocation": make("aws:ec2/eip:Eip", domain="vpc")[0],
        "bucket": make("aws:s3/bucket:Bucket", bucket="town-bucket")[0],
        "scaling": make(
            "aws:autoscaling/group:Group",
            minSize=0,
            maxSize=1,
            vpcZoneIdentifiers=[subnets[0]],
            launchTemplate={"id": template},
        )[0],
        "balancer": make(
            "aws:lb/loadBalancer:LoadBalancer", subnets=subnets, securityGroups=[group]
        )[0],
        "targets": make("aws:lb/targetGroup:TargetGroup", port=80, protocol="HTTP", vpcId=vpc)[0],
        "image": plugin.invoke(
            "aws:ec2/getAmi:getAmi",
            mostRecent=True,
            owners=["amazon"],
            filters=[{"name": "name", "values": ["al2023-ami-2023*x86_64"]}],
        )["id"],
    }
    yield ids | more_of_the_town(make, role)
    for token, resource_id, outputs in reversed(made):
        plugin.delete(token, resource_id, outputs)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_good_inputs_stand_and_are_read_back_unchanged(
    case: Case, plugin: Any, town: dict[str, str]
) -> None:
    inputs, failures = plugin.check(case.token, filled(case.inputs, town), name="good")
    assert not failures
    resource_id, outputs = plugin.create(case.token, filled(case.inputs, town), name="good")
    try:
        answer = plugin.read(case.token, resource_id, "good", outputs=outputs, inputs=inputs)
        again = plugin.diff(case.token, inputs, inputs_of(answer))

        assert answer.id == resource_id
        assert list(again.diffs) == []
    finally:
        plugin.delete(case.token, resource_id, outputs)
    gone = plugin.read(case.token, resource_id, "good", outputs=outputs, inputs=inputs)
    assert (gone.id == "") is (case.token not in REMAINS)


def inputs_of(answer: Any) -> dict[str, Any]:
    from gpuinfra.sandbox.plugin.wire import from_wire

    return from_wire(answer.inputs)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.required], ids=lambda case: IDS[CASES.index(case)]
)
def test_a_missing_required_input_is_refused(
    case: Case, plugin: Any, town: dict[str, str]
) -> None:
    inputs = filled(case.inputs, town)
    del inputs[case.required]

    _, failures = plugin.check(case.token, inputs)

    assert list(failures) == [case.required]
    assert failures[case.required].startswith("missing required")
    assert case.required in failures[case.required]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_mistyped_input_is_refused(case: Case, plugin: Any, town: dict[str, str]) -> None:
    key, value = case.mistyped

    _, failures = plugin.check(case.token, filled({**case.inputs, key: value}, town))

    assert len(failures) == 1
    path, reason = failures.popitem()
    assert path.startswith(key)
    assert "expected" in reason or "is not one of" in reason


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_an_unknown_input_is_refused_with_the_word_meant(
    case: Case, plugin: Any, town: dict[str, str]
) -> None:
    key = next(iter(case.inputs))

    _, failures = plugin.check(case.token, filled({**case.inputs, f"{key}x": 1}, town))

    assert failures == {f"{key}x": f"unknown property '{key}x'; did you mean '{key}'? (sandbox)"}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.broken], ids=lambda case: IDS[CASES.index(case)]
)
def test_a_broken_reference_is_refused_in_the_clouds_words(
    case: Case, plugin: Any, town: dict[str, str]
) -> None:
    assert case.broken is not None
    key, value = case.broken

    refusal = plugin.refusal(case.token, filled({**case.inputs, key: value}, town))

    assert refusal.startswith(f"{case.code}: ")
    assert refusal.endswith("(sandbox)")
