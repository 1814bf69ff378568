"""Disks within the limits of their kind and machine."""

import pytest

from gpuinfra.clouds.azure.observe import observe as observe_azure
from gpuinfra.clouds.gcp.observe import observe as observe_gcp
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Disk, faults_of
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.verdicts import outcome_of


def test_a_disk_that_stands_by_itself_is_judged():
    def judged(*groups, faults):
        told = rule_faults("disk-limits", faults)
        disk = Disk(name="d", subject="urn:d", cloud="aws", encrypted=True, faults=told)
        return findings(plan(*groups, disks=(disk,)), "disk-limits")

    (finding,) = judged(faults=("iops: 500,000 is more than 64,000",))
    assert (finding.subject, finding.outcome) == ("urn:d", "violated")
    assert [finding.outcome for finding in judged(faults=UNKNOWN)] == ["not-knowable"]
    assert [finding.outcome for finding in judged(faults=())] == ["fine"]
    assert [finding.subject for finding in judged(group(), faults=())] == [
        "training.trainer",
        "urn:d",
    ]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            {"type": "hyperdisk-balanced", "size": 10, "provisionedIops": 900_000},
            (
                "disk: a hyperdisk-balanced disk of 10 GiB does not support 900,000 IOPS: "
                "3,000 to 5,000"
            ),
        ),
        ({"type": "hyperdisk-balanced", "size": 10, "provisionedIops": 4_000}, ""),
        (
            {"type": "pd-fast", "size": 10**9},
            (
                "disk: there is no disk type pd-fast: use one of pd-balanced, pd-extreme, "
                "pd-ssd, pd-standard, hyperdisk-balanced, hyperdisk-balanced-high-availability, "
                "hyperdisk-extreme, hyperdisk-ml, hyperdisk-throughput"
            ),
        ),
        ({"type": UNKNOWN, "size": 10**9}, ""),
        ({"zone": "us-central1-z"}, "us-central1 has no zone z: its zones are a, b, c, f"),
        (
            {
                "type": "hyperdisk-balanced",
                "provisionedIops": 4_000,
                "provisionedThroughput": 1_001,
            },
            (
                "disk: a hyperdisk-balanced disk with 4,000 IOPS does not support 1,001 MiB/s: "
                "140 to 1,000"
            ),
        ),
        (
            {
                "type": "hyperdisk-balanced",
                "size": 500,
                "provisionedIops": 100_000,
                "provisionedThroughput": 200,
            },
            (
                "disk: a hyperdisk-balanced disk of 500 GiB with 100,000 IOPS does not support "
                "200 MiB/s: 391 to 2,400"
            ),
        ),
        ({"type": "hyperdisk-balanced", "size": 4, "provisionedIops": 2_000}, ""),
        (
            {"type": "hyperdisk-extreme", "size": 64, "provisionedIops": 76_801},
            "disk: a hyperdisk-extreme disk of 64 GiB does not support 76,801 IOPS: 128 to 76,800",
        ),
        ({"type": "hyperdisk-extreme", "size": 64, "provisionedIops": 76_800}, ""),
        (
            {"type": "hyperdisk-extreme", "size": 64, "provisionedThroughput": 500},
            "disk: the MiB/s of a hyperdisk-extreme disk can't be set: remove them",
        ),
        (
            {"type": "hyperdisk-ml", "size": 100, "provisionedThroughput": 100},
            "disk: a hyperdisk-ml disk of 100 GiB does not support 100 MiB/s: 400 to 2,097,152",
        ),
        (
            {"type": "hyperdisk-throughput", "size": 2_048, "provisionedThroughput": 200},
            "disk: a hyperdisk-throughput disk of 2,048 GiB does not support 200 MiB/s: 20 to 180",
        ),
        ({"type": "hyperdisk-throughput", "size": 2_048, "provisionedThroughput": 180}, ""),
        (
            {"type": "hyperdisk-throughput", "size": 100},
            "disk: a hyperdisk-throughput disk does not support 100 GiB: 2,048 to 32,768",
        ),
        (
            {"type": "pd-extreme", "size": 1_000, "provisionedIops": 9_999},
            "disk: a pd-extreme disk of 1,000 GiB does not support 9,999 IOPS: 10,000 to 120,000",
        ),
        (
            {"type": "pd-standard", "size": 100, "provisionedIops": 3_000},
            "disk: the IOPS of a pd-standard disk can't be set: remove them",
        ),
        ({"type": "pd-standard", "size": 100}, ""),
    ],
)
def test_a_disk_of_google(inputs, message):
    program = GcpProgram()
    program.add("compute/disk:Disk", "d", **{"zone": "us-central1-a", **inputs})
    (disk,) = observe_gcp(program.resources()).disks
    assert faults_of(disk.faults, "disk-limits") == ((message,) if message else ())


