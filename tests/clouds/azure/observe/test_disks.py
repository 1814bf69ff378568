"""Disks of Azure: the tier that each is paid as, and those that machines bring."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.azure.observe.observed import items, program_of
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import findings, of_resources


@pytest.mark.parametrize(
    ("sku", "size", "expected"),
    [
        ("Premium_LRS", 128, ("disk-premium-p10", "month", 1)),
        ("Premium_LRS", 129, ("disk-premium-p15", "month", 1)),
        ("StandardSSD_LRS", 1024, ("disk-standard-ssd-e30", "month", 1)),
        ("Standard_LRS", 8, ("disk-standard-hdd-s4", "month", 1)),
        ("Premium_ZRS", 128, ("disk-premium-zrs-p10", "month", 1)),
        ("Premium_LRS", 99_999, ("disk-premium-p-none", "month", 1)),
        ("Premium_LRS", UNKNOWN, ("disk-premium-p6", "month", UNKNOWN)),
        ("Premium_LRS", None, ("disk-premium-p6", "month", UNKNOWN)),
        ("Quantum_LRS", 8, ("disk-quantum_lrs", "month", UNKNOWN)),
        (UNKNOWN, 8, ("disk-premium-p2", "month", UNKNOWN)),
    ],
)
def test_a_disk_is_paid_as_the_tier_that_holds_it(sku, size, expected):
    given = {} if size is None else {"diskSizeGB": size}
    (row,) = items(program_of("compute:Disk", sku={"name": sku}, **given))
    assert row == (*expected, "eastus")


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"tier": "P50"}, [("disk-premium-p50", 1)]),
        ({"tier": UNKNOWN}, [("disk-premium-p20", UNKNOWN)]),
        ({"maxShares": 1, "burstingEnabled": False}, [("disk-premium-p20", 1)]),
        ({"maxShares": 5}, [("disk-premium-p20", 1), ("disk-premium-p-shares", UNKNOWN)]),
        (
            {"burstingEnabled": True},
            [("disk-premium-p20", 1), ("disk-premium-p-bursting", UNKNOWN)],
        ),
    ],
)
def test_a_disk_is_paid_as_the_tier_that_is_chosen_and_for_shares_and_bursts(inputs, expected):
    disk = program_of("compute:Disk", sku={"name": "Premium_LRS"}, diskSizeGB=512, **inputs)
    assert [(row[0], row[2]) for row in items(disk)] == expected


def test_a_disk_that_is_paid_by_what_it_does():
    disk = program_of(
        "compute:Disk",
        sku={"name": "PremiumV2_LRS"},
        diskSizeGB=100,
        diskIOPSReadWrite=4000,
        diskMBpsReadWrite=125,
    )
    assert [row[:3] for row in items(disk)] == [
        ("disk-premium-ssd-v2-storage", "GB-month", 100),
        ("disk-premium-ssd-v2-iops", "IOPS-month", 1000),
    ]


@pytest.mark.parametrize("stated", [4, 200, 1100])
def test_an_ultra_disk_is_billed_by_the_gib(stated: int):
    disk = program_of("compute:Disk", sku={"name": "UltraSSD_LRS"}, diskSizeGB=stated)
    assert [row[0::2][:2] for row in items(disk)] == [
        ("disk-ultra-storage", stated),
        ("disk-ultra-iops", UNKNOWN),
        ("disk-ultra-throughput", UNKNOWN),
    ]


@pytest.mark.parametrize(
    ("read_only", "iops", "throughput"),
    [
        ({"diskIOPSReadOnly": 2000, "diskMBpsReadOnly": 300}, 3000, 300),
        ({"diskIOPSReadOnly": 2000}, 3000, UNKNOWN),
        ({}, UNKNOWN, UNKNOWN),
    ],
)
def test_a_shared_disk_pays_for_its_read_only_mounts(
    read_only: dict[str, int], iops: Any, throughput: Any
):
    disk = program_of(
        "compute:Disk",
        sku={"name": "PremiumV2_LRS"},
        diskSizeGB=100,
        diskIOPSReadWrite=4000,
        maxShares=3,
        **read_only,
    )
    assert [(row[0], row[2]) for row in items(disk)[1:]] == [
        ("disk-premium-ssd-v2-iops", iops),
        ("disk-premium-ssd-v2-throughput", throughput),
    ]


def test_the_disks_of_a_machine():
    data = [
        {"lun": 0, "createOption": "Empty", "diskSizeGB": 1024},
        {"lun": 1, "createOption": "Attach", "managedDisk": {"id": "/x"}},
    ]
    program = AzureProgram()
    storage = {"osDisk": {"createOption": "FromImage"}, "dataDisks": data}
    stacks.scale_set(program, profile={"storageProfile": storage})
    rows = observe(program.resources()).items
    assert [(row.name, row.item, row.quantity, row.per_machine) for row in rows] == [
        ("OS disk, sized by its image", "disk-premium-p6", UNKNOWN, True),
        ("data disk 0", "disk-premium-p30", 1, True),
    ]


@pytest.mark.parametrize(
    ("image", "item", "count"),
    [
        ({"publisher": "Canonical", "offer": "ubuntu-24_04-lts"}, "disk-premium-p4", 1),
        ({"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc"}, "disk-premium-p6", 1),
        ({"publisher": "microsoft-dsvm", "offer": "dsvm-win-2022"}, "disk-premium-p15", 1),
        ({"publisher": "acme", "offer": "huge"}, "disk-premium-p6", UNKNOWN),
        ({"id": "/subscriptions/1/galleries/g/images/huge"}, "disk-premium-p6", UNKNOWN),
        (UNKNOWN, "disk-premium-p6", UNKNOWN),
    ],
)
def test_a_disk_is_as_large_as_its_image_where_a_table_has_that(image, item, count):
    program = AzureProgram()
    storage = {"imageReference": image, "osDisk": {"createOption": "FromImage"}}
    stacks.scale_set(program, profile={"storageProfile": storage})
    (row,) = observe(program.resources()).items
    assert (row.item, row.quantity) == (item, count)


def test_a_data_disk_of_an_image_is_of_any_size():
    program = AzureProgram()
    own = {"createOption": "FromImage", "diskSizeGB": 64}
    storage = {"osDisk": own, "dataDisks": [{"lun": 0, "createOption": "FromImage"}]}
    stacks.scale_set(program, profile={"storageProfile": storage})
    assert [row.quantity for row in observe(program.resources()).items] == [1, UNKNOWN]


def test_a_disk_on_the_machine_s_own_storage_costs_nothing():
    program = AzureProgram()
    own = {"osDisk": {"diffDiskSettings": {"option": "Local"}}}
    stacks.scale_set(program, profile={"storageProfile": own})
    assert observe(program.resources()).items == ()


def test_disks_that_are_not_known_yet_are_one_unknown_row():
    program = AzureProgram()
    stacks.scale_set(program, profile={"storageProfile": UNKNOWN})
    (row,) = observe(program.resources()).items
    assert row.quantity is UNKNOWN


@pytest.mark.parametrize(
    ("kind", "figures", "hints"),
    [
        ("UltraSSD_LRS", {}, ["diskIOPSReadWrite", "diskMBpsReadWrite"]),
        ("UltraSSD_LRS", {"diskIOPSReadWrite": 1000}, ["diskMBpsReadWrite"]),
        ("UltraSSD_LRS", {"diskIOPSReadWrite": 1000, "diskMBpsReadWrite": UNKNOWN}, []),
        ("PremiumV2_LRS", {}, []),
        ("PremiumV2_LRS", {"maxShares": 2}, []),
    ],
)
def test_what_an_ultra_disk_does_not_state_is_the_fix(kind, figures, hints):
    program = program_of("compute:Disk", sku={"name": kind}, diskSizeGB=200, **figures)
    found = findings(of_resources(program.resources()), "price-unknown")
    told = [each.fix for each in found if each.fix.startswith("set disk")]
    assert told == [f"set {key}" for key in hints]
