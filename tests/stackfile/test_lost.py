"""A stack whose name is misspelt: the one that is there is meant, and no new one."""

from pathlib import Path

import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import read_stack_file


def test_where_a_stack_of_a_like_name_is_there_no_new_one_is_offered(tmp_path: Path) -> None:
    (tmp_path / "my-stack").mkdir()
    (tmp_path / "my-stack/stack.yaml").touch()

    with pytest.raises(InputError) as caught:
        read_stack_file(tmp_path / "my-stak")
    (problem,) = caught.value.problems
    assert problem.suggestion == str(tmp_path / "my-stack")
    assert "init" not in problem.fix

    with pytest.raises(InputError) as caught:
        read_stack_file(tmp_path / "other")
    assert "gpuinfra init" in caught.value.problems[0].fix


def test_of_many_stacks_in_a_folder_the_others_are_counted(tmp_path: Path) -> None:
    for name in "abcdef":
        (tmp_path / name).mkdir()
        (tmp_path / name / "stack.yaml").touch()

    with pytest.raises(InputError) as caught:
        read_stack_file(tmp_path)

    assert f"{tmp_path / 'd'} and 2 more; " in caught.value.problems[0].fix
