"""Which AWS types live in moto and which in the ledger, and that nobody has to guess."""

import importlib
import inspect
import json
import re
from pathlib import Path

import pytest

from gpuinfra import sandbox
from gpuinfra.sandbox.aws import HANDLERS, LEDGER
from gpuinfra.sandbox.plugin import schema

GOLDENS = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))
LACKED = re.compile(r"moto lacks (\w+):(\w+)")


def test_every_type_lives_in_moto_or_says_why_not() -> None:
    tokens = set(schema.load("aws").tokens)

    assert HANDLERS.keys() | LEDGER.keys() == tokens, (
        "each type of sandbox/data/aws.json has a handler in sandbox/aws/__init__.py, or a row "
        "under `ledger` of sandbox/data/aws_facts.json"
    )
    assert HANDLERS.keys() & LEDGER.keys() == set(), "take what has a handler from `ledger`"
    assert {home.type for home in sandbox.backends()} == tokens
    assert all(
        bool(home.ledger_reason) == (home.backend == "ledger") for home in sandbox.backends()
    )


@pytest.mark.parametrize("token", sorted(LEDGER))
def test_what_moto_is_said_to_lack_it_lacks(token: str) -> None:
    match = LACKED.fullmatch(LEDGER[token])
    if match is None:
        return
    service, operation = match.groups()
    method = re.sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()
    responses = importlib.import_module(f"moto.{service}.responses")
    classes = [value for value in vars(responses).values() if inspect.isclass(value)]

    assert not any(hasattr(class_, method) for class_ in classes), (
        "moto has it now: write a handler"
    )


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda path: path.stem)
def test_every_golden_is_of_types_that_have_a_home(golden: Path) -> None:
    rows = json.loads(golden.read_text(encoding="utf-8"))
    types = {row["type"] for row in rows if row["type"].startswith("aws:")}

    assert types <= {home.type for home in sandbox.backends()}, (
        "write their shape in sandbox/data/aws.json: docs/contributing.md#a-resource-of-aws"
    )
