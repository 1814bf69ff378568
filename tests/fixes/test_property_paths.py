"""Properties of resources by path: found, and set in a copy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.fixes.edited_resources import with_edits
from gpuinfra.fixes.fix import Edit
from gpuinfra.fixes.property_paths import (
    immutable,
    matching_paths,
    parse_path,
    value_at,
    with_value,
)
from gpuinfra.fixes.related_resources import RelatedResources
from gpuinfra.model import UNKNOWN, Resource

VALUES = st.recursive(
    st.one_of(st.integers(), st.text(max_size=3), st.booleans()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)
PATHS = st.lists(st.one_of(st.sampled_from("abc"), st.integers(0, 2)), min_size=1, max_size=3).map(
    lambda parts: ("top", *parts)
)


@given(value=st.dictionaries(st.sampled_from("abc"), VALUES), path=PATHS, new=st.integers())
def test_what_is_set_is_found_and_the_old_value_stays(value, path, new):
    before = repr(value)

    after = with_value(value, path, new)

    assert value_at(after, path) == new
    assert repr(value) == before


def test_what_is_removed_is_gone():
    value = {"a": [{"b": 1, "c": 2}, 3]}

    assert with_value(value, ("a", 0, "b"), None) == {"a": [{"c": 2}, 3]}
    assert with_value(value, ("a", 1), None) == {"a": [{"b": 1, "c": 2}]}
    assert with_value(value, ("a",), None) == {}


def test_a_value_is_found_or_not():
    value = {"a": [{"b": 1}], "t": (2,)}

    assert value_at(value, ("a", 0, "b")) == 1
    assert value_at(value, ("t", 0)) == 2
    assert value_at(value, ("a", 1, "b")) is None
    assert value_at(value, ("a", "b")) is None


@pytest.mark.parametrize("value", [UNKNOWN, "text", 3, None])
def test_an_entry_of_what_is_no_list_begins_one(value):
    assert with_value(value, (0,), 1) == [1]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("disks[*].encrypted", [("disks", 0, "encrypted"), ("disks", 1, "encrypted")]),
        ("disks[+]", [("disks", 2)]),
        ("name", [("name",)]),
        ("options.tokens", [("options", "tokens")]),
        ("hidden[*].x", []),
        ("hidden", []),
        ("hidden.x", []),
    ],
)
def test_a_path_stands_for_what_is_there(path, expected):
    inputs = {"disks": [{}, {"encrypted": False}], "hidden": UNKNOWN}

    assert list(matching_paths(inputs, parse_path(path))) == expected


def test_what_is_kept_can_not_be_changed():
    assert immutable({"a": [1, {"b": [2]}]}) == {"a": (1, {"b": (2,)})}


def resource(name, inputs=None, relations=None, **outputs):
    return Resource(
        urn=f"urn:{name}",
        type="x",
        name=name,
        inputs=inputs or {},
        relations=relations or {},
        outputs=outputs,
    )


def test_related_is_what_is_reached_and_what_reaches_it():
    group = resource("group", {"template": {"id": "lt-1"}})
    template = resource("template", {"role": "node"}, id="lt-1")
    role = resource("role", id="node")
    policy = resource("policy", {"role": "node"})
    other = resource("other", relations={"a": ("urn:elsewhere",)})
    related = RelatedResources([group, template, role, policy, other])

    assert [resource.name for resource in related.resources_about("urn:group")] == [
        *("group", "template", "role", "policy"),
    ]
    assert len(related.resources_about("the stack")) == 5


def test_resources_of_one_id_are_all_related():
    group = resource("group", {"role": "node"})
    both = [resource("role", id="node"), resource("profile", id="node")]

    assert len(RelatedResources([group, *both]).resources_about("urn:group")) == 3


def test_a_list_with_what_is_not_known_keeps_what_it_is_related_to():
    group = resource("group", {"zones": [UNKNOWN, UNKNOWN]}, relations={"zones": ("urn:subnet",)})
    edit = Edit(path=("zones",), before=None, after=(UNKNOWN,), resource="urn:group", type="x")

    (after,) = with_edits([group], [edit])

    assert after.inputs == {"zones": [UNKNOWN]}
    assert after.relations == {"zones": ("urn:subnet",)}


def test_references_in_a_list_are_resolved():
    group = resource("group", id="sg-1")
    after = ("${group.id}", {"to": ["${group.id}"]})
    edit = Edit(path=("rules",), before=None, after=after, resource="urn:group", type="x")

    (group_,) = with_edits([group], [edit])

    assert group_.inputs == {"rules": ["sg-1", {"to": ["sg-1"]}]}
    assert group_.relations == {"rules": ("urn:group", "urn:group")}


def test_an_edit_leaves_what_is_marked_as_a_secret_so():
    inputs = {"env": {"TOKEN": "abc", "MODE": "slow"}, "size": 1}
    marked = Resource(
        urn="u",
        type="t",
        name="n",
        inputs=inputs,
        redacted_inputs={"env": {"TOKEN": UNKNOWN, "MODE": "slow"}},
    )
    edits = [
        Edit(path=path, before=None, after="fast", resource="u", type="t")
        for path in (("env", "MODE"), ("size",))
    ]
    (edited,) = with_edits([marked], edits)
    assert edited.inputs == {"env": {"TOKEN": "abc", "MODE": "fast"}, "size": "fast"}
    assert edited.redacted_inputs == {"env": {"TOKEN": UNKNOWN, "MODE": "fast"}}
