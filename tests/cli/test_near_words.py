"""What a wrong word is answered with: the word that it probably meant, or what to write."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpuinfra import sandbox as local_cloud
from gpuinfra.catalog.gpus import most_similar
from tests.cli.conftest import Run

HEAD = "name: demo\nowner: ml\nbudget: {per_hour: 100}\nwhere: {regions: [us-east-1]}\n"


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def refused(gpuinfra: Run, tmp_path: Path):
    """What check says of a training workload, in one line."""

    def of(workload: str, region: str = "us-east-1") -> str:
        text = f"{HEAD}training: {{t: {{{workload}}}}}\n".replace("us-east-1", region)
        (tmp_path / "stack.yaml").write_text(text, "utf-8")
        done = gpuinfra("check", tmp_path)
        assert done.code == 2
        return words(done.err)

    return of


def test_a_region_is_listed_once_however_many_clouds_have_it(gpuinfra: Run) -> None:
    done = gpuinfra("choose", "H100:8", "--region", "eu-west-9")
    allowed = words(done.err).partition("allowed: ")[2].partition(" and ")[0].split(", ")

    assert "us-west-1" in allowed
    assert len(set(allowed)) == len(allowed)


@pytest.mark.parametrize(("given", "meant"), [("8xH100", "H100:8"), ("4*L4", "L4:4")])
def test_a_count_before_a_gpu_is_turned_around(gpuinfra: Run, given: str, meant: str) -> None:
    done = gpuinfra("choose", given)

    assert f"'{given}' is not a request for GPUs" in done.err
    assert f"did you mean '{meant}'?" in done.err


def test_a_misspelt_city_is_answered_with_its_regions(gpuinfra: Run) -> None:
    done = gpuinfra("choose", "T4", "--region", "frankfrt")

    assert "did you mean frankfurt? write eu-central-1" in words(done.err)


def test_a_gpu_that_a_cloud_lacks_is_answered_with_the_nearest(gpuinfra: Run, refused) -> None:
    near = "available on aws, gcp; nearest in memory and speed: T4 (16 GB, 65 FP16 TFLOPS), "

    assert near in words(gpuinfra("choose", "L4:1", "--cloud", "azure").err)
    assert near in refused("gpu: L4:1, duration: 4h", "eastus")
    everywhere = words(gpuinfra("choose", "RTX4090").err)
    assert "nearest in memory and speed: L4 (24 GB, 121 BF16 TFLOPS), " in everywhere
    assert "; RTX-4090 has 24 GB, 165.2 BF16 TFLOPS" in everywhere
    assert "more fix:" in everywhere


def test_the_likest_gpu_has_like_memory_and_speed() -> None:
    assert most_similar(["L4"], ["H100-SXM-80GB", "T4", "A10"])[0] == "A10"
    assert (
        most_similar(["H100-SXM-80GB"], ["L4", "TRAINIUM1", "H200-SXM-141GB"])[0]
        == "H200-SXM-141GB"
    )


@pytest.mark.parametrize(
    ("asked", "offered", "nearest"),
    [
        ("L40", ["INFERENTIA2", "TRAINIUM1", "L4", "A100-SXM-40GB", "L40S"], "L40S"),
        ("L40", ["INFERENTIA2", "T4"], "T4"),
        ("TRAINIUM1", ["V100-32GB", "INFERENTIA2"], "INFERENTIA2"),
        ("A6000", ["V100-32GB", "L40S"], "L40S"),
        ("RTX-4090", ["RTX-PRO-4500-SE-32GB", "T4"], "T4"),
        ("A10G", ["INFERENTIA1", "INFERENTIA2"], "INFERENTIA2"),
    ],
)
def test_the_likest_gpu_runs_the_same_programs_and_has_the_memory(
    asked: str, offered: list[str], nearest: str
) -> None:
    assert most_similar([asked], offered)[0] == nearest


def test_a_gpu_that_is_not_sold_is_shown_with_the_nearest_that_is(gpuinfra: Run) -> None:
    shown = words(gpuinfra("catalog", "show", "RTX4090").out)

    assert "no machine type in the catalog has it; nearest in memory and speed: A30 (24" in shown
    assert "0 machine types" not in shown


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("init", "--what", "fintune"), "fine-tune"),
        (("choose", "H100:8", "--format", "tabel"), "table"),
        (("init", "--cloud", "azur"), "azure"),
    ],
)
def test_a_wrong_choice_is_answered_with_the_near_one(
    gpuinfra: Run, arguments: tuple[str, ...], meant: str
) -> None:
    done = gpuinfra(*arguments)

    assert done.code == 2
    assert f"did you mean '{meant}'?" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("up", "--target", "moon"),
            """error: the value of --target is not an accepted word
  value:   moon
  allowed: sandbox, cloud
  Try 'gpuinfra up --help' for the options
""",
        ),
        (
            ("completion",),
            """error: SHELL is missing
  allowed: bash, zsh, fish
  Try 'gpuinfra completion --help' for the options
