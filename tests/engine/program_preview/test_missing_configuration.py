"""Keys of a program's configuration that have no value, and the option that gives them one."""

import pytest

from gpuinfra.engine.program_preview import failures
from gpuinfra.engine.program_preview.missing_configuration import (
    UnconfiguredError,
    with_config_hint,
)
from gpuinfra.errors import EngineError, InputError
from gpuinfra.pulumi_special_values import UNKNOWN_TEXT
from tests.engine.program_preview.cases import PROVIDER, RAISED, error_of, problems


@pytest.mark.parametrize(
    ("message", "words", "key"),
    [
        (
            "Missing required configuration variable 'town:size'\n\tplease set a value",
            "Missing required configuration variable 'town:size'",
            "town:size=VALUE",
        ),
        (
            "validating stack config: Stack 'dev' is missing configuration value 'size'",
            "Stack 'dev' is missing configuration value 'size'",
            "size=VALUE",
        ),
        (
            "Configuration 'town:n' value 'x' is not a valid 'int'",
            "Configuration 'town:n' value 'x' is not a valid 'int'",
            "town:n=VALUE",
        ),
        (
            (
                (
                    "pulumi:providers:aws resource 'default': property region value {<nil>} has a "
                    "problem: missing region: set it with AWS_REGION (sandbox)"
                ),
                PROVIDER,
            ),
            "missing region (a check does not read AWS_REGION)",
            "aws:region=us-east-1",
        ),
    ],
)
def test_missing_configuration_is_told_once_with_the_way_out(message, words, key):
    again = ("an unhandled error occurred: " + message) if isinstance(message, str) else message
    failure = error_of(message, again, RAISED)

    assert isinstance(failure, InputError)
    [problem] = failure.problems
    assert problem.message == f"the program's configuration is incomplete or invalid: {words}"
    assert f"--config {key}" in problem.fix
    assert "--config-of" in problem.fix


def test_keys_without_a_value_are_all_told():
    failure = error_of("Stack 'dev' is missing configuration values 'a', 'b' and 'c'")

    assert isinstance(failure, UnconfiguredError)
    assert failure.missing == ("a", "b", "c")


@pytest.mark.parametrize(
    ("message", "given", "offers"),
    [
        ("Missing required configuration variable 'town:size'", False, True),
        ("Missing required configuration variable 'town:size'", True, False),
        ("Configuration 'town:size' value 'x' is not a valid int", False, False),
        ("missing region: set it with AWS_REGION", False, False),
    ],
)
def test_config_unknown_is_offered_where_it_helps_and_was_not_given(message, given, offers):
    [problem] = problems(with_config_hint(error_of(message), (), has_config=given))

    assert ("--config-unknown" in problem.fix) is offers
    assert "--config " in problem.fix


def test_a_value_of_a_wrong_type_is_not_missing():
    failure = error_of("Configuration 'town:size' value 'x' is not a valid int")

    assert isinstance(failure, UnconfiguredError)
    assert failure.missing == ()


def test_a_failure_with_unknown_values_names_them():
    error = error_of(f"Configuration 'town:size' value '{UNKNOWN_TEXT}' is not a valid int")
    [problem] = problems(with_config_hint(error, ("town:size",)))

    assert "value 'unknown' is not a valid int" in problem.message
    assert problem.fix.endswith("--config town:size=VALUE")
    assert with_config_hint(error, ()) is error
    silent = with_config_hint(EngineError("the engine failed"), ("town:size",))
    assert str(silent) == (
        "the engine failed; the program may need values: --config town:size=VALUE"
    )


@pytest.mark.parametrize("unknown", [("privateKey",), ()])
@pytest.mark.parametrize(
    "message",
    [
        "TypeError: Missing required property 'public_key'",
        "TypeError: sequence item 1: expected str instance, NoneType found",
    ],
)
def test_a_value_that_is_none_may_be_a_key_that_nothing_sets(message, unknown):
    hint = {"optional": ("publicKey", "keyName")}
    [problem] = problems(with_config_hint(error_of(message), unknown, **hint))

    assert problem.fix == (
        "the program reads keys that have no value: --config publicKey=VALUE "
        "--config keyName=VALUE"
    )


def test_configuration_is_no_cause_of_another_error_or_of_a_missing_package():
    raised = "python inline source runtime error: "
    hint = {"optional": ("publicKey",)}
    [other] = problems(with_config_hint(error_of("KeyError: 'a'"), ("privateKey",), **hint))
    [same] = problems(with_config_hint(error_of(f"{raised}KeyError: 'a'"), (), **hint))
    missing = error_of(f"{raised}ModuleNotFoundError: No module named 'requests'")
    [package] = problems(with_config_hint(missing, ("privateKey",), **hint))

    assert other.fix.endswith("--config privateKey=VALUE")
    assert same.fix == failures.MEND
    assert "pip install" in package.fix
