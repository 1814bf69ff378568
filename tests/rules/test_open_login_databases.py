"""A database with a public address is not open to everyone by its security groups."""

import pytest

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login, login_outcomes

WALL = "aws:ec2/securityGroup:SecurityGroup"
DATABASE, MEMBER = "aws:rds/instance:Instance", "aws:rds/clusterInstance:ClusterInstance"
CLUSTER, KAFKA = "aws:rds/cluster:Cluster", "aws:msk/cluster:Cluster"
OPEN = "its data port is open to the whole internet"
OFFICE, WORLD = ["203.0.113.0/24"], ["0.0.0.0/0"]


def walled(port=5439, sources=WORLD):
    """A security group that opens a port that is in no list of control ports."""
    program = Program()
    let = {"protocol": "tcp", "fromPort": port, "toPort": port, "cidrBlocks": sources}
    return program, program.add(WALL, "wall", ingress=[let])


@both
@pytest.mark.parametrize(
    ("public", "sources", "port", "expected"),
    [
        (True, WORLD, 5439, [("violated", OPEN)]),
        ("true", WORLD, 5439, [("violated", OPEN)]),
        (True, OFFICE, 5439, []),
        (True, WORLD, 443, []),
        (False, WORLD, 5439, []),
        (None, WORLD, 5439, []),
    ],
)
def test_a_warehouse_is_reached_where_its_groups_let_everyone_in(
    public, sources, port, expected, moment
):
    program, wall = walled(port, sources)
    given = {} if public is None else {"publiclyAccessible": public}
    token = "aws:redshift/cluster:Cluster"
    program.add(token, "db", vpcSecurityGroupIds=[wall.id], **given)

    assert login(program, moment) == expected


@pytest.mark.parametrize(
    "inputs",
    [
        {"publiclyAccessible": True},
        {"publiclyAccessible": True, "vpcSecurityGroupIds": ["sg-elsewhere"]},
        {"publiclyAccessible": True, "vpcSecurityGroupIds": UNKNOWN},
    ],
)
def test_groups_of_elsewhere_may_let_everyone_in(inputs):
    program = Program()
    program.add(DATABASE, "db", **inputs)

    assert login_outcomes(program) == ["not-knowable"]


def test_a_port_of_its_own_is_the_one_that_counts():
    program, wall = walled(port=15432)
    own = {"publiclyAccessible": True, "vpcSecurityGroupIds": [wall.id]}
    program.add(DATABASE, "db", port=15432, **own)
    program.add(DATABASE, "other", port=15433, **own)

    assert login(program) == [("violated", OPEN)]


@both
def test_a_member_of_a_cluster_has_the_cluster_s_groups(moment):
    program, wall = walled(port=15432)
    cluster = program.add(CLUSTER, "c", vpcSecurityGroupIds=[wall.id], port=15432)
    program.add(MEMBER, "m", clusterIdentifier=cluster.id, publiclyAccessible=True)

    assert login(program, moment) == [("violated", OPEN)]


def test_brokers_have_addresses_that_the_service_provides():
    program, wall = walled(port=9198)
    for name, kind in (("open", "SERVICE_PROVIDED_EIPS"), ("closed", "DISABLED")):
        access = {"publicAccess": {"type": kind}}
        nodes = {"connectivityInfo": access, "securityGroups": [wall.id]}
        program.add(KAFKA, name, brokerNodeGroupInfo=nodes)

    assert login(program) == [("violated", OPEN)]


def test_each_type_stands_once_with_a_source():
    rows = list(TABLES.rows("public_databases"))

    assert len({row["type"] for row in rows}) == len(rows)
    assert all(row["ports"] for row in rows)