V2 = {"sku": {"name": "PremiumV2_LRS"}}
ULTRA = {"sku": {"name": "UltraSSD_LRS"}}
TYPES = (
    "Premium_LRS, Premium_ZRS, PremiumV2_LRS, Standard_LRS, StandardSSD_LRS, StandardSSD_ZRS, "
    "UltraSSD_LRS"
)


@pytest.mark.parametrize(
    ("inputs", "faults"),
    [
        (
            {"diskSizeGB": 99_999, **V2},
            ("d: 99,999 GiB exceed its limit of 65,536",),
        ),
        (
            {"diskSizeGB": 99_999},
            ("d: 99,999 GiB exceed its limit of 32,767",),
        ),
        ({"diskSizeGB": 1_024, "sku": {"name": "Premium_LRS"}}, ()),
        *(({"diskSizeGB": 64, "sku": {"name": name}}, ()) for name in TYPES.split(", ")),
        ({"diskSizeGB": 64, "sku": {"name": UNKNOWN}}, ()),
        (
            {"diskSizeGB": 64, "sku": {"name": "PremiumV2_ZRS"}},
            (f"d: there is no disk type PremiumV2_ZRS: use one of {TYPES}",),
        ),
        ({"zones": ["2"]}, ()),
        ({"zones": ["4"]}, ("eastus has no zone 4: its zones are 1, 2, 3",)),
        ({**V2, "diskSizeGB": 6, "diskIOPSReadWrite": 3_000}, ()),
        ({**V2, "diskSizeGB": 6, "diskIOPSReadWrite": 2_999}, UNKNOWN),
        ({**V2, "diskSizeGB": 6, "diskMBpsReadWrite": 124}, UNKNOWN),
        ({**V2, "diskSizeGB": 6, "diskMBpsReadWrite": 125}, ()),
        (
            {**V2, "zones": ["4"], "diskIOPSReadWrite": 1_000},
            ("eastus has no zone 4: its zones are 1, 2, 3",),
        ),
        ({**V2, "diskSizeGB": 10, "diskIOPSReadWrite": 5_000}, ()),
        (
            {**V2, "diskSizeGB": 10, "diskIOPSReadWrite": 5_001},
            ("d: 5,001 IOPS exceed its limit of 5,000",),
        ),
        ({**V2, "diskSizeGB": 64, "diskMBpsReadWrite": 750}, ()),
        (
            {**V2, "diskSizeGB": 64, "diskMBpsReadWrite": 751},
            ("d: 751 MB/s exceed its limit of 750",),
        ),
        ({**V2, "diskSizeGB": 64, "diskIOPSReadWrite": 8_000, "diskMBpsReadWrite": 2_000}, ()),
        ({**ULTRA, "diskSizeGB": 4, "diskIOPSReadWrite": 4_000, "diskMBpsReadWrite": 1_000}, ()),
        ({**ULTRA, "diskSizeGB": 4, "diskMBpsReadWrite": 9_000}, ()),
        ({**ULTRA, "diskSizeGB": 4, "diskIOPSReadWrite": 100, "diskMBpsReadWrite": 1}, ()),
        (
            {**ULTRA, "diskSizeGB": 3, "diskIOPSReadWrite": 99, "diskMBpsReadWrite": 0},
            (
                "d: 3 GiB are below its minimum of 4",
                "d: 99 IOPS are below its minimum of 100",
                "d: 0 MB/s are below its minimum of 1",
            ),
        ),
        ({**V2, "diskSizeGB": 1}, ()),
        (
            {**ULTRA, "diskSizeGB": 4, "diskIOPSReadWrite": 4_001},
            ("d: 4,001 IOPS exceed its limit of 4,000",),
        ),
    ],
)
def test_a_disk_of_azure(inputs, faults):
    program = AzureProgram()
    program.add("azure-native:compute:Disk", "d", **inputs)
    (disk,) = observe_azure(program.resources()).disks
    assert faults_of(disk.faults, "disk-limits") == faults


