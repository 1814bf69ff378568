"""An edit is written where it belongs, and nothing else of the file changes."""

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.errors import InputError
from gpuinfra.fixes.fix import Edit
from gpuinfra.fixes.stack_file_edits import difference, with_edits, write
from gpuinfra.stackfile.yaml_composer import compose
from tests.fixes.conftest import SMALL

PATH = ("training", "trainer")


def edit(path, after, before=None):
    return Edit(path=path, before=before, after=after)


def comments(text):
    return [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]


EDITS = st.lists(
    st.sampled_from(
        [
            edit((*PATH, "nodes"), 1),
            edit((*PATH, "instance"), "p4d.24xlarge"),
            edit((*PATH, "capacity"), ["spot", "on-demand"]),
            edit((*PATH, "max_price"), 40),
            edit((*PATH, "disk"), {"size": "500GB", "iops": 6000}),
            edit((*PATH, "checkpoints", "every"), "5m"),
            edit(("where", "regions"), ["us-west-2"]),
            edit(("where", "zones"), []),
            edit(("buckets", "data", "tiering"), "30d"),
            edit(("buckets", "more"), {}),
            edit(("network", "nat"), False),
        ]
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda edit: edit.path[:3],
)


@settings(max_examples=30, deadline=None)
@given(
    edits=EDITS,
    crlf=st.booleans(),
    ends=st.sampled_from(["", "\n", "\n\n", "  # the end", "\n# the end\n"]),
)
def test_only_the_lines_of_the_edits_change_and_no_comment_is_lost(edits, crlf, ends):
    text = SMALL.rstrip("\n") + ends
    text = text.replace("\n", "\r\n") if crlf else text

    after = write(text, edits)

    assert compose(after, "x").value == with_edits(compose(text, "x").value, edits)
    assert comments(after) == comments(text)
    assert (after.count("\n") == after.count("\r\n")) is crlf or "\n" not in after
    lines = difflib.ndiff(text.splitlines(keepends=True), after.splitlines(keepends=True))
    gone = [line for line in lines if line.startswith("- ")]
    assert len(gone) <= len(edits) + 1  # a last line without an end gets one


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("nodes: 2", "nodes:    2  # two", "nodes:    1  # two"),
        ("nodes: 2", '"nodes": 2', '"nodes": 1'),
    ],
)
def test_spaces_and_quotes_around_stay(old, new, line):
    text = SMALL.replace(old, new)

    assert line in write(text, [edit((*PATH, "nodes"), 1)])


@pytest.mark.parametrize(
    ("comment", "line"),
    [
        ("          # required refuses machines without RDMA", "    fabric: none\n"),
        ("  # required by our code", "    fabric: none  # required by our code\n"),
    ],
)
def test_a_comment_of_init_goes_with_its_value_and_those_of_users_stay(comment, line):
    text = SMALL.replace("fabric: required", f"fabric: required{comment}")

    assert line in write(text, [edit((*PATH, "fabric"), "none")])


def test_a_list_on_several_lines_goes_on_one():
    text = SMALL.replace("capacity: on-demand", "capacity:\n      - spot\n      - on-demand")

    after = write(text, [edit((*PATH, "capacity"), "on-demand")])

    assert after == SMALL


def test_a_comment_in_a_list_on_several_lines_is_not_lost():
    text = SMALL.replace(
        "capacity: on-demand", "capacity:\n      - spot # first\n      - on-demand"
    )

    with pytest.raises(InputError, match="comments in between"):
        write(text, [edit((*PATH, "capacity"), "on-demand")])


def test_what_is_shared_through_an_anchor_is_refused():
    text = SMALL.replace("nodes: 2", "nodes: &n 2")

    with pytest.raises(InputError, match="shared through an anchor"):
        write(text, [edit((*PATH, "nodes"), 1)])


def test_an_anchor_elsewhere_is_no_matter():
    text = SMALL.replace("{bucket: data}", "&saved {bucket: data}")

    after = write(text, [edit((*PATH, "nodes"), 1)])

    assert after == text.replace("nodes: 2", "nodes: 1")


@pytest.mark.parametrize("key", ["budget", "rules", "waivers", "prices"])
def test_what_is_demanded_is_never_written(key):
    with pytest.raises(InputError, match="fixes do not change requirements"):
        write(SMALL, [edit((key, "per_hour"), 1000, before=100)])


def test_the_difference_names_the_file():
    after = write(SMALL, [edit((*PATH, "nodes"), 1)])

    assert difference(SMALL, after, "stack.yaml").splitlines()[:2] == [
        "--- stack.yaml",
        "+++ stack.yaml (fixed)",
    ]


def test_what_an_edit_removes_is_gone():
    value = {"a": {"b": 1, "c": [1, 2]}}

    assert with_edits(value, [edit(("a", "b"), None)]) == {"a": {"c": [1, 2]}}
    assert with_edits(value, [edit(("a", "c", 0), None)]) == {"a": {"b": 1, "c": [2]}}
    assert value == {"a": {"b": 1, "c": [1, 2]}}
