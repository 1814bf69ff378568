"""Strangers' file systems for Lustre: what only the whole stack shows to be refused."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import Index, groups_and_items, observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.rules.cases.moments import both
from tests.rules.cases.program import Handle, Program

FILES = "aws:fsx/lustreFileSystem:LustreFileSystem"
LINK = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
FIREWALL = "aws:ec2/securityGroup:SecurityGroup"
RULE = "aws:vpc/securityGroup{0}Rule:SecurityGroup{0}Rule"


def stack(*openings: dict[str, Any], **inputs: Any) -> tuple[Program, Handle]:
    """A file system behind a firewall that is open to itself in some ways."""
    program = Program()
    group = program.add(FIREWALL, "group")
    for number, opening in enumerate(openings):
        way = opening.get("way", "Ingress")
        rule_inputs = {key: value for key, value in opening.items() if key != "way"}
        program.add(
            RULE.format(way),
            f"rule{number}",
            securityGroupId=group.id,
            referencedSecurityGroupId=group.id,
            **rule_inputs,
        )
    made = program.add(
        FILES,
        "files",
        region="us-east-1",
        subnetIds="subnet-1",
        securityGroupIds=[group.id],
        **{"deploymentType": "SCRATCH_2", "storageCapacity": 1200, **inputs},
    )
    return program, made


def link(program: Program, made: Handle, **inputs: Any) -> None:
    bucket = program.add("aws:s3/bucket:Bucket", "data", bucket="their-data", **inputs)
    program.add(
        LINK,
        "link",
        region="us-east-1",
        fileSystemId=made.id,
        fileSystemPath="/",
        dataRepositoryPath=f"s3://{bucket.inputs['bucket']}/tokens/",
    )


def wrong(program: Program, moment: Any = "created") -> tuple[str, ...]:
    (files,) = observe(program.resources(moment)).file_systems
    messages = faults_of(files.faults, "shared-storage-settings")
    assert isinstance(messages, tuple)
    return messages


LNET = {"ipProtocol": "tcp", "fromPort": 988, "toPort": 1023}
ALL = {"ipProtocol": "-1"}
EFA = {
    "deploymentType": "PERSISTENT_2",
    "perUnitStorageThroughput": 1000,
    "storageCapacity": 4800,
    "efaEnabled": True,
    "metadataConfiguration": {"mode": "AUTOMATIC"},
}


@both
def test_its_servers_have_to_reach_each_other(moment: Any) -> None:
    assert wrong(stack(LNET)[0], moment) == ()
    (message,) = wrong(stack({**LNET, "fromPort": 443, "toPort": 443})[0], moment)
    assert "988" in message


@both
def test_over_efa_all_traffic_has_to_pass_both_ways(moment: Any) -> None:
    assert wrong(stack(ALL, {**ALL, "way": "Egress"}, **EFA)[0], moment) == ()
    (message,) = wrong(stack(ALL, **EFA)[0], moment)
    assert "egress" in message


def test_groups_that_are_not_in_the_stack_are_not_judged() -> None:
    program, made = stack()
    program.change(made, securityGroupIds=["sg-0123456789abcdef0"])

    assert wrong(program) == ()


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, None),
        ({"deploymentType": "SCRATCH_1"}, "scratch-1 does not support a"),
        (
            {
                "deploymentType": "PERSISTENT_1",
                "perUnitStorageThroughput": 50,
                "automaticBackupRetentionDays": 7,
            },
            "is linked to a bucket can't have backups",
        ),
        (
            {"importPath": "s3://their-data"},
            "import_path and export_path can't be combined with a",
        ),
    ],
)
def test_links_to_buckets_do_not_go_with_everything(
    inputs: dict[str, Any], words: str | None
) -> None:
    program, made = stack(LNET, **inputs)
    link(program, made, region="us-east-1")

    messages = wrong(program)
    assert messages == () if words is None else words in messages[0]


def test_a_bucket_in_another_region_is_told() -> None:
    program, made = stack(LNET)
    link(program, made, region="eu-west-1")

    assert wrong(program) == ("link: the bucket is in eu-west-1, the file system in us-east-1",)


def test_before_its_rules_are_known_a_file_system_is_not_refused_for_them() -> None:
    program, made = stack()
    resources = program.resources()
    (alone,) = [resource for resource in resources if resource.urn == made.urn]

    (files,) = groups_and_items(alone, Index(resources)).file_systems
    assert faults_of(files.faults, "shared-storage-settings") == ()


TIERED = {
    "deploymentType": "PERSISTENT_2",
    "storageType": "INTELLIGENT_TIERING",
    "storageCapacity": None,
    "throughputCapacity": 8000,
    "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": 6000},
}
HDD = {"deploymentType": "PERSISTENT_1", "storageType": "HDD", "storageCapacity": 6000}


def paid(**inputs: Any) -> dict[str, Any]:
    program, _ = stack(**inputs)
    return {item.item: item.quantity for item in observe(program.resources("created")).items}


@pytest.mark.parametrize(
    ("cache", "gib"),
    [
        ({"sizingMode": "USER_PROVISIONED", "size": 131_072}, 131_072),
        ({"sizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"}, 40_000),
        ({"sizingMode": "USER_PROVISIONED"}, UNKNOWN),
        ({"sizingMode": UNKNOWN}, UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_a_read_cache_is_paid_by_its_size(cache: Any, gib: Any) -> None:
    item = "fsx-lustre-intelligent-tiering-cache"
    assert paid(**TIERED, dataReadCacheConfiguration=cache)[item] == gib
    assert item not in paid(**TIERED, dataReadCacheConfiguration={"sizingMode": "NO_CACHE"})


@pytest.mark.parametrize(
    ("cache", "item"),
    [("NONE", "hdd-12"), ("READ", "hdd-12-cached"), (UNKNOWN, "hdd-12-cached")],
)
def test_drives_with_a_cache_cost_more(cache: Any, item: str) -> None:
    made = paid(**HDD, perUnitStorageThroughput=12, driveCacheType=cache)
    assert made[f"fsx-lustre-persistent-{item}"] == 6000
