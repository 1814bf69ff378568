import pytest

from gpuinfra.engine.program_preview import project
from gpuinfra.errors import InputError


def written(folder, text, name="Pulumi.yaml", *, main="__main__.py"):
    (folder / name).write_text(text)
    if main:
        (folder / main).parent.mkdir(parents=True, exist_ok=True)
        (folder / main).write_text("")
    return folder


def problem(folder):
    with pytest.raises(InputError) as caught:
        project.read_project(folder)
    [only] = caught.value.problems
    return only


def test_a_program_in_python(tmp_path):
    town = project.read_project(written(tmp_path, "name: town\nruntime: python\n"))

    assert (town.name, town.runtime, town.options) == ("town", "python", {})
    assert town.program == town.working == town.settings == tmp_path


def test_a_runtime_has_options_and_a_project_has_configuration(tmp_path):
    text = (
        "name: town\nruntime: {name: python, options: {virtualenv: venv}}\n"
        "config: {aws:region: us-east-1}\n"
    )
    town = project.read_project(written(tmp_path, text))

    assert town.options == {"virtualenv": "venv"}
    assert town.config == {"aws:region": "us-east-1"}


@pytest.mark.parametrize("main", ["src", "src/", "src/__main__.py"])
def test_the_program_is_where_main_says(main, tmp_path):
    text = f"name: town\nruntime: python\nmain: {main}\n"
    town = project.read_project(written(tmp_path, text, main="src/__main__.py"))

    assert town.working == tmp_path / "src"
    assert town.program == (tmp_path / main)


@pytest.mark.parametrize("word", ["stackConfigDir", "config"])
def test_the_configuration_of_stacks_is_where_the_project_says(word, tmp_path):
    town = project.read_project(
        written(tmp_path, f"name: town\nruntime: python\n{word}: stacks\n")
    )

    assert town.settings == tmp_path / "stacks"
    assert town.config == {}


def test_a_project_may_be_json(tmp_path):
    town = project.read_project(
        written(tmp_path, '{"name": "town", "runtime": "python"}', "Pulumi.json")
    )

    assert town.name == "town"


def test_a_folder_without_a_project(tmp_path):
    assert problem(tmp_path).message == f"{tmp_path} has no Pulumi.yaml"


@pytest.mark.parametrize("runtime", ["nodejs", "go", "dotnet", "java", "bun"])
def test_another_language_is_untried_and_told_the_way_out(runtime, tmp_path):
    refusal = problem(written(tmp_path, f"name: town\nruntime: {runtime}\n"))

    assert refusal.value == runtime
    assert "untested" in refusal.message
    assert refusal.allowed == "python, yaml"
    assert "pulumi preview --json --show-sames" in refusal.fix


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runtime: python\n", "has no project name"),
        ("name: [a]\nruntime: python\n", "has no project name"),
        ("name: town\n", "has no runtime"),
        ("name: town\nruntime: {name: python, options: 3}\n", "has no runtime"),
        ("name: town\nruntime: python\nmain: 3\n", "is not a path"),
        ("- a\n", "is not a mapping"),
        ("", "has no project name"),
    ],
)
def test_a_project_that_is_none(text, message, tmp_path):
    assert message in problem(written(tmp_path, text)).message


def test_broken_yaml_is_told_with_its_place(tmp_path):
    refusal = problem(written(tmp_path, "name: town\nruntime: [python\n"))

    assert refusal.position.file == str(tmp_path / "Pulumi.yaml")


@pytest.mark.parametrize("main", ["", "main: src\n"])
def test_a_program_that_is_not_there(main, tmp_path):
    folder = written(tmp_path, f"name: town\nruntime: python\n{main}", main="")
    (folder / "src").mkdir()

    refusal = problem(folder)

    assert "names a program that does not exist" in refusal.message
    assert refusal.value.endswith("__main__.py")


def test_what_a_compiler_makes_is_not_a_program_that_a_check_runs(tmp_path):
    text = "name: town\nruntime: {name: yaml, options: {compiler: cue export}}\n"
    refusal = problem(written(tmp_path, text, main=""))

    assert "a check does not run compilers" in refusal.message
    assert refusal.value == "cue export"
    assert "pulumi preview --json" in refusal.fix
