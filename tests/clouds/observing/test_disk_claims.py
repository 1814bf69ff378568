"""Disks that claims of Kubernetes objects make cost what their StorageClass says."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Plan
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.program import Program

CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
SET = "kubernetes:apps/v1:StatefulSet"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
SCALER = "kubernetes:autoscaling/v2:HorizontalPodAutoscaler"
EBS, PD, AZURE = "ebs.csi.aws.com", "pd.csi.storage.gke.io", "disk.csi.azure.com"
DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}


def with_cluster(cloud: str) -> Program:
    program = Program()
    if cloud == "aws":
        home = program.add("aws:eks/cluster:Cluster", "c", region="us-east-1")
        program.add(
            "aws:eks/nodeGroup:NodeGroup",
            "n",
            clusterName=home.id,
            instanceTypes=["g6.xlarge"],
            scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 1},
        )
    if cloud == "gcp":
        program.add("gcp:container/cluster:Cluster", "c", location="us-central1-a")
    if cloud == "azure":
        program.add("azure-native:containerservice:ManagedCluster", "c", location="eastus", sku={})
    return program


def claim(storage: Any, name: Any = None, **more: Any) -> dict[str, Any]:
    stated = {} if name is None else {"storageClassName": name}
    return {**stated, "resources": {"requests": {"storage": storage}}, **more}


def storage_class(driver: Any, parameters: Any, **metadata: Any) -> dict[str, Any]:
    return {
        "provisioner": driver,
        "parameters": parameters,
        "metadata": {"name": "fast", **metadata},
    }


def judged(
    spec: Any, declared: Any = None, *, cloud: str = "aws", token: str = CLAIM, more: Any = None
) -> Plan:
    program = with_cluster(cloud)
    if declared is not None:
        program.add(CLASS, "class", **declared)
    if more is not None:
        program.add(SCALER, "scaler", **more)
    program.add(token, "it", spec=spec)
    return of_resources(program.resources())


def disks(plan: Plan) -> dict[str, Any]:
    return {item.item: item.quantity for item in plan.items if item.name == "it"}


def refused(plan: Plan, token: str = CLAIM) -> list[str]:
    rows = [row for row in plan.not_judged if row.type == token and row.may_start_machines]
    return [row.reason for row in rows]


@pytest.mark.parametrize(
    ("cloud", "spec", "declared", "items"),
    [
        ("aws", claim("1Ti"), None, {"ebs-gp2-storage": 1024}),
        ("aws", claim("1Ti", "gp2"), None, {"ebs-gp2-storage": 1024}),
        ("aws", claim("1Ti", "fast"), storage_class(EBS, {}), {"ebs-gp3-storage": 1024}),
        (
            "aws",
            claim("80Gi", "fast"),
            storage_class(EBS, {"type": "io2", "iopsPerGB": "500"}),
            {"ebs-io2-storage": 80, "ebs-io2-iops-tier1": 40_000},
        ),
        (
            "aws",
            claim("10Gi", "fast"),
            storage_class(EBS, {"Type": "gp3", "IOPS": "16000", "throughput": "1000"}),
            {"ebs-gp3-storage": 10, "ebs-gp3-iops": 13_000, "ebs-gp3-throughput": 875},
        ),
        (
            "aws",
            claim("10Gi"),
            storage_class(EBS, {"type": "io1", "iops": "64000"}, annotations=DEFAULT),
            {"ebs-io1-storage": 10, "ebs-io1-iops": 64_000},
        ),
        ("gcp", claim("1Ti"), None, {"pd-balanced-storage": 1024}),
        ("gcp", claim("1Ti", "premium-rwo"), None, {"pd-ssd-storage": 1024}),
        (
            "gcp",
            claim("200Gi", "fast"),
            storage_class(PD, {"type": "pd-ssd", "replication-type": "regional-pd"}),
            {"pd-ssd-regional-storage": 200},
        ),
        (
            "gcp",
            claim("20Gi", "fast"),
            storage_class(
                PD,
                {
                    "type": "hyperdisk-balanced",
                    "provisioned-iops-on-create": "80000",
                    "provisioned-throughput-on-create": "1140Mi",
                },
            ),
            {
                "hyperdisk-balanced-storage": 20,
                "hyperdisk-balanced-iops": 77_000,
                "hyperdisk-balanced-throughput": 1000,
            },
        ),
        (
            "azure",
            claim("1Ti", "fast"),
            storage_class(AZURE, {"skuName": "Premium_LRS"}),
            {"disk-premium-p30": 1},
        ),
        (
            "azure",
            claim("20Gi", "fast"),
            storage_class(
                AZURE,
                {
                    "skuName": "PremiumV2_LRS",
                    "DiskIOPSReadWrite": "80000",
                    "DiskMBpsReadWrite": "1200",
                },
            ),
            {
                "disk-premium-ssd-v2-storage": 20,
                "disk-premium-ssd-v2-iops": 77_000,
                "disk-premium-ssd-v2-throughput": 1075,
            },
        ),
    ],
)
def test_a_disk_costs_what_its_class_says(cloud, spec, declared, items):
    plan = judged(spec, declared, cloud=cloud)

    assert disks(plan) == {name: Decimal(count) for name, count in items.items()}
    assert refused(plan) == []


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure", ""])
@pytest.mark.parametrize("storage", ["10Gi", "80Gi", 1073741824])
def test_a_small_disk_by_size_alone_is_a_small_charge(cloud, storage):
    plan = judged(claim(storage), cloud=cloud)
    (row,) = (row for row in plan.not_judged if row.type == CLAIM)

    assert disks(plan) == {}
    assert not row.may_start_machines
    assert 0 < row.hourly_maximum <= Decimal("0.1")


@pytest.mark.parametrize(
    ("spec", "declared", "reason"),
    [
        (claim("10Gi", "fast"), None, "of the class fast, which this stack does not declare"),
        (claim("10Gi", UNKNOWN), None, "StorageClass is not known yet"),
        (UNKNOWN, None, "StorageClass is not known yet"),
        (claim("10Gi", "fast"), storage_class(EBS, UNKNOWN), "not known yet"),
        (claim("10Gi", "fast"), storage_class("fsx.csi.aws.com", {}), "driver fsx.csi.aws.com"),
        (claim("10Gi", "fast"), storage_class("filestore.csi.storage.gke.io", {}), "filestore"),
        (claim("10Gi", "gp2", volumeAttributesClassName="gold"), None, "VolumeAttributesClass"),
        (claim("10Ti", "standard-rwo"), None, "of the class standard-rwo"),
        (claim("10Ti", "fast"), storage_class(PD, {"type": "pd-ssd"}), f"the driver {PD}"),
        (
            claim("10Gi"),
            storage_class(EBS, {"type": "io2"}, annotations=UNKNOWN),
            "StorageClass is not known yet",
        ),
        (
            claim("10Gi", "fast"),
            storage_class("file.csi.azure.com", {"skuName": "Premium_LRS"}),
            "driver file.csi.azure.com",
        ),
    ],
)
def test_a_disk_of_an_unknown_class_has_no_price(spec, declared, reason):
    plan = judged(spec, declared)
    (words,) = refused(plan)

    assert reason in words
    assert "violated" in outcomes(plan, "price-unknown")


@pytest.mark.parametrize(
    ("spec", "declared", "cloud"),
    [
        (claim("10Gi", "fast"), storage_class(EBS, {"type": "io2", "iops": UNKNOWN}), "aws"),
        (claim(UNKNOWN), None, "aws"),
        (claim("-5Gi"), None, "aws"),
        ({"resources": {"limits": {"storage": UNKNOWN}}}, None, "aws"),
        (claim("20Gi", "fast"), storage_class(PD, {"type": "hyperdisk-balanced"}), "gcp"),
    ],
)
def test_a_disk_of_unknown_size_or_speed_has_no_price(spec, declared, cloud):
    plan = judged(spec, declared, cloud=cloud)

    assert UNKNOWN in disks(plan).values()
    assert "violated" in outcomes(plan, "price-unknown")


def test_a_class_that_is_made_with_its_claim_tells_the_disk():
    program = with_cluster("aws")
    made_by = program.add(CLASS, "class", **storage_class(EBS, {"type": "io2", "iops": "900"}))
    program.add(CLASS, "other", provisioner=EBS, parameters={}, metadata={"name": "other"})
    program.add(CLAIM, "it", spec=claim("10Gi", made_by.out("name")))

    assert disks(of_resources(program.resources("preview"))) == {
        "ebs-io2-storage": 10,
        "ebs-io2-iops-tier1": 900,
    }


@pytest.mark.parametrize(
    ("spec", "declared", "cloud"),
    [
        (claim("10Ti", ""), None, "aws"),
        (claim(None), None, "aws"),
        (claim(None, "of elsewhere"), None, "aws"),
        (claim("10Ti", "fast"), storage_class("efs.csi.aws.com", {"fileSystemId": "fs-1"}), "aws"),
        (claim("10Ti", "azurefile-csi"), None, "azure"),
    ],
)
def test_no_disk_is_made_by_other_claims(spec, declared, cloud):
    plan = judged(spec, declared, cloud=cloud)

    assert disks(plan) == {}
    assert refused(plan) == []


def pods(*specs: Any, **more: Any) -> dict[str, Any]:
    containers = {"spec": {"containers": [{"image": "i"}]}}
    templates = [{"metadata": {"name": "d"}, "spec": spec} for spec in specs]
    return {"template": containers, "volumeClaimTemplates": templates, **more}


def test_each_pod_of_a_set_has_disks_of_its_own():
    spec = pods(claim("100Gi", "fast"), claim("1Ti", "gp2"), replicas=4)
    plan = judged(spec, storage_class(EBS, {"type": "io2", "iopsPerGB": "50"}), token=SET)

    assert disks(plan) == {
        "ebs-io2-storage": 400,
        "ebs-io2-iops-tier1": 20_000,
        "ebs-gp2-storage": 4096,
    }
    assert refused(plan, SET) == []


@pytest.mark.parametrize(
    ("spec", "more", "fits"),
    [
        (pods(claim("20Gi"), replicas=4), None, True),
        (pods(claim("20Gi")), None, True),
        (pods(claim("20Gi"), replicas=5), None, False),
        (pods(claim("20Gi"), replicas=UNKNOWN), None, False),
        (pods(claim("20Gi")), {"spec": {"scaleTargetRef": {"kind": "StatefulSet"}}}, False),
        (pods(claim("20Gi")), {"spec": {"scaleTargetRef": {"kind": "Deployment"}}}, True),
        (pods(claim("20Gi"), replicas=1) | {"volumeClaimTemplates": UNKNOWN}, None, False),
    ],
)
def test_a_set_of_few_small_disks_is_a_small_charge(spec, more, fits):
    plan = judged(spec, token=SET, more=more)
    charges = [row.hourly_maximum for row in plan.not_judged if row.type == SET]

    assert (disks(plan) == {} and refused(plan, SET) == []) is fits
    assert (charges != [] and charges[0] > 0) is fits


def scaler(most: Any = None, *, key: str = "maxReplicas", **more: Any) -> dict[str, Any]:
    target = {"kind": "StatefulSet", "name": "db"}
    return {"spec": {"scaleTargetRef": target, key: most}, "metadata": more}


@pytest.mark.parametrize(
    ("more", "copies"),
    [
        (scaler(9), 9),
        (scaler("9"), 9),
        (scaler(9, key="maxReplicaCount"), 9),
        (scaler(1), 2),
        (scaler(9, namespace="ml"), 9),
        (scaler(9, namespace="other"), 2),
        (scaler(UNKNOWN), None),
        (scaler(), None),
        (scaler(9) | {"spec": {"scaleTargetRef": {"kind": "StatefulSet", "name": "web"}}}, 2),
    ],
)
def test_a_set_has_as_many_disks_as_its_scaler_may_make(more, copies):
    program = with_cluster("aws")
    program.add(SCALER, "scaler", **more)
    spec = pods(claim("100Gi", "gp2"), replicas=2)
    program.add(SET, "it", spec=spec, metadata={"name": "db", "namespace": "ml"})
    plan = of_resources(program.resources())

    assert disks(plan) == ({} if copies is None else {"ebs-gp2-storage": 100 * copies})
    assert (refused(plan, SET) == []) is (copies is not None)


def test_a_disk_by_more_than_size_needs_the_region_of_its_cluster():
    fast = storage_class(EBS, {"type": "io2", "iopsPerGB": "500"})

    assert refused(judged(claim("10Gi", "fast"), fast, cloud="")) != []
    assert refused(judged(claim("10Gi", "fast"), storage_class(EBS, {}), cloud="")) == []


def test_of_several_clouds_the_one_of_the_cluster_is_paid_once():
    program = with_cluster("gcp")
    program.add("aws:s3/bucket:Bucket", "b")
    program.add(CLAIM, "it", spec=claim("1Ti"))
    program.add(SET, "set", spec=pods(claim("1Ti"), replicas=2))
    items = of_resources(program.resources()).items

    assert [(item.name, item.item, item.quantity) for item in items if item.kind == "disk"] == [
        ("it", "pd-balanced-storage", 1024),
        ("set", "pd-balanced-storage", 2048),
    ]
