import os
import subprocess
import sys

import click
import pytest

from gpuinfra.cli import cli
from gpuinfra.cli.views import ascii_symbols, layout
from gpuinfra.cli.views.render import show_error
from gpuinfra.errors import GpuinfraError

COLUMNS = ("of", "line", "$/h")
ROWS = (("trainer", "spot g6.8xlarge", "3.00"), ("chat", "a disk of very many words", "0.04"))


def told(width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    return list(layout.table(COLUMNS, ROWS, right_aligned=("$/h",)))


def test_a_table_has_its_columns_side_by_side(monkeypatch):
    assert told(80, monkeypatch) == [
        "of       line                        $/h",
        "────────────────────────────────────────",
        "trainer  spot g6.8xlarge            3.00",
        "chat     a disk of very many words  0.04",
    ]


def test_a_narrow_table_breaks_at_words(monkeypatch):
    lines = told(35, monkeypatch)

    assert lines[3:] == ["chat     a disk of very many   0.04", "         words"]
    assert max(map(len, lines)) <= 35


def test_what_has_no_room_side_by_side_is_a_record(monkeypatch):
    assert told(26, monkeypatch) == [
        "trainer  spot g6.8xlarge",
        "    $/h: 3.00",
        "chat  a disk of very many",
        "words",
        "    $/h: 0.04",
    ]


def test_a_pipe_of_no_known_width_keeps_a_sentence_whole(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    text = "a word " * 60
    assert layout.wrap_text(text) == text


def test_a_sentence_is_broken_at_words_with_its_indent(monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    assert layout.wrap_text("  fix: make it smaller or cheaper", "       ").split("\n") == [
        "  fix: make it smaller",
        "       or cheaper",
    ]


def test_a_command_to_copy_is_never_broken(monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    text = "what is deployed: gpuinfra status some/folder --target sandbox"
    assert layout.wrap_text(text, "  ").split("\n") == [
        "what is deployed:",
        "  gpuinfra status some/folder --target sandbox",
    ]


def test_a_word_is_never_broken(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    word = "s3-standard-storage-first-50tb"
    assert word in layout.wrap_text(f"a {word} b").split("\n")


def test_a_wide_sign_takes_two_columns():
    assert layout.size("云服务") == 6
    assert layout.size("e\u0301") == 1


@pytest.mark.parametrize(
    "variables", [{"LC_ALL": "C"}, {"LANG": "C"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_a_plain_locale_gets_plain_signs(variables):
    assert shown("→ 2 × g6 · 1…", variables) == "> 2 x g6 . 1..."


def test_another_locale_gets_all_signs():
    assert shown("→ ✓", {"LC_ALL": "C.UTF-8"}) == "→ ✓"


def test_what_has_no_plain_sign_is_escaped():
    assert shown("云", {"LC_ALL": "C"}) == "\\u4e91"


def shown(text: str, variables: dict[str, str]) -> str:
    kept = {"PATH": os.environ["PATH"], **variables}
    code = (
        "import click; from gpuinfra.cli.views.ascii_symbols import plain_signs; plain_signs();"
        f"click.echo({text!r})"
    )
    ran = subprocess.run([sys.executable, "-c", code], env=kept, capture_output=True, check=True)
    return ran.stdout.decode("utf-8").rstrip("\n")


def test_every_sign_has_an_ascii_one():
    assert all(
        plain.isascii() and not sign.isascii() for sign, plain in ascii_symbols.ASCII.items()
    )


def test_a_sentence_about_the_program_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    with click.Context(cli):
        sentence = layout.wrap_text("  why: Google Cloud: gpuinfra sets no limit of its own", "  ")
        command = layout.wrap_text("what it costs, and what it would: gpuinfra cost .", "  ")

    assert all(len(line) <= 40 for line in sentence.split("\n"))
    assert "Google Cloud: gpuinfra" in sentence
    assert command.split("\n")[-1] == "  gpuinfra cost ."


def test_a_column_that_may_go_is_left_out_before_a_table_is_records(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rows = [["p5.48xlarge-machine" * 4, "in-one-region", "2026-01-01"]]

    lines = list(layout.table(("machine", "where", "price of"), rows, spare=("price of", "where")))

    assert lines[0] == "machine"
    assert lines[2:] == ["p5.48xlarge-machine" * 4]


def test_on_a_narrow_terminal_records_have_every_column(monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    rows = [["p5.48xlarge-machine", "in-one-region-of-many", "2026-01-01"]]

    lines = list(layout.table(("machine", "where", "price of"), rows, spare=("price of", "where")))

    assert lines == ["p5.48xlarge-machine  in-one-region-of-many", "    price of: 2026-01-01"]


def test_a_number_of_things_stays_with_their_name(monkeypatch):
    monkeypatch.setenv("COLUMNS", "26")

    lines = list(layout.table(("a", "b"), [["word", "sentence with 3 × p5.48xlarge"]]))

    assert not any(line.rstrip().endswith("×") for line in lines)


def test_an_arrow_stays_with_what_it_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")

    lines = list(layout.table(("  machine", "where"), [["→ 3 × p5.48xlarge", "in all"]]))

    assert lines[2:] == ["→ 3 × p5.48xlarge  in", f"{'':19}all"]


def test_a_day_stays_with_its_time(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")

    lines = layout.wrap_text("the resources are deployed since 2026-11-28 11:30").split("\n")

    assert lines[-1] == "2026-11-28 11:30"


def test_records_with_marks_are_indented_alike(monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    rows = [["→ machine-one", "of-one-kind", "x"], ["  machine-two", "of-one-kind", "y"]]

    heads = [line for line in layout.table(("  name", "kind", "c"), rows) if "machine" in line]

    assert [line.index("machine") for line in heads] == [2, 2]


def test_an_indented_cell_leaves_the_next_columns_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    long = "  the-longest-name" + "-" * 50
    rows = [[long, "word", "1.00"], ["→ short", "word", "2.00"]]

    lines = list(layout.table(("  name", "kind", "cost"), rows, spare=("cost",)))

    assert [line.index("word") for line in lines[2:]] == [70, 70]
    assert max(map(layout.size, lines)) <= 80

    rows[0][0] += "--"
    lines = list(layout.table(("  name", "kind", "cost"), rows, spare=("cost",)))

    assert lines[2:] == [f"{long}--  word", f"→ short{' ' * 65}word"]


def test_the_word_before_a_long_address_is_printed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    show_error(GpuinfraError(f"https://example.com/{'x' * 40} can't be read"))

    assert capsys.readouterr().err.startswith("error: https://example.com/xxx")
