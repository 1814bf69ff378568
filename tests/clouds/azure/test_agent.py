import io
import json
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, urlsplit

import pytest

from gpuinfra.clouds.azure import agent

SCALE_SET = (
    "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/trainer"
)
ABOUT = {
    "subscriptionId": "s",
    "resourceGroupName": "g",
    "vmScaleSetName": "trainer",
    "name": "trainer_3",
    "location": "eastus",
}


class StopError(Exception):
    """Ends a loop that has no end."""


class Net:
    """Stands for the network: keeps what is asked, and answers as told."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self.answer = answer
        self.requests: list[Any] = []

    def open(self, request: Any, timeout: float) -> io.BytesIO:
        self.requests.append(request)
        answer = self.answer(request)
        return io.BytesIO(b"" if answer is None else json.dumps(answer).encode())


@pytest.fixture
def metadata(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Net:
    identity = tmp_path / "identity"
    identity.write_text("client-1\n")
    monkeypatch.setattr(agent, "IDENTITY", identity)

    def answer(request: Any) -> Any:
        path = urlsplit(request.full_url).path
        if path.endswith("/token"):
            resource = parse_qs(urlsplit(request.full_url).query)["resource"][0]
            return {"access_token": f"token for {resource}"}
        return ABOUT

    net = Net(answer)
    monkeypatch.setattr(agent, "_DIRECT", net)
    return net


def nic(machine: int, address: str, *, primary: bool = True) -> dict[str, Any]:
    return {
        "properties": {
            "primary": primary,
            "virtualMachine": {"id": f"{SCALE_SET}/virtualMachines/{machine}"},
            "ipConfigurations": [{"properties": {"privateIPAddress": address}}],
        }
    }


def pages(*lists: list[dict[str, Any]]) -> Callable[[Any], Any]:
    def answer(request: Any) -> Any:
        number = int(request.full_url.partition("skip=")[2] or 0)
        following = f"https://management.azure.com/x?skip={number + 1}"
        more = {"nextLink": following} if number + 1 < len(lists) else {}
        return {"value": lists[number], **more}

    return answer


def test_metadata_is_asked_with_its_header(metadata: Net) -> None:
    assert agent.token("https://management.azure.com/") == (
        "token for https://management.azure.com/"
    )
    (request,) = metadata.requests
    assert request.get_header("Metadata") == "true"
    assert "api-version=2018-02-01" in request.full_url
    assert "&client_id=client-1&" in request.full_url


def test_the_leader_has_the_lowest_instance_id_by_number(
    metadata: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    nics = [nic(10, "10.0.0.10"), nic(9, "10.0.0.9"), nic(9, "10.0.1.9", primary=False)]
    net = Net(pages(nics, [nic(2, "10.0.0.2")]))
    monkeypatch.setattr(agent, "_OPENER", net)

    assert agent.peers(3, 0) == ["10.0.0.2", "10.0.0.9", "10.0.0.10"]
    assert net.requests[0].full_url.startswith(
        f"https://management.azure.com{SCALE_SET}/networkInterfaces?api-version="
    )
    assert net.requests[0].get_header("Authorization") == (
        "Bearer token for https://management.azure.com/"
    )


def test_only_so_many_machines_meet(metadata: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "_OPENER", Net(pages([nic(n, f"10.0.0.{n}") for n in range(5)])))

    assert agent.peers(2, 0) == ["10.0.0.0", "10.0.0.1"]


def test_who_waits_too_long_says_how_many_are_there(
    metadata: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "_OPENER", Net(pages([nic(1, "10.0.0.1")])))

    with pytest.raises(SystemExit, match="gpuinfra-peers: 1 of 4 machines are running; giving up"):
        agent.peers(4, -1)


def test_a_role_that_is_not_known_everywhere_yet_is_waited_for(
    metadata: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    paged = pages([nic(1, "10.0.0.1"), nic(2, "10.0.0.2")])

    def answer(request: Any) -> Any:
        if len(net.requests) < 3:
            raise HTTPError(request.full_url, 403, "Forbidden", Message(), None)
        return paged(request)

    slept: list[float] = []
    net = Net(answer)
    monkeypatch.setattr(agent, "_OPENER", net)
    monkeypatch.setattr(time, "sleep", slept.append)

    assert agent.peers(2, 1800) == ["10.0.0.1", "10.0.0.2"]
    assert slept == [agent.PAUSE, agent.PAUSE]


def test_who_is_refused_too_long_says_by_what(
    metadata: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: Any) -> Any:
        raise HTTPError(request.full_url, 403, "Forbidden", Message(), None)

    monkeypatch.setattr(agent, "_OPENER", Net(answer))

    with pytest.raises(SystemExit, match=r"can't be listed: HTTP Error 403: Forbidden; giving up"):
        agent.peers(2, -1)


def test_a_registry_gives_its_own_token_for_the_identitys(
    metadata: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = Net(lambda _: {"refresh_token": "r"})
    monkeypatch.setattr(agent, "_OPENER", net)

    assert agent.registry_token("myteam.azurecr.io") == "r"
    (request,) = net.requests
    assert request.full_url == "https://myteam.azurecr.io/oauth2/exchange"
    assert parse_qs(request.data.decode()) == {
        "grant_type": ["access_token"],
        "service": ["myteam.azurecr.io"],
        "access_token": ["token for https://management.azure.com/"],
    }


def test_figures_are_percent_of_every_gpu() -> None:
    assert list(agent.sample(["70, 20000, 80000", "30, 80000, 80000"])) == [(70, 25), (30, 100)]


def test_a_gpu_in_parts_has_no_figures() -> None:
    assert list(agent.sample(["[N/A], 20000, 80000", "0, 0, 143771"])) == [(0, 0)]


def test_a_minute_is_added_up_beforehand() -> None:
    assert agent.figure("gpuinfra", "gpu_utilization", [70.0, 30.0], 0.0) == {
        "time": "1970-01-01T00:00:00Z",
        "data": {
            "baseData": {
                "metric": "gpu_utilization",
                "namespace": "gpuinfra",
                "series": [{"min": 30.0, "max": 70.0, "sum": 100.0, "count": 2}],
            }
        },
    }


def test_metrics_are_the_scale_sets_own_and_go_on_after_a_failure(
    metadata: Net, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    minutes = iter([[], [(70.0, 25.0)], [(80.0, 50.0)]])

    def minute() -> list[tuple[float, float]]:
        try:
            return next(minutes)
        except StopIteration as end:
            raise StopError from end

    def answer(request: Any) -> None:
        if len(net.requests) == 1:
            raise URLError("no route")

    net = Net(answer)
    monkeypatch.setattr(agent, "_OPENER", net)
    monkeypatch.setattr(agent, "minute", minute)
    with pytest.raises(StopError):
        agent.main(["metrics", "gpuinfra", "gpu_utilization", "gpu_memory"])

    sent = [json.loads(request.data)["data"]["baseData"] for request in net.requests[1:]]
    assert [(metric["metric"], metric["series"][0]["sum"]) for metric in sent] == [
        ("gpu_utilization", 80.0),
        ("gpu_memory", 50.0),
    ]
    assert {request.full_url for request in net.requests} == {
        f"https://eastus.monitoring.azure.com{SCALE_SET}/metrics"
    }
    assert net.requests[1].get_header("Authorization") == (
        "Bearer token for https://monitoring.azure.com/"
    )
    said = capsys.readouterr().err
    assert "no route" in said
    assert "no GPU reports its utilization" in said


NOW = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)
SOON, LATER, DAYS = (
    format_datetime(NOW + timedelta(minutes=minutes), usegmt=True) for minutes in (2, 15, 7200)
)


def event(kind: str, *resources: str, **more: str) -> dict[str, Any]:
    common = {"EventStatus": "Scheduled", "EventSource": "Platform", "NotBefore": LATER}
    return {"EventId": kind, "EventType": kind, "Resources": [*resources], **common, **more}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (event("Preempt", "trainer_3"), True),
        (event("Terminate", "trainer_1", "trainer_3"), True),
        (event("Terminate", "trainer_3", EventStatus="Started", NotBefore=""), True),
        (event("Preempt", "trainer_1"), False),
        (event("Reboot", "trainer_3"), False),
        (event("Reboot", "trainer_3", NotBefore=SOON), True),
        (event("Reboot", "trainer_1", NotBefore=SOON), False),
        (event("Redeploy", "trainer_3", NotBefore=DAYS), False),
        (event("Redeploy", "trainer_3", NotBefore=SOON), True),
        (event("Redeploy", "trainer_3", EventSource="User"), True),
        (event("Reboot", "trainer_3", EventStatus="Started", NotBefore=""), False),
        (event("Freeze", "trainer_3", NotBefore=SOON), False),
    ],
)
def test_the_work_ends_before_this_machine_goes_or_restarts(
    event: dict[str, Any], expected: bool
) -> None:
    assert agent.has_to_end(event, "trainer_3", NOW.timestamp()) is expected


class Events:
    """Azure's events, one answer for each question, and what the agent does in between."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: Any) -> None:
        self.answers = list(answers)
        self.seen: list[Any] = []
        monkeypatch.setattr(agent, "_DIRECT", Net(self._answer))
        monkeypatch.setattr(time, "sleep", lambda _: None)
        monkeypatch.setattr(time, "time", NOW.timestamp)
        monkeypatch.setattr(subprocess, "run", lambda command, check: self.seen.append(command))
        with pytest.raises(StopError):
            agent.main(["events", "leave"])

    def _answer(self, request: Any) -> Any:
        if "scheduledevents" not in request.full_url:
            return ABOUT
        assert request.get_header("Metadata") == "true"
        if request.data:
            self.seen.append(json.loads(request.data))
            return None
        if not self.answers:
            raise StopError
        following = self.answers.pop(0)
        if isinstance(following, URLError):
            raise following
        return {"Events": following}


