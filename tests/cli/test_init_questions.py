"""The questions of `init`, and the answers that it takes."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner, Result

from gpuinfra.cli import cli
from gpuinfra.cli.commands import init
from gpuinfra.cli.options import NumberedChoice
from gpuinfra.stackfile.starter import KIND_WORDS, SHORT_FILES
from tests.cli.conftest import Run

Answered = Callable[[str], Result]


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    """`init` of the folder `mine` on a terminal, with these answers."""
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(init, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    return lambda text: CliRunner().invoke(cli, ["init", str(tmp_path / "mine")], input=text)


@pytest.mark.parametrize("answer", ["1", "dev", "development"])
def test_a_number_or_the_start_of_a_word_answers(answer: str) -> None:
    assert NumberedChoice(list(SHORT_FILES)).convert(answer, None, None) == "development"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [("inference", "pool"), ("Serve", "pool"), ("training", "fine-tune"), ("box", "development")],
)
def test_another_word_for_a_kind_answers(
    gpuinfra: Run, tmp_path: Path, answer: str, kind: str
) -> None:
    assert NumberedChoice(list(SHORT_FILES), KIND_WORDS).convert(answer, None, None) == kind

    done = gpuinfra("init", tmp_path / "a", "--what", answer, "--where", "aws")
    assert done.code == 0
    assert done.err.startswith(f"assumed: --what {kind}, for {answer}\n")
    named = gpuinfra("init", tmp_path / "b", "--what", kind, "--where", "aws")
    assert f"assumed: --what {kind}" not in named.err


@pytest.mark.parametrize("answer", ["0", "4", "", "x"])
def test_what_answers_nothing_is_refused(answer: str) -> None:
    with pytest.raises(click.BadParameter):
        NumberedChoice(list(SHORT_FILES)).convert(answer, None, None)


def test_a_dear_month_is_confirmed(tmp_path: Path, answered: Answered) -> None:
    done = answered("1\nA100:8\nus-east-1\nn\n")

    assert re.search(
        r"^costs at most \$[\d.,]+/h, \$[\d.,]+/month\nwrite it\?", done.output, re.MULTILINE
    )
    assert done.output.endswith("nothing was written\n")
    assert done.exit_code == 130
    assert not (tmp_path / "mine/stack.yaml").exists()


def test_the_three_questions_have_one_form(tmp_path: Path, answered: Answered) -> None:
    done = answered("\n\n\n")

    lines = done.output.splitlines()
    assert lines[0] == "three questions; Enter takes the answer in brackets"
    asked = [line for line in lines if re.match(r"(What to build|How big|Where)\? ", line)]
    assert len(asked) == 3
    for line in asked:
        assert re.fullmatch(r"[\w ]+\? [AT][\w ,]+ \[[\w:-]+\]: ", line), line
    assert [line.partition(" ")[0] for line in lines[7:]] == [
        *("box:", "costs", "wrote", "wrote", "wrote", "caps", "next:", "then:", "then:", "then:")
    ]


def test_a_terminal_is_asked_three_questions(tmp_path: Path, answered: Answered) -> None:
    answers = "pool\nA10G:1\nus-east-1\n"

    done = answered(answers)

    text = (tmp_path / "mine/stack.yaml").read_text()
    assert [done.output.count(question) for question in ("What to", "How big", "Where?")] == [
        1,
        1,
        1,
    ]
    assert "gpu: A10G:1" in text
    assert "where: {regions: [us-east-1]}" in text
    assert "inference:" in text


def test_an_answer_that_is_not_sound_is_asked_again(tmp_path: Path, answered: Answered) -> None:
    answers = "development\nH10:8\nL4:1\nH100\nmars-1\nus-east-1\n"

    done = answered(answers)

    text = (tmp_path / "mine/stack.yaml").read_text()
    assert [done.output.count(question) for question in ("How big", "Where?")] == [2, 3]
    assert "gpu: L4:1" in text
    assert "where: {regions: [us-east-1]}" in text


def test_a_place_without_the_gpu_asks_for_both_again(tmp_path: Path, answered: Answered) -> None:
    answers = "development\nL4:2\nazure\nT4:1\nazure\n"

    done = answered(answers)

    text = (tmp_path / "mine/stack.yaml").read_text()
    assert "no machine type of azure has this GPU\n  allowed: T4, " in done.output
    assert [done.output.count(question) for question in ("How big", "Where?")] == [2, 2]
    assert "gpu: T4:1" in text
    assert "where: {cloud: azure}" in text


def test_an_answer_is_refused_by_its_own_words(tmp_path: Path, answered: Answered) -> None:
    answers = "development\n8xH100\nH100:9\nL4:1\nA100:8\nus-esat-1\nus-east-1\n"

    done = answered(answers)

    refused = re.findall(r"^error: .*\n(?:  .*\n)+", done.output, re.MULTILINE)
    assert refused == [
        "error: '8xH100' is not a request for GPUs\n  did you mean 'H100:8'?\n",
        (
            "error: no cloud has a machine type with so many of these GPUs\n"
            "  allowed: aws 1, 8; gcp 8; azure 1, 2, 8\n  fix:     use a count that a cloud has\n"
        ),
        (
            "error: no cloud has this region\n"
            "  allowed: aws, gcp, azure, any; africa, asia, europe, north-america, oceania, "
            "south-america; or a country, a city or a region of aws, gcp, azure\n"
            "  fix:     `gpuinfra catalog regions` lists them\n"
        ),
        (
            "error: no cloud has this region\n  did you mean 'us-east-1'?\n"
            "  fix:     `gpuinfra catalog regions` lists them\n"
        ),
    ]


def test_an_unknown_kind_is_asked_again_with_those_that_are_known(
    tmp_path: Path, answered: Answered
) -> None:
    done = answered("servr\n3\n\n\n")

    known = "1 to 3, or development, fine-tune, pool"
    assert f"'servr' is no kind of stack\n  did you mean 'server'?\n  allowed: {known}\n" in (
        done.output
    )
    assert "inference:" in (tmp_path / "mine/stack.yaml").read_text()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), "    gpu: L4:1"),
        (("--what", "everything"), "  cloud: aws "),
        (("--cloud", "azure"), "where: {cloud: azure}"),
        (("--what", "pool", "--cloud", "gcp"), "where: {cloud: gcp}"),
    ],
)
def test_without_a_terminal_the_same_kinds_of_files_are_written(
    gpuinfra: Run, tmp_path: Path, given: tuple[str, ...], expected: str
) -> None:
    assert gpuinfra("init", tmp_path / "mine", *given).code == 0

    text = (tmp_path / "mine/stack.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=.gpuinfra/stack.schema.json\n")
    assert expected in text
    assert (tmp_path / "mine/.gitignore").exists()
    assert (tmp_path / "mine/.gpuinfra/stack.schema.json").exists()


@pytest.mark.parametrize(
    ("text", "given", "says"),
    [("3\nL4:1\naws\n", (), True), ("3\n", ("--what", "pool"), False), ("", (), False)],
)
def test_answers_that_are_not_read_are_said(
    gpuinfra: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    given: tuple[str, ...],
    says: bool,
) -> None:
    (tmp_path / "answers").write_text(text)
    with (tmp_path / "answers").open() as answers:
        monkeypatch.setattr("sys.stdin", answers)
        ran = gpuinfra("init", tmp_path / "mine", *given)

    assert ran.code == 0
    assert ("give them as --what, --gpu and --where" in ran.err) is says


def test_answers_in_a_pipe_are_left_there(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads, writes = os.pipe()
    os.write(writes, b"3\n")
    with os.fdopen(reads) as piped, os.fdopen(writes, "w") as rest:
        monkeypatch.setattr("sys.stdin", piped)
        ran = gpuinfra("init", tmp_path / "mine")
        rest.close()
        assert piped.read() == "3\n"

    assert "give them as --what, --gpu and --where" in ran.err


def test_what_was_confirmed_is_not_said_again(answered: Answered, tmp_path: Path) -> None:
    done = answered("1\nA100:8\nus-east-1\ny\n")

    assert done.output.count("costs at most") == 1
    assert (tmp_path / "mine/stack.yaml").exists()


def test_an_interrupted_question_ends_its_line(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(init, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    monkeypatch.setattr(click.termui, "visible_prompt_func", interrupted)
    done = gpuinfra("init", tmp_path / "mine")

    assert done.code == 130
    assert done.err == "\ninterrupted\n"
