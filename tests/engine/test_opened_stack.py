"""A stack that the engine can't open is told what to set."""

from pathlib import Path

import pytest

from gpuinfra.engine import opened_stack


@pytest.mark.parametrize(
    ("message", "why", "variables"),
    [
        (
            "PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions",
            "no backend for stack states is set",
            (
                "pulumi login",
                "PULUMI_BACKEND_URL",
                "PULUMI_CONFIG_PASSPHRASE",
                "PULUMI_ACCESS_TOKEN",
            ),
        ),
        (
            (
                "could not create secrets manager for new stack: passphrase must be set with "
                "PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables"
            ),
            "no passphrase is set for its secrets",
            ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"),
        ),
        ("no space left on device", "no space left on device", ()),
    ],
)
def test_the_variables_that_are_missing_are_named(
    message: str, why: str, variables: tuple[str, ...]
) -> None:
    told, fix = opened_stack._why_not_opened(message)

    assert told == why
    assert bool(fix) == bool(variables)
    assert all(name in fix for name in variables)


def test_the_page_about_deploying_names_them_too() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/deploy.md").read_text(encoding="utf-8")

    for name in ("pulumi login", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"):
        assert name in page
