import ast
from functools import cache
from pathlib import Path

import gpuinfra
from tests.parsing import parsed

PACKAGE = Path(gpuinfra.__file__).parent


def test_public_names_are_sorted_and_all_there() -> None:
    assert list(gpuinfra.__all__) == sorted(gpuinfra.__all__)
    assert len(gpuinfra.__all__) <= 15
    for name in gpuinfra.__all__:
        assert getattr(gpuinfra, name) is not None


def test_no_module_imports_a_provider_sdk_or_pulumi_in_the_clouds() -> None:
    sdks = {"pulumi_aws", "pulumi_gcp", "pulumi_azure_native"}
    guilty = {
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if imported(path) & sdks
    }
    guilty |= {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.glob("clouds/**/*.py")
        if "pulumi" in imported(path)
    }

    assert guilty == set()


def test_the_sandbox_plugin_knows_nothing_of_gpuinfra() -> None:
    # Errors with their "did you mean", and the marks of Pulumi's own protocol, which hold no
    # belief about a cloud.
    neutral = ("errors", "pulumi_special_values", "similar_words", "urns")
    allowed = ("gpuinfra.sandbox", *(f"gpuinfra.{name}" for name in neutral))
    guilty = {
        (path.name, name)
        for path in (*PACKAGE.glob("sandbox/plugin/**/*.py"), *PACKAGE.glob("sandbox/aws/**/*.py"))
        for name in modules(path)
        if name.startswith("gpuinfra") and not name.startswith(allowed)
    }

    assert guilty == set()


def test_module_docstrings_say_the_role_in_one_line() -> None:
    bare = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if not (ast.get_docstring(parsed(path.read_text())) or "").splitlines()
    }

    assert bare == set()


def test_every_test_file_is_collected() -> None:
    root = Path(__file__).parents[1]
    strays = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if not path.name.startswith("test_")
        and any(
            isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            for node in parsed(path.read_text()).body
        )
    }

    assert strays == set()


def imported(path: Path) -> set[str]:
    return {name.split(".")[0] for name in modules(path)}


@cache
def modules(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(parsed(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


MOVED_BY_OTHERS = {"clouds/azure/declare/pool.py"}
"""A scale set's size, which its autoscale setting moves: an update must not move it back."""


def test_only_pins_and_what_others_move_ignore_changes() -> None:
    users = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(parsed(path.read_text()))
        if isinstance(node, ast.keyword) and node.arg == "ignore_changes"
    }

    assert users - MOVED_BY_OTHERS == {
        "clouds/declaring/pinned_values.py",
        "components/register.py",
    }
