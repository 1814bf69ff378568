"""Every shipped stack is built as it is written, on the real engine and under all four packs."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome
from tests.e2e.lives import fine, left, request_of

pytestmark = [
    pytest.mark.e2e,
    # The SDKs' own import warnings: as errors they leave half a module behind.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_.*"),
]
STACKS = Path(__file__).parents[2] / "stacks"


@pytest.fixture
def timed(request: pytest.FixtureRequest) -> Callable[..., Outcome]:
    """Runs a verb; what each took is printed (pytest -rP)."""

    def run(name: str, verb: Callable[..., Outcome], path: Path, **options: bool) -> Outcome:
        began = time.monotonic()
        outcome = fine(verb(request_of(path, **options)))
        print(f"{path.parent.name}: {name} {time.monotonic() - began:.1f} s")  # noqa: T201
        return outcome

    return run


@pytest.mark.parametrize("name", sorted(path.parent.name for path in STACKS.glob("*/stack.yaml")))
def test_it_is_judged_built_kept_and_gone(
    name: str, module_sandbox_home: Path, timed: Callable[..., Outcome]
) -> None:
    path = STACKS / name / "stack.yaml"

    preview = timed("preview", lifecycle.preview, path)
    made = timed("up", lifecycle.up, path)
    again = timed("up again", lifecycle.up, path, judged=False)
    gone = timed("destroy", lifecycle.destroy, path, judged=False)

    assert preview.changes == made.changes
    assert set(made.changes) == {"create"}
    assert again.changes == {"same": made.changes["create"]}
    assert gone.changes == {"delete": made.changes["create"]}
    assert left() == []
