"""Arguments that are outputs: their placeholders for planning, and their validation."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final, Generic, TypeVar

import pulumi

from gpuinfra.clouds.deferred_arguments import LateValue, late_value
from gpuinfra.components.args import BucketArgs, PoolArgs, TrainingArgs
from gpuinfra.components.runtime_values import has_output, is_output, refuse_outputs
from gpuinfra.errors import InputError
from gpuinfra.graph import RuntimeInput, compute
from gpuinfra.records import record

Args = TypeVar("Args", TrainingArgs, PoolArgs, BucketArgs)

OUTPUT_PLACEHOLDER: Final = "an output"
"""The placeholder of an output value in messages, since it may be a secret."""

_SHORT: Final = 3
"""Characters of a text that other words of a message may contain by chance."""


@record
class SplitArguments(Generic[Args]):
    """A component's arguments, split into plain values and Pulumi outputs.

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
        """Return the outputs as values of a graph, each validated once it is known."""
        return {
            argument: compute(
                partial(self._checked_output, argument), RuntimeInput(_argument_path(argument))
            )
            for argument in self.outputs
        }

    def inputs(self) -> dict[str, pulumi.Output[Any]]:
        """Return the outputs by their names in a graph."""
        return {_argument_path(argument): output for argument, output in self.outputs.items()}

    def hidden(self, error: InputError) -> InputError:
        """Return a planning error without the placeholder text of outputs."""
        return redact_error(error, [_stand_in(self.args, argument) for argument in self.outputs])

    def _checked_output(self, argument: str, value: Any) -> Any:
        """Return the value of an output, for which plain text is planned again.

        Raises:
            InputError: it is not taken, like plain text, or would have made other resources.
        """
        form = _form(self.args, argument)
        if not _matches_form(form, value, getattr(self.args, argument)):
            raise InputError.of(
                f"{self.name}: {argument} does not accept the value of its output",
                path=(self.name, argument),
                allowed=form.allowed,
            )
        known_value: Any = {argument: value}
        try:
            self.plan(replace(self.args, **known_value))
        except InputError as error:
            raise redact_error(error, [value] if isinstance(value, str) else list(value)) from None
        return value


def split_arguments(name: str, args: Args, plan: Callable[[Args], object]) -> SplitArguments[Args]:
    """Return a component's arguments, with placeholder text for allowed outputs.

    Raises:
        InputError: one that planning needs is an output.
    """
    accepted: list[str] = _output_argument_names(args)
    depths: dict[str, range] = {argument: _depths(_form(args, argument)) for argument in accepted}
    if problems := [*refuse_outputs(name, args, depths)]:
        raise InputError(problems)
    late = {
        argument: pulumi.Output.from_input(_list_tuples(getattr(args, argument)))
        for argument in accepted
        if has_output(getattr(args, argument))
    }
    texts: Any = {argument: _planning_value(args, argument) for argument in late}
    return SplitArguments(name=name, args=replace(args, **texts), outputs=late, plan=plan)


def _output_argument_names(args: TrainingArgs | PoolArgs | BucketArgs) -> list[str]:
    """Return the arguments that may be outputs on their cloud."""
    names = (field.name for field in fields(args))
    return sorted(name for name in names if late_value(f"{args.cloud}", name) is not None)


def redact_error(error: InputError, texts: list[str]) -> InputError:
    """Return an error in which these texts are hidden."""

    def hide(message_text: str) -> str:
        for text in texts:
            message_text = OUTPUT_PLACEHOLDER if message_text == text else message_text
            message_text = (
                message_text.replace(text, OUTPUT_PLACEHOLDER)
                if len(text) > _SHORT
                else message_text
            )
        return message_text

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
        raise LookupError(f"{argument} does not accept an output")
    return form


def _list_tuples(value: Any) -> Any:
    """Return a value in which `Output.from_input` finds outputs, since it ignores tuples."""
    return list(value) if isinstance(value, tuple) else value


def _stand_in(args: TrainingArgs | PoolArgs | BucketArgs, argument: str) -> str:
    return _form(args, argument).stand_in.replace("{region}", f"{args.region}")


def _planning_value(args: TrainingArgs | PoolArgs | BucketArgs, argument: str) -> Any:
    """Return an argument for planning, with stand-in text for unknown parts."""
    value, text = getattr(args, argument), _stand_in(args, argument)
    if not _form(args, argument).listed:
        return text
    return [text] if is_output(value) else [text if is_output(item) else item for item in value]


def _depths(form: LateValue) -> range:
    """Return how deep outputs may be: 1 is the argument itself, 2 an entry of its list."""
    return range(1 if form.whole else 2, 3 if form.listed else 2)


def _matches_form(form: LateValue, value: Any, planned_value: Any) -> bool:
    """Return whether a value is the text, or the list of texts, that an argument accepts.

    An entry that was written as text is as it was planned.
    """
    texts = value if form.listed and isinstance(value, list | tuple) else [value]
    written: Sequence[str | None] = planned_value if not form.whole else [None] * len(texts)
    return (not form.listed or texts is value) and all(
        isinstance(text, str) and (text == plan or re.fullmatch(form.pattern, text))
        for text, plan in zip(texts, written, strict=True)
    )


def _argument_path(argument: str) -> str:
    return f"args.{argument}"
