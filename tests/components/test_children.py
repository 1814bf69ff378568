"""Over every child of every component: names that never meet, and arguments that can be read."""

from collections.abc import Iterator
from importlib import import_module
from itertools import permutations

import pytest

from gpuinfra.clouds import CLOUDS, part, room
from gpuinfra.clouds.declaring import names
from gpuinfra.clouds.building.buckets import Use
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.shapes import shapes_of

USES = [Use(bucket="group", prefix="", writable=writable) for writable in (False, True)]


def of_aws() -> Iterator[tuple[str, Kinds]]:
    from gpuinfra.clouds.aws.build import (
        fleet,
        front,
        network,
        pool,
        queue,
        scaling,
        scaling_group,
        training,
    )
    from gpuinfra.clouds.aws.network import pool_network, training_network

    zones = room("aws").known_zones("us-east-1")
    wired = {**training.KINDS, **network.kinds(training_network("us-east-1", zones, 2))}
    yield "training", {**wired, **scaling_group.KINDS}
    yield "training all or nothing", {**wired, **fleet.KINDS}
    wired = {**pool.KINDS, **network.kinds(pool_network("us-east-1", zones))}
    yield "pool", {**wired, **front.KINDS}
    yield "pool on a queue", {**wired, **queue.RIGHTS, **queue.KINDS, **scaling.WAKING}


def of_gcp() -> Iterator[tuple[str, Kinds]]:
    from gpuinfra.clouds.gcp.build import identity, network, pool, training
    from gpuinfra.clouds.gcp.network import pool_network, training_network

    rights = identity.kinds(USES)
    for type_ in ("a3-megagpu-8g", "a3-ultragpu-8g"):
        machine = room("gcp").machine(type_)
        zones = room("gcp").zones("us-central1", (), 1, machine)
        layout = training_network("us-central1", zones, 2, machine=machine, fabric=True)
        yield f"training {type_}", {**training.KINDS, **rights, **network.kinds(layout)}
    layout = pool_network(
        "us-central1", ("us-central1-a",), machine=room("gcp").machine("g2-standard-4")
    )
    yield "pool", {**pool.KINDS, **rights, **network.kinds(layout)}


def of_azure() -> Iterator[tuple[str, Kinds]]:
    from gpuinfra.clouds.azure.build import identity, pool, training

    yield "training", {**training.KINDS, **identity.kinds(USES)}
    yield "pool", {**pool.KINDS, **identity.kinds(USES)}


def components(cloud: str) -> dict[str, Kinds]:
    part(cloud, "build")
    found = dict({"aws": of_aws, "gcp": of_gcp, "azure": of_azure}[cloud]())
    bucket = import_module(f"gpuinfra.clouds.{cloud}.build.bucket")
    return {**found, "bucket": bucket.KINDS}


def meets(one: str, other: str) -> bool:
    """Whether some component's child `one` is named as another component's child `other`."""
    return names.logical("", one).endswith(names.logical("", other))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_no_two_components_make_children_of_one_name_and_type(cloud: str) -> None:
    met = [
        (component, one, other)
        for component, kinds in components(cloud).items()
        for one, other in permutations(kinds, 2)
        if kinds[one] is kinds[other] and meets(one, other)
    ]

    assert met == []


def test_the_comparison_sees_a_name_that_ends_in_another() -> None:
    assert meets("clients_security_group", "security_group")
    assert not meets("insecurity_group", "security_group")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_blocks_of_every_child_can_be_read(cloud: str) -> None:
    classes = {kind for kinds in components(cloud).values() for kind in kinds.values()}
    for kind in classes:
        hinted = {
            name
            for name, hint in kind._internal_init.__annotations__.items()
            if "ArgsDict" in str(hint)
        }
        blocks = {name for name, shape in shapes_of(kind).items() if shape.keys}

        assert blocks == hinted, kind
