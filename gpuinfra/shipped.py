"""Finds data files that are in the repository's folders or, in a wheel, inside the package."""

from importlib.resources import files
from pathlib import Path


def shipped_path(wheel_path: str, checkout_path: str) -> Path:
    """Return a folder or a file shipped with gpuinfra.

    Args:
        wheel_path: its place in the package of a wheel.
        checkout_path: its place in a checkout.
    """
    packed = Path(str(files("gpuinfra"))) / wheel_path
    return packed if packed.exists() else Path(__file__).parents[1] / checkout_path
