"""Ready-made files by which a CI system judges a stack."""

import json
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent


def pipeline(system: str, stack: str, install: str) -> str:
    """The file of a CI system.

    Args:
        system: github or gitlab.
        stack: the stack file or its folder, from the root of the checkout.
        install: what pip installs there.
    """
    text = (_FOLDER / f"{system}.yml").read_text(encoding="utf-8")
    for mark, value in (("@STACK@", stack), ("@INSTALL@", install)):
        # GitLab replaces variables within values: https://docs.gitlab.com/ci/variables/
        whole = value.replace("$", "$$") if system == "gitlab" else value
        text = text.replace(mark, json.dumps(whole, ensure_ascii=False), 1)
    return text
