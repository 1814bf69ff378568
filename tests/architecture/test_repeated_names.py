"""A class or a module has a name of its own, or the reason why others share it is here."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import gpuinfra
from tests.parsing import parsed

PACKAGE = Path(gpuinfra.__file__).parent
CLOUDS = re.compile(r"\b(aws|gcp|azure|lambda_|alibaba|tencent)\b")
SHARED = {"clouds/observing": "clouds/*/observe", "clouds/declaring": "clouds/*/declare"}
MOST_MODULES = 2

CLASSES = {
    # A key of the stack file, and what comes of it: a row of the plan, or an argument in Python.
    "Bucket": "specs/storage.py model/storage.py",
    "Checkpoints": "specs/schema/workloads.py components/args.py",
    "Disk": "specs/schema/workloads.py model/storage.py",
    "Mount": "specs/schema/workloads.py components/args.py",
    "Usage": "specs/schema/usage.py model/usage.py",
    "Waiver": "specs/schema/rules.py rules/waivers.py",
    # What gpuinfra declares, and what it observes in any program.
    "Resource": "graph/resources.py model/resource.py",
    # The agent's program is on machines without the rest of gpuinfra, the plugin runs without it.
    "Machine": "clouds/aws/agent/machine.py model/table_rows.py",
    "Unknown": "sandbox/plugin/wire.py model/unknown.py",
    # A handler of the sandbox is named like the type of its resources.
    "Vpc": "sandbox/aws/network.py clouds/gcp/observe/network/networks.py",
}
"""Classes of one name in several packages; those of the clouds are the same part of each."""

MODULES = {
    # A thing, and each package that has to do with it: it is declared, observed, priced, judged.
    *("addresses", "buckets", "budget", "fabric", "images", "interfaces", "locations", "machines"),
    *("network", "networks", "policies", "prices", "tables", "usage"),
    # The types that the parts of a package share.
    *("contract", "provider", "schema", "settings"),
    # A command's module has the command's name.
    *("refresh", "report"),
}
"""Modules of one name in more than two packages."""


def folded(path: Path) -> str:
    """The package of a module, the same for every cloud."""
    folder = CLOUDS.sub("*", path.parent.relative_to(PACKAGE).as_posix())
    folder = re.sub(r"^(clouds/\*/observe)/.*", r"\1", folder)
    return SHARED.get(folder, folder.replace("sandbox/plugin/*", "sandbox/plugin"))


def classes(path: Path) -> Iterator[str]:
    yield from (
        node.name
        for node in ast.walk(parsed(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )


def test_a_class_has_a_name_of_its_own() -> None:
    homes: dict[str, list[Path]] = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for name in classes(path):
            homes[name].append(path)

    repeated = {
        name
        for name, paths in homes.items()
        if len({folded(path) for path in paths}) > 1
        or len({path.parent for path in paths}) < len(paths)
    }

    assert sorted(repeated) == sorted(CLASSES), "rename a class, or say in CLASSES why not"
    for name, listed in CLASSES.items():
        assert {f"{path.relative_to(PACKAGE)}" for path in homes[name]} == set(listed.split())


def test_a_module_has_the_name_of_few_others() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        if not path.name.startswith("__"):
            homes[path.stem].add(folded(path))

    repeated = {name for name, packages in homes.items() if len(packages) > MOST_MODULES}

    assert sorted(repeated) == sorted(MODULES), "rename a module, or say in MODULES why not"
