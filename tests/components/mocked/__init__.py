"""What stands in for each cloud's provider when programs are registered without an engine."""

import importlib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from pulumi.runtime import mocks

CLOUDS = ("aws", "gcp", "azure")


@dataclass(frozen=True, kw_only=True)
class Mocked:
    """One cloud's provider.

    Attributes:
        package: as resource types begin.
        sdk: the module of the SDK, and those of its parts that the cloud's build uses: the SDK
            warns of its own deprecated classes while a part is first touched.
        answers: what look-ups give, by token; a function of the arguments where that depends.
        computed: the id and the outputs that are no inputs.
    """

    package: str
    sdk: str
    parts: tuple[str, ...]
    answers: Mapping[str, Any] = field(default_factory=dict)
    computed: Callable[[mocks.MockResourceArgs], tuple[str, dict[str, Any]]]

    def load(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            sdk = importlib.import_module(self.sdk)
            for part in self.parts:
                assert dir(getattr(sdk, part))
                hasattr(getattr(sdk, part), "outputs")  # the first touch loads it


def provider_of(token: str) -> Mocked:
    """The stand-in for the provider of a resource type or a look-up."""
    package = token.partition(":")[0]
    cloud = "azure" if package == "azure-native" else package
    mocked: Mocked = import_module(f"tests.components.mocked.{cloud}").PROVIDER
    return mocked


def answer(args: mocks.MockCallArgs) -> dict[str, Any]:
    """What a look-up gives."""
    given = provider_of(args.token).answers[args.token]
    return given(args.args) if callable(given) else given


def made(args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
    """The id and outputs of a resource."""
    if not args.custom:
        return None, dict(args.inputs)
    if args.typ == "pulumi:index:Stash":
        return "stash", {**args.inputs, "output": args.inputs["input"]}
    if args.typ.startswith("pulumi:"):
        return f"{args.name}-id", dict(args.inputs)
    id_, outputs = provider_of(args.typ).computed(args)
    return id_, {**outputs, **args.inputs}
