"""Entries added to a list in the text of a file: nothing else moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.errors import InputError
from gpuinfra.stackfile.list_entries import ListEntry, extend_list
from gpuinfra.stackfile.yaml_composer import compose

TWO = (ListEntry({"rule": "a", "until": "2026-12-31"}, "remark"), ListEntry({"rule": "b: #c"}))
BLOCK = """\
waivers:
  # remark
  - rule: a
    until: 2026-12-31
  - rule: "b: #c"
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("version: 1\n", f"version: 1\n\n{BLOCK}"),
        ("version: 1", f"version: 1\n\n{BLOCK}"),
        ("version: 1\n# the end\n", f"version: 1\n# the end\n\n{BLOCK}"),
        (
            "waivers:\n- rule: z # why\n\n# tail\nname: q\n",
            (
                "waivers:\n- rule: z # why\n# remark\n- rule: a\n  until: 2026-12-31\n"
                '- rule: "b: #c"\n\n# tail\nname: q\n'
            ),
        ),
        (
            "waivers:\r\n    - {rule: z}\r\n",
            (
                "waivers:\r\n    - {rule: z}\r\n    # remark\r\n    - rule: a\r\n"
                '      until: 2026-12-31\r\n    - rule: "b: #c"\r\n'
            ),
        ),
        (
            "waivers: [] # none\n",
            'waivers: [\n  {rule: a, until: 2026-12-31},\n  {rule: "b: #c"}] # none\n',
        ),
        (
            "waivers: [{rule: z}, # why\n]\n",
            'waivers: [{rule: z},\n  {rule: a, until: 2026-12-31},\n  {rule: "b: #c"}, # why\n]\n',
        ),
        (
            '{"waivers": [{"rule": "z"}]}',
            '{"waivers": [{"rule": "z"},\n  {rule: a, until: 2026-12-31},\n  {rule: "b: #c"}]}',
        ),
    ],
)
def test_entries_go_to_the_end_of_the_list(before, after):
    assert extend_list(before, "waivers", TWO) == after


@pytest.mark.parametrize(
    "text",
    ["[1]", "waivers: 3\n", "a: &x [1]\nwaivers: *x\n", "waivers: &x\n  - 1\nb: *x\n", '{"a": 1}'],
)
def test_what_can_not_be_extended_is_refused(text):
    with pytest.raises(InputError):
        extend_list(text, "waivers", TWO)


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=3), st.booleans())
def test_any_text_comes_back_as_it_was(words, listed):
    words = [word for word in words if word.isprintable()] or ["x"]
    added = [ListEntry({"rule": "r", "resource": word}, comment_above=word) for word in words]
    before = "version: 1\nwaivers:\n  - {rule: z}\n# end\n" if listed else "version: 1\n"
    value = compose(extend_list(before, "waivers", added), "f").value
    assert [waiver["resource"] for waiver in value["waivers"][listed:]] == words


def test_a_remark_is_one_line_whatever_it_says():
    text = extend_list(
        "a: 1\n", "w", [ListEntry({"r": "x"}, comment_above="one\ntwo\x1b\u2028three: [")]
    )
    assert "  # one\\ntwo\\x1b\\u2028three: [\n" in text
