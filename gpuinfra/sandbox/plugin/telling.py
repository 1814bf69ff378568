"""A package's schema, as a throw-away sandbox was told it: programs in YAML are resolved by it."""

from gpuinfra.sandbox.place import SCHEMA_FOLDER, home

NONE = "{}"
"""What the protocol takes for a provider that has no schema to show."""


def schema_of(package: str) -> str:
    """The schema, as JSON; `NONE` where none was given."""
    file = home() / SCHEMA_FOLDER / f"{package}.json"
    return file.read_text(encoding="utf-8") if file.exists() else NONE
