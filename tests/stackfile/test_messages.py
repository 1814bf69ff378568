"""A problem as a person sees it."""

import pytest

from gpuinfra.errors import InputError, Position, Problem
from gpuinfra.stackfile import loads
from gpuinfra.stackfile.messages import describe


def test_everything_that_is_known():
    with pytest.raises(InputError) as caught:
        loads("version: 1\nname: small\nowner: me\nwhere: {cloud: aw, regions: [a]}\n"
              "buckets: {data: {}}\n", "stack.yaml")  # fmt: skip

    assert describe(caught.value.problems[0]) == (
        "stack.yaml:4:16: where.cloud is not an accepted word\n    4 | where: {cloud: "
        "aw, regions: [a]}\n      |                ^\n  value:   aw\n  did you mean 'aws'?\n"
        "  allowed: aws, gcp, azure, any"
    )


def test_without_a_place():
    assert describe(Problem(message="it does not exist", fix="make it")) == (
        "it does not exist\n  fix:     make it"
    )


def test_control_characters_are_escaped():
    at = Position("a\x1b[2Jb", 1, 4, "\ta\x1b[31mb\u202e")
    text = describe(Problem(message="x\ry\nz", value="\x07", position=at))

    assert all(character.isprintable() or character == "\n" for character in text)
    assert text.splitlines()[0] == r"a\x1b[2Jb:1:4: x\ry\nz"


@pytest.mark.parametrize(
    ("line", "column", "shown"),
    [
        ("a: 漢字 x", 4, 3),
        ("漢字: x", 5, 6),
        ("\t\tx", 3, 2),
        ("e\u0301e\u0301: x", 7, 4),
        ("a\x1b: x", 5, 7),
    ],
)
def test_the_caret_stands_below(line, column, shown):
    text = describe(Problem(message="m", position=Position("f", 7, column, line)))

    gutter = len("    7 | ")
    assert text.splitlines()[2].index("^") - gutter == shown


@pytest.mark.parametrize("column", [1, 500, 100_000])
def test_a_long_line_is_cut_around_the_caret(column):
    line = "x" * (column - 1) + "!" + "y" * 100_000
    text = describe(Problem(message="m", position=Position("f", 1, column, line)))

    _, shown, caret = text.splitlines()
    assert len(shown) < 120
    assert shown[caret.index("^")] == "!"


@pytest.mark.parametrize("columns", [40, 80])
def test_a_line_is_cut_to_the_columns_of_its_reader(columns):
    line = "x" * 98 + "!" + "y" * 100
    at = Position("f", 12_345, 99, line)
    text = describe(Problem(message="m", position=at), columns=columns)

    _, shown, caret = text.splitlines()
    assert max(map(len, text.splitlines())) <= columns
    assert shown[caret.index("^")] == "!"


def test_all_but_the_line_is_broken_by_the_callers_function():
    at = Position("f", 1, 1, "x")
    problem = Problem(message="m", value="v", allowed="a", fix="b", position=at)

    assert describe(problem, lambda text, under: f"{text}({len(under)})") == (
        "f:1:1: m(2)\n    1 | x\n      | ^\n  value:   v(11)\n  allowed: a(11)\n  fix:     b(11)"
    )


def test_a_long_value_is_cut():
    assert len(describe(Problem(message="m", value="x" * 10**6))) < 200


def test_the_keys_of_a_mapping_are_cut_in_the_order_of_the_grammar():
    with pytest.raises(InputError) as raised:
        loads("rules")

    assert (
        "allowed: a mapping of version, name, owner, budget, prices, where, tags, network"
        " and 10 more\n"
    ) in describe(raised.value.problems[0])


def test_what_a_pool_lacks_is_told_with_a_line_to_copy():
    text = (
        "version: 1\nname: shop\nowner: me\nwhere: {cloud: aws, regions: [us-east-1]}\n"
        "inference: {chat: {gpu: L4:1}}\n"
    )
    with pytest.raises(InputError) as raised:
        loads(text)

    [problem] = raised.value.problems
    assert problem.message == "inference.chat has no 'replicas', no 'image' and no 'port'"
    assert problem.allowed.startswith("replicas: machines: 2, or a range, ")
    assert problem.fix == (
        "add replicas: 1..3; add image: vllm/vllm-openai:v0.11.0; add port: 8000"
    )
