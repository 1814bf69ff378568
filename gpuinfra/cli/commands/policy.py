"""`gpuinfra policy`: write policy packs, list their rules, check their configuration."""

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, get_args

import click

from gpuinfra.cli.lazy import FullHelpGroup
from gpuinfra.cli.new_files import write_errors
from gpuinfra.cli.options import Command, format_options
from gpuinfra.cli.views.render import json_value, note, show_json, show_table
from gpuinfra.crossguard import configuration
from gpuinfra.crossguard.configuration import FILE
from gpuinfra.errors import InputError
from gpuinfra.rules import RULES, WAIVERS, Rule
from gpuinfra.rules.rule import Family
from gpuinfra.stackfile.files import sort_problems, text_in, with_position
from gpuinfra.stackfile.yaml_composer import compose

FAMILIES: Final = get_args(Family)
EVERY: Final = "all"
PROJECT: Final = "PulumiPolicy.yaml"
_NAME: Final = 60


@click.group("policy", cls=FullHelpGroup)
def command() -> None:
    """Policy packs for Pulumi: write one to commit, list its rules, check its configuration."""


def _pack_option(content: str) -> Callable[[Command], Command]:
    """Return a decorator that adds --pack, which is repeatable."""
    return click.option(
        "--pack",
        "packs",
        type=click.Choice([EVERY, *FAMILIES]),
        multiple=True,
        default=(EVERY,),
        show_default=True,
        help=content,
    )


def _cap_option(name: str, cap_description: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{name.replace('_', '-')}",
        name,
        type=click.FloatRange(min=0),
        default=None,
        help=f"A cap in US dollars {cap_description}.",
    )


@command.command("new")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@_pack_option("Rule families of the pack; may be repeated.")
@_cap_option("per_hour", "per hour, for everything that may run at once")
@_cap_option("per_month", "a month")
@_cap_option("per_run", "per training run")
def write_pack(folder: Path, packs: Sequence[str], **caps: float | None) -> None:
    """Write a policy pack into FOLDER, to commit and to change; never over a file that is there.

    It runs unchanged in an environment in which gpuinfra is installed.
    """
    families = _families(packs)
    rules = _rules(families)
    budget = {key: Decimal(str(cap)) for key, cap in caps.items() if cap is not None}
    if budget and "budget" not in families:
        raise InputError.of(
            "caps need the budget rules, which this pack does not have",
            value=", ".join(packs),
            fix="add --pack budget, or remove the caps",
        )
    files = _files(folder, families, configuration.starter(rules, budget))
    _write_new_files(folder, files)
    if "budget" in families and not budget:
        note(
            f"no cap is set: set settings.budget.per_hour in {folder / FILE}, or each "
            "stack must set its own"
        )
    options = ("--policy-pack", str(folder), "--policy-pack-config", str(folder / FILE))
    note(f"next: `{shlex.join(('pulumi', 'preview', *options))}`")


@command.command("list")
@_pack_option("Rule families; may be repeated.")
@format_options
def list_(packs: Sequence[str], format_: str) -> None:
    """List the rules with their packs, levels and settings."""
    rules = (*_rules(_families(packs)), WAIVERS)
    if format_ == "json":
        show_json([_rule_json(rule) for rule in rules])
        return
    rows = [(rule.id, _pack(rule), rule.level, _settings(rule)) for rule in rules]
    show_table(("rule", "pack", "level", "settings (default)"), rows)


@command.command("check")
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@_pack_option("The packs of the configuration; may be repeated.")
def check(file: Path, packs: Sequence[str]) -> None:
    """Check the configuration FILE of a pack, or the one in a folder, without any engine."""
    path = file / FILE if file.is_dir() else file
    composed = compose(text_in(path, "use the configuration of a pack"), str(path))
    problems = configuration.problems(composed.value, _rules(_families(packs)))
    wrong = [*composed.problems, *(with_position(problem, composed.spans) for problem in problems)]
    if wrong:
        raise InputError(sort_problems(wrong))
    note(f"{path} is valid")


def _families(packs: Sequence[str]) -> tuple[Family, ...]:
    return tuple(family for family in FAMILIES if EVERY in packs or family in packs)


def _rules(families: Sequence[Family]) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if rule.family in families)


def _pack(rule: Rule) -> str:
    return "every" if rule is WAIVERS else rule.family


def _settings(rule: Rule) -> str:
    setting_properties = configuration.properties(rule)
    return ", ".join(
        f"{setting.name} ({_default_text(setting_properties[setting.name].get('default'))})"
        for setting in rule.settings
    )


def _default_text(default: Any) -> str:
    if default is None:
        return "not demanded"
    return ", ".join(default) if isinstance(default, list) else str(default)


def _rule_json(rule: Rule) -> dict[str, Any]:
    values = {name: getattr(rule, name) for name in ("id", "title", "level", "source")}
    return {**values, "pack": _pack(rule), "settings": json_value(rule.settings)}


def _files(folder: Path, families: Sequence[Family], config: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of a policy pack by name."""
    pack_name = re.sub("[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")[:_NAME]
    name = pack_name or "gpuinfra"
    is_every_family = len(families) == len(FAMILIES)
    family_names = "" if is_every_family else ", ".join(f'"{family}"' for family in families)
    rules_text = (
        "Every rule of gpuinfra"
        if is_every_family
        else f"gpuinfra's rules of {', '.join(families)}"
    )
    return {
        PROJECT: f"name: {name}\ndescription: {rules_text}.\nruntime: python\nversion: 0.1.0\n",
        "__main__.py": (
            "from gpuinfra.crossguard import pack, rules_of\n\n"
            f'pack("{name}", rules_of({family_names}))\n'
        ),
        FILE: json.dumps(config, indent=2, ensure_ascii=False) + "\n",
        "README.md": _README.format(
            name=folder.resolve().name, file=FILE, packs=_pack_options(families)
        ),
    }


_README: Final = """\
# {name}

    pulumi preview --policy-pack {name} --policy-pack-config {name}/{file}  # check a stack
    gpuinfra policy check {name}{packs}  # is the configuration well-formed?
    gpuinfra policy list{packs}  # the rules and their settings
"""


def _pack_options(families: Sequence[Family]) -> str:
    if len(families) == len(FAMILIES):
        return ""
    return "".join(f" --pack {family}" for family in families)


def _write_new_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write all files, or none if one of them exists.

    Raises:
        InputError: there is one, or they can't be written.
    """
    existing_files = [str(folder / name) for name in files if (folder / name).exists()]
    if existing_files:
        raise InputError.of(
            "a policy pack already exists, and new never overwrites one",
            value=", ".join(existing_files),
            fix="use another folder, or move the files away first",
        )
    with write_errors("policy pack", folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
            note(f"wrote {folder / name}")
