"""The agent's program as installed on machines: its modules without docstrings and comments.

It is kept beside them, since reading their tokens takes longer than all else of a `check`;
`python -m gpuinfra.clouds.aws.agent.packaged_agent` writes it anew after a change, and a test
holds it against the modules.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_FILE: Final = _HERE / "program.json"

MODULES: Final = ("metadata", "notices", "processes", "machine", "reporter", "service")


@cache
def program() -> Mapping[str, str]:
    """Return the text of each module, by its name."""
    texts: dict[str, str] = json.loads(_FILE.read_text("utf-8"))
    return texts


def minified_modules() -> dict[str, str]:
    """Return the minified text of each module, by its name."""
    from gpuinfra.clouds.aws.agent.minifying import minified  # noqa: PLC0415  (only to write the file anew)

    return {name: minified((_HERE / f"{name}.py").read_text("utf-8")) for name in MODULES}


if __name__ == "__main__":
    _FILE.write_text(json.dumps(minified_modules(), indent=0) + "\n", "utf-8")
