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
        project.read(folder)
    [one] = caught.value.problems
    return one


def test_a_program_in_python(tmp_path):
    found = project.read(written(tmp_path, "name: town\nruntime: python\n"))

    assert (found.name, found.runtime, found.options) == ("town", "python", {})
    assert found.program == found.working == found.settings == tmp_path


def test_a_runtime_has_options_and_a_project_has_configuration(tmp_path):
    text = (
        "name: town\nruntime: {name: python, options: {virtualenv: venv}}\n"
        "config: {aws:region: us-east-1}\n"
    )
    found = project.read(written(tmp_path, text))

    assert found.options == {"virtualenv": "venv"}
    assert found.config == {"aws:region": "us-east-1"}


@pytest.mark.parametrize("main", ["src", "src/", "src/__main__.py"])
def test_the_program_is_where_main_says(main, tmp_path):
    text = f"name: town\nruntime: python\nmain: {main}\n"
    found = project.read(written(tmp_path, text, main="src/__main__.py"))

    assert found.working == tmp_path / "src"
    assert found.program == (tmp_path / main)


@pytest.mark.parametrize("word", ["stackConfigDir", "config"])
def test_the_configuration_of_stacks_is_where_the_project_says(word, tmp_path):
    found = project.read(written(tmp_path, f"name: town\nruntime: python\n{word}: stacks\n"))

    assert found.settings == tmp_path / "stacks"
    assert found.config == {}


def test_a_project_may_be_json(tmp_path):
    found = project.read(written(tmp_path, '{"name": "town", "runtime": "python"}', "Pulumi.json"))

    assert found.name == "town"


def test_a_folder_without_a_project(tmp_path):
    assert problem(tmp_path).message == f"{tmp_path} has no Pulumi.yaml"


@pytest.mark.parametrize("runtime", ["nodejs", "go", "dotnet", "java", "bun"])
def test_another_language_is_untried_and_told_the_way_out(runtime, tmp_path):
    one = problem(written(tmp_path, f"name: town\nruntime: {runtime}\n"))

    assert one.value == runtime
    assert "untested" in one.message
    assert one.allowed == "python, yaml"
    assert "pulumi preview --json --show-sames" in one.fix


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("runtime: python\n", "has no name of the project"),
        ("name: [a]\nruntime: python\n", "has no name of the project"),
        ("name: town\n", "has no runtime"),
        ("name: town\nruntime: {name: python, options: 3}\n", "has no runtime"),
        ("name: town\nruntime: python\nmain: 3\n", "is not a path"),
        ("- a\n", "is not a mapping"),
        ("", "has no name of the project"),
    ],
)
def test_a_project_that_is_none(text, said, tmp_path):
    assert said in problem(written(tmp_path, text)).message


def test_broken_yaml_is_told_with_its_place(tmp_path):
    one = problem(written(tmp_path, "name: town\nruntime: [python\n"))

    assert one.position.file == str(tmp_path / "Pulumi.yaml")


@pytest.mark.parametrize("main", ["", "main: src\n"])
def test_a_program_that_is_not_there(main, tmp_path):
    folder = written(tmp_path, f"name: town\nruntime: python\n{main}", main="")
    (folder / "src").mkdir()

    one = problem(folder)

    assert "names a program that does not exist" in one.message
    assert one.value.endswith("__main__.py")


def test_what_a_compiler_makes_is_not_a_program_that_a_check_runs(tmp_path):
    text = "name: town\nruntime: {name: yaml, options: {compiler: cue export}}\n"
    found = problem(written(tmp_path, text, main=""))

    assert "made by a compiler, which a check does not run" in found.message
    assert found.value == "cue export"
    assert "pulumi preview --json" in found.fix
