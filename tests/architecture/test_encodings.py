"""Text is read and written as UTF-8, whatever the locale: each call names its encoding."""

import ast
from pathlib import Path

from tests.parsing import parsed

ROOT = Path(__file__).parents[2]
ON_THE_MACHINE = ("gpuinfra/clouds/aws/agent/", "gpuinfra/clouds/azure/agent.py")
"""Programs that run on a Linux machine, and read there only the ASCII that they wrote."""

BINARY = {"os.open", "tarfile.open", "gzip.open"}

PLACES = {"read_text": 0, "write_text": 1}
"""Where each call takes its encoding, if not by name."""


def test_each_text_file_and_process_names_its_encoding() -> None:
    files = [*ROOT.glob("gpuinfra/**/*.py"), *ROOT.glob("policies/**/*.py")]

    found = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in files
        if not file.relative_to(ROOT).as_posix().startswith(ON_THE_MACHINE)
        for call in ast.walk(parsed(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and by_locale(call)
    ]

    assert found == []


def by_locale(call: ast.Call) -> bool:
    """Whether the locale says how a call reads or writes text."""
    named = {word.arg: word.value for word in call.keywords}
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if "encoding" in named or None in named:
        return False
    if name in PLACES:
        return len(call.args) <= PLACES[name]
    if "text" in named or "universal_newlines" in named:
        return name in {"run", "Popen", "check_output"}
    if name not in {"open", "fdopen", "NamedTemporaryFile"} or ast.unparse(function) in BINARY:
        return False
    words = [word for word in (*call.args[:2], *named.values()) if isinstance(word, ast.Constant)]
    return not any(isinstance(word.value, str) and "b" in word.value for word in words)
