"""The code that runs in AWS Lambda unchanged, with the standard library and boto3 only."""

from pathlib import Path

_HERE = Path(__file__).parent


def source(name: str) -> str:
    """Return the text of a function's module, as it is uploaded."""
    return (_HERE / f"{name}.py").read_text("utf-8")
