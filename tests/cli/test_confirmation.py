"""A question that is answered with no says what is so then."""

import click
import pytest
from click.testing import CliRunner

from gpuinfra.cli.confirmation import confirm


@click.command()
def asks() -> None:
    confirm("go on?", "nothing was built")
    click.echo("built")


@pytest.mark.parametrize(
    ("answer", "code", "told"), [("n", 130, "nothing was built\n"), ("y", 0, "built\n")]
)
def test_what_a_refusal_leaves_is_said(answer: str, code: int, told: str) -> None:
    done = CliRunner().invoke(asks, input=f"{answer}\n")

    assert done.exit_code == code
    assert done.output.endswith(told)
    assert "interrupted" not in done.output
