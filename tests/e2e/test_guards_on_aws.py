"""What looks after a stack on the real engine: made, left alone, used, refused, gone."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar

import pytest

from gpuinfra import sandbox
from gpuinfra.clouds.aws.functions import stop
from gpuinfra.clouds.declaring.deadline import FORM
from gpuinfra.components import register
from gpuinfra.engine import lifecycle
from tests.e2e.lives import REGION, aws, changed, edit, fine, left, request_of, standing, up

pytestmark = pytest.mark.e2e


class TestGuards:
    """One stack with all that looks after it, from its first up to its end, in this order."""

    text: ClassVar[str] = """\
version: 1
name: lab
owner: ml-platform
prices: {accept_outdated: true}
budget: {per_month: 9000, notify: [a@example.com], on_breach: stop}
monitoring: {dashboard: true, report: true}
deploy_role: {repository: example/lab}
where: {cloud: aws, regions: [us-east-1]}
training:
  dev: {instance: g6.xlarge, idle_stop: {below: 5%, after: 30m}, time_to_live: 72h}
"""

    def test_it_stands_and_a_refresh_sees_no_drift(self, life: Path) -> None:
        made = up(life)

        seen = fine(lifecycle.refresh(request_of(life), preview_only=True))

        assert set(made.changes) == {"create"}
        assert changed(seen) == {}

    def test_a_later_up_leaves_all_alone_and_the_moment_where_it_is(
        self, life: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = moment()
        monkeypatch.setattr(register, "_now", lambda: datetime.now(UTC) + timedelta(hours=1))

        again = up(life)

        assert set(again.changes) == {"same"}
        assert moment() == before

    def test_the_function_takes_what_stands_to_zero_and_the_next_up_raises_it(
        self, life: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """moto knows no capacity reservations: that part fails, and the group goes down first."""
        for name, value in {
            "AWS_ENDPOINT_URL": sandbox.start().endpoint,
            "AWS_ACCESS_KEY_ID": "sandbox",
            "AWS_SECRET_ACCESS_KEY": "sandbox",
            "STACK": "lab",
            "REGIONS": REGION,
            "NOTICES": "",
        }.items():
            monkeypatch.setenv(name, value)

        with pytest.raises(RuntimeError, match=r"^reservations in us-east-1"):
            stop.handler({"workload": "dev"})
        stopped = size()
        seen = fine(lifecycle.refresh(request_of(life)))
        raised = up(life)

        assert stopped == (0, 0, 0)
        assert set(changed(seen)) == {"dev-group"}
        assert set(changed(raised)) == {"dev-group"}
        assert size() == (1, 1, 1)

    def test_after_its_moment_an_up_is_refused_and_another_time_goes_on(
        self, life: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        late = datetime.now(UTC) + timedelta(hours=73)
        monkeypatch.setattr(register, "_now", lambda: late)

        refused = lifecycle.up(request_of(life))
        edit(life, ("time_to_live: 72h", "time_to_live: 48h"))
        extended = up(life)

        assert not refused.ok
        assert "dev: its time to live of 3d was over" in str((refused.reason, refused.diagnostics))
        assert changed(extended)["lab-dev-end"] == ("update", ("scheduleExpression",))
        assert moment() == (late + timedelta(hours=48)).strftime(FORM)

    def test_without_the_words_nothing_of_it_is_left(self, life: Path) -> None:
        edit(
            life,
            (", on_breach: stop", ""),
            ("monitoring: {dashboard: true, report: true}\n", ""),
            ("deploy_role: {repository: example/lab}\n", ""),
            (", idle_stop: {below: 5%, after: 30m}, time_to_live: 48h", ""),
        )

        up(life)

        ours = {
            record.name
            for record in sandbox.existing_resources()
            if record.name.startswith("lab-")
        }
        assert ours == {"lab-budget"}

    def test_destroy_leaves_nothing(self, life: Path) -> None:
        fine(lifecycle.destroy(request_of(life, judged=False)))

        assert left() == []


def moment() -> str:
    """When the schedule takes the machine down."""
    expression: str = standing()["lab-dev-end"].properties["scheduleExpression"]
    return expression.removeprefix("at(").removesuffix(")")


def size() -> tuple[int, int, int]:
    """The group's least, wanted and most machines, as AWS's own interface says it."""
    (group,) = aws("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    return group["MinSize"], group["DesiredCapacity"], group["MaxSize"]
