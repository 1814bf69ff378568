"""A bad and a good example of each rule: a part of a stack file, or Pulumi YAML."""

from pathlib import Path
from typing import Final

from gpuinfra.records import record

_FOLDER: Final = Path(__file__).parent
_BETWEEN: Final = "\n---\n"


@record(kw_only=False)
class Example:
    """A violation of a rule, and the same with the smallest change that fixes it."""

    bad: str
    good: str


def example(rule: str) -> Example:
    """Return the example of a rule by its id."""
    bad, _, good = (_FOLDER / f"{rule}.yaml").read_text(encoding="utf-8").partition(_BETWEEN)
    return Example(bad.strip("\n"), good.strip("\n"))
