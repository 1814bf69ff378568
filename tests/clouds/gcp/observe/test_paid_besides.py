"""What machines of Google Cloud pay besides: disks, addresses, their way out."""

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.clouds.gcp.observe.storage.disks import ObservedDisk, disk_rows
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import UNKNOWN
from tests.clouds.gcp.observe.observed import INSTANCE, only, paid
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import TODAY, of_resources
from tests.rules.cases.moments import both

DISKS = {"machineType": "g2-standard-4"}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (
            {"bootDisk": {"initializeParams": {"size": 50, "type": "pd-ssd"}}},
            {"pd-ssd-storage": "50"},
        ),
        (
            {"bootDisk": {"initializeParams": {"image": "debian-cloud/debian-12"}}},
            {"pd-balanced-storage": "10"},
        ),
        (
            {"bootDisk": {"initializeParams": {"image": "projects/x/global/images/own-60tb"}}},
            {"pd-balanced-storage": str(UNKNOWN)},
        ),
        (
            {"disks": [{"boot": True, "sourceImage": "own", "diskType": "pd-ssd"}]},
            {"pd-ssd-storage": str(UNKNOWN)},
        ),
        (
            {"disks": [{"boot": True, "source": "own"}, {"sourceImage": UNKNOWN}]},
            {"pd-standard-storage": str(UNKNOWN)},
        ),
        ({"bootDisk": {"source": "own"}}, {}),
        (
            {"bootDisk": {"source": "own"}, "scratchDisks": [{"interface": "NVME"}] * 2},
            {"local-ssd-storage": "375"},
        ),
        (
            {
                "bootDisk": {
                    "initializeParams": {
                        "size": 100,
                        "type": "projects/p/zones/z/diskTypes/hyperdisk-balanced",
                        "provisionedIops": 5000,
                        "provisionedThroughput": 140,
                    }
                }
            },
            {"hyperdisk-balanced-storage": "100", "hyperdisk-balanced-iops": "2000"},
        ),
        (
            {"bootDisk": {"initializeParams": {"size": 10, "type": UNKNOWN}}},
            {"pd-balanced-storage": str(UNKNOWN)},
        ),
        (
            {
                "bootDisk": {
                    "initializeParams": {
                        "size": 10,
                        "type": "pd-ssd",
                        "replicaZones": ["us-central1-a", "us-central1-b"],
                    }
                }
            },
            {"pd-ssd-regional-storage": "10"},
        ),
        (
            {"bootDisk": {"initializeParams": {"size": 10, "replicaZones": UNKNOWN}}},
            {"pd-balanced-regional-storage": "10"},
        ),
        ({"bootDisk": UNKNOWN}, {"pd-balanced-storage": str(UNKNOWN)}),
        (
            {
                "disks": [
                    {"boot": True, "sourceImage": "x", "diskSizeGb": 10},
                    {"type": "SCRATCH", "diskType": "local-ssd", "diskSizeGb": 375},
                    {"source": "theirs"},
                ]
            },
            {"pd-standard-storage": "10", "local-ssd-storage": "375"},
        ),
    ],
)
def test_disks_are_paid_per_machine(inputs, expected):
    program = GcpProgram()
    program.add(INSTANCE, "vm", zone="us-central1-a", **DISKS, **inputs)
    quantities = paid(program)
    assert {item: quantity for item, (quantity, _) in quantities.items()} == expected
    assert all(per_machine for _, per_machine in quantities.values())


def test_local_disks_that_come_with_a_machine_are_in_its_price():
    program = GcpProgram()
    scratch = {"bootDisk": {"source": "own"}, "scratchDisks": [{"interface": "NVME"}] * 16}
    program.add(INSTANCE, "vm", machineType="a3-highgpu-8g", **scratch)
    assert paid(program) == {}


@pytest.mark.parametrize(
    ("nic", "public", "addresses"),
    [
        ({}, False, None),
        ({"accessConfigs": []}, False, None),
        ({"accessConfigs": [{}]}, True, "1"),
        ({"accessConfigs": [{"networkTier": "PREMIUM"}]}, True, "1"),
        ({"accessConfigs": UNKNOWN}, UNKNOWN, "1"),
        ({"ipv6AccessConfigs": [{}]}, True, None),
    ],
)
def test_a_public_address_is_seen_and_paid(nic, public, addresses):
    program = GcpProgram()
    subnet = program.add("compute/subnetwork:Subnetwork", "s")
    nics = [{"subnetwork": subnet.id, **nic}]
    program.add(INSTANCE, "vm", machineType="e2-micro", networkInterfaces=nics)
    assert only(program).safety.public_ip is public
    expected = {} if addresses is None else {"external-ip-in-use-hour": (addresses, True)}
    assert paid(program) == expected


