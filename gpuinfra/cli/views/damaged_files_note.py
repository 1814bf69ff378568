"""The note on damaged refreshed files, for every command that uses prices."""

from gpuinfra.cli.views.render import note
from gpuinfra.clouds import refreshing


def note_damaged_files() -> None:
    """Print which refreshed files are damaged; the shipped prices apply instead."""
    for fault in refreshing.faults():
        note(f"note: {fault}")
