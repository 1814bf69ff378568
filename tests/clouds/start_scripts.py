"""Workloads whose start-up scripts are long, or not."""

import base64
import hashlib
from typing import Any, Final

from gpuinfra.specs.schema import Inference, Training

LONGEST: Final = 8192
"""Characters of the longest command."""
BYTES: Final = hashlib.shake_256(b"noise").digest(2 * LONGEST)
NOISE: Final = base64.b64encode(BYTES).decode()[:LONGEST]


def training(**more: Any) -> Training:
    return Training.model_validate({"gpu": "H200:8", "nodes": 4, **more})


def pool(**more: Any) -> Inference:
    scale = {"gpu_utilization": "70%"}
    given = {"gpu": "L4:1", "replicas": "1..20", "image": "a/b:1", "port": 80, "scale_on": scale}
    return Inference.model_validate({**given, **more})


def mounts(count: int) -> list[dict[str, str]]:
    return [
        {"bucket": f"b{n}", "prefix": f"{hashlib.shake_256(n.to_bytes(2)).hexdigest(250)}/"}
        for n in range(count)
    ]


def noise(count: int) -> list[str]:
    """Arguments of the greatest length, each of other random digits."""
    return [hashlib.shake_256(bytes([number])).hexdigest(2048) for number in range(count)]
