"""The tables of remedies and knobs name rules, types and properties that there are."""

import json
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import gpuinfra.sandbox
from gpuinfra import rules
from gpuinfra.catalog import CATALOG
from gpuinfra.clouds import CLOUDS, canonical, cloud_of, provider_of
from gpuinfra.fixes import storage_edits
from gpuinfra.fixes.options import OptionContext
from gpuinfra.fixes.property_paths import EACH_ITEM, NEW_ITEM, parse_path
from gpuinfra.fixes.remedies import Remedy, Tunable, remedies, steps, tunables
from gpuinfra.fixes.stack_file_edits import stack_of
from gpuinfra.stackfile.yaml_composer import compose
from tests.fixes.conftest import SMALL

DATA = Path(gpuinfra.sandbox.__file__).parent / "data"
"""What the provider SDKs take, as the sandbox's plugins know it."""

WRITTEN = {"string": str, "boolean": bool, "integer": int, "number": int}
FOLLOWS = ({"first"}, {"computed"})


@cache
def schemas():
    """The inputs and the nested types by resource type."""
    by_kind = {}
    for name in ("aws", "gcp", "azure-native"):
        table = json.loads((DATA / f"{name}.json").read_text())
        nested = table.get("$types", {})
        for kind, row in table.items():
            if not kind.startswith("$"):
                by_kind[kind] = (row["inputs"], nested)
    return by_kind


def inner(spec, nested):
    """What a list holds, or the properties of an object."""
    kind = spec["type"]
    if kind.startswith("array<"):
        return {"type": kind[6:-1]}
    assert kind.startswith("object:"), kind
    return nested[kind[7:]]["properties"]


def at(spec, parts, nested):
    for part in parts:
        level = inner(spec, nested)
        assert part in {EACH_ITEM, NEW_ITEM} or part in level, (part, sorted(level))
        spec = level if part in {EACH_ITEM, NEW_ITEM} else level[part]
    return spec


def fits(value, spec, nested):
    """Whether a value is what a property takes; None takes it away."""
    kind = spec["type"].partition("|")[0]
    if value is None or (isinstance(value, dict) and set(value) in FOLLOWS):
        return True
    if kind.startswith("array<"):
        return isinstance(value, list) and all(
            fits(item, inner(spec, nested), nested) for item in value
        )
    if kind.startswith("object:"):
        known = inner(spec, nested)
        return all(
            name in known and fits(item, known[name], nested) for name, item in value.items()
        )
    allowed = spec.get("enum")
    return isinstance(value, WRITTEN[kind]) and (not allowed or value in allowed)


ROWS = [
    *(
        (f"{row.rule} {kind} {path}", kind, path, value)
        for cloud in CLOUDS
        for row in remedies(cloud)
        for kind in row.types
        for path, value in row.set.items()
    ),
    *(
        (f"{row.rule} + {row.add[0]} {path}", row.add[0], path, value)
        for cloud in CLOUDS
        for row in remedies(cloud)
        if row.add is not None
        for path, value in row.add[1].items()
    ),
    *(
        (f"{tunable.kind} {kind} {path}", kind, path, None)
        for cloud in CLOUDS
        for tunable in tunables(cloud)
        for kind in tunable.types
        for path in (tunable.path, *tunable.lowered_together)
    ),
]


@pytest.mark.parametrize("what", sorted({row[0].split()[0] for row in ROWS}))
def test_a_provider_takes_it(what):
    for about, kind, path, value in ROWS:
        if about.split()[0] != what or kind not in schemas():
            continue  # a type that the sandbox does not know
        inputs, nested = schemas()[kind]
        name, *parts = parse_path(path)
        assert name in inputs, about
        assert fits(value, at(inputs[name], parts, nested), nested), about


def test_most_of_the_types_are_known_to_the_sandbox():
    kinds = {row[1] for row in ROWS}

    assert len(kinds & set(schemas())) > 4 * len(kinds - set(schemas()))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_room_has_remedies_of_its_own_types_only(cloud):
    rows: tuple[Remedy | Tunable, ...] = (*remedies(cloud), *tunables(cloud))

    assert {cloud_of(kind) for row in rows for kind in row.types} == {cloud}


