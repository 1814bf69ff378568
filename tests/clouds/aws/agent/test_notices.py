"""What counts as a notice, and what does not."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.agent import notices
from gpuinfra.clouds.aws.agent.install import block_leads
from gpuinfra.clouds.aws.agent.notices import KEEP, LEAVE, Notice

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=UTC).timestamp()


def test_a_spot_notice_says_when() -> None:
    text = json.dumps({"action": "terminate", "time": "2026-12-01T10:01:50Z"})

    assert list(notices.spot(text, NOW)) == [
        Notice("spot-interruption", "spot 2026-12-01T10:01:50Z", LEAVE, 110)
    ]


@pytest.mark.parametrize("time", ["2026-12-01T09:00:00Z", "2026-12-02T10:00:00Z", "soon", None, 7])
def test_a_time_that_cannot_be_right_is_not_relied_on(time: object) -> None:
    (notice,) = notices.spot(json.dumps({"action": "stop", "time": time}), NOW)

    assert notice.seconds == notices.SPOT_UNSURE


def test_advice_is_known_by_its_time() -> None:
    (notice,) = notices.rebalance('{"noticeTime": "2026-12-01T09:59:00Z"}', KEEP)

    assert notice[:3] == ("rebalance-recommendation", "rebalance 2026-12-01T09:59:00Z", KEEP)


def event(**more: str) -> dict[str, str]:
    return {
        "Code": "instance-retirement",
        "EventId": "instance-event-0d59937288b749b32",
        "NotBefore": "1 Dec 2026 10:09:00 GMT",
        "State": "active",
        **more,
    }


def test_maintenance_counts_shortly_before_it_begins() -> None:
    later = event(NotBefore="1 Dec 2026 10:11:00 GMT")
    ended, past = event(State="completed"), event(NotBefore="1 Dec 2026 09:59:00 GMT")

    notices_ = list(notices.maintenance(json.dumps([later, ended, past, event()]), NOW, KEEP))

    assert [(notice.reason, notice.seconds) for notice in notices_] == [
        ("maintenance-instance-retirement", 540)
    ]


def test_a_scaling_group_ends_a_machine_by_one_word() -> None:
    assert [notice.seconds for notice in notices.lifecycle("Terminated\n", 420)] == [420]
    assert not list(notices.lifecycle("InService", 420))
    assert not list(notices.lifecycle("Warmed:Terminated", 420))


@pytest.mark.parametrize(("ultraserver", "starts", "goes"), [(False, 45, 30), (True, 75, 60)])
def test_a_block_ends_a_quarter_of_an_hour_before_its_machines_go(
    ultraserver: bool, starts: int, goes: int
) -> None:
    leads = block_leads(ultraserver=ultraserver)
    end, seconds = NOW, (leads["machines_go"] * 60, leads["checkpoint_starts"] * 60)

    assert not list(notices.block(end, *seconds, wall=end - starts * 60 - 1))
    (notice,) = notices.block(end, *seconds, wall=end - starts * 60)
    assert notice.seconds == (starts - goes) * 60
    (late,) = notices.block(end, *seconds, wall=end - 60)
    assert late.seconds == notices.SPOT_UNSURE


@pytest.mark.parametrize(
    "text", [None, "", "null", "[]", "7", "<html>", '{"action": []}', "[" * 100_000, '[{"State"']
)
def test_what_is_no_notice_is_none(text: str | None) -> None:
    assert not list(notices.spot(text, NOW))
    assert not list(notices.rebalance(text, KEEP))
    assert not list(notices.maintenance(text, NOW, KEEP))
    assert not list(notices.lifecycle(text, 1))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["action", "time", "noticeTime", "State", "NotBefore", "Code"])
            | st.text(max_size=3),
            inner | st.sampled_from(["active", "terminate"]),
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_answer_is_read_without_an_error(answer: object) -> None:
    text = json.dumps(answer)

    for notice in notices.spot(text, NOW):
        assert 0 < notice.seconds <= notices.SPOT_WARNING
    for notice in notices.maintenance(text, NOW, KEEP):
        assert 0 < notice.seconds <= notices.MAINTENANCE_LEAD
    list(notices.rebalance(text, KEEP))


@pytest.mark.parametrize(
    "text", ["2026-12-01T10:00:00Z", "2026-12-01T10:00Z", "1 Dec 2026 10:00:00 GMT"]
)
def test_moments_are_read_as_aws_writes_them(text: str) -> None:
    assert notices.moment(text) == NOW