def test_the_limits_of_disks_on_google_cloud():
    case = gcp_cluster.roce()
    disk = {"boot": True, "sourceImage": "own", "diskType": "hyperdisk-balanced"}
    for more, words in (
        ({"diskSizeGb": 500}, ""),
        ({"diskSizeGb": 2}, "does not support 2 GiB: 4 to 65,536"),
        ({"provisionedIops": 200_000}, "does not support 200,000 IOPS: 3,000 to 160,000"),
        ({"provisionedThroughput": 100}, "does not support 100 MiB/s: 140 to 2,400"),
    ):
        case.program.change(case.template, disks=[{**disk, **more}])
        (finding,) = findings(of_resources(case.program.resources()), "disk-limits")
        assert finding.outcome == ("violated" if words else "fine")
        assert words in finding.message
    plain = gcp_cluster.tcpx()
    slow = {**disk, "diskType": "pd-ssd", "provisionedIops": 3000}
    plain.program.change(plain.template, disks=[slow])
    (finding,) = findings(of_resources(plain.program.resources()), "disk-limits")
    assert "the IOPS of a pd-ssd disk can't be set" in finding.message
    plain.program.change(plain.template, disks=UNKNOWN)
    assert outcome_of(plain.program, "disk-limits") == "not-knowable"


PREMIUM_V2 = {"storageAccountType": "PremiumV2_LRS"}


@pytest.mark.parametrize(
    ("storage", "words"),
    [
        ({"osDisk": {"diskSizeGB": 4095}}, ""),
        ({"osDisk": {"diskSizeGB": 4096}}, "4,096 GiB exceed its limit of 4,095"),
        (
            {"osDisk": {"managedDisk": {"storageAccountType": "UltraSSD_LRS"}}},
            "machines can't start from a UltraSSD_LRS disk",
        ),
        ({"dataDisks": [{"diskSizeGB": 32_768}]}, ""),
        (
            {
                "dataDisks": [
                    {"diskSizeGB": 32_768, "managedDisk": {"storageAccountType": "Premium_LRS"}}
                ]
            },
            "limit of 32,767",
        ),
        (
            {
                "dataDisks": [
                    {
                        "diskSizeGB": 100,
                        "diskIOPSReadWrite": 5000,
                        "managedDisk": {"storageAccountType": "Premium_LRS"},
                    }
                ]
            },
            "sets its IOPS and MB/s",
        ),
        (
            {
                "dataDisks": [
                    {
                        "diskSizeGB": 100,
                        "diskIOPSReadWrite": 90_000,
                        "managedDisk": PREMIUM_V2,
                    }
                ]
            },
            "90,000 IOPS exceed its limit of 50,000",
        ),
        (
            {"dataDisks": [{"caching": "ReadOnly", "managedDisk": PREMIUM_V2}]},
            "data disk 0: machines cache no PremiumV2_LRS disk: set caching to None",
        ),
        ({"dataDisks": [{"caching": "None", "managedDisk": PREMIUM_V2}]}, ""),
        ({"dataDisks": [{"caching": UNKNOWN, "managedDisk": PREMIUM_V2}]}, ""),
        (
            {"osDisk": {"managedDisk": {"storageAccountType": "Standard_GRS"}}},
            "OS disk: there is no disk type Standard_GRS",
        ),
    ],
)
def test_the_limits_of_disks_on_azure(storage, words):
    case = azure_cluster.cluster()
    case.profile(storageProfile=storage)
    (finding,) = findings(of_resources(case.program.resources()), "disk-limits")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


def test_disks_that_are_hidden_on_azure_are_not_knowable():
    case = azure_cluster.cluster()
    case.profile(storageProfile=UNKNOWN)
    assert outcome_of(case.program, "disk-limits") == "not-knowable"


@pytest.mark.parametrize(
    ("faults", "outcome"),
    [((), "fine"), (("one", "two"), "violated"), (UNKNOWN, "not-knowable")],
    ids=str,
)
def test_disks_of_machines_are_within_their_limits(faults, outcome):
    told = group(faults=rule_faults("disk-limits", faults))
    assert outcomes(plan(told), "disk-limits") == [outcome]
    assert outcomes(plan(), "disk-limits") == ["not-applicable"]
