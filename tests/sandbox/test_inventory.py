"""What stands, what was lost with a server, and what a create that broke off left."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpuinfra import sandbox
from gpuinfra.sandbox import lifecycle
from gpuinfra.sandbox.ledger import Ledger, Record

VPC = "aws:ec2/vpc:Vpc"


def urn(name: str, project: str = "town") -> str:
    return f"urn:pulumi:sandbox::{project}::{VPC}::{name}"


def put(home: Path, name: str, server: str, project: str = "town") -> None:
    Ledger(home / "ledger.db").put(
        Record(
            type=VPC,
            id=f"vpc-{name}",
            urn=urn(name, project),
            region="us-east-1",
            backend="moto",
            server=server,
            properties={},
        )
    )


def test_what_was_lost_is_counted_by_project_and_starts_no_server(sandbox_home: Path) -> None:
    assert sandbox.lost_count() == 0
    sandbox_home.mkdir(exist_ok=True)
    put(sandbox_home, "a", "gone")
    put(sandbox_home, "b", "gone", project="village")

    assert (
        sandbox.lost_count("town"),
        sandbox.lost_count("village"),
        sandbox.lost_count("city"),
    ) == (1, 1, 0)
    assert sandbox.lost_count() == 2
    assert lifecycle.find() is None


def test_what_stands_in_the_running_server_is_not_lost(sandbox_home: Path) -> None:
    put(sandbox_home, "a", sandbox.start().start)

    assert sandbox.lost_count("town") == 0


def test_a_create_that_broke_off_is_shown_as_unfinished(sandbox_home: Path) -> None:
    server = sandbox.start().start
    ledger = Ledger(sandbox_home / "ledger.db")
    put(sandbox_home, "known", server)
    ledger.begin(urn("made"), server)
    put(sandbox_home, "made", server)
    ledger.begin(urn("nameless"), server)
    ledger.begin(urn("lost"), "gone")

    shown = [
        (record.name, record.id, record.backend, record.unfinished)
        for record in sandbox.existing_resources()
    ]

    assert shown == [
        ("known", "vpc-known", "moto", False),
        ("made", "vpc-made", "moto", True),
        ("nameless", "unfinished", "moto", True),
    ]


def test_the_next_create_deletes_first_what_the_last_one_left(
    sandbox_home: Path, start_plugin: Callable[..., Any]
) -> None:
    first = start_plugin()
    left, _ = first.create(VPC, {"cidrBlock": "10.0.0.0/16"}, name="net")
    # As if the plugin had died with the answer on its way.
    [record] = sandbox.existing_resources()
    ledger = Ledger(sandbox_home / "ledger.db")
    ledger.forget(record.type, record.region, record.id)
    ledger.begin(record.urn, sandbox.start().start)
    ledger.put(
        Record(
            type=record.type,
            id=record.id,
            urn=record.urn,
            region=record.region,
            backend="moto",
            server=sandbox.start().start,
            properties=record.properties,
        )
    )

    again, _ = start_plugin().create(VPC, {"cidrBlock": "10.0.0.0/16"}, name="net")

    assert [record.id for record in sandbox.existing_resources()] == [again]
    assert again != left
    assert start_plugin().read(VPC, left, "gone").id == ""


def test_what_the_state_knows_after_all_is_left_alone(
    sandbox_home: Path, start_plugin: Callable[..., Any]
) -> None:
    plugin = start_plugin()
    vpc, outputs = plugin.create(VPC, {"cidrBlock": "10.0.0.0/16"}, name="net")
    ledger = Ledger(sandbox_home / "ledger.db")
    record = ledger.all()[0]
    ledger.forget(record.type, record.region, record.id)
    ledger.begin(record.urn, record.server)
    ledger.put(record)
    later = start_plugin()

    later.read(VPC, vpc, "net", outputs=outputs)
    second, _ = later.create(VPC, {"cidrBlock": "10.0.0.0/16"}, name="net")

    assert {record.id for record in sandbox.existing_resources()} == {vpc, second}


def test_a_refused_delete_names_what_uses_it(
    sandbox_home: Path, start_plugin: Callable[..., Any]
) -> None:
    import grpc
    import pytest

    plugin = start_plugin()
    vpc, outputs = plugin.create(VPC, {"cidrBlock": "10.0.0.0/16"}, name="thing")
    subnet, _ = plugin.create(
        "aws:ec2/subnet:Subnet", {"vpcId": vpc, "cidrBlock": "10.0.1.0/24"}, name="inner"
    )

    with pytest.raises(grpc.RpcError) as caught:
        plugin.delete(VPC, vpc, outputs)

    message = str(caught.value.details())
    assert f"It is used by aws:ec2/subnet:Subnet inner ({subnet})" in message
    assert "`gpuinfra sandbox reset`" in message
