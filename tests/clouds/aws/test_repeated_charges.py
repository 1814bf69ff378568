"""Copies of tables and attachments of gateways are paid for; so is what a function keeps."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

EFS_REPLICA = "aws:efs/replicationConfiguration:ReplicationConfiguration"


def replicas(program, moment):
    rows = observe(program.resources(moment)).not_judged
    return [row for row in rows if row.type == EFS_REPLICA]


@both
@pytest.mark.parametrize(
    ("table", "known"),
    [({"billingMode": "PAY_PER_REQUEST"}, True), ({"readCapacity": 5}, False), (None, False)],
)
def test_a_replica_costs_nothing_fixed_where_its_table_is_paid_by_request(table, known, moment):
    program = Program()
    arn = "arn:aws:dynamodb:us-west-2:1:table/elsewhere"
    if table is not None:
        arn = program.add("aws:dynamodb/table:Table", "t", hashKey="a", **table).arn
    program.add("aws:dynamodb/tableReplica:TableReplica", "r", globalTableArn=arn)
    rows = observe(program.resources(moment)).not_judged

    (replica,) = (row for row in rows if row.type.endswith("TableReplica"))
    assert replica.may_start_machines is not known


@both
@pytest.mark.parametrize(
    ("source", "known"),
    [
        ({"throughputMode": "provisioned", "provisionedThroughputInMibps": 3000}, False),
        ({"throughputMode": "elastic"}, True),
        ({}, True),
        (None, False),
    ],
)
def test_a_replica_of_a_file_system_has_its_throughput_too(source, known, moment):
    program = Program()
    name = "fs-elsewhere"
    if source is not None:
        name = program.add("aws:efs/fileSystem:FileSystem", "fs", **source).id
    place = {"region": "eu-west-1"}
    program.add(EFS_REPLICA, "r", sourceFileSystemId=name, destination=place)
    (replica,) = replicas(program, moment)

    assert replica.may_start_machines is not known
    assert ("throughput" in replica.reason) is not known


def test_a_file_system_that_stands_is_paid_for_where_it_is_declared():
    program = Program()
    fast = {"throughputMode": "provisioned", "provisionedThroughputInMibps": 3000}
    source = program.add("aws:efs/fileSystem:FileSystem", "fs", **fast)
    place = {"region": "eu-west-1", "fileSystemId": "fs-1"}
    program.add(EFS_REPLICA, "r", sourceFileSystemId=source.id, destination=place)

    assert [row.may_start_machines for row in replicas(program, "created")] == [False]


def test_a_throughput_that_is_not_known_yet_is_not_decided():
    program = Program()
    source = program.add("aws:efs/fileSystem:FileSystem", "fs", throughputMode=UNKNOWN)
    program.add(EFS_REPLICA, "r", sourceFileSystemId=source.id, destination={"region": "a"})
    rows = observe(program.resources("preview"))

    assert [row.type for row in rows.undecided] == [EFS_REPLICA]


@both
@pytest.mark.parametrize(
    ("kind", "free"),
    [
        ("aws:ec2/vpnGateway:VpnGateway", True),
        ("aws:ec2transitgateway/transitGateway:TransitGateway", False),
    ],
)
def test_an_association_of_direct_connect_is_free_with_the_gateway_of_a_vpn(kind, free, moment):
    program = Program()
    gateway = program.add(kind, "g")
    token = "aws:directconnect/gatewayAssociation:GatewayAssociation"
    program.add(token, "a", associatedGatewayId=gateway.id, dxGatewayId="d")
    rows = observe(program.resources(moment)).not_judged

    (row,) = (row for row in rows if row.type == token)
    assert row.may_start_machines is not free


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, ""),
        ({"snapStart": {"applyOn": "None"}}, ""),
        ({"snapStart": {"applyOn": "PublishedVersions"}, "runtime": "java21"}, ""),
        ({"snapStart": {"applyOn": "PublishedVersions"}, "runtime": "python3.13"}, "snapshots"),
        ({"snapStart": {"applyOn": UNKNOWN}, "runtime": UNKNOWN}, "snapshots"),
        ({"capacityProviderConfig": {"capacityProviderArn": "a"}}, "capacity provider"),
    ],
)
def test_what_a_function_keeps_between_calls_has_no_known_price(inputs, words):
    program = Program()
    program.add("aws:lambda/function:Function", "f", **inputs)
    reasons = [row.reason for row in observe(program.resources("created")).not_judged]

    assert bool(reasons) is bool(words)
    assert all(words in reason for reason in reasons)
