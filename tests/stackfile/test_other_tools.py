"""Files of other tools are recognised in one sentence."""

import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads, read_stack_file

TASK = "resources: {accelerators: H100:8}\nnum_nodes: 2\nsetup: pip install x\nrun: python t.py\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (TASK, "a SkyPilot task"),
        ("resources: {cpus: 4}\nrun: x\n", "a SkyPilot task"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "a Kubernetes manifest"),
        ("services: {web: {image: nginx}}\n", "a Docker Compose file"),
        ("name: a\nruntime: python\n", "a Pulumi project file"),
        ('{"config": {"gcp:zone": "a"}, "steps": []}', "a preview of Pulumi"),
        ('{"steps": [], "changeSummary": {}}', "a preview of Pulumi"),
        ('{"version": 3, "deployment": {"resources": []}}', "a state of Pulumi"),
    ],
)
def test_a_file_of_another_tool_is_one_problem(text, what):
    with pytest.raises(InputError) as caught:
        loads(text)

    [problem] = caught.value.problems
    assert problem.message == f"this is {what}, not a stack file"
    assert problem.fix
    assert problem.position is not None


@pytest.mark.parametrize(
    ("start", "is_json"), [('{"version": 3, "deployment": [', True), ("name: [", False)]
)
def test_json_in_one_long_line_is_told_which_commands_read_it(tmp_path, start, is_json):
    file = tmp_path / "state.json"
    file.write_text(f"{start}{'1, ' * 5000}1]{'}' * is_json}\n")
    with pytest.raises(InputError) as caught:
        read_stack_file(file)

    (problem,) = caught.value.problems
    assert problem.message == "the line is longer than 10,000 characters"
    assert ("only check, plan, cost and report read it" in problem.fix) is is_json


def test_the_machines_of_a_task_are_translated():
    with pytest.raises(InputError) as caught:
        loads(TASK)

    assert "training: {NAME: {gpu: H100:8, nodes: 2, command: …}}" in caught.value.problems[0].fix


def test_a_stack_file_with_a_key_of_another_tool_stays_one():
    with pytest.raises(InputError) as caught:
        loads(f"training: {{t: {{gpu: L4}}}}\n{TASK}")

    assert any("unknown key" in problem.message for problem in caught.value.problems)


def test_a_file_of_prices_is_no_compose_file():
    with pytest.raises(InputError) as caught:
        loads("services: [{item: nat-gateway, per_hour: 0.05}]\n")

    assert not any("Compose" in problem.message for problem in caught.value.problems)


def test_a_python_program_is_checked_by_its_folder(tmp_path):
    program = tmp_path / "__main__.py"
    program.write_text("import pulumi\n")

    with pytest.raises(InputError) as caught:
        read_stack_file(program)

    [problem] = caught.value.problems
    assert problem.message == f"{program} is a Python program, not a stack file"
    assert problem.fix.endswith(f"check its folder: gpuinfra check {tmp_path}")


@pytest.mark.parametrize("text", ["hello\n", ""])
def test_no_version_is_asked_for_where_none_is_needed(text):
    with pytest.raises(InputError) as caught:
        loads(text)

    [problem] = caught.value.problems
    assert "version: 1" not in f"{problem.fix} {problem.allowed}"
