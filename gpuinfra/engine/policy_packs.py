"""The policy packs of a run: their folders and configuration files."""

import json
from collections.abc import Sequence
from pathlib import Path

from gpuinfra.engine.contract import Pack
from gpuinfra.errors import EngineError

PACK_FILE = "PulumiPolicy.yaml"


def laid_out(packs: Sequence[Pack], folder: Path) -> dict[str, list[str]]:
    """Return the Automation API's options for packs, after writing their configuration files.

    Raises:
        EngineError: a pack's folder is not one.
    """
    if not packs:
        return {}
    configs = []
    for number, pack in enumerate(packs):
        if not (pack.folder / PACK_FILE).is_file():
            raise EngineError(
                f"{pack.folder} is not a policy pack: it has no {PACK_FILE}",
                fix="use the folder that has it",
            )
        file = folder / f"pack-{number}.json"
        file.write_text(json.dumps(pack.config), encoding="utf-8")
        configs.append(str(file))
    return {
        "policy_packs": [str(pack.folder.resolve()) for pack in packs],
        "policy_pack_configs": configs,
    }
