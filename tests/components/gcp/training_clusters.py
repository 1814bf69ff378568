"""Training clusters and nodes of Google Cloud that tests record."""

from typing import Any

import pulumi

from gpuinfra.components.args import Checkpoints, Mount, TrainingArgs
from gpuinfra.components.network import Network
from gpuinfra.components.training import TrainingCluster, TrainingNode

REGION = "us-central1"
OWN = Network(
    vpc_id="projects/host/global/networks/lab",
    subnet_ids=["projects/host/regions/us-central1/subnetworks/lab"],
)
EVERYTHING = [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}]


def cluster(
    *, args: dict[str, Any] | None = None, opts: pulumi.ResourceOptions | None = None, **more: Any
) -> TrainingCluster:
    """A cluster that uses everything."""
    given = {
        "cloud": "gcp",
        "region": REGION,
        "instance": "a3-ultragpu-8g",
        "nodes": 2,
        "capacity": "spot",
        "duration": "4h",
        "data": [Mount(bucket="data", prefix="tokens/"), Mount(bucket="data")],
        "checkpoints": Checkpoints(bucket="data"),
        "command": "gpuinfra-torchrun train.py",
        "disk": {"size": "500GB", "iops": 6000, "throughput": 500},
        "owner": "ML Platform",
        **(args or {}),
    }
    more.setdefault("buckets", {"data": "tokens-bucket"})
    return TrainingCluster("trainer", TrainingArgs(**given), opts=opts, **more)


def plain(machine: str, **args: Any) -> TrainingCluster:
    """A cluster of a machine type, with the disk that it takes."""
    return cluster(args={"instance": machine, "disk": "500GB", **args})


def node(*, gpu: str = "L4:1", **args: Any) -> TrainingNode:
    return TrainingNode("dev", TrainingArgs(cloud="gcp", region=REGION, gpu=gpu, **args))


def of_type(seen: Any, kind: str) -> list[Any]:
    return [resource for resource in seen.resources if resource.type.endswith(f":{kind}")]
