"""The pages that are generated from code at each build: commands, files, Python, sources."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

import gpuinfra
from gpuinfra import api
from gpuinfra.cli import cli
from gpuinfra.clouds import CLOUDS
from gpuinfra.clouds.supported_keys import AWS_ONLY, EVERYWHERE, accepts
from gpuinfra.report import rule_text as explained

Schema = dict[str, Any]
PACKAGE = Path(gpuinfra.__file__).parent

FILES = {
    "stack": "What a team wants, and what it may cost.",
    "settings": "What `gpuinfra check --settings` and the policy packs read.",
    "waivers": "`gpuinfra.waivers.yaml`: findings accepted in a preview, a state or a program.",
    "prices": "`prices.yaml`: prices of your own.",
    "purchase": "What `gpuinfra cost --against` reads: hardware that could be bought instead.",
}
"""What each kind of file is for."""

PREFIX = {
    "": "",
    "Training": "",
    "Inference": "",
    "Bucket": "",
    "Budget": "budget.",
    "Step": "capacity.",
    "ScaleOn": "scale_on.",
}
"""How `gpuinfra/clouds/supported_keys.py` writes the keys of a section."""


TABLES = ("machines", "prices", "services", "gpus")
"""The tables whose sources are listed."""


def rules() -> dict[str, str]:
    """A page for each rule, by its id: what `docs/rules.md` says of it, and its family."""
    return {
        rule.id: f"# {rule.id}\n\nA rule of the family *{rule.family}*; [all rules](../rules.md)."
        + explained.section(rule).removeprefix(f"## {rule.id}")
        for rule in explained.EXPLAINED_RULES
    }


def pages() -> dict[str, str]:
    """Every generated page by its name."""
    return {
        "cli": "# Command line\n" + "\n".join(_commands(cli, _context(cli, "gpuinfra"))),
        "components": _python(gpuinfra.__all__, "gpuinfra", "Components"),
        "api": _python(api.__all__, "gpuinfra.api", "Functions and results"),
        "sources": "\n".join(_sources()),
        **{kind: "\n".join(_keys(kind, _schema(kind))) for kind in FILES},
    }


def _commands(command: click.Command, context: click.Context) -> Iterator[str]:
    """The help of a command and of all below it, each as `--help` prints it."""
    yield f"\n## {context.command_path}\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from _commands(below, _context(below, name, context))


def _context(
    command: click.Command, name: str, above: click.Context | None = None
) -> click.Context:
    return click.Context(
        command, above, info_name=name, terminal_width=80, **command.context_settings
    )


def _python(names: Sequence[str], module: str, title: str) -> str:
    """The docstrings of a module's public names."""
    public = [name for name in names if not name.startswith("_")]
    return "\n".join([f"# {title}", "", *(f"::: {module}.{name}\n" for name in public)])


def _schema(kind: str) -> Schema:
    """The JSON Schema of a kind of file, as `gpuinfra schema` prints it."""
    schema: Schema = json.loads(CliRunner().invoke(cli, ["schema", kind]).stdout)
    return schema


def _keys(kind: str, schema: Schema) -> Iterator[str]:
    """Every key of a file, section by section."""
    yield f"# {kind.capitalize()} file, key by key"
    yield f"\n{FILES[kind]} Generated from `gpuinfra schema {kind}`.\n"
    for name, section in {"": schema, **schema.get("$defs", {})}.items():
        if name:
            yield f"\n## {name}\n\n{_text(section.get('description', ''))}\n"
        clouds = CLOUDS if kind == "stack" and name in PREFIX else ()
        yield _row("key", "value", "what for", *clouds)
        yield _row(*("---" for _ in range(3 + len(clouds))))
        for key, value in _properties(section):
            word = PREFIX.get(name, "") + key
            built = (_built(cloud, word) for cloud in clouds)
            yield _row(f"`{key}`", _value(value), _text(value.get("description", "")), *built)


def _built(cloud: str, word: str) -> str:
    if word not in EVERYWHERE | AWS_ONLY.keys():
        return ""
    return "yes" if accepts(cloud, word) else "no"


def _properties(schema: Schema, under: str = "") -> Iterator[tuple[str, Schema]]:
    """The keys of an object, or of the alternatives that are objects, but for refused ones."""
    for choice in (schema, *schema.get("anyOf", ())):
        for key, value in choice.get("properties", {}).items():
            if value.get("not") != {}:
                yield under + key, value
                yield from _properties(value, f"{under}{key}.")


def _value(schema: Schema) -> str:
    """What a key takes, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(word).strip(chr(34))}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_value, schema["anyOf"])))
    if schema.get("type") == "array":
        return f"list of {_value(schema.get('items', {}))}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"names, each with {_value(schema['additionalProperties'])}"
    return str(schema.get("type", "any value"))


def _sources() -> Iterator[str]:
    """Where machines, prices and GPUs are from, with dates."""
    yield "# Sources of machines and prices"
    yield "\nGenerated from the tables of the package. `gpuinfra catalog show MACHINE --why` tells"
    yield "the source of one figure, `gpuinfra catalog age` the age of every table.\n"
    tables = [*PACKAGE.glob("clouds/*/data/*.json"), PACKAGE / "catalog/gpus.json"]
    for path in sorted(path for path in tables if path.stem in TABLES):
        table = json.loads(path.read_text(encoding="utf-8"))
        place = path.relative_to(PACKAGE)
        yield f"\n## {place}\n\n{_text(table['about'])}\n"
        yield _row("source", "as of")
        yield _row("---", "---")
        yield from (_row(_text(source), as_of) for source, as_of in table["sources"])


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    """Plain text for Markdown, on one line and with nothing of it read as markup."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(text.split()))