LEAVE: Final = ["leave"]
BACK: Final = ["leave", "back"]


def started(identity: str) -> dict[str, Any]:
    return {"StartRequests": [{"EventId": identity}]}


@pytest.mark.parametrize("kind", ["Preempt", "Terminate"])
def test_the_command_runs_once_and_azure_need_not_wait(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leaving = [event(kind, "trainer_3")]
    events = Events(monkeypatch, URLError("not yet"), [], leaving, leaving)

    assert events.seen == [LEAVE, started(kind)]
    assert "not yet" in capsys.readouterr().err


def test_other_machines_of_an_event_have_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    leaving = [event("Reboot", "trainer_1", "trainer_3", NotBefore=SOON)]

    assert Events(monkeypatch, leaving, leaving).seen == [LEAVE]


def test_the_work_begins_again_when_a_restart_is_called_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = [event("Redeploy", "trainer_3", NotBefore=SOON)]
    second = [event("Reboot", "trainer_3", NotBefore=SOON)]

    assert Events(monkeypatch, first, [], second).seen == [
        *(LEAVE, started("Redeploy"), BACK),
        *(LEAVE, started("Reboot")),
    ]


def test_azure_is_told_again_when_it_did_not_hear(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []

    def deaf_once(told: Any) -> None:
        heard.append(told["EventId"])
        if len(heard) == 1:
            raise URLError("reset")

    monkeypatch.setattr(agent, "start_event", deaf_once)
    leaving = [event("Terminate", "trainer_3")]

    assert Events(monkeypatch, leaving, leaving, leaving).seen == [LEAVE]
    assert heard == ["Terminate", "Terminate"]


def test_it_prints_what_it_is_asked_for(metadata: Net, capsys: pytest.CaptureFixture[str]) -> None:
    agent.main(["token", "x"])

    assert capsys.readouterr().out == "token for x\n"
