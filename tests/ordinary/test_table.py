"""The table of docs/real-programs.md is what the stacks' files say.

GPUINFRA_GOLDEN=update python -m pytest tests/ordinary    writes it anew.
"""

import os
import re
from collections import Counter
from pathlib import Path

from tests.ordinary.programs import Ordinary, every_stack, read

PAGE = Path(__file__).parents[2] / "docs" / "real-programs.md"
TABLES = re.compile(r"(?ms)(?<=^# Ordinary stacks\n)(.*?\n)(\|.*\|\n)")
MEANING = {
    "fine": "passes",
    "violated": "refused, for settings that should change",
    "not knowable": "refused until the settings file or a price says what the stack doesn't",
}


def test_the_page_has_the_table_of_the_stacks() -> None:
    section = TABLES.search(PAGE.read_text(encoding="utf-8"))
    assert section is not None
    tables = "\n".join([*_summary(), "", *_rows(), ""])
    if os.environ.get("GPUINFRA_GOLDEN") == "update":
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(page[: section.start(2)] + tables + page[section.end(2) :], "utf-8")
        return

    assert section[2] == tables


def test_forty_stacks_are_about_a_third_each_of_every_verdict() -> None:
    verdicts = Counter(stack.verdict for stack in _stacks())

    assert verdicts.total() == 40
    assert all(count >= 10 for count in verdicts.values())


def _stacks() -> list[Ordinary]:
    return [read(file) for file in every_stack()]


def _summary() -> list[str]:
    verdicts = Counter(stack.verdict for stack in _stacks())
    rows = (f"| {verdict} | {verdicts[verdict]} | {said} |" for verdict, said in MEANING.items())
    return ["| verdict | stacks | |", "| --- | --- | --- |", *rows]


def _rows() -> list[str]:
    head = ["| stack | verdict | why | rules that refuse |", "| --- | --- | --- | --- |"]
    return [*head, *(_row(stack) for stack in _stacks())]


def _row(stack: Ordinary) -> str:
    rules = ", ".join(f"`{rule}`" for rule in sorted({*stack.violated, *stack.unknown}))
    return f"| {stack.name} | {stack.verdict} | {stack.why} | {rules} |"
