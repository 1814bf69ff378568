"""Pulumi programs in YAML as the previews that Pulumi makes of them, without an engine.

A value is a literal, a reference `${resource}` or `${resource.property}`, a text with references
in it, or `fn::toJSON` of any of these: https://www.pulumi.com/docs/iac/languages-sdks/yaml/.
What holds a reference is unknown until the update; a whole reference to a property that the other
resource states is that value, as the provider's check would say.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.pulumi_files.files import UNKNOWN_TEXT, digest

STACKS = Path(__file__).parent / "stacks"
_REFERENCE = re.compile(r"\$\{([\w-]+)(?:\.([\w.\[\]-]+))?\}")
_PROJECT = "urn:pulumi:dev::shop"


@dataclass(frozen=True)
class Ordinary:
    """A stack of the table, its configuration, and what `check` has to say of it.

    `violated` and `unknown` map the ids of the rules that refuse it to the names of the resources,
    by what they say: that the rule doesn't hold, or that it can't be known, a missing price too.
    """

    name: str
    config: Mapping[str, str]
    resources: Mapping[str, Mapping[str, Any]]
    settings: Mapping[str, Any]
    why: str
    violated: Mapping[str, frozenset[str]]
    unknown: Mapping[str, frozenset[str]]

    @property
    def verdict(self) -> str:
        """The word of the table for it."""
        return "violated" if self.violated else "not knowable" if self.unknown else "fine"

    def preview(self) -> dict[str, Any]:
        """Return the stack as `pulumi preview --json` writes it, from an empty state."""
        steps = [self._step(name) for name in self.resources]
        return digest(*steps, config=dict(self.config))

    def _step(self, name: str) -> dict[str, Any]:
        written = self.resources[name]
        properties = written.get("properties", {})
        needs = {key: sorted(set(self._urns(value))) for key, value in properties.items()}
        state = {
            "urn": self._urn(name),
            "custom": True,
            "type": written["type"],
            "inputs": {key: self._value(value) for key, value in properties.items()},
            "provider": self._provider(written["type"]),
            "propertyDependencies": needs,
            "dependencies": sorted({urn for urns in needs.values() for urn in urns}),
        }
        return {"op": "create", "urn": state["urn"], "newState": state}

    def _urn(self, name: str) -> str:
        return f"{_PROJECT}::{self.resources[name]['type']}::{name}"

    def _provider(self, token: str) -> str:
        package = token.partition(":")[0]
        return f"{_PROJECT}::pulumi:providers:{package}::default_1_0_0::{UNKNOWN_TEXT}"

    def _value(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            if list(value) == ["fn::toJSON"]:
                inner = value["fn::toJSON"]
                known = not any(True for _ in self._urns(inner))
                return json.dumps(self._value(inner)) if known else UNKNOWN_TEXT
            return {key: self._value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> Any:
        whole = _REFERENCE.fullmatch(text)
        if whole is not None:
            stated = self.resources[whole[1]].get("properties", {}).get(whole[2])
            return UNKNOWN_TEXT if stated is None else self._value(stated)
        return UNKNOWN_TEXT if _REFERENCE.search(text) else text

    def _urns(self, value: Any) -> Iterator[str]:
        if isinstance(value, Mapping):
            for item in value.values():
                yield from self._urns(item)
        elif isinstance(value, list):
            for item in value:
                yield from self._urns(item)
        elif isinstance(value, str):
            yield from (self._urn(found[1]) for found in _REFERENCE.finditer(value))


@cache
def read(path: Path) -> Ordinary:
    """Return the stack of a file in stacks/: a Pulumi program and, under `check`, its verdict."""
    document = YAML(typ="safe").load(path)
    check = document["check"]
    return Ordinary(
        path.stem,
        {key: str(value) for key, value in document["config"].items()},
        document["resources"],
        check.get("settings", {}),
        check["why"],
        _by_rule(check, "violated"),
        _by_rule(check, "unknown"),
    )


def every_stack() -> list[Path]:
    """Return the files of all stacks, by their names."""
    return sorted(STACKS.glob("*.yaml"), key=lambda file: file.stem)


def _by_rule(check: Mapping[str, Any], key: str) -> dict[str, frozenset[str]]:
    return {rule: frozenset(names) for rule, names in check.get(key, {}).items()}
