"""The Google Cloud data files."""

from pathlib import Path
from typing import Final

from gpuinfra.clouds.tables import Tables

TABLES: Final = Tables(Path(__file__).parent / "data")
