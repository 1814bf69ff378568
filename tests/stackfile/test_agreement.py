"""The reader and an independent validator of the JSON Schema refuse the same structures."""

import copy
import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads
from gpuinfra.stackfile.starter import starter

SHIPPED = sorted(Path(__file__).parents[2].glob("stacks/*/stack.yaml"))


def _pool(replicas="1", scale_on="{gpu_memory: 70%}", port="1", capacity="spot", certificate=None):
    """An edit that adds a pool."""
    written = (
        f"replicas: {replicas}, scale_on: {scale_on}, port: {port}, capacity: {capacity}, image: a"
    )
    if certificate:
        written += f", certificate: {certificate}"
    return "training:", f"inference: {{i: {{gpu: L4:1, {written}}}}}\ntraining:"


BROKEN = {
    # unknown and missing keys
    "unknown key at the top": ("owner: me", "owner: me\nbudjet: {per_hour: 1}"),
    "unknown key in budget": ("owner: me", "owner: me\nbudget: {per_huor: 1}"),
    "unknown key in where": ("cloud: aws,", "cloud: aws, zone: a,"),
    "unknown key in a workload": ("gpu: L4:1", "gpu: L4:1, node: 2"),
    "unknown key in a gpu": ("gpu: L4:1", "gpu: {model: L4, memry: 20GB}"),
    "unknown key in a step": ("gpu: L4:1", "gpu: L4:1, capacity: [{spot: {regin: us-west-2}}]"),
    "unknown step": ("gpu: L4:1", "gpu: L4:1, capacity: [{sopt: {region: us-west-2}}]"),
    "a step by its inner name": ("gpu: L4:1", "gpu: L4:1, capacity: [{kind: spot}]"),
    "a kind inside a step": ("gpu: L4:1", "gpu: L4:1, capacity: [{spot: {kind: spot}}]"),
    "two kinds in a step": ("gpu: L4:1", "gpu: L4:1, capacity: [{spot: {}, on-demand: {}}]"),
    "an empty step": ("gpu: L4:1", "gpu: L4:1, capacity: [{}]"),
    "unknown key in a mount": ("gpu: L4:1", "gpu: L4:1, data: [{bucket: b, path: x/}]"),
    "unknown key in a disk": ("gpu: L4:1", "gpu: L4:1, disk: {sise: 1TB}"),
    "unknown key in a bucket": ("training:", "buckets: {b: {sise: 1TB}}\ntraining:"),
    "unknown key in a waiver": ("training:", "waivers: [{rule: r, because: x}]\ntraining:"),
    "has neither training nor inference nor buckets": ("training:\n  t: {gpu: L4:1}\n", ""),
    "neither gpu nor instance": ("gpu: L4:1", "nodes: 2"),
    "both gpu and instance": ("gpu: L4:1", "gpu: L4:1, instance: g6.xlarge"),
    "neither model nor memory": ("gpu: L4:1", "gpu: {count: 1}"),
    "no bucket in a mount": ("gpu: L4:1", "gpu: L4:1, data: [{prefix: x/}]"),
    "no bucket in checkpoints": ("gpu: L4:1", "gpu: L4:1, checkpoints: {every: 10m}"),
    "no port, image, replicas": ("training:", "inference: {i: {gpu: L4:1}}\ntraining:"),
    "no reason in a waiver": ("training:", "waivers: [{rule: r}]\ntraining:"),
    # wrong types
    "version as text": ("version: 1", 'version: "1"'),
    "version as truth": ("version: 1", "version: true"),
    "another version": ("version: 1", "version: 2"),
    "name as a number": ("name: small", "name: 12"),
    "owner as a list": ("owner: me", "owner: [me]"),
    "owner as truth": ("owner: me", "owner: true"),
    "where as text": ("{cloud: aws, regions: [us-east-1]}", "us-east-1"),
    "regions as text": ("[us-east-1]", "us-east-1"),
    "no region in regions": ("[us-east-1]", "[]"),
    "a region twice": ("[us-east-1]", "[us-east-1, us-east-1]"),
    "a step twice": ("gpu: L4:1", "gpu: L4:1, capacity: [spot, spot]"),
    "a long step twice": (
        "gpu: L4:1",
        """gpu: L4:1, capacity: [{spot: {region: a, max_price: 1}},
        {spot: {max_price: 1, region: a}}]""",
    ),
    "a number as a region": ("[us-east-1]", "[1]"),
    "training as a list": ("  t: {gpu: L4:1}", "  - {gpu: L4:1}"),
    "a workload as text": ("t: {gpu: L4:1}", "t: L4:1"),
    "a workload without a value": ("t: {gpu: L4:1}", "t:"),
    "gpu as a number": ("gpu: L4:1", "gpu: 8"),
    "gpu as a list": ("gpu: L4:1", "gpu: [L4]"),
    "gpu without a value": ("gpu: L4:1", "gpu:"),
    "nodes as text": ("gpu: L4:1", 'gpu: L4:1, nodes: "2"'),
    "nodes as truth": ("gpu: L4:1", "gpu: L4:1, nodes: true"),
    "half a node": ("gpu: L4:1", "gpu: L4:1, nodes: 1.5"),
    "a fabric without a unit": ("gpu: L4:1", "gpu: {model: L4, fabric_speed: 400}"),
    "a fabric of no speed": ("gpu: L4:1", "gpu: {model: L4, fabric_speed: 0Gbps}"),
    "a fabric in bytes alone": ("gpu: L4:1", "gpu: {model: L4, fabric_speed: 50GB}"),
    "a fabric by its trade name": ("gpu: L4:1", "gpu: {model: L4, fabric: Elastic Fabric}"),
    "a precision that no table has": ("gpu: L4:1", "gpu: {model: L4, precision: fp4}"),
    "an unknown processor": ("gpu: L4:1", "gpu: {model: L4, architecture: x86}"),
    "no vCPU": ("gpu: L4:1", "gpu: {model: L4, vcpu_per_gpu: 0}"),
    "bare memory of a machine": ("gpu: L4:1", "gpu: {model: L4, ram_per_gpu: 64}"),
    "a machine that costs nothing": ("gpu: L4:1", "gpu: {model: L4, max_per_hour: 0}"),
    "only words around the GPU": ("gpu: L4:1", "gpu: {precision: bf16, nvlink_domain: 8}"),
    "nvlink as a word": ("gpu: L4:1", "gpu: {model: L4, nvlink: yes please}"),
    "max_price as a word": ("gpu: L4:1", "gpu: L4:1, max_price: cheap"),
    "max_price with a sign": ("gpu: L4:1", "gpu: L4:1, max_price: $40"),
    "capacity as a mapping": ("gpu: L4:1", "gpu: L4:1, capacity: {spot: {}}"),
    "an empty capacity": ("gpu: L4:1", "gpu: L4:1, capacity: []"),
    "data as a mapping": ("gpu: L4:1", "gpu: L4:1, data: {bucket: b}"),
    "a mount as text": ("gpu: L4:1", "gpu: L4:1, data: [b]"),
    "versioned as a word": ("training:", "buckets: {b: {versioned: on}}\ntraining:"),
    "a rule as a word": ("training:", "rules: {spot-share: disabled}\ntraining:"),
    "a rule's setting as a mapping": ("training:", "rules: {r: {minimum: {a: 1}}}\ntraining:"),
    "a pool's capacity as a list": _pool(capacity="[spot]"),
    # outside a list of words
    "an unknown cloud": ("cloud: aws", "cloud: amazon"),
    "a cloud for later": ("cloud: aws", "cloud: lambda"),
    "an unknown kind": ("gpu: L4:1", "gpu: L4:1, capacity: [preemptible]"),
    "a kind for later": ("gpu: L4:1", "gpu: L4:1, capacity: [capacity-block]"),
    "an unknown fabric": ("gpu: L4:1", "gpu: L4:1, fabric: efa"),
    "an unknown mode": ("gpu: L4:1", "gpu: L4:1, data: [{bucket: b, mode: rw}]"),
    "an unknown target": ("owner: me", "owner: me\ntarget: production"),
    "an unknown level": ("training:", "rules: {r: {level: error}}\ntraining:"),
    # words for later
    "framework at the top": ("owner: me", "owner: me\nframework: {}"),
    "tags": ("gpu: L4:1", "gpu: L4:1, tags: {a: b}"),
    "on_breach at the top": ("owner: me", "owner: me\non_breach: stop"),
    "another end of a breach": ("owner: me", "owner: me\nbudget: {on_breach: delete}"),
    "a tag of AWS's own": ("owner: me", 'owner: me\ntags: {"aws:x": y}'),
    "a tag of ours": ("owner: me", 'owner: me\ntags: {"gpuinfra:x": y}'),
    "a network by its name": ("owner: me", "owner: me\nnetwork: {vpc: main}"),
    "monitoring as a word": ("owner: me", "owner: me\nmonitoring: all"),
    "a role for nobody": ("owner: me", "owner: me\ndeploy_role: {}"),
    "a framework without a version": ("gpu: L4:1", "gpu: L4:1, framework: {}"),
    "a version as a number": ("gpu: L4:1", "gpu: L4:1, framework: {cuda: 12.8}"),
    "an unknown layout": ("gpu: L4:1", "gpu: L4:1, efa_layout: all"),
    "idle without end": ("gpu: L4:1", "gpu: L4:1, idle_stop: {below: 5%}"),
    "a life without a unit": ("gpu: L4:1", "gpu: L4:1, time_to_live: 72"),
    "an unknown file system": ("gpu: L4:1", "gpu: L4:1, shared_storage: {deployment: fast}"),
    "reserved without a reservation": ("gpu: L4:1", "gpu: L4:1, capacity: [{reserved: {}}]"),
    "a block without an end": (
        "gpu: L4:1",
        "gpu: L4:1, capacity: [{capacity-block: {reservation: cr-0123456789abcdef0}}]",
    ),
    "a block with a local end": (
        "gpu: L4:1",
        (
            "gpu: L4:1, capacity: [{capacity-block: {reservation: cr-0123456789abcdef0, "
            "ends: 2026-12-01T11:30}}]"
        ),
    ),
    "a reservation for spot": (
        "gpu: L4:1",
        "gpu: L4:1, capacity: [{spot: {reservation: cr-0123456789abcdef0}}]",
    ),
    "spot that reserves": ("gpu: L4:1", "gpu: L4:1, capacity: [{spot: {reserve: true}}]"),
    "a pool in a block": _pool(capacity="capacity-block"),
    "a certificate by its name": _pool(certificate="example.com"),
    "a lock without a time": ("training:", "buckets: {b: {object_lock: {}}}\ntraining:"),
    "an alias as a key": ("training:", "buckets: {b: {encryption: alias/x}}\ntraining:"),
    "environments": ("owner: me", "owner: me\nenvironments: {}"),
    "run": ("gpu: L4:1", "gpu: L4:1, run: train.py"),
    "a model without a size": ("gpu: L4:1", "gpu: {for_model: {task: serve}}"),
    "a model by size and name": (
        "gpu: L4:1",
        "gpu: {for_model: {parameters: 8B, name: llama-3.1-8b}}",
    ),
    "a bare model size": ("gpu: L4:1", "gpu: {for_model: {parameters: 70}}"),
    "a model size in powers of ten": ("gpu: L4:1", "gpu: {for_model: {parameters: 7e9}}"),
    "a model size of nothing": ("gpu: L4:1", "gpu: {for_model: {parameters: 0B}}"),
    "an unknown task": ("gpu: L4:1", "gpu: {for_model: {parameters: 7B, task: dream}}"),
    "an unknown sharding": ("gpu: L4:1", "gpu: {for_model: {parameters: 7B, sharding: zero}}"),
    "an unknown precision": ("gpu: L4:1", "gpu: {for_model: {parameters: 7B, precision: half}}"),
    "an unknown key in a model": ("gpu: L4:1", "gpu: {for_model: {parameters: 7B, ctx: 1}}"),
    "a model with capitals": ("gpu: L4:1", "gpu: {for_model: Llama}"),
    "a model as a number": ("gpu: L4:1", "gpu: {for_model: 70}"),
    "no tokens": ("gpu: L4:1", "gpu: {for_model: {parameters: 7B, context: 0}}"),
    "a bare checkpoint": ("gpu: L4:1", "gpu: L4:1, checkpoints: {bucket: b, size: 140}"),
    "a bare rate": ("gpu: L4:1", "gpu: L4:1, data: [{bucket: b, rate: 4}]"),
    "a size as a rate": ("gpu: L4:1", "gpu: L4:1, checkpoints: {bucket: b, write: 2GB}"),
    "energy as a number": ("owner: me", "owner: me\nenergy: 1.5"),
    "a pue below one": ("owner: me", "owner: me\nenergy: {pue: 0.9}"),
    "a pue that is no number": ("owner: me", "owner: me\nenergy: {pue: .nan}"),
    "a pue as text": ("owner: me", 'owner: me\nenergy: {pue: "1.5"}'),
    "bare carbon": ("owner: me", "owner: me\nenergy: {carbon: 400}"),
    "carbon of a pound": ("owner: me", "owner: me\nenergy: {carbon: 400 lb/kWh}"),
    "queue": _pool(scale_on="{queue: {depth: 5}}"),
    "must be at least 1": _pool(replicas="0"),
    # malformed units and ranges, and numbers beyond their ends
    "a bare duration": ("gpu: L4:1", "gpu: L4:1, duration: 72"),
    "an unknown unit of time": ("gpu: L4:1", "gpu: L4:1, duration: 3 moons"),
    "a duration of nothing": ("gpu: L4:1", "gpu: L4:1, duration: 0h"),
    "a negative duration": ("gpu: L4:1", "gpu: L4:1, duration: -1h"),
    "a duration with a line break": ("gpu: L4:1", 'gpu: L4:1, duration: "72h\\n"'),
    "a bare size": ("gpu: L4:1", "gpu: L4:1, disk: {size: 500}"),
    "a bare short disk": ("gpu: L4:1", "gpu: L4:1, disk: 500"),
    "a size in small letters": ("gpu: L4:1", "gpu: L4:1, disk: 500gb"),
    "a size of nothing": ("training:", "buckets: {b: {size: 0GB}}\ntraining:"),
    "a negative size": ("training:", "buckets: {b: {size: -1TB}}\ntraining:"),
    "a size without end": ("training:", f"buckets: {{b: {{size: {'9' * 40}GB}}}}\ntraining:"),
    "requests in small letters": ("training:", "buckets: {b: {reads: 10m}}\ntraining:"),
    "half a request": ("training:", "buckets: {b: {reads: 1.5}}\ntraining:"),
    "a part of a request": ("training:", "buckets: {b: {writes: 1.2345k}}\ntraining:"),
    "fewer than no requests": ("training:", "buckets: {b: {writes: -1}}\ntraining:"),
    "requests without end": ("training:", f"buckets: {{b: {{reads: {10**16}}}}}\ntraining:"),
    "requests as truth": ("training:", "buckets: {b: {reads: true}}\ntraining:"),
    "unknown key in usage": ("owner: me", "owner: me\nusage: {data_in: 1TB}"),
    "bare data": ("owner: me", "owner: me\nusage: {data_out: 500}"),
    "usage of nothing": ("owner: me", "owner: me\nusage: {logs: 0GB}"),
    "a bare memory": ("gpu: L4:1", "gpu: {memory: 80}"),
    "a memory with two starts": ("gpu: L4:1", "gpu: {memory: ..80GB}"),
    "a bare share": _pool(scale_on="{gpu_utilization: 70}"),
    "a share beyond all": _pool(scale_on="{gpu_utilization: 170%}"),
    "two figures to scale on": _pool(scale_on="{gpu_utilization: 7%, gpu_memory: 7%}"),
    "an open range of replicas": _pool(replicas="1.."),
    "a port beyond the last": _pool(port="65536"),
    "no node": ("gpu: L4:1", "gpu: L4:1, nodes: 0"),
    "too many nodes": ("gpu: L4:1", "gpu: L4:1, nodes: 1001"),
    "a negative cap": ("owner: me", "owner: me\nbudget: {per_hour: -1}"),
    "a cap beyond bounds": ("owner: me", "owner: me\nbudget: {per_hour: 1000000001}"),
    "an endless cap": ("owner: me", "owner: me\nbudget: {per_hour: .inf}"),
    "a cap that is no number": ("owner: me", "owner: me\nbudget: {per_hour: .nan}"),
    "a cap too large for a number": ("owner: me", "owner: me\nbudget: {per_hour: 1e400}"),
    "an address that is none": ("owner: me", "owner: me\nbudget: {notify: [me]}"),
    "a name with capitals": ("name: small", "name: Small"),
    "a name of one letter": ("name: small", "name: s"),
    "a workload with capitals": ("t: {", "T: {"),
    "a workload with a line break": ("t: {", '"t\\n": {'),
    "has a name that is too long": ("t: {", f"{'t' * 41}: {{"),
    "a gpu without a count": ("gpu: L4:1", 'gpu: "L4:"'),
    "a gpu with no GPU": ("gpu: L4:1", "gpu: L4:0"),
    "a gpu the other way round": ("gpu: L4:1", "gpu: 8xH100"),
    "a prefix from the root": ("gpu: L4:1", "gpu: L4:1, data: [{bucket: b, prefix: /x/}]"),
    "a prefix that climbs": ("gpu: L4:1", "gpu: L4:1, data: [{bucket: b, prefix: ../x/}]"),
    "a prefix without an end": ("gpu: L4:1", "gpu: L4:1, data: [{bucket: b, prefix: x}]"),
    "a day that is none": (
        "training:",
        "waivers: [{rule: r, resource: r, reason: r, owner: r, until: tomorrow}]\ntraining:",
    ),
    "is empty": ("owner: me", 'owner: ""'),
}

