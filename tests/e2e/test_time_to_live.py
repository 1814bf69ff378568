"""The end of a run on the real engine: kept from up to up, refused once it is over, changed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar

import pytest

from gpuinfra.clouds.declaring.deadline import FORM
from gpuinfra.components import register
from gpuinfra.engine import lifecycle
from tests.e2e.lives import changed, edit, fine, left, request_of, standing, up

pytestmark = [
    pytest.mark.e2e,
    # The SDKs' own import warnings: as errors they leave half a module behind.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_.*"),
]


STACK = """\
version: 1
name: lab
owner: ml-platform
prices: {accept_outdated: true}
budget: {per_month: 300}
where: PLACE
training:
  dev: {instance: MACHINE, duration: 60h, time_to_live: 72h}
"""


def stack(place: str, machine: str) -> str:
    return STACK.replace("PLACE", place).replace("MACHINE", machine)


class Ends:
    """One run with an end, from its first up to its end, in this order.

    Attributes:
        text: the stack file.
        changes: the resource that another time changes, and how.
    """

    text: ClassVar[str]
    changes: ClassVar[tuple[str, str]]

    @staticmethod
    def moment() -> datetime:
        """When the machines end."""
        raise NotImplementedError

    def test_it_stands_with_its_end_and_a_refresh_sees_no_drift(self, life: Path) -> None:
        """The month of 72 hours is within its cap, one of 730 would not be."""
        before = datetime.now(UTC)
        made = up(life)

        seen = fine(lifecycle.refresh(request_of(life), preview_only=True))

        assert set(made.changes) == {"create"}
        assert changed(seen) == {}
        assert before + timedelta(hours=71) < self.moment() < before + timedelta(hours=73)

    def test_a_later_up_leaves_the_moment_where_it_is(
        self, life: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = self.moment()
        monkeypatch.setattr(register, "_now", lambda: datetime.now(UTC) + timedelta(hours=1))

        again = up(life)

        assert set(again.changes) == {"same"}
        assert self.moment() == before

    def test_after_its_moment_an_up_is_refused_and_another_time_goes_on(
        self, life: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        late = datetime.now(UTC) + timedelta(hours=73)
        monkeypatch.setattr(register, "_now", lambda: late)

        refused = lifecycle.up(request_of(life))
        edit(life, ("time_to_live: 72h", "time_to_live: 80h"))
        extended = up(life)

        assert not refused.ok
        assert "dev: its time to live of 3d was over" in str((refused.reason, refused.diagnostics))
        assert changed(extended)[self.changes[0]][0] == self.changes[1]
        assert f"{self.moment():{FORM}}" == f"{late + timedelta(hours=80):{FORM}}"

    def test_destroy_leaves_nothing(self, life: Path) -> None:
        fine(lifecycle.destroy(request_of(life, judged=False)))

        assert left() == []


class TestGoogleCloud(Ends):
    """Machines keep the end that they were made with, so another one replaces them."""

    text = stack("{cloud: gcp, regions: [us-central1]}", "g2-standard-4")
    changes = ("dev-group", "replace")

    @staticmethod
    def moment() -> datetime:
        scheduling = standing()["dev-template"].properties["scheduling"]
        assert scheduling["instanceTerminationAction"] == "DELETE"
        return datetime.fromisoformat(scheduling["terminationTime"])


class TestAzure(Ends):
    """The setting beside the scale set has the end, and is updated in place."""

    text = stack("{cloud: azure, regions: [eastus]}", "Standard_NC4as_T4_v3")
    changes = ("dev-end", "update")

    @staticmethod
    def moment() -> datetime:
        after, run = standing()["dev-end"].properties["profiles"]
        assert after["capacity"] == {"minimum": "0", "maximum": "0", "default": "0"}
        assert run["capacity"] == {"minimum": "1", "maximum": "1", "default": "1"}
        return datetime.strptime(run["fixedDate"]["end"], FORM).replace(tzinfo=UTC)
