"""Many machines behind many firewalls: a network is looked at once, not for each of them."""

import pytest

from gpuinfra.clouds.gcp.observe import Index, groups_and_items, observe
from gpuinfra.clouds.gcp.observe.network import firewalls, traffic, vpc_policies
from gpuinfra.model import Resource

WORLD, OFFICE = ["0.0.0.0/0"], ["10.0.0.0/8"]
MACHINES, WALLS = 12, 20


def made(kind, name, /, **inputs):
    kind = f"gcp:compute/{kind}"
    return Resource(
        urn=f"urn:pulumi:dev::shop::{kind}::{name}", type=kind, name=name, inputs=inputs
    )


def stack(tags, *, own):
    network = [made("network:Network", "net", name="net")] if own else []
    walls = [
        made(
            "firewall:Firewall",
            f"w{number}",
            network="net",
            sourceRanges=WORLD,
            targetTags=[f"t{number}"],
            allows=[{"protocol": "tcp", "ports": ["22"]}],
        )
        for number in range(WALLS)
    ]
    machines = [
        made(
            "instance:Instance",
            f"m{number}",
            machineType="g2-standard-4",
            zone="us-central1-a",
            tags=[tags.format(number)],
            networkInterfaces=[{"network": "net"}],
        )
        for number in range(MACHINES)
    ]
    return [*network, *walls, *machines]


@pytest.fixture
def looked(monkeypatch):
    """How often a network's firewalls are looked for, and each one's denials read."""
    counted = {"networks": 0, "denials": 0}

    def counting(name, real):
        def count(*arguments):
            counted[name] += 1
            return real(*arguments)

        return count

    for name, module, function in (
        ("networks", traffic, "resources_on"),
        ("networks", vpc_policies, "resources_on"),
        ("denials", firewalls, "denies_login"),
    ):
        monkeypatch.setattr(module, function, counting(name, getattr(module, function)))
    return counted


@pytest.mark.parametrize("own", [True, False], ids=["own", "another stack's"])
@pytest.mark.parametrize(
    ("tags", "opens", "open_ports"),
    [("gpu", 0, WALLS), ("own{}", 0, WALLS), ("t{}", MACHINES, WALLS - MACHINES)],
    ids=["the same marks", "marks of their own", "behind one each"],
)
def test_each_network_is_looked_at_once(tags, opens, open_ports, own, looked):
    seen = observe(stack(tags, own=own))
    assert [group.safety.open_login for group in seen.groups].count(True) == opens
    assert len(seen.open_ports) == open_ports
    ways = (
        2 if own else 1
    )  # in alone where another stack has the network, whose way out is its own
    assert looked == {"networks": 2 * ways, "denials": WALLS}  # firewalls, and their policies


def test_a_firewall_that_comes_later_counts():
    *known, machine = stack("t1", own=True)
    wall = known.pop(2)
    index = Index((*known, machine))
    assert open_login(machine, index) is False
    index.add(wall)
    assert open_login(machine, index) is True


def open_login(machine, index):
    (group,) = groups_and_items(machine, index).groups
    return group.safety.open_login
