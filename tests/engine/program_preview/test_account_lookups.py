"""What a check says of look-ups that only the account could answer."""

import json
from pathlib import Path

import pytest

from gpuinfra.engine.program_preview import account_lookups
from gpuinfra.engine.program_preview.failures import MEND
from gpuinfra.errors import EngineError, InputError, Problem
from gpuinfra.sandbox.sandbox_folder import LOOKUPS_FILE

SECRET = "aws:secretsmanager/getSecretVersion:getSecretVersion"
ZONE = "aws:route53/getZone:getZone"


def test_each_is_named_once_in_order(tmp_path: Path) -> None:
    assert account_lookups.unknown_lookups(tmp_path) == ()

    (tmp_path / LOOKUPS_FILE).write_text(f"{ZONE}\n{SECRET}\n{ZONE}\n")

    assert account_lookups.unknown_lookups(tmp_path) == (ZONE, SECRET)
    assert list(account_lookups.notes((ZONE, SECRET), ())) == [
        f"unknown, since only the account has the answer: the look-up {ZONE} and {SECRET}"
    ]


@pytest.mark.parametrize("text", [None, "", "{}", '{"steps": [{"op": "create"}]}'])
def test_a_preview_without_references_to_stacks_has_none(tmp_path: Path, text: str | None) -> None:
    digest = tmp_path / "preview.json"
    if text is not None:
        digest.write_text(text)

    assert account_lookups.stack_references(digest) == ()
    assert list(account_lookups.notes((), ())) == []


def test_stacks_are_named_by_name_whatever_order_the_engine_asked_in(tmp_path: Path) -> None:
    steps = [
        {"newState": {"type": "pulumi:pulumi:StackReference", "inputs": {"name": name}}}
        for name in ("acme/net/dev", "acme/iam/dev", "acme/net/dev")
    ]
    digest = tmp_path / "preview.json"
    digest.write_text(json.dumps({"steps": steps}))

    assert account_lookups.stack_references(digest) == ("acme/iam/dev", "acme/net/dev")


def test_a_program_that_fails_by_the_outputs_of_a_stack_is_not_called_wrong() -> None:
    error = InputError([Problem(message="Expecting value: line 1", fix=MEND)])

    (problem,) = account_lookups.with_hint(error, (), ("acme/net/dev",)).problems  # type: ignore[attr-defined]

    assert "what the account answers to the stack reference acme/net/dev: run" in problem.fix


def test_a_program_that_fails_by_one_is_not_called_wrong() -> None:
    error = InputError([Problem(message="Expecting value: line 1", fix=MEND)])

    (problem,) = account_lookups.with_hint(error, (SECRET,)).problems  # type: ignore[attr-defined]

    assert "same error" not in problem.fix
    assert f"what the account answers to {SECRET}: run `pulumi preview" in problem.fix
    assert account_lookups.with_hint(error, ()) is error


@pytest.mark.parametrize(
    "error", [EngineError("failed"), InputError([Problem(message="m", fix="install it")])]
)
def test_other_errors_keep_their_way_out(error: EngineError | InputError) -> None:
    assert account_lookups.with_hint(error, (SECRET,)) is error
