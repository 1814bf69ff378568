"""Conversion of the options of `gpuinfra choose` to a catalog request and a price book."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.api.choosing import every_cloud, regions_of_words, without_insufficient_prices
from gpuinfra.catalog import CATALOG, PriceBook, Request, request
from gpuinfra.catalog.choosing.candidate_machines import STOCK
from gpuinfra.catalog.choosing.known_names import unknown
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.choosing.request import model_in
from gpuinfra.catalog.choosing.request_problems import contradictions, wrong_words
from gpuinfra.catalog.price_book import OWN_CLOUD
from gpuinfra.catalog.sizing.machine_fit import ModelRequest, model_request_of, refusals
from gpuinfra.catalog.sizing.measured_models import measured_models
from gpuinfra.catalog.sizing.model_names import UNKNOWN, not_a_gpu
from gpuinfra.catalog.sizing.model_request import Task
from gpuinfra.cli.hints import command_without
from gpuinfra.errors import InputError, Problem
from gpuinfra.similar_words import nearest
from gpuinfra.units import (
    Range,
    UnitError,
    hours,
    parse_count,
    parse_duration,
    parse_range,
    parse_rate,
    parse_size,
)

if TYPE_CHECKING:
    from gpuinfra.price_overrides.prices import OwnPrices

ALL_CHOICE: Final = "all"


class ChooseOptions:
    """The options as typed; their errors are collected in `problems`."""

    def __init__(self, option_values: Mapping[str, Any]) -> None:
        self.options = option_values
        self.problems: list[Problem] = []

    def parsed_value(self, name: str, parse: Callable[[str], Any], option: str = "") -> Any:
        """Return an option's parsed value; None where the option is absent or invalid."""
        text = self.options.get(name)
        if text is None:
            return None
        try:
            return parse(text)
        except UnitError as error:
            self.problems.append(
                Problem(
                    message=f"--{option or name.replace('_', '-')}: {error}",
                    value=text,
                    allowed=error.allowed,
                    suggestion=error.hint,
                )
            )
            return None

    def add_problems(self, error: InputError) -> None:
        """Add the problems of an error to `problems`."""
        self.problems += error.problems


def request_of(
    gpu: str, option_values: Mapping[str, Any], day: date
) -> tuple[Request, PriceBook, tuple[str, ...]]:
    """Return the request, the price book of a day, and notes on own prices that are left out.

    Raises:
        InputError: everything that is wrong with the options.
    """
    options = ChooseOptions(option_values)
    own_prices = _own_prices(options)
    book = CATALOG if own_prices is None else own_prices.price_book(day)
    clouds = _clouds(options, book)
    demanded = Request(
        clouds=clouds, regions=regions_of_words(option_values["region"], clouds, book)
    )
    demands = {name: value for name, value in _demands(options).items() if value is not None}
    demands.setdefault(
        "by", default_figure(demands.get("model"), is_run=option_values["for_"] is not None)
    )
    types = [machine.type for machine in book.machines]
    model = model_in(gpu, types)
    try:
        demanded = request(
            gpu,
            clouds=demanded.clouds,
            regions=demanded.regions,
            day=day,
            own_machine_types=types,
            **demands,
        )
    except InputError as error:
        if model is not None:
            options.problems.append(
                not_a_gpu(gpu, model, _command_with_model(gpu, model, option_values))
            )
        elif gpu.strip() or not _is_invalid_model(option_values, demands):
            options.add_problems(error)
        demanded = replace(demanded, **demands)
    if options.problems:
        _more_problems(options, demanded, book)
        raise InputError(options.problems)
    if own_prices is None:
        return demanded, book, ()
    return demanded, *without_insufficient_prices(own_prices, demanded, book, day)


def _command_with_model(gpu: str, model: str, option_values: Mapping[str, Any]) -> str:
    """Return the running command with --for-model in place of a GPU that is a model."""
    option = () if option_values["for_model"] else ("--for-model", model or UNKNOWN)
    return command_without(gpu, *option)


def _is_invalid_model(option_values: Mapping[str, Any], demands: Mapping[str, Any]) -> bool:
    """Return whether --for-model or --memory is given but invalid, which is reported elsewhere."""
    options = {"for_model": "model", "memory": "memory"}
    return any(
        option_values[value] is not None and name not in demands for value, name in options.items()
    )


def _more_problems(options: ChooseOptions, request: Request, book: PriceBook) -> None:
    """Add the problems that the choice finds in the request, unless already reported."""
    market = Market(request, book, STOCK)
    is_duration_invalid = options.options.get("for_") is not None and request.hours is None
    options.problems += (*unknown(market), *wrong_words(market))
    options.problems += (
        contradiction
        for contradiction in contradictions(market)
        if not (is_duration_invalid and contradiction.path == ("by",))
    )