MACHINES = {"gcp": "a3-ultragpu-8g"}
"""A machine whose disk takes speeds, where not every one does."""


@pytest.mark.parametrize("key", ["throughput", "iops"])
@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_disk_of_some_size_takes_every_step_of_its_cloud(cloud, key):
    machine = provider_of(cloud).machines.get(MACHINES[cloud]) if cloud in MACHINES else None
    most = 80_000 if cloud == "aws" else None

    def taken(value, size):
        settings = {"iops": most, "throughput": None, key: value}
        return ("disk", key) not in {
            disk_fault.key
            for disk_fault in provider_of(cloud).accepts.disk_faults(
                size, machine=machine, **settings
            )
        }

    sizes = [2**power for power in range(36, 46)]
    tried = steps(cloud, key)
    assert tried
    assert [value for value in tried if not any(taken(value, size) for size in sizes)] == []


@pytest.mark.parametrize(
    ("where", "speeds", "kinds"),
    [
        ("cloud: aws, regions: [us-east-1]", {125, 2000}, 2),
        ("cloud: gcp, regions: [us-central1]", {140, 2400}, 0),
        ("cloud: azure, regions: [eastus]", {50, 250}, 0),
        ("cloud: any, regions: [us-east-1]", {50, 2400}, 2),
    ],
)
def test_a_stack_is_offered_the_steps_of_its_cloud(where, speeds, kinds):
    text = SMALL.replace("cloud: aws, regions: [us-east-2]", where).replace(
        "    nodes", "    disk: {size: 1TB, throughput: 300}\n    shared_storage: {}\n    nodes"
    )
    value = compose(text, "stack.yaml").value
    ground = OptionContext(value=value, stack=stack_of(value), prices=CATALOG)

    path = ("training", "trainer")
    dimensions = storage_edits.dimensions(
        ground, path, "trainer", ground.stack.training["trainer"]
    )

    options = {
        dimension.name: [option.edits[0].after for option in dimension.options]
        for dimension in dimensions
    }
    throughputs = options["throughput"]
    assert {min(throughputs), max(throughputs)} == speeds
    assert len(options.get("storage tier", ())) == kinds


def test_where_nothing_settles_the_cloud_the_steps_of_all_are_tried():
    every = {step for cloud in CLOUDS for step in steps(cloud, "throughput")}

    assert sorted(steps(None, "throughput")) == sorted(every)
    assert steps("gcp", "deployment") == ()


def test_a_table_of_remedies_names_rules_types_and_sources():
    known = {rule.id for rule in rules.RULES}
    for cloud, row in [
        (remedy_cloud, row) for remedy_cloud in CLOUDS for row in remedies(remedy_cloud)
    ]:
        assert row.rule in known, row
        assert row.source.startswith("https://"), row
        assert bool(row.set) + row.drop + (row.add is not None) >= 1, row
        for value in row.set.values():
            if isinstance(value, dict) and "computed" in value:
                assert value["computed"] in provider_of(cloud).computed
    assert {knob.kind for cloud in CLOUDS for knob in tunables(cloud)} == {
        *("machine", "count", "max_price", "base", "share"),
        *("throughput", "iops", "storage"),
    }


def test_every_type_of_the_table_is_one_that_the_rooms_judge():
    added = [row for cloud in CLOUDS for row in remedies(cloud)]
    types = {kind for row in added for kind in row.types}
    types |= {kind for cloud in CLOUDS for row in tunables(cloud) for kind in row.types}
    types |= {row.add[0] for row in added if row.add is not None}
    judged = {
        kind
        for cloud in CLOUDS
        for known in (import_module(f"gpuinfra.clouds.{cloud}.observe.observers"),)
        for kind in (*known.OBSERVERS, *known.resource_types.UNPRICED_TYPES)
    }
    assert {canonical(kind) for kind in types} <= judged