SOUND_TO_A_SCHEMA = {
    # what a text without a folder can't be given
    "no name": ("name: small\n", ""),
    "no owner": ("owner: me\n", ""),
    "no where": ("where: {cloud: aws, regions: [us-east-1]}\n", ""),
    "no regions": (", regions: [us-east-1]", ""),
    "an empty where": ("cloud: aws, regions: [us-east-1]", ""),
    "an empty where of a workload": ("gpu: L4:1", "gpu: L4:1, where: {}"),
    "a day beyond the calendar": (
        "training:",
        "waivers: [{rule: r, resource: r, reason: r, owner: r, until: '2026-02-30'}]\ntraining:",
    ),
    "a duration beyond bounds": ("gpu: L4:1", "gpu: L4:1, duration: 6000d"),
    "a size beyond bounds": ("gpu: L4:1", "gpu: L4:1, disk: 2EB"),
    "a range upside down": ("gpu: L4:1", "gpu: {memory: 80GB..40GB}"),
    "a bucket that is not there": ("gpu: L4:1", "gpu: L4:1, data: [{bucket: b}]"),
    "a model without end": ("gpu: L4:1", "gpu: {for_model: 5000T}"),
    "a pool from zero without a queue": _pool(replicas="0..2"),
    "a vpc without subnets": ("owner: me", "owner: me\nnetwork: {vpc: vpc-0123456789abcdef0}"),
    "a vpc without a way out": (
        "owner: me",
        (
            "owner: me\nnetwork: {vpc: vpc-0123456789abcdef0, "
            "subnets: [subnet-0123456789abcdef0], nat: false}"
        ),
    ),
    "a price that nothing uses": ("gpu: L4:1", "gpu: L4:1, max_price: 4"),
}


