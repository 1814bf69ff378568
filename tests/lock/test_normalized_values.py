import json
import random
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.lock import stack_values
from gpuinfra.stackfile import loads
from gpuinfra.stackfile.yaml_composer import compose
from tests.lock.conftest import STACKS

TEXT = (STACKS / "quickstart" / "stack.yaml").read_text()
VALUE = compose(TEXT, "stack.yaml").value

SAYS_SOMETHING_ELSE: list[tuple[tuple[str, ...], Any]] = [
    (("name",), "other"),
    (("owner",), "somebody"),
    (("budget", "per_hour"), 9),
    (("budget", "per_run"), 21),
    (("budget", "per_month"), 2201),
    (("budget", "notify"), ["other@example.com"]),
    (("prices", "accept_outdated"), True),
    (("prices", "bound_unknown"), True),
    (("prices", "outdated_after_days"), 401),
    (("prices", "not_counted"), ["aws:ec2/eip:Eip"]),
    (("where", "regions"), ["us-east-2"]),
    (("where", "regions"), ["us-east-1", "us-east-2"]),
    (("where", "zones"), ["us-east-1a"]),
    (("target",), "sandbox"),
    (("training", "trainer", "instance"), "g6.12xlarge"),
    (("training", "trainer", "nodes"), 3),
    (("training", "trainer", "fabric"), "preferred"),
    (("training", "trainer", "capacity"), ["on-demand", "spot"]),
    (("training", "trainer", "capacity"), ["spot"]),
    (("training", "trainer", "max_price"), 1.51),
    (("training", "trainer", "duration"), "241m"),
    (("training", "trainer", "command"), "python train.py"),
    (("training", "trainer", "machine_image"), "ami-0123456789abcdef0"),
    (("training", "trainer", "disk"), "201GB"),
    (("training", "trainer", "data"), [{"bucket": "data", "prefix": "other/"}]),
    (("training", "trainer", "checkpoints", "every"), "11m"),
    (("training", "trainer", "checkpoints", "prefix"), "saved/"),
    (("inference", "chat", "gpu"), "L4:4"),
    (("inference", "chat", "replicas"), "1..4"),
    (("inference", "chat", "replicas"), "2..3"),
    (("inference", "chat", "scale_on"), {"gpu_utilization": "71%"}),
    (("inference", "chat", "scale_on"), {"gpu_memory": "70%"}),
    (("inference", "chat", "capacity", "on_demand_base"), 2),
    (("inference", "chat", "capacity", "above"), "on-demand"),
    (("inference", "chat", "image"), "vllm/vllm-openai:v0.11.1"),
    (("inference", "chat", "args"), ["--model", "m"]),
    (("inference", "chat", "port"), 8001),
    (("inference", "chat", "health"), "/ready"),
    (("buckets", "data", "size"), "501GB"),
    (("buckets", "data", "versioned"), False),
    (("buckets", "data", "keep_noncurrent"), "31d"),
    (("buckets", "more"), {"size": "1GB"}),
    (("rules", "spot-share", "minimum"), "41%"),
    (("rules", "spot-share", "level"), "advisory"),
    (
        ("waivers",),
        [
            {
                "rule": "spot-share",
                "resource": "chat",
                "reason": "a test",
                "owner": "me",
                "until": "2026-12-31",
            }
        ],
    ),
]

MEANS_THE_SAME: list[tuple[tuple[str, ...], Any]] = [
    (("training", "trainer", "duration"), "240m"),
    (("training", "trainer", "disk"), {"size": "200GB"}),
    (("training", "trainer", "max_price"), 1.5),
    (("training", "trainer", "checkpoints", "every"), "600s"),
    (("inference", "chat", "health"), "/health"),
    (("inference", "chat", "args"), []),
    (("inference", "chat", "gpu"), {"model": "L4", "count": 1}),
    (("inference", "chat", "disk"), "0.2TB"),
    (("buckets", "data", "versioned"), True),
    (("prices", "outdated_after_days"), 400),
]


def digest(text: str) -> str:
    return stack_values(loads(text).stack).digest


def with_value(path: tuple[str, ...], value: Any) -> Any:
    changed = inner = deepcopy(VALUE)
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
    return changed


def as_text(value: Any) -> str:
    return json.dumps(value, default=str)


@pytest.mark.parametrize(("path", "value"), SAYS_SOMETHING_ELSE)
def test_whatever_a_key_says_otherwise_changes_the_digest(
    path: tuple[str, ...], value: Any
) -> None:
    assert digest(as_text(with_value(path, value))) != digest(TEXT)


@pytest.mark.parametrize(("path", "value"), MEANS_THE_SAME)
def test_another_way_to_write_the_same_changes_nothing(path: tuple[str, ...], value: Any) -> None:
    assert digest(as_text(with_value(path, value))) == digest(TEXT)


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        keys = sorted(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    indent=st.integers(0, 8),
    ending=st.sampled_from(["\n", "\r\n"]),
    comment=st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=20),
)
def test_order_of_keys_layout_comments_and_line_ends_change_nothing(
    seed: int, indent: int, ending: str, comment: str
) -> None:
    value = shuffled(VALUE, random.Random(seed))
    lines = json.dumps(value, default=str, indent=indent).splitlines()
    text = ending.join([f"# {comment}", *(f"{line}  # {comment}" for line in lines), ""])

    assert digest(text) == digest(TEXT)


@settings(max_examples=60)
@given(changes=st.lists(st.sampled_from(SAYS_SOMETHING_ELSE[12:]), min_size=1, max_size=3))
def test_what_differs_is_named_by_its_path(changes: list[tuple[tuple[str, ...], Any]]) -> None:
    then = stack_values(loads(TEXT).stack)
    value = deepcopy(VALUE)
    for path, new in changes:
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = new
    now = stack_values(loads(as_text(value)).stack)

    differing = {
        section: {
            name
            for name in {*getattr(then, section), *getattr(now, section)}
            if getattr(then, section).get(name) != getattr(now, section).get(name)
        }
        for section in ("settings", "workloads", "buckets")
    }

    for path, _ in changes:
        if path[0] in {"training", "inference"}:
            assert path[1] in differing["workloads"]
        elif path[0] == "buckets":
            assert path[1] in differing["buckets"]
        else:
            assert any(key.startswith(path[0]) for key in differing["settings"])


EARLIER = """\
version: 1
name: earlier
owner: me
budget: {per_month: 9}
where: {cloud: aws, regions: [us-east-1]}
training:
  t: {instance: g6.xlarge, capacity: [spot, on-demand], checkpoints: {bucket: b}}
inference:
  i: {gpu: "L4:1", replicas: 2, image: a/b:1, port: 80, scale_on: {gpu_memory: 80%}}
buckets:
  b: {size: 1TB}
"""


def test_a_lock_of_before_the_grammar_grew_still_matches() -> None:
    """The digest that this file had in November 2026, when locks could first be written."""
    assert digest(EARLIER) == (
        "sha256:8e5f838f06f565902e27822f0338627543aa8db5060e8f36f126b050b4837b0a"
    ), "the default of a new word is None: `declare` applies another value"
