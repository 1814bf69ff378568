"""Finds data files that are in the repository's folders or, in a wheel, inside the package."""

from importlib.resources import files
from pathlib import Path


def shipped_path(inside: str, beside: str) -> Path:
    """Return a folder or a file shipped with gpuinfra.

    Args:
        inside: its place in the package of a wheel.
        beside: its place in a checkout.
    """
    packed = Path(str(files("gpuinfra"))) / inside
    return packed if packed.exists() else Path(__file__).parents[1] / beside
