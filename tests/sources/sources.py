"""One stack through every SOURCE of `check`, each from an empty state."""

import shutil
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.cli.source import load
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource
from gpuinfra.engine.program_preview import preview_of
from gpuinfra.rules import Verdict
from gpuinfra.rules.waivers import short_name

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
STRANGERS = (HERE / "strangers", ROOT / "tests" / "sandbox" / "strangers")
DAY = date(2026, 11, 21)
STREAMED = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}

CONFIGURED = {
    "gpu_box": {"gcp:project": "town", "gcp:zone": "us-central1-a"},
    "gcp_open_group": {"gcp:project": "town", "gcp:zone": "us-central1-a"},
    "azure_gpu_machine": {"azure-native:location": "eastus"},
    "azure_loose_set": {"azure-native:location": "eastus"},
}
"""The configuration of strangers' programs; on AWS it is the region."""

ON_AWS = {"aws:region": "us-east-1"}

Outcomes = Mapping[tuple[str, str], frozenset[str]]
"""Outcomes by rule and subject, whatever a source calls the subject."""


@dataclass(frozen=True)
class Stack:
    """A stack in a folder that `pulumi` runs; `file` is its stack file, if it has one."""

    name: str
    folder: Path
    file: Path | None
    config: Mapping[str, str]


def stranger(name: str, into: Path) -> Stack:
    """A program as strangers write it."""
    (file,) = (
        stranger / f"{name}.py" for stranger in STRANGERS if (stranger / f"{name}.py").is_file()
    )
    folder = into / name
    folder.mkdir()
    shutil.copy(file, folder / "__main__.py")
    (folder / "Pulumi.yaml").write_text(f"name: {name.replace('_', '-')}\nruntime: python\n")
    return Stack(name, folder, None, CONFIGURED.get(name, ON_AWS))


def shipped(name: str, into: Path) -> Stack:
    """A stack of the repository."""
    folder = into / name
    shutil.copytree(ROOT / "stacks" / name, folder)
    file = folder / "stack.yaml"
    return Stack(name, folder, file if file.is_file() else None, ON_AWS)


def changed(name: str, of: str, change: Callable[[dict[str, Any]], None], into: Path) -> Stack:
    """A shipped stack with something in its file changed."""
    stack = shipped(of, into)
    assert stack.file is not None
    yaml = YAML()
    document = yaml.load(stack.file)
    change(document)
    yaml.dump(document, stack.file)
    return Stack(name, stack.folder, stack.file, stack.config)


@dataclass(frozen=True)
class SourceVerdict:
    """What one source says of a stack."""

    outcomes: Outcomes
    ok: bool


def verdicts(
    stack: Stack, plain: Callable[..., Any], environment: Mapping[str, str]
) -> dict[str, SourceVerdict]:
    """What each source says of a stack."""
    by_source: dict[str, SourceVerdict] = {}
    whole = {stack.name, stack.folder.name, stack.folder.name.replace("_", "-")}
    whole |= {f"{name}/{suffix}" for name in tuple(whole) for suffix in ("sandbox", "check")}
    if stack.file is not None:
        loaded = load(stack.file, as_of=_Day())
        whole.add(loaded.stack.name)
        whole |= {f"{loaded.stack.name}/{suffix}" for suffix in ("sandbox", "check")}
        by_source["stack file"] = SourceVerdict(outcomes(loaded.verdict, whole), loaded.verdict.ok)
    files = written(stack, plain, environment)
    into = stack.folder.with_name(f"{stack.folder.name}-foreseen")
    into.mkdir()
    files["program"] = preview_of(stack.folder, None, stack.config, print, target_folder=into)
    for source, file in files.items():
        verdict = check_file(file, CheckSettings(), DAY).report.verdict
        by_source[source] = SourceVerdict(outcomes(verdict, whole), verdict.ok)
    return by_source


class _Day:
    """What `load` takes as --as-of."""

    @staticmethod
    def date() -> date:
        return DAY


def written(
    stack: Stack, plain: Callable[..., Any], environment: Mapping[str, str]
) -> dict[str, Path]:
    """What plain `pulumi` writes about a stack, from an empty state to one that stands."""
    pulumi = plain(stack.folder, environment)
    streaming = plain(stack.folder, {**environment, **STREAMED})
    pulumi("stack", "init", "sandbox")
    for key, value in stack.config.items():
        pulumi("config", "set", key, value)
    texts = {
        "digest": pulumi("preview", "--json").stdout,
        "stream": streaming("preview", "--json").stdout,
    }
    pulumi("up", "--yes", "--skip-preview")
    texts["state"] = pulumi("stack", "export").stdout
    files = {source: stack.folder / f"{source}.json" for source in texts}
    for source, text in texts.items():
        files[source].write_text(text)
    return files


def outcomes(verdict: Verdict, whole: Iterable[str]) -> Outcomes:
    """Outcomes by rule and subject, by the name that a subject has among the resources."""
    by_key: dict[tuple[str, str], set[str]] = {}
    for finding in verdict.findings:
        name = "" if finding.subject in whole else called(finding.subject)
        by_key.setdefault((finding.rule, name), set()).add(finding.outcome)
    return {key: frozenset(seen) for key, seen in by_key.items()}


def called(subject: str) -> str:
    """A subject's name among the resources."""
    section, _, name = subject.partition(".")
    if section in {"training", "inference"}:
        return group_resource(name)
    return bucket_resource(name) if section == "buckets" else short_name(subject)


def at_odds(by_source: Mapping[str, Outcomes]) -> set[tuple[str, str, str, str]]:
    """Where one source says fine and another violated: rule, subject, and the two sources."""
    return {
        (*key, mild, strict)
        for mild, outcomes_ in by_source.items()
        for strict, other in by_source.items()
        for key, outcome in outcomes_.items()
        if outcome == {"fine"} and "violated" in other.get(key, ())
    }


def rules_with(outcomes_: Outcomes, *outcomes: str) -> set[str]:
    """The rules that have one of these outcomes for some subject."""
    return {rule for (rule, _), seen in outcomes_.items() if seen & set(outcomes)}


def missed(
    by_source: Mapping[str, Outcomes], unshown: Container[tuple[str, str]] = ()
) -> set[tuple[str, str, str]]:
    """Rules that one source finds violated, and another does not doubt at all.

    `unshown` are rules, each with a source that does not show what they read of the stack itself.
    """
    return {
        (rule, mild, strict)
        for strict, outcomes_ in by_source.items()
        for mild, other in by_source.items()
        for rule in rules_with(_shown(outcomes_, mild, unshown), "violated")
        - rules_with(other, "violated", "not-knowable", "noted")
    }


def _shown(outcomes_: Outcomes, source: str, unshown: Container[tuple[str, str]]) -> Outcomes:
    """What is said, but for what a source does not show of the stack itself."""
    return {
        (rule, name): seen
        for (rule, name), seen in outcomes_.items()
        if name or (rule, source) not in unshown
    }


def undecided(by_source: Mapping[str, Outcomes], source: str) -> set[str]:
    """The rules that a source can't decide, where another can."""
    decided = {
        rule
        for outcomes_ in by_source.values()
        for rule in rules_with(outcomes_, "fine", "violated")
        - rules_with(outcomes_, "not-knowable")
    }
    return rules_with(by_source[source], "not-knowable") & decided
