"""An edit changes what was asked, and not one character more."""

import difflib
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads
from gpuinfra.stackfile.starter import starter
from gpuinfra.stackfile.yaml_composer import compose
from gpuinfra.stackfile.yaml_edit import set_value, yaml_text


def changed_lines(before, after):
    """The lines that went and came."""
    lines = difflib.ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True))
    changed = [line for line in lines if line[0] in "-+"]
    return [line[2:] for line in changed if line[0] == "-"], [
        line[2:] for line in changed if line[0] == "+"
    ]


def scalars_of(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from scalars_of(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from scalars_of(item, (*path, index))
    else:
        yield path


def at(value, path):
    for part in path:
        value = value[part]
    return value


NEW = st.one_of(
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.decimals(-1000, 1000, places=2),
    st.text(st.characters(min_codepoint=1, max_codepoint=0xD7FF), max_size=12),
    st.sampled_from(["72h", "true", "null", "1e3", "010", "- a", "a: b", "# c", "*a", "x ", ""]),
    st.lists(st.sampled_from(["spot", "us-east-1", 3]), max_size=3),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_only_the_edited_place_changes(data, whole):
    before = compose(whole, "x").value
    path = data.draw(st.sampled_from(list(scalars_of(before))))
    new = data.draw(NEW)

    after = set_value(whole, path, new)

    assert at(compose(after, "x").value, path) == new
    assert after.startswith(whole[: whole.index("version")])
    went, came = changed_lines(whole, after)
    block = path[-1] == "command"  # this one is written on two lines
    assert len(went) <= 1 + block
    assert len(came) <= 1
    if not block and came:
        assert came[0].partition("#")[2] == went[0].partition("#")[2] or "#" in str(new)


def test_a_comment_beside_the_value_stays(whole):
    after = set_value(whole, ("training", "trainer", "fabric"), "none")

    assert changed_lines(whole, after)[1] == [
        "    fabric: none                # required | preferred | none\n"
    ]


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (("training", "trainer", "machine_image"), "ami-1", "    machine_image: ami-1\n"),
        (("budget", "per_day"), 5, "  per_day: 5\n"),
        (("prices", "outdated_after_days"), 30, "prices: {outdated_after_days: 30}\n"),
        (("rules", "spot-share", "minimum"), "60%", 'rules: {spot-share: {minimum: "60%"}}\n'),
        (("where", "zones"), ["us-east-1a"], "zones: [us-east-1a]"),
        (("buckets", "data", "region"), "us-east-1", "30d, region: us-east-1}\n"),
    ],
)
def test_a_missing_key_is_added(path, value, line):
    text = starter("demo")

    after = set_value(text, path, value)

    assert at(compose(after, "x").value, path) == value
    assert line in after
    went, came = changed_lines(text, after)
    assert len(went) <= 1
    assert len(came) == 1


def test_line_ends_stay(small):
    text = small.replace("\n", "\r\n")

    after = set_value(text, ("target",), "sandbox")

    assert after == f"{text}target: sandbox\r\n"
    assert after.count("\n") == after.count("\r\n")
    assert loads(after).stack.target == "sandbox"


def test_a_shared_value_is_refused(small):
    text = small.replace("gpu: L4:1", "gpu: &gpu L4:1") + "  u: {gpu: *gpu}\n"

    for name in ("t", "u"):
        with pytest.raises(InputError, match="shared through an anchor"):
            set_value(text, ("training", name, "gpu"), "H100:8")


def test_a_place_that_holds_no_keys_is_refused(small):
    with pytest.raises(InputError, match="can't be changed"):
        set_value(small, ("name", "first"), "x")


def test_a_decimal_stays_exact(small):
    after = set_value(small, ("budget", "per_hour"), Decimal("12.50"))

    assert loads(after).stack.budget.per_hour == Decimal("12.50")
    assert "budget: {per_hour: 12.50}" in after


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("H100:8", "H100:8"),
        ("A100-80GB:1", "A100-80GB:1"),
        ("vllm/vllm-openai:v0.11.0", "vllm/vllm-openai:v0.11.0"),
        ("12:30", '"12:30"'),
        ("a: b", '"a: b"'),
        ("a:", '"a:"'),
        ("http://x", '"http://x"'),
    ],
)
def test_only_what_needs_quotes_gets_them(value, text):
    assert yaml_text(value) == text
    assert YAML(typ="safe", pure=True).load(f"{{key: {text}}}") == {"key": value}