def test_a_reserved_address_is_paid_once():
    program = GcpProgram()
    address = program.add("compute/address:Address", "fixed", region="us-central1")
    nics = [{"network": "x", "accessConfigs": [{"natIp": address.out("name")}]}]
    program.add(INSTANCE, "vm", machineType="e2-micro", networkInterfaces=nics)
    for moment in ("preview", "created"):
        assert paid(program, moment) == {"external-ip-in-use-hour": ("1", False)}


@both
def test_machines_behind_a_nat_pay_for_it_unless_they_have_their_own_way_out(moment):
    program = GcpProgram()
    subnet = stacks.network(program)
    inner = [{"subnetwork": subnet.id}]
    vm = program.add(INSTANCE, "vm", machineType="g2-standard-4", networkInterfaces=inner)
    assert paid(program, moment)["cloud-nat-vm-hour"] == ("1", True)
    program.change(vm, networkInterfaces=[{"subnetwork": subnet.id, "accessConfigs": [{}]}])
    assert "cloud-nat-vm-hour" not in paid(program, moment)
    program.change(vm, networkInterfaces=[{"network": "elsewhere"}])
    assert "cloud-nat-vm-hour" not in paid(program, moment)


def test_a_nat_may_serve_some_subnets_only():
    program = GcpProgram()
    subnet = stacks.network(program)
    nat = next(handle for handle in program.handles.values() if handle.type.endswith("RouterNat"))
    nics = [{"subnetwork": subnet.id}]
    program.add(INSTANCE, "vm", machineType="g2-standard-4", networkInterfaces=nics)
    listing = "LIST_OF_SUBNETWORKS"
    program.change(nat, sourceSubnetworkIpRangesToNat=listing, subnetworks=[{"name": subnet.link}])
    assert "cloud-nat-vm-hour" in paid(program)
    program.change(nat, subnetworks=[{"name": "other"}])
    assert "cloud-nat-vm-hour" not in paid(program)


@both
@pytest.mark.parametrize(
    ("token", "inputs", "used"),
    [
        ("compute/instance:Instance", {"networkInterfaces": "nics"}, True),
        ("compute/globalForwardingRule:GlobalForwardingRule", {"ipAddress": "{}"}, True),
        ("compute/routerNat:RouterNat", {"natIps": "list"}, True),
        ("dns/recordSet:RecordSet", {"rrdatas": "list"}, False),
        ("compute/firewall:Firewall", {"sourceRanges": "list"}, False),
        ("compute/address:Address", {"name": "other"}, False),
    ],
)
def test_an_address_that_nothing_uses_costs_more(token, inputs, used, moment):
    program = GcpProgram()
    address = program.add("compute/address:Address", "ip", region="us-central1").link
    nics = [{"network": "default", "accessConfigs": [{"natIp": address}]}]
    shapes = {"{}": address, "nics": nics, "list": [address]}
    given = {key: shapes.get(value, value) for key, value in inputs.items()}
    program.add(token, "user", **given)
    (row,) = [item for item in observe(program.resources(moment)).items if item.name == "ip"]
    assert row.item == f"external-ip-{'in-use' if used else 'unused'}-hour"


@pytest.mark.parametrize(
    ("kind", "figures", "told"),
    [
        (
            "hyperdisk-balanced",
            {},
            [
                "set provisioned_iops to 3000, which costs nothing more",
                "set provisioned_throughput to 140, which costs nothing more",
            ],
        ),
        ("hyperdisk-balanced", {"provisionedIops": 3000, "provisionedThroughput": 140}, []),
        ("hyperdisk-balanced", {"provisionedIops": UNKNOWN, "provisionedThroughput": 140}, [""]),
        ("hyperdisk-extreme", {}, ["and Google's default is not known: set provisioned_iops"]),
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_a_default_of_a_disk_that_is_not_known_says_what_to_state(kind, figures, told, alone):
    """Only the figures that the table has are named."""
    program = GcpProgram()
    disk = {"size": 100, "type": kind, **figures}
    if alone:
        program.add("compute/disk:Disk", "d", zone="us-central1-a", **disk)
    else:
        program.add(
            INSTANCE, "vm", zone="us-central1-a", bootDisk={"initializeParams": disk}, **DISKS
        )
    quote = estimate(of_resources(program.resources()), PricingTerms(as_of=TODAY))
    lines = [line for line in quote.lines if line.status == "unpriced"]

    assert len(lines) == len(told)
    for line, words in zip(lines, told, strict=True):
        assert line.note.endswith(words)
        assert ("not_counted" in line.note) == (not words)


def test_a_disk_that_an_unknown_image_sizes_names_the_input_to_state():
    disk = ObservedDisk("boot disk", "pd-ssd", UNKNOWN, image="debian-12", by_image=True)
    other = ObservedDisk("disk 0", "pd-ssd", UNKNOWN)

    ((*_, unstated),) = disk_rows(disk, "pd-balanced")
    ((*_, unsaid),) = disk_rows(other, "pd-balanced")

    assert unstated.endswith("states no size, and that of its image is not known: set its size")
    assert unsaid == ""
