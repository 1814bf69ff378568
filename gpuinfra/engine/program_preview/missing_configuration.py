"""The configuration that a program needs and a preview lacks."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from gpuinfra.engine.program_preview import interpreter
from gpuinfra.errors import EngineError, GpuinfraError, InputError, Problem
from gpuinfra.pulumi_special_values import shown_unknown

MOST_SHOWN: Final = 5
_CONFIG: Final = re.compile(
    r"[Mm]issing (?:required )?configuration (?:variable|value)s? *'?(?P<key>[\w:.-]*)"
    r"|Configuration '(?P<typed>[^']*)' value '.*' is not a valid"
    r"|(?P<region>missing region)"
)
"""What the engine, the SDK and the sandbox's plugins say of configuration."""

_NO_VALUE: Final = re.compile(r"[Mm]issing required property|\bNoneType\b")
"""The words of Pulumi's SDK and of Python for a value that is None."""

_KEY: Final = re.compile(r"'([\w:.-]+)'")

SAY_IT: Final = (
    "add --config {}, or --config-of STACK to read it from the Pulumi.STACK.yaml that has it"
)
UNKNOWN_WAY: Final = ", or take all that is missing as unknown: --config-unknown"
REGION: Final = "missing region (a check does not read AWS_REGION)"
"""The plugin's own words name variables, which a preview does not hand on."""


class UnconfiguredError(InputError):
    """The error for configuration without a value (keys in `missing`) or of a wrong type."""

    def __init__(self, problems: Sequence[Problem], missing: Sequence[str]) -> None:
        self.missing = tuple(missing)
        super().__init__(problems)

    def offering_unknown(self) -> InputError:
        """Return the error with --config-unknown added to the fix, if a key has no value."""
        return InputError(
            [
                replace(problem, fix=problem.fix + UNKNOWN_WAY)
                if set(_KEY.findall(problem.message)) & set(self.missing)
                else problem
                for problem in self.problems
            ]
        )


def missing_configuration_error(messages: Iterable[str]) -> InputError | None:
    """Return the error for missing configuration, each problem once; None if there is none."""
    problems: dict[str, Problem] = {}
    missing: dict[str, None] = {}
    for text in messages:
        hit = _CONFIG.search(text)
        if hit and hit["key"] is not None:
            missing |= dict.fromkeys(_KEY.findall(text.splitlines()[0][hit.start("key") - 1 :]))
        if hit:
            key_text = REGION if hit["region"] else text.splitlines()[0].strip()
            key = (
                "aws:region=us-east-1" if hit["region"] else f"{hit['key'] or hit['typed']}=VALUE"
            )
            message = f"the program's configuration is incomplete or invalid: {key_text}"
            problems.setdefault(key_text, Problem(message=message, fix=SAY_IT.format(key)))
    return (
        UnconfiguredError(tuple(problems.values())[:MOST_SHOWN], tuple(missing))
        if problems
        else None
    )


def with_config_hint(
    error: GpuinfraError,
    unknown: Sequence[str],
    *,
    has_config: bool = False,
    optional: Sequence[str] = (),
) -> GpuinfraError:
    """Return the error with the configuration options that may fix it.

    `unknown` are the keys that were taken as unknown, `optional` those without a value that the
    program reads as None. `has_config`: --config-unknown was given, so it is no way out.
    """
    if unknown and isinstance(error, EngineError):
        fix = f"the program may need values: {_config_options(unknown)}"
        return EngineError(str(error), fix=fix)
    if not isinstance(error, InputError):
        return error
    if not unknown and isinstance(error, UnconfiguredError):
        return error.offering_unknown() if error.missing and not has_config else error
    return InputError(
        [
            replace(
                problem,
                message=shown_unknown(problem.message),
                fix=_config_fix(problem, unknown, optional),
            )
            for problem in error.problems
        ]
    )


def _config_fix(problem: Problem, unknown: Sequence[str], optional: Sequence[str]) -> str:
    """Return the fix of a problem: configuration that may be its cause, else what it has."""
    if interpreter.NO_MODULE.search(problem.message):
        return problem.fix
    if fix := _lacked_value(problem, optional):
        return fix
    if not unknown:
        return problem.fix
    values = _config_options(unknown)
    return f"the program may need values for what was taken as unknown: {values}"


def _lacked_value(problem: Problem, optional: Sequence[str]) -> str:
    """Return the fix for a value that is None, where a key without a value may be the cause."""
    if not optional or not _NO_VALUE.search(problem.message + problem.value):
        return ""
    return f"the program reads keys that have no value: {_config_options(optional)}"


def _config_options(keys: Sequence[str]) -> str:
    """Return the options that give keys a value."""
    return " ".join(f"--config {key}=VALUE" for key in keys)
