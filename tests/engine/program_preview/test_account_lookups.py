"""What a check says of look-ups that only the account could answer."""

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
    assert account_lookups.note_text((ZONE, SECRET)) == (
        f"unknown, since only the account has the answer: the look-up {ZONE} and {SECRET}"
    )


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