def plain(text):
    """What any YAML reader has of a text, as JSON has it."""
    return _json(YAML(typ="safe", pure=True).load(text))


def _json(value):
    match value:
        case dict():
            return {str(key): _json(item) for key, item in value.items()}
        case list():
            return [_json(item) for item in value]
        case date():
            return value.isoformat()
    return value


def problems(text):
    try:
        loads(text)
    except InputError as error:
        return error.problems
    return ()


def structural(text):
    return [problem for problem in problems(text) if problem.structural]


@pytest.mark.parametrize("name", BROKEN)
def test_both_refuse(name, small, validator):
    old, new = BROKEN[name]
    assert old in small
    text = small.replace(old, new, 1)

    assert structural(text)
    assert not validator.is_valid(plain(text))


@pytest.mark.parametrize("name", SOUND_TO_A_SCHEMA)
def test_only_the_reader_knows(name, small, validator):
    text = small.replace(*SOUND_TO_A_SCHEMA[name], 1)

    assert problems(text)
    assert structural(text) == []
    assert validator.is_valid(plain(text))


def test_both_accept(whole, small, validator):
    short = small.replace("version: 1\n", "").replace("cloud: aws, ", "")
    for text in (whole, small, short, starter("demo")):
        assert problems(text) == ()
        assert list(validator.iter_errors(plain(text))) == []


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 70_000),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
    st.sampled_from(
        ["spot", "aws", "L4:1", "72h", "80GB..", "1..20", "70%", "x/", "a", "", "0", "1", "4.0",
         "us-east-1", "2026-12-31", "10TB", "Name", "é", "a b", "a\nb", "1\n", "-", "read"]
    ),
    st.text(st.characters(max_codepoint=0xD7FF), max_size=6),
    st.sampled_from([[], {}, ["spot"], ["us-east-1"], {"spot": {}}, {"model": "H100"}, [{}]]),
)  # fmt: skip
KEYS = st.sampled_from(
    ["gpu", "instance", "nodes", "size", "kind", "level", "run", "tags", "queue", "spot", "count",
     "reads", "usage", "data", "bucket", "memory", "Name", "x", "zones", "for_model",
     "on_demand_base", "è"]
)  # fmt: skip


