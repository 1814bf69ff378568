"""Pages of every kind of SOURCE: stack files on three clouds, a preview, a state."""

import gzip
from pathlib import Path

from gpuinfra.cli import run

ROOT = Path(__file__).parents[3]
STACKS = ROOT / "stacks"
RECORDED = ROOT / "tests" / "pulumi_files" / "recorded"
DAY = "2026-11-23"

SOURCES = (
    "training",
    "anywhere",
    "research-gcp",
    "enterprise-azure",
    "gpu_box/preview.json",
    "quickstart/sames.json",
    "scaled_site/state.json",
    "azure_gpu_machine/state.json",
)
"""Shipped stacks, and what Pulumi wrote of programs."""


def source(name: str, folder: Path) -> Path:
    """A SOURCE by its name; what Pulumi wrote is unpacked into the folder."""
    if not name.endswith(".json"):
        return STACKS / name
    path = folder / name.replace("/", "-")
    path.write_bytes(gzip.decompress((RECORDED / f"{name}.gz").read_bytes()))
    return path


def page_of(path: Path, folder: Path, *options: str) -> str:
    """The page that the command writes of a SOURCE."""
    file = folder / "report.html"
    code = run(["report", str(path), "--output", str(file), "--as-of", DAY, *options])
    assert code == 0
    return file.read_text(encoding="utf-8")
