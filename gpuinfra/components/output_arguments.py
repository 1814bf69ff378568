"""Arguments that are outputs: what planning reads in their place, and how they are checked."""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final, Generic, TypeVar

import pulumi

from gpuinfra.clouds.late_values import LateValue, late_value
from gpuinfra.components.args import BucketArgs, PoolArgs, TrainingArgs
from gpuinfra.components.output_checks import is_later, too_late
from gpuinfra.errors import InputError, Problem
from gpuinfra.graph import RuntimeInput, computed
from gpuinfra.records import record

Args = TypeVar("Args", TrainingArgs, PoolArgs, BucketArgs)

SHOWN: Final = "an output"
"""What a message shows of a value that comes later: it may be a secret."""


@record
class Separated(Generic[Args]):
    """Arguments of a component without outputs, and the outputs.

    Attributes:
        name: of the component.
        args: the arguments, with text that stands in for each output.
        outputs: the outputs by argument.
        plan: plans the component with these arguments.
    """

    name: str
    args: Args
    outputs: Mapping[str, pulumi.Output[Any]]
    plan: Callable[[Args], object]

    def values(self) -> dict[str, Any]:
        """The outputs as values of a graph, each checked once it is known."""
        return {
            argument: computed(partial(self._checked, argument), RuntimeInput(_given(argument)))
            for argument in self.outputs
        }

    def inputs(self) -> dict[str, pulumi.Output[Any]]:
        """The outputs by the names under which a graph asks for them."""
        return {_given(argument): output for argument, output in self.outputs.items()}

    def hidden(self, error: InputError) -> InputError:
        """An error of planning without the text that stands in for outputs."""
        return redacted(error, [getattr(self.args, argument) for argument in self.outputs])

    def _checked(self, argument: str, value: Any) -> str:
        """Return the value of an output, for which plain text is planned again.

        Raises:
            InputError: it is not taken, like plain text, or would have made other resources.
        """
        form = _form(self.args, argument)
        if not isinstance(value, str) or not re.fullmatch(form.pattern, value):
            problem = Problem(
                message=f"{self.name}: {argument} does not accept the value of its output",
                path=(self.name, argument),
                allowed=form.allowed,
            )
            raise InputError([problem])
        known: Any = {argument: value}
        try:
            self.plan(replace(self.args, **known))
        except InputError as error:
            raise redacted(error, [value]) from None
        return value


def separated(name: str, args: Args, plan: Callable[[Args], object]) -> Separated[Args]:
    """The arguments of a component, with text for those that may be outputs and are.

    Raises:
        InputError: one that planning needs is an output.
    """
    if problems := [*too_late(name, args, _accepted(args))]:
        raise InputError(problems)
    late = {
        argument: pulumi.Output.from_input(getattr(args, argument))
        for argument in _accepted(args)
        if is_later(getattr(args, argument))
    }
    texts: Any = {
        argument: _form(args, argument).stand_in.replace("{region}", f"{args.region}")
        for argument in late
    }
    return Separated(name=name, args=replace(args, **texts), outputs=late, plan=plan)


def _accepted(args: TrainingArgs | PoolArgs | BucketArgs) -> list[str]:
    """The arguments that may be outputs on their cloud."""
    names = (field.name for field in fields(args))
    return sorted(name for name in names if late_value(f"{args.cloud}", name) is not None)


def redacted(error: InputError, texts: list[str]) -> InputError:
    """An error that does not show these texts."""

    def hide(shown: str) -> str:
        for text in texts:
            shown = shown.replace(text, SHOWN) if text else shown
        return shown

    return InputError(
        [
            replace(
                problem,
                message=hide(problem.message),
                value=hide(problem.value),
                suggestion="" if problem.value in texts else problem.suggestion,
                fix=hide(problem.fix),
            )
            for problem in error.problems
        ]
    )


def _form(args: TrainingArgs | PoolArgs | BucketArgs, argument: str) -> LateValue:
    form = late_value(args.cloud, argument)
    if form is None:
        raise LookupError(f"{argument} is no argument that may come later")
    return form


def _given(argument: str) -> str:
    return f"args.{argument}"
