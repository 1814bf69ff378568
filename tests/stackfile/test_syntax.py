"""Texts that are no YAML, or more than a stack file needs."""

import time

import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads, read_stack_file
from tests.stackfile.read_problems import only

BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{after}: &{after} [{','.join([f'*{before}'] * 10)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "a tab": ("training:\n\tt: 1\n", "a line is indented with a tab"),
    "a bomb": (BOMB, "anchors repeat too many values"),
    "itself": ("a: &a [*a]\n", "&a contains itself"),
    "no such name": ("a: *b\n", "no anchor &b is defined above this line"),
    "deep brackets": ("a: " + "[" * 5000, "values are nested more than 32 deep"),
    "deep lines": ("".join(" " * n + "a:\n" for n in range(60)), "values are nested more than 32"),
    "a long line": (f"name: {'x' * 10**6}\n", "the line is longer than 10,000 characters"),
    "a second document": ("version: 1\n---\nversion: 1\n", "the file holds a second document"),
    "a tag": ("a: !!python/object:os.system x\n", "YAML tags are not supported"),
    "a merge key": ("a: {<<: {b: 1}}\n", "merge keys are not supported"),
    "a key twice": ("name: a\nname: b\n", "'name' appears twice in one mapping"),
    "a key that is no text": ("true: 1\n", "'true' is a key that is not text"),
    "a key that is a list": ("? [a]\n: 1\n", "a key is not text"),
    "is not a number": ("a: .nan\n", "'.nan' is not a finite number"),
    "infinity": ("a: -.inf\n", "'-.inf' is not a finite number"),
    "too large": ("a: 1e400\n", "'1e400' is too large a number"),
    "too long": (f"a: {'9' * 5000}\n", "is too large a number"),
    "octal": ("a: 010\n", "some YAML readers take this number as octal,"),
    "the text contains half of a surrogate pair": (
        'a: "\\ud83d"\n',
        "the text contains half of a surrogate pair",
    ),
    "empty": ("", "the file is empty"),
    "only a comment": ("# nothing\n", "the file is empty"),
    "a list": ("- a\n", "the stack is a list, but must be a mapping"),
    "a text": ("hello\n", "the stack is text, but must be a mapping"),
    "an open quote": ('name: "x\n', "a quote is not closed"),
    "an open brace": ("a: {b: c\n", "a bracket or brace is not closed, or"),
    "a colon": ("a: b: c\n", "unexpected colon"),
    "no colon": ("a: 1\nb\n", "the line is neither `key: value` nor a list entry"),
    "a bad indent": ("a:\n    b: 1\n   c: 2\n", "the indentation matches no line above"),
    "an at sign": ("a: @b\n", "a text can't start with '@'"),
    "another YAML": ("%YAML 1.1\n---\na: 1\n", "the file requests another version of YAML"),
    "no value": ("training:\n", "'training' has no value"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_told_in_plain_words(name, tmp_path):
    text, message = HOSTILE[name]
    file = tmp_path / "stack.yaml"
    file.write_text(text, encoding="utf-8")
    start = time.monotonic()

    with pytest.raises(InputError) as caught:
        read_stack_file(file)

    assert time.monotonic() - start < 5
    assert any(message in problem.message for problem in caught.value.problems)
    assert all(problem.position for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("budget: {per_hour: 2\ntraining:\n  a: {gpu: L4}\n", 1, 9),
        ("training:\n  a: {gpu: L4\n  b: {gpu: L4}\n", 2, 6),
        ("where: {regions: [us-east-1\n", 1, 18),
        ("budget: {\n  per_hour: 2\n  per_month: 3}\n", 3, 12),
    ],
)
def test_an_open_bracket_is_reported_where_it_opens(text, line, column):
    with pytest.raises(InputError) as caught:
        loads(text)

    at = caught.value.problems[0].position
    assert at is not None
    assert (at.line, at.column) == (line, column)


def test_a_fault_in_one_value_makes_no_other(small):
    only(small.replace("gpu: L4:1", "gpu: L4:1, nodes: .nan"))
    only(small.replace("owner: me", "owner: *who"))
    only(small.replace("owner: me", "owner:"))
