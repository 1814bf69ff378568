"""A stack file beside a program that is not its own: what is not judged is said."""

from pathlib import Path

import pytest

from tests.cli.conftest import STACKS, Run

STACK = """\
name: beside
owner: ml
budget: {per_hour: 2, per_month: 800}
where: {cloud: gcp, regions: [us-central1]}
training: {t: {gpu: L4:1}}
"""
FOREIGN = "name: p\nruntime: yaml\nresources: {}\n"
PYTHON = "name: p\nruntime: python\n"


@pytest.mark.parametrize("verb", ["check", "cost"])
@pytest.mark.parametrize("named", ["", "stack.yaml"])
def test_a_program_beside_a_stack_file_is_told(
    tmp_path: Path, gpuinfra: Run, verb: str, named: str
) -> None:
    (tmp_path / "stack.yaml").write_text(STACK)
    (tmp_path / "Pulumi.yaml").write_text(FOREIGN)
    ran = gpuinfra(verb, tmp_path / named)
    told = f"not judged: the program of {tmp_path}/Pulumi.yaml: "

    assert f"{told}gpuinfra {verb} {tmp_path} --program" in ran.err


@pytest.mark.parametrize(
    ("project", "file", "text", "told"),
    [
        (PYTHON, "__main__.py", 'import gpuinfra\n\ngpuinfra.deploy("stack.yaml")\n', False),
        (PYTHON, "__main__.py", "from gpuinfra import deploy\n\ndeploy(STACK)\n", False),
        (PYTHON, "__main__.py", "import pulumi_aws\n", True),
        (PYTHON, "other.py", 'import gpuinfra\n\ngpuinfra.deploy("stack.yaml")\n', True),
        (
            f"{PYTHON}main: app/\n",
            "app/__main__.py",
            "import gpuinfra\ngpuinfra.deploy()\n",
            False,
        ),
    ],
)
def test_a_program_that_deploys_the_stack_file_is_its_own(
    tmp_path: Path, gpuinfra: Run, project: str, file: str, text: str, told: bool
) -> None:
    (tmp_path / "stack.yaml").write_text(STACK)
    (tmp_path / "Pulumi.yaml").write_text(project)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)

    assert ("not judged: the program" in gpuinfra("check", tmp_path).err) is told


def test_the_shipped_stacks_have_programs_of_their_own(gpuinfra: Run) -> None:
    assert "not judged: the program" not in gpuinfra("check", STACKS / "quickstart").err
