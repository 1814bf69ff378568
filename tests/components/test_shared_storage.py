"""FSx for Lustre beside training machines, as it reaches the engine."""

import base64
import gzip
from collections.abc import Callable
from typing import Any

import pytest

from gpuinfra.clouds import PACKAGES
from gpuinfra.components.program import program
from gpuinfra.sandbox.plugin.input_validation import check
from gpuinfra.sandbox.plugin.schema import load
from gpuinfra.source import Source
from gpuinfra.stackfile import loads

STACK = """\
version: 1
name: files
owner: ml-platform
where: {{cloud: aws, regions: [us-east-1]}}
training:
  trainer:
    instance: {machine}
    nodes: 2
    shared_storage: {{{words}}}
buckets: {{data: {{}}}}
"""

KINDS = {
    "scratch-1": "deployment: scratch-1, size: 3600GiB",
    "scratch-2": "deployment: scratch-2, size: 1.2TiB, bucket: data",
    "persistent-1": "deployment: persistent-1, size: 1.2TiB, throughput: 200",
    "persistent-1-hdd": "deployment: persistent-1, storage: hdd, size: 6000GiB, throughput: 12",
    "persistent-2": (
        "size: 4.8TiB, throughput: 250, metadata_iops: 6000, bucket: data, prefix: tokens/,"
        " export: true"
    ),
    "intelligent-tiering": "storage: intelligent-tiering, throughput: 8000",
    "efa": "size: 4800GiB, throughput: 1000, efa: true",
}
FILES = "aws:fsx/lustreFileSystem:LustreFileSystem"


@pytest.fixture
def seen(record: Callable[..., Any]) -> Callable[..., Any]:
    """What reaches the engine of a trainer with a file system."""

    def build(words: str, machine: str = "p4d.24xlarge") -> Any:
        text = STACK.format(words=words, machine=machine)
        return record(program(Source(document=loads(text)), {}))

    return build


def shared(of: Any) -> list[dict[str, Any]]:
    """The rows of the file system and what is around it."""
    return [row for row in of.golden() if "-shared" in row["name"]]


@pytest.mark.parametrize("kind", KINDS)
def test_each_deployment_is_the_golden_one(seen, golden, kind: str) -> None:
    golden(f"shared-storage-{kind}", shared(seen(KINDS[kind])))


@pytest.mark.parametrize("kind", KINDS)
def test_the_tables_have_nothing_to_say(seen, kind: str) -> None:
    schema = load(PACKAGES["aws"])
    failures = {
        f"{resource.name}.{failure.path}: {failure.reason}"
        for resource in seen(KINDS[kind]).resources
        if resource.type.startswith("aws:")
        for failure in check(schema, schema.type(resource.type), resource.inputs)
    }

    assert failures == set()


def test_it_stands_in_the_subnet_of_the_machines(seen) -> None:
    of = seen(KINDS["persistent-2"])

    assert of.of("trainer-shared").inputs["subnetIds"] == "trainer-private-subnet-id"
    assert of.of("trainer-group").inputs["vpcZoneIdentifiers"] == ["trainer-private-subnet-id"]


def test_machines_and_servers_reach_each_other_by_lustres_ports_alone(seen) -> None:
    rules = [
        resource
        for resource in seen(KINDS["scratch-2"]).resources
        if "-shared-" in resource.name
        and "securityGroup" in resource.type
        and "Rule" in resource.type
    ]
    machines, files = "trainer-security-group-id", "trainer-shared-firewall-id"

    def spans(kind: str, owner: str, peer: str) -> set[tuple[int, int]]:
        return {
            (rule.inputs["fromPort"], rule.inputs["toPort"])
            for rule in rules
            if kind in rule.type
            and rule.inputs["securityGroupId"] == owner
            and rule.inputs["referencedSecurityGroupId"] == peer
        }

    ports = {(988, 988), (1018, 1023)}
    for owner, peer in ((files, files), (files, machines), (machines, files)):
        assert spans("Ingress", owner, peer) == ports
        assert spans("Egress", owner, peer) == ports
    assert len(rules) == 12


def test_over_efa_everything_is_open_between_them(seen) -> None:
    rules = [resource for resource in seen(KINDS["efa"]).resources if "-shared-" in resource.name]
    protocols = {rule.inputs["ipProtocol"] for rule in rules if "ipProtocol" in rule.inputs}

    assert protocols == {"-1"}
    assert seen(KINDS["efa"]).of("trainer-shared").options == {
        "replaceOnChanges": ["perUnitStorageThroughput"]
    }


@pytest.mark.parametrize(
    ("kind", "skipped"),
    [("persistent-1", False), ("persistent-2", True), ("scratch-1", None), ("efa", False)],
)
def test_what_can_be_backed_up_at_its_end_is(seen, kind: str, skipped: bool | None) -> None:
    inputs = seen(KINDS[kind]).of("trainer-shared").inputs

    assert inputs.get("skipFinalBackup") is skipped
    assert inputs.get("automaticBackupRetentionDays") == (None if skipped is None else 0)


def test_the_bucket_shows_in_it_and_gets_changes_where_they_are_asked_for(seen) -> None:
    one_way = seen(KINDS["scratch-2"]).of("trainer-shared-bucket").inputs
    both = seen(KINDS["persistent-2"]).of("trainer-shared-bucket").inputs
    events = {"events": ["NEW", "CHANGED", "DELETED"]}

    assert one_way["s3"] == {"autoImportPolicy": events}
    assert both["s3"] == {"autoImportPolicy": events, "autoExportPolicy": events}
    assert both["dataRepositoryPath"].endswith("/tokens/")
    assert both["dataRepositoryPath"].startswith("s3://files-data-")


def test_the_machines_mount_it(seen) -> None:
    data = seen(KINDS["persistent-2"]).of("trainer-launch-template").inputs["userData"]
    script = base64.b64decode(data)
    text = (gzip.decompress(script) if script[:2] == b"\x1f\x8b" else script).decode()

    assert "trainer-shared" in text
    assert "/shared" in text
