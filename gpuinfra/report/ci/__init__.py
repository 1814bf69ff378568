"""Ready-made files by which a CI system judges a stack."""

import json
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent


_MARK: Final = "@PROGRAM@ "
"""Begins the lines that only a pipeline for a Pulumi program has."""


def pipeline(system: str, stack: str, install: str, *, of_program: bool = False) -> str:
    """The file of a CI system.

    Args:
        system: github or gitlab.
        stack: the stack file or its folder, from the root of the checkout.
        install: what pip installs there.
        of_program: whether it is the folder of a Pulumi program, which an engine previews.
    """
    lines = (_FOLDER / f"{system}.yml").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = (line for line in lines if of_program or _MARK not in line)
    text = "".join(kept).replace(_MARK, "")
    for mark, value in (("@STACK@", stack), ("@INSTALL@", install)):
        # GitLab replaces variables within values: https://docs.gitlab.com/ci/variables/
        whole = value.replace("$", "$$") if system == "gitlab" else value
        text = text.replace(mark, json.dumps(whole, ensure_ascii=False), 1)
    return text
