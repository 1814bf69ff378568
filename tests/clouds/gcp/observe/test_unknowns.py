"""Nothing raises whatever is written, and what is hidden never becomes fine."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.clouds.gcp.observe import TYPES, observe
from gpuinfra.model import UNKNOWN, Bucket, Group, Plan, Resource
from gpuinfra.planning import from_resources
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.gcp_cluster import roce, tcpx
from tests.rules.cases.gcp_faults import BROKEN, BUCKETS
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import RICH, outcomes
from tests.rules.cases.moments import both

KEYS = (
    *("versions", "instanceTemplate", "networkInterfaces", "subnetwork", "network", "nicType"),
    *("accessConfigs", "natIp", "scheduling", "provisioningModel", "maxRunDuration", "seconds"),
    *("guestAccelerators", "type", "count", "machineType", "disks", "bootDisk", "source", "size"),
    *("initializeParams", "scratchDisks", "serviceAccount", "email", "scopes", "tags", "metadata"),
    *("zone", "region", "location", "targetSize", "autoscalingPolicy", "maxReplicas", "target"),
    *("resourcePolicies", "workloadPolicy", "groupPlacementPolicy", "collocation", "nodeConfig"),
    *("autoscaling", "cluster", "nodeLocations", "networkConfig", "allows", "ports", "protocol"),
    *("sourceRanges", "ipCidrRange", "networkProfile", "mtu", "router", "backends", "group"),
    *("member", "members", "role", "bucket", "policyData", "lifecycleRules", "condition"),
    *("action", "amount", "specifiedAmount", "units", "budgetFilter", "capacityGib", "name"),
    *("instanceFlexibilityPolicy", "instanceSelections", "machineTypes", "subnetworks", "id"),
    *("distributionPolicyZones", "priority", "denies", "direction", "queuedProvisioning"),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10_000),
    st.floats(allow_nan=True),
    st.sampled_from(
        ("", "a", "us-central1-a", "g2-standard-4", "a3-ultragpu-8g", "MRDMA", "SPOT", "0.0.0.0/0")
    ),
    st.sampled_from(("res-0", "res-1", "res-2", "projects/p/x", "a@b", "22", "1-2-3", "COMPACT")),
    st.just(UNKNOWN),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)
MOMENTS = st.sampled_from(("preview", "created"))
INPUTS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8)


@st.composite
def stranger(draw: st.DrawFn) -> list[Resource]:
    """Resources of judged types with anything in them, and relations among them."""
    tokens = draw(st.lists(st.sampled_from(sorted(TYPES)), min_size=1, max_size=6))
    urns = [f"urn:{number}" for number in range(len(tokens))]
    related = st.dictionaries(
        st.sampled_from(KEYS), st.lists(st.sampled_from(urns), max_size=3).map(tuple), max_size=4
    )
    return [
        Resource(
            urn=urns[number],
            type=token,
            name=f"res-{number}",
            inputs=draw(INPUTS),
            outputs={"id": f"res-{number}"},
            relations=draw(related),
        )
        for number, token in enumerate(tokens)
    ]


@settings(max_examples=60, deadline=None)
@given(stranger())
def test_nothing_that_a_program_writes_raises(resources):
    observed = observe(resources)
    rows: tuple[Group | Bucket, ...] = (*observed.groups, *observed.buckets)
    assert {row.cloud for row in rows} <= {"gcp"}


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place below a value."""
    if at:
        yield at
    if isinstance(value, dict):
        for key, below in value.items():
            yield from paths(below, (*at, key))
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from paths(below, (*at, number))


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The value with something else in one place."""
    if not path:
        return other
    first, *rest = path
    if isinstance(value, dict):
        items = value.items()
        return {k: replaced(v, tuple(rest), other) if k == first else v for k, v in items}
    return [replaced(v, tuple(rest), other) if n == first else v for n, v in enumerate(value)]


def put_one(program: GcpProgram, draw: Any, other: Any = UNKNOWN) -> str:
    """Put something else into one place of one resource; gives the place in words."""
    urn = draw(st.sampled_from(sorted(program.handles)))
    handle = program.handles[urn]
    inputs = dict(handle.inputs)
    places = list(paths(inputs))
    if not places:
        return "nothing"
    path = draw(st.sampled_from(places))
    program._keep(urn, handle.type, handle.name, replaced(inputs, path, other))
    return f"{urn} {path}"


PROGRAMS = {
    "tcpx": lambda: tcpx().program,
    "roce": lambda: roce().program,
    "pool": stacks.pool,
    "machine": stacks.open_machine,
    "bucket": lambda: stacks.good_bucket()[0],
    "gke": stacks.gke,
}


@settings(max_examples=25, deadline=None)
@given(st.data())
@pytest.mark.parametrize("make", PROGRAMS.values(), ids=PROGRAMS)
def test_nothing_raises_whatever_stands_in_one_place(make, data):
    program = make()
    what = put_one(program, data.draw, data.draw(VALUES))
    assert observe(program.resources(data.draw(MOMENTS))), what


def plan(program: GcpProgram, moment: Any) -> Plan:
    return from_resources(program.resources(moment), name="shop", caps=RICH)


@settings(max_examples=20, deadline=None)
@given(st.data())
@pytest.mark.parametrize("rule", BROKEN)
def test_hiding_one_thing_of_a_broken_cluster_never_makes_it_fine(rule, data):
    make, spoil, _ = BROKEN[rule]
    case = make()
    spoil(case)
    what = put_one(case.program, data.draw)
    assert outcomes(plan(case.program, data.draw(MOMENTS)), rule) != ["fine"], what


@both
@pytest.mark.parametrize("make", [tcpx, roce])
def test_hiding_any_one_thing_of_a_good_cluster_never_breaks_it(make, moment):
    good = make().program
    broken = []
    for urn, handle in good.handles.items():
        for path in paths(dict(handle.inputs)):
            program = make().program
            hidden = replaced(dict(handle.inputs), path, UNKNOWN)
            program._keep(urn, handle.type, handle.name, hidden)
            judged = plan(program, moment)
            broken += [
                (rule, urn, path) for rule in BROKEN if "violated" in outcomes(judged, rule)
            ]

    assert broken == []


@settings(max_examples=20, deadline=None)
@given(st.data())
@pytest.mark.parametrize("rule", BUCKETS)
def test_hiding_one_thing_of_an_open_bucket_never_closes_it(rule, data):
    program, bucket = stacks.good_bucket()
    program.change(bucket, **BUCKETS[rule][0])
    what = put_one(program, data.draw)
    assert outcomes(plan(program, "created"), rule) != ["fine"], what
