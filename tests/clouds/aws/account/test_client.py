import socket
import threading
import time

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from gpuinfra.clouds.aws.account.client import AccountClient, run_within
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer, iam_action, refusal_answer
from gpuinfra.errors import InputError
from tests.clouds.aws.account.conftest import FAR, REGION

VPCS = ("ec2", REGION, "describe_vpcs")


def caller(address, seconds=60.0):
    return AccountClient(deadline=time.monotonic() + seconds, endpoint=address)


@pytest.fixture
def silent_server():
    """Takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def garbage_server():
    """Answers everything with something that is no answer."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Garbage(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = b"<html>hello</html>\x00"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Garbage)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_that_never_answers_ends_in_time(silent_server):
    start = time.monotonic()
    answer = caller(silent_server, seconds=0.5).ask(*VPCS)

    assert isinstance(answer, NoAnswer)
    assert (answer.kind, time.monotonic() - start < 5) == ("late", True)
    assert "--timeout" in answer.fix


def test_no_question_is_asked_when_the_time_is_over():
    questions = []
    answer = AccountClient(deadline=time.monotonic() - 1, report_progress=questions.append).ask(
        *VPCS
    )

    assert isinstance(answer, NoAnswer)
    assert (answer.kind, questions) == ("late", [])


def test_an_address_where_nobody_is_is_asked_once():
    questions = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    unanswered = AccountClient(
        deadline=FAR, endpoint=f"http://127.0.0.1:{port}", report_progress=questions.append
    )

    first = unanswered.ask(*VPCS)
    second = unanswered.ask("ec2", REGION, "describe_subnets")

    assert isinstance(first, NoAnswer)
    assert first is second
    assert (first.kind, questions) == ("unreachable", ["ec2 describe_vpcs in us-east-1"])


def test_garbage_is_no_answer(garbage_server):
    answer = caller(garbage_server).ask(*VPCS)
    rows = caller(garbage_server).all_rows(*VPCS, "Vpcs")

    for result in (answer, rows):
        assert isinstance(result, NoAnswer)
        assert "sent a response that its documentation doesn't describe" in result.why


def test_without_credentials_it_is_bad_input(monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))

    with pytest.raises(InputError, match="no valid AWS credentials"):
        caller("http://127.0.0.1:9").ask(*VPCS)


def test_a_profile_that_is_not_there_is_bad_input(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "no-such-profile")

    with pytest.raises(InputError, match="no-such-profile"):
        caller("http://127.0.0.1:9").ask(*VPCS)


def test_the_same_is_asked_once(moto):
    questions = []
    me = AccountClient(deadline=FAR, report_progress=questions.append)

    assert me.ask(*VPCS) is me.ask(*VPCS)
    assert me.all_rows(*VPCS, "Vpcs") == me.all_rows(*VPCS, "Vpcs")
    assert len(questions) == 2


def test_what_the_endpoint_lacks_is_not_implemented_or_not_understood(moto):
    answer = AccountClient(deadline=FAR).ask("ec2", REGION, "describe_placement_groups")

    assert isinstance(answer, NoAnswer)


def test_within_passes_on_what_a_call_gives_and_raises():
    assert run_within(5, lambda: 7) == 7
    with pytest.raises(NoCredentialsError):
        run_within(5, lambda: (_ for _ in ()).throw(NoCredentialsError()))
    with pytest.raises(TimeoutError):
        run_within(0.01, lambda: time.sleep(0.2))


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("AccessDenied", 403, "denied"),
        ("UnauthorizedOperation", 403, "denied"),
        ("SomethingNew", 403, "denied"),
        ("RequestLimitExceeded", 503, "throttled"),
        ("TooManyRequestsException", 400, "throttled"),
        ("InvalidAction", 400, "not implemented"),
        ("501", 501, "not implemented"),
        ("InvalidSubnetID.NotFound", 400, "refused"),
        ("ExpiredToken", 403, "refused"),
    ],
)
def test_a_refusal_is_told_by_its_code(code, status, kind):
    body = {"Error": {"Code": code, "Message": "\x1b[31mno"}}
    error = ClientError({**body, "ResponseMetadata": {"HTTPStatusCode": status}}, "DescribeVpcs")

    unanswered = refusal_answer("ec2", "describe_vpcs", error)

    assert (unanswered.kind, unanswered.code) == (kind, code)
    assert "\x1b" not in unanswered.why
    assert unanswered.fix


def test_a_right_is_named_as_policies_name_it():
    assert iam_action("service-quotas", "get_service_quota") == "servicequotas:GetServiceQuota"
    assert iam_action("ec2", "describe_subnets") == "ec2:DescribeSubnets"
