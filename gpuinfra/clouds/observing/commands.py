"""Commands that a program runs, locally or on an existing machine, and what they may start."""

import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.model import Resource

KINDS: Final = frozenset({"command:local:Command", "command:remote:Command"})
"""The inputs of both are of pulumi-command 1.2.1:
https://www.pulumi.com/registry/packages/command/api-docs/local/command/"""

HARMLESS: Final = "commands that call no cloud"

_COMMAND_INPUTS: Final = ("create", "update", "delete")
_HIDING: Final = ("interpreter", "stdin", "environment")
"""Inputs that may be a program themselves, or say which program a word means."""

_PROGRAMS: Final = frozenset(
    {
        *("[", "base64", "cat", "cd", "chmod", "chown", "cut", "date", "echo", "false", "grep"),
        *("head", "hostname", "jq", "ls", "mkdir", "printf", "pwd", "rm", "sha256sum", "sleep"),
        *("ssh-keygen", "tail", "test", "touch", "tr", "true", "uname", "wc"),
    }
)
"""Programs that call no cloud, run no other program, and put none in the place of another."""

_BETWEEN: Final = frozenset({"&&", "||", ";", "|", "&", "\n"})
_HIDDEN: Final = r"[`()<>#\\]"
"""What substitutes, redirects, defines, comments or escapes: a shell reads on otherwise."""


def reason(resource: Resource, kind: str) -> str:
    """Return the reason why commands start no machine; empty if they may, or are unknown."""
    if kind not in KINDS:
        return ""
    inputs = resource.inputs
    if any(inputs.get(key) is not None for key in _HIDING):
        return ""
    texts = [inputs[key] for key in _COMMAND_INPUTS if inputs.get(key) is not None]
    return HARMLESS if texts and all(map(_is_harmless, texts)) else ""


def _is_harmless(text: Any) -> bool:
    if not isinstance(text, str) or re.search(_HIDDEN, text):
        return False
    try:
        return all(program in _PROGRAMS for program in _programs(text))
    except ValueError:  # a quote that has no end
        return False


def _programs(text: str) -> Iterator[str]:
    """Yield the first word of each command, without a preceding `sudo`.

    Raises:
        ValueError: a quote has no end.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars="&|;\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    begins = True
    for shell_word in lexer:
        if shell_word in _BETWEEN or not shell_word.strip("&|;\n"):
            begins = True
        elif begins and shell_word != "sudo":
            begins = False
            yield shell_word
