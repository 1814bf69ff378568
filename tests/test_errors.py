from pathlib import Path

from gpuinfra.errors import command_line, forget_names, named_as


def test_a_command_names_a_stack_as_its_reader_did_however_often_it_is_read() -> None:
    forget_names()
    file = named_as(Path("prod/stack.yaml"), Path("prod"))
    named_as(file, file)

    assert command_line("status", file) == "gpuinfra status prod"
    forget_names()
    assert command_line("status", file) == "gpuinfra status prod/stack.yaml"