def _demands(options: ChooseOptions) -> dict[str, Any]:
    option_values = options.options
    return {
        "capacity": option_values["capacity"],
        "commitment": option_values["commitment"],
        "nvlink": option_values["nvlink"],
        "nvlink_domain": options.parsed_value("nvlink_domain", parse_count),
        "fabric": option_values["fabric"],
        "fabric_kind": option_values["fabric_kind"],
        "fabric_speed": options.parsed_value("fabric_speed", parse_rate),
        "precision": option_values["precision"],
        "vcpu_per_gpu": options.parsed_value("vcpu_per_gpu", parse_count),
        "ram_per_gpu": options.parsed_value("ram_per_gpu", parse_size),
        "architecture": option_values["architecture"],
        "max_per_hour": options.parsed_value("max_per_hour", _dollars),
        "model": _model(options),
        "machines": options.parsed_value("nodes", parse_count),
        "hours": options.parsed_value("for_", lambda text: hours(parse_duration(text)), "for"),
        "by": option_values["by"],
        **_memory(options),
    }


def default_figure(model: ModelRequest | None, *, is_run: bool) -> str:
    """Return what to rank by: the run if its hours are given, the work of a whole training.

    Otherwise the rate per hour: adapters are a small work, and a pool is paid by the hour.
    """
    if is_run:
        return "run"
    return "tflops" if model is not None and model.trains_every_parameter else "hour"


def _memory(options: ChooseOptions) -> dict[str, Range]:
    """Return the range of --memory; empty without the option, since GPU may state it."""
    memory = options.parsed_value(
        "memory", lambda text: parse_range(text, parse_number=parse_size)
    )
    return {} if memory is None else {"memory": memory}


def _model(options: ChooseOptions) -> ModelRequest | None:
    """Return the request of --for-model, as in a stack file; None without it or if invalid."""
    text = options.options["for_model"]
    if text is None:
        return None
    from gpuinfra.specs.for_model import ForModel  # noqa: PLC0415
    from gpuinfra.stackfile.files import validate_file  # noqa: PLC0415
    from gpuinfra.stackfile.yaml_composer import compose  # noqa: PLC0415  (pydantic, for this alone)

    yaml_text = text if text.lstrip().startswith("{") else json.dumps(text)
    try:
        model, wrong = validate_file(compose(yaml_text, "--for-model"), ForModel)
        task: Task = "serve" if model and model.name in measured_models() else "train"
        model_request = None if model is None else model_request_of(model, task)
    except InputError as error:
        options.add_problems(error)
        return None
    is_single_word = text is not yaml_text  # a word is no file that a line could be shown of
    options.problems += (
        replace(name, position=None) if is_single_word else name for name in wrong
    )
    options.problems += () if model_request is None else refusals(model_request)
    return model_request


def _own_prices(options: ChooseOptions) -> "OwnPrices | None":
    """Return the user's own prices of --prices; None without the option or if invalid."""
    path = options.options["prices"]
    if path is None:
        return None
    from gpuinfra.price_overrides import prices  # noqa: PLC0415  (it loads pydantic)

    try:
        return prices.read_own_prices(Path(path))
    except InputError as error:
        options.add_problems(error)
        return None


def _clouds(options: ChooseOptions, book: PriceBook) -> tuple[str, ...]:
    """Return the clouds of --cloud; by default all, and the user's own hardware if listed."""
    everywhere = every_cloud(book)
    clouds = options.options["cloud"]
    for cloud in clouds:
        if cloud not in {*everywhere, ALL_CHOICE}:
            is_own = cloud == OWN_CLOUD
            options.problems.append(
                Problem(
                    message="no machines of your own are listed" if is_own else "unknown cloud",
                    value=cloud,
                    allowed=", ".join((*everywhere, ALL_CHOICE)),
                    suggestion="" if is_own else nearest(cloud, (*everywhere, ALL_CHOICE)),
                    fix="--prices FILE lists them under hardware" if is_own else "",
                )
            )
    if ALL_CHOICE in clouds:
        return everywhere
    return tuple(cloud for cloud in dict.fromkeys(clouds) if cloud in everywhere) or everywhere


def _dollars(text: str) -> Decimal:
    """Return an amount of US dollars above zero.

    Raises:
        UnitError: it is none.
    """
    allowed = "US dollars an hour, above 0, for example 40 or 98.32"
    try:
        amount = Decimal(text.lstrip("$"))
    except InvalidOperation:
        raise UnitError(f"{text[:40]!r} is not an amount", allowed=allowed) from None
    if not (amount.is_finite() and 0 < amount <= 10**9):
        raise UnitError(f"{text[:40]!r} is out of range", allowed=allowed, malformed=False)
    return amount
