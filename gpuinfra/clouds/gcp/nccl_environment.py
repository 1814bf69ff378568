"""NCCL's environment variables by machine type and installed software."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from gpuinfra.clouds.gcp.network import fabric_layout
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.model import Machine

TCP: Final[Mapping[str, str]] = {"NCCL_SOCKET_IFNAME": "^lo,docker,veth"}
"""What NCCL over TCP wants set: the interfaces to leave alone. It uses all others, those of the
GPUs' networks too: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"""


@cache
def fabric_environment(machine: Machine, *, fabric: bool) -> Mapping[str, str]:
    """Return the variables for NCCL between machines of a type.

    Where the fabric is used and our script sets its software up, they are that software's own;
    else NCCL goes over TCP.
    """
    if not fabric or not installs(machine):
        return TCP
    rows = TABLES.rows("environment")
    return {row["name"]: row["value"] for row in rows if machine.type in row["types"]}


def installs(machine: Machine) -> bool:
    """Return whether the start-up script installs NCCL's software for a machine's fabric."""
    layout = fabric_layout(machine)
    return layout is not None and layout.set_up


@cache
def every_environment() -> Mapping[str, str]:
    """Return the variables of all types together."""
    return {**TCP, **{row["name"]: row["value"] for row in TABLES.rows("environment")}}
