"""The rules on how many of some inputs must be set: exactly one, at most one, at least one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.input_validation import Failure


def count_failures(package: str, token: str, inputs: Mapping[str, Any]) -> list[Failure]:
    """Return violations of the table's counting rules; unknown inputs count as set."""
    needs = facts(package, "needs").get(token, ())
    return [failure for rule, keys in needs for failure in count(rule, keys, inputs)]


def count(rule: str, keys: Sequence[str], inputs: Mapping[str, Any]) -> Iterator[Failure]:
    """Yield the failures of one rule: ``exactly``, ``most`` or ``some`` of the keys."""
    stated_keys = [key for key in keys if inputs.get(key) not in (None, [], "")]
    listed = ", ".join(f"'{key}'" for key in keys)
    if not stated_keys and rule != "most":
        words = f"one of {listed}" if len(keys) > 1 else f"property {listed}"
        yield Failure(keys[0], f"missing required {words}")
    elif len(stated_keys) > 1 and rule != "some":
        conflict = " and ".join(f"'{key}'" for key in stated_keys)
        yield Failure(stated_keys[1], f"{conflict} can't be combined: set only one of them")