""",
        ),
    ],
)
def test_choices_are_told_as_the_words_of_a_file_are(
    gpuinfra: Run, arguments: tuple[str, ...], told: str
) -> None:
    assert gpuinfra(*arguments).err == told


def test_an_option_without_its_values_names_the_help(gpuinfra: Run) -> None:
    done = gpuinfra("cost", ".", "--compare", "one")

    assert "Try 'gpuinfra cost --help' for the options" in done.err


@pytest.mark.parametrize("command", ["check", "cost", "plan"])
def test_an_option_for_what_the_file_says_is_answered_with_its_key(
    gpuinfra: Run, command: str
) -> None:
    done = gpuinfra(command, "--region", "us-east-1")

    assert "the region is in the file: where: {regions: […]}" in done.err
    assert "Did you mean" not in done.err


def git(folder: Path, *arguments: str) -> None:
    known = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *known, *arguments], cwd=folder, check=True, capture_output=True)


def test_an_unknown_revision_is_answered_with_those_that_are_there(
    gpuinfra: Run, tmp_path: Path
) -> None:
    text = f"{HEAD}training: {{t: {{gpu: L4:1, duration: 4h}}}}\n"
    (tmp_path / "stack.yaml").write_text(text, "utf-8")
    git(tmp_path, "init", "-q", "-b", "trunk")
    first = gpuinfra("cost", tmp_path, "--diff", "main").err
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    second = gpuinfra("cost", tmp_path, "--diff", "trnk").err

    assert "the repository has no commit to compare with" in first
    assert "did you mean 'trunk'?" in second
    assert "HEAD~1, trunk" in second


def test_a_stack_is_not_suggested_for_another_word(gpuinfra: Run, tmp_path: Path) -> None:
    (tmp_path / "three").mkdir()
    (tmp_path / "three/stack.yaml").write_text(HEAD, "utf-8")

    assert "did you mean" not in gpuinfra("check", tmp_path / "nothere").err
    assert "did you mean" in gpuinfra("check", tmp_path / "thre").err


@pytest.mark.parametrize(
    ("workload", "told"),
    [
        ("gpu: L4:1, duration: 0h", "training.t.duration must be more than 0"),
        ("gpu: L4:1, duration: 4h, disk: 0GB", "must be more than 0"),
        ("gpu: L4:1, duration: 4h, framework: {pytorch: 2.4}", 'put it in quotes: "2.4"'),
        ("gpu: H100:8, instance: g6.xlarge", "fix: remove gpu: g6.xlarge has L4:1; or remove"),
        ("gpu: H100:8, instance: mine.large", "fix: remove gpu; or remove instance, and the"),
    ],
)
def test_a_wrong_value_is_answered_with_what_is_wrong_with_it(
    refused, workload: str, told: str
) -> None:
    assert told in refused(workload)


@pytest.mark.parametrize(("name", "kind"), [("x.html", "an HTML page"), ("a.md", "a Markdown")])
def test_a_file_of_another_kind_is_named_as_what_it_is(
    gpuinfra: Run, tmp_path: Path, name: str, kind: str
) -> None:
    (tmp_path / name).write_text("<!DOCTYPE html>", "utf-8")
    done = gpuinfra("check", tmp_path / name)

    assert done.code == 2
    assert f"{name} is {kind}" in words(done.err)


def test_a_report_is_written_as_html_alone(
    gpuinfra: Run, tmp_path: Path, quickstart: Path
) -> None:
    done = gpuinfra("report", quickstart, "-o", tmp_path / "r.pdf")

    assert done.code == 2
    assert "the report is an HTML page, not a .pdf file" in done.err
    assert not (tmp_path / "r.pdf").exists()
    assert gpuinfra("report", quickstart, "-o", tmp_path / "r.html").code == 0


def test_signs_are_explained_where_they_are_shown(gpuinfra: Run, tmp_path: Path) -> None:
    text = f"{HEAD}training: {{t: {{gpu: L4:1}}}}\n".replace("100}", "100, per_run: 9}")
    (tmp_path / "stack.yaml").write_text(text, "utf-8")

    for detail in ((), ("-v",)):
        assert "? marks an unknown result" in gpuinfra("check", tmp_path, *detail).out
    assert "price of DAY/DAY: " in gpuinfra("choose", "H100:8", "--region", "europe").out


def test_an_empty_sandbox_says_that_nothing_stands_in_it(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = SimpleNamespace(running=False, lost=0, counts=())
    monkeypatch.setattr(local_cloud, "status", lambda: empty)
    done = gpuinfra("sandbox", "status")

    assert done.out.splitlines()[-1] == "it has no resources"


def test_of_a_gpu_without_a_public_image_others_are_named(refused) -> None:
    fix = "or use a GPU whose machines have one: A100-SXM-40GB, T4"

    assert fix in refused("gpu: A10:1, duration: 4h", "eastus")


def test_regions_that_offer_the_machine_are_listed_once(refused) -> None:
    said = refused("gpu: H100:8, duration: 4h", "eu-central-1")

    assert said.count("eu-north-1, eu-west-2") == 1
    assert "also close: p5.4xlarge" in said


def test_an_unknown_setting_of_a_rule_is_named_at_its_key(gpuinfra: Run, tmp_path: Path) -> None:
    file = tmp_path / "stack.yaml"
    rules = "rules: {spot-share: {minimun: 60%}}"
    file.write_text(f'{HEAD}training: {{t: {{gpu: "L4:1"}}}}\n{rules}\n')

    told = words(gpuinfra("check", file).err)

    assert "stack.yaml:6:22: the rule spot-share has no such setting" in told
    assert "value: minimun did you mean 'minimum'?" in told
