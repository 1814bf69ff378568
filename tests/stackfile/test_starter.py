"""The starter is sound, and explains every block."""

import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads
from gpuinfra.stackfile.starter import starter


def test_the_starter_is_sound():
    stack = loads(starter("demo")).stack

    assert stack.name == "demo"
    assert stack.prices.accept_outdated
    assert stack.training
    assert stack.inference
    assert stack.buckets


def test_every_block_has_a_comment():
    lines = starter("demo").splitlines()
    blocks = [number for number, line in enumerate(lines) if line[:1].isalpha()]

    for number in blocks:
        if not lines[number].startswith(("version", "name")):
            assert "#" in lines[number] or lines[number - 1].startswith("#")


@pytest.mark.parametrize("name", ["Bad Name", "x", "a: b", "x\nowner: you", ""])
def test_a_bad_name_is_refused(name):
    with pytest.raises(InputError, match="name is"):
        starter(name)