ACTIONS = st.sampled_from(["set", "drop", "add"])


def paths_of(value, path=()):
    """Every place of a plain value but the top."""
    if isinstance(value, dict | list):
        for at in value if isinstance(value, dict) else range(len(value)):
            yield (*path, at)
            yield from paths_of(value[at], (*path, at))


def edited(value, path, action, key, new):
    """One change at a place, when it is still there."""
    *above, at = path
    try:
        for part in above:
            value = value[part]
        if isinstance(value, str) or value[at] is value:
            return
    except (LookupError, TypeError):
        return
    if action == "drop":
        value.pop(at)
    elif action == "set":
        value[at] = copy.deepcopy(new)
    elif isinstance(value, dict):
        value[key] = copy.deepcopy(new)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_both_judge_a_mutation_alike(data, whole, accepts):
    value = plain(whole)
    edit = st.tuples(st.sampled_from(list(paths_of(value))), ACTIONS, KEYS, VALUES)
    for path, action, key, new in data.draw(st.lists(edit, min_size=1, max_size=3)):
        edited(value, path, action, key, new)
    text = json.dumps(value, indent=1)

    assert bool(structural(text)) != accepts(value)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
def test_both_accept_what_is_shipped(file, validator):
    text = file.read_text(encoding="utf-8")

    assert problems(text) == ()
    assert list(validator.iter_errors(plain(text))) == []


def test_something_is_shipped():
    assert SHIPPED
