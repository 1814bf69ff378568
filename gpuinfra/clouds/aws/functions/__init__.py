"""Code that runs in AWS Lambda as it stands here: the standard library and boto3 alone."""

from pathlib import Path

_HERE = Path(__file__).parent


def source(name: str) -> str:
    """The text of a function's module, as it is uploaded."""
    return (_HERE / f"{name}.py").read_text("utf-8")
