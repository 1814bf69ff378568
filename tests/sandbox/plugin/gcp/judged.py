"""How the plugin is tried at one type of Google Cloud."""

from dataclasses import dataclass
from typing import Any

DISK = {"boot": True, "sourceImage": "debian-cloud/debian-12"}
ABSENT = "projects/town/global/networks/absent"
BOOT = {"initializeParams": {"image": "debian-cloud/debian-12"}}
EXPR = {"conditionThreshold": {"comparison": "COMPARISON_GT", "duration": "60s", "filter": "x"}}


@dataclass(frozen=True)
class Case:
    """One type: inputs that stand, and how each kind of mistake is made.

    Attributes:
        inputs: values in braces are outputs of the town.
        required: an input to leave out; empty where none is required.
        mistyped: an input and a value of the wrong type or outside its list.
        broken: an input and a reference to nothing; none where the type refers to nothing.
    """

    kind: str
    inputs: dict[str, Any]
    required: str
    mistyped: tuple[str, Any]
    broken: tuple[str, Any] | None = None

    @property
    def token(self) -> str:
        module, _, noun = self.kind.partition(".")
        return f"gcp:{module}/{noun[0].lower()}{noun[1:]}:{noun}"
