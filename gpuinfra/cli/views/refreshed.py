"""The note on refreshed files that are left out, for every command that prices something."""

from gpuinfra.cli.views.render import note
from gpuinfra.clouds import refreshing


def tell() -> None:
    """Say which refreshed files are damaged, and that the shipped prices hold."""
    for fault in refreshing.faults():
        note(f"note: {fault}")
