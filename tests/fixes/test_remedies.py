"""The tables of remedies and knobs name properties that the providers have."""

import json
from functools import cache
from pathlib import Path

import pytest

import gpuinfra.sandbox
from gpuinfra.fixes.properties import EACH, NEW, parsed
from gpuinfra.fixes.remedies import knobs, remedies

DATA = Path(gpuinfra.sandbox.__file__).parent / "data"
"""What the provider SDKs take, as the sandbox's plugins know it."""

WRITTEN = {"string": str, "boolean": bool, "integer": int, "number": int}
FOLLOWS = ({"first"}, {"computed"})


@cache
def schemas():
    """The inputs and the nested types by resource type."""
    found = {}
    for name in ("aws", "gcp", "azure-native"):
        table = json.loads((DATA / f"{name}.json").read_text())
        nested = table.get("$types", {})
        for kind, one in table.items():
            if not kind.startswith("$"):
                found[kind] = (one["inputs"], nested)
    return found


def inner(spec, nested):
    """What a list holds, or the properties of an object."""
    kind = spec["type"]
    if kind.startswith("array<"):
        return {"type": kind[6:-1]}
    assert kind.startswith("object:"), kind
    return nested[kind[7:]]["properties"]


def at(spec, parts, nested):
    for part in parts:
        found = inner(spec, nested)
        assert part in {EACH, NEW} or part in found, (part, sorted(found))
        spec = found if part in {EACH, NEW} else found[part]
    return spec


def fits(value, spec, nested):
    """Whether a value is what a property takes; None takes it away."""
    kind = spec["type"].partition("|")[0]
    if value is None or (isinstance(value, dict) and set(value) in FOLLOWS):
        return True
    if kind.startswith("array<"):
        return isinstance(value, list) and all(
            fits(one, inner(spec, nested), nested) for one in value
        )
    if kind.startswith("object:"):
        known = inner(spec, nested)
        return all(name in known and fits(one, known[name], nested) for name, one in value.items())
    allowed = spec.get("enum")
    return isinstance(value, WRITTEN[kind]) and (not allowed or value in allowed)


ROWS = [
    *(
        (f"{row.rule} {kind} {path}", kind, path, value)
        for row in remedies()
        for kind in row.types
        for path, value in row.set.items()
    ),
    *(
        (f"{row.rule} + {row.add[0]} {path}", row.add[0], path, value)
        for row in remedies()
        if row.add is not None
        for path, value in row.add[1].items()
    ),
    *(
        (f"{knob.what} {kind} {path}", kind, path, None)
        for knob in knobs()
        for kind in knob.types
        for path in (knob.path, *knob.along)
    ),
]


@pytest.mark.parametrize("what", sorted({row[0].split()[0] for row in ROWS}))
def test_a_provider_takes_it(what):
    for about, kind, path, value in ROWS:
        if about.split()[0] != what or kind not in schemas():
            continue  # a type that the sandbox does not know
        inputs, nested = schemas()[kind]
        name, *parts = parsed(path)
        assert name in inputs, about
        assert fits(value, at(inputs[name], parts, nested), nested), about


def test_most_of_the_types_are_known_to_the_sandbox():
    kinds = {row[1] for row in ROWS}

    assert len(kinds & set(schemas())) > 4 * len(kinds - set(schemas()))
