"""Which configuration keys a program's text says that it requires, whatever the values are."""

from pathlib import Path

import pytest

from gpuinfra.engine.program_preview.required_keys import missing_keys, optional, required_keys

CONFIG = "import pulumi\nconfig = pulumi.Config()\n"


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        ("a = config.require('a')\nb = config.require_secret('b')\n", ("a", "b")),
        ("a = config.require('a')\na = config.require('a')\n", ("a",)),
        ("print(f'{pulumi.Config().require(\"a\")}')\n", ("a",)),
        ("from pulumi import Config\na = Config().require_object('a')\n", ("a",)),
        ("a = config.get('a')\n", ()),
        ("a = config.require_int('a')\n", ()),
        ("a = config.get('a') or config.require('b')\n", ()),
        ("a = config.require('b') if config.get('a') else ''\n", ()),
        ("if config.get('a'):\n    b = config.require('b')\n", ()),
        ("def later():\n    return config.require('b')\n", ()),
        ("a = config.require(name)\n", ()),
        ("other = pulumi.Config('other')\na = other.require('a')\n", ()),
        ("a = settings.require('a')\n", ()),
        ("a = config.require('a'\n", ()),
    ],
)
@pytest.mark.parametrize("as_folder", [True, False])
def test_what_runs_whatever_the_values_are_is_required(
    tmp_path: Path, code: str, keys: tuple[str, ...], as_folder: bool
) -> None:
    file = tmp_path / "__main__.py"
    file.write_text(CONFIG + code)
    assert required_keys(tmp_path if as_folder else file) == keys


def test_a_program_without_a_main_file_requires_nothing(tmp_path: Path) -> None:
    assert required_keys(tmp_path) == ()


@pytest.mark.parametrize(
    ("given", "keys"),
    [((), ("a", "b")), (("town:a",), ("b",)), (("b",), ("a",)), (("other:a",), ("a", "b"))],
)
def test_what_has_a_value_is_not_lacked(
    tmp_path: Path, given: tuple[str, ...], keys: tuple[str, ...]
) -> None:
    (tmp_path / "__main__.py").write_text(
        CONFIG + "a = config.require('a')\nb = config.require('b')\n"
    )
    assert missing_keys(tmp_path, "town", given) == keys


def test_the_keys_that_a_program_reads_without_a_value_are_optional(tmp_path: Path) -> None:
    read = "a = config.get('a')\nb = config.get_secret('b')\nc = config.require('c')\n"
    (tmp_path / "__main__.py").write_text(CONFIG + read)

    assert optional(tmp_path, "town", ["b"]) == ("a",)
    assert optional(tmp_path, "town", ["town:a"]) == ("b",)
