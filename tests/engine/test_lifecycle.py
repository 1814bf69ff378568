import asyncio
import gc
import json
import os
import signal
import threading
import time
from dataclasses import replace
from datetime import timedelta

import pulumi
import pytest

from gpuinfra.engine import install, lifecycle
from gpuinfra.engine.contract import Pack, Progress, Target
from gpuinfra.errors import EngineError, InputError, Problem

pytestmark = pytest.mark.e2e


class Thing(pulumi.ComponentResource):
    def __init__(self, name, size=1):
        super().__init__("demo:index:Thing", name, {"size": size})
        self.register_outputs({"size": size})


def things(*sizes):
    def program():
        for number, size in enumerate(sizes):
            Thing(f"t{number}", size)
        pulumi.export("count", len(sizes))
        pulumi.export("key", pulumi.Output.secret("hidden"))

    return program


PACK = """
from pulumi_policy import (
    EnforcementLevel, PolicyConfigSchema, PolicyPack, ResourceValidationPolicy,
    StackValidationPolicy)

def small(args, report):
    limit = args.get_config().get("limit", 10)
    if args.resource_type == "demo:index:Thing" and args.props["size"] > limit:
        report(f"size {args.props['size']:g} is over {limit:g}")

def few(args, report):
    report(f"{len(args.resources)} resources")

PolicyPack("sizes", enforcement_level=EnforcementLevel.MANDATORY, policies=[
    ResourceValidationPolicy("small", "sizes are small", small,
        config_schema=PolicyConfigSchema(properties={"limit": {"type": "number"}})),
    StackValidationPolicy("few", "count", few, enforcement_level=EnforcementLevel.ADVISORY),
])
"""


@pytest.fixture
def pack(tmp_path):
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "PulumiPolicy.yaml").write_text("runtime: python\n")
    (folder / "__main__.py").write_text(PACK)
    return folder


def test_a_stack_is_previewed_built_left_alone_changed_and_destroyed(request_for):
    seen = []
    request = request_for(things(1, 2), config={"gpuinfra:rung.trainer": "spot"})

    previewed = lifecycle.preview(request, seen.append)
    assert (previewed.ok, previewed.changes) == (True, {"create": 2})
    assert lifecycle.current_status(request).resources == ()

    made = lifecycle.up(request, seen.append)
    assert (made.ok, made.exit_code, made.changes) == (True, 0, {"create": 2})
    assert made.outputs == {"count": 2, "key": "[secret]"}
    assert {event.kind for event in seen} == {"start", "done"}
    assert (seen[-1].done, seen[-1].total) == (2, 2)

    again = lifecycle.up(request)
    assert again.is_unchanged
    assert again.changes == {"same": 2}

    changed = lifecycle.up(replace(request, program=things(1, 3, 4)))
    assert changed.changes == {"same": 1, "update": 1, "create": 1}

    assert lifecycle.refresh(request).ok
    gone = lifecycle.destroy(request)
    assert gone.changes == {"delete": 3}
    assert lifecycle.current_status(request).resources == ()


def test_what_stands_is_read_from_the_state(request_for):
    request = request_for(things(5), config={"gpuinfra:rung.trainer": "spot"})
    lifecycle.up(request)

    stands = lifecycle.current_status(request)

    (thing,) = stands.resources
    assert (thing.resource.name, thing.resource.inputs, thing.custom) == ("t0", {"size": 5}, False)
    assert abs(thing.created - stands.updated) < timedelta(minutes=1)
    assert stands.config == {"gpuinfra:rung.trainer": "spot"}
    assert stands.outputs == {"count": 1, "key": "[secret]"}


def test_a_stack_that_was_never_built(request_for):
    request = request_for(things(1))

    assert lifecycle.current_status(request) is None
    assert lifecycle.destroy(request).ok
    assert lifecycle.refresh(request).ok


def test_a_policy_refuses_before_anything_is_made(request_for, pack):
    request = request_for(things(1, 20), packs=(Pack(folder=pack),))

    previewed = lifecycle.preview(request)
    made = lifecycle.up(request)

    for outcome in (previewed, made):
        assert (outcome.ending, outcome.exit_code) == ("refused", 1)
        assert (
            outcome.reason
            == "policy small of pack sizes refused: sizes are small\nsize 20 is over 10"
        )
        (finding,) = [finding for finding in outcome.findings if finding.level == "mandatory"]
        assert (finding.pack, finding.policy) == ("sizes", "small")
        assert finding.urn.endswith("::t1")
    assert {
        resource.resource.name for resource in lifecycle.current_status(request).resources
    } <= {"t0"}


def test_a_pack_takes_its_configuration(request_for, pack):
    packs = (Pack(folder=pack, config={"small": {"limit": 30}}),)
    outcome = lifecycle.up(request_for(things(1, 20), packs=packs))

    assert outcome.ok
    assert [(finding.policy, finding.level) for finding in outcome.findings] == [
        ("few", "advisory")
    ]


def test_a_folder_that_is_no_pack_is_named(request_for, tmp_path):
    with pytest.raises(EngineError, match="is not a policy pack"):
        lifecycle.preview(request_for(things(1), packs=(Pack(folder=tmp_path),)))


def test_an_exception_in_the_program_is_no_traceback(request_for):
    def program():
        raise ValueError("seven is no size")

    outcome = lifecycle.preview(request_for(program))

    assert (outcome.ending, outcome.exit_code) == ("program", 2)
    assert outcome.reason.startswith(
        "the program failed: ValueError: seven is no size (test_lifec"
    )


def test_an_exception_in_an_apply_is_a_program_error_too(request_for):
    def program():
        Thing("t0")
        pulumi.export("x", pulumi.Output.from_input(1).apply(lambda _: 1 / 0))

    outcome = lifecycle.up(request_for(program))

    assert outcome.ending == "program"
    assert "division by zero" in outcome.reason


def test_our_own_errors_reach_the_caller(request_for):
    def program():
        raise InputError([Problem(message="unknown GPU 'H1000'")])

    with pytest.raises(InputError, match="H1000"):
        lifecycle.preview(request_for(program))


def test_a_display_that_breaks_is_heard(request_for):
    def broken(_: Progress):
        raise LookupError("no column")

    with pytest.raises(LookupError, match="no column"):
        lifecycle.preview(request_for(things(1)), broken)


def test_a_missing_provider_is_an_engine_error(request_for):
    def program():
        pulumi.CustomResource("nowhere:index:Thing", "t")

    outcome = lifecycle.preview(request_for(program))
    gc.collect()  # a program left unfinished would complain here, on the user's screen

    assert (outcome.ending, outcome.exit_code) == ("engine", 3)
    assert "no resource plugin 'pulumi-resource-nowhere' found" in outcome.reason


def test_nothing_of_a_refused_program_runs_on(request_for, pack, caplog, monkeypatch):
    loops, debug = [], pulumi.log.debug

    def slow_at_the_end(message, *more):
        if message == "run_pulumi_func completed":
            time.sleep(0.5)
        debug(message, *more)

    def program():
        loops.append(asyncio.get_running_loop())
        things(20)()

    monkeypatch.setattr(pulumi.log, "debug", slow_at_the_end)
    outcome = lifecycle.preview(request_for(program, packs=(Pack(folder=pack),)))

    assert outcome.ending == "refused"
    assert [loop.is_closed() for loop in loops] == [True]
    assert not caplog.records


def test_sandbox_plugins_need_a_file_backend(request_for):
    target = Target(name="sandbox", environment={"PULUMI_BACKEND_URL": "s3://states"})

    with pytest.raises(EngineError, match=r"is s3://states; the sandbox's plugins never"):
        lifecycle.preview(request_for(things(1), target=target))


def test_a_cloud_run_refuses_the_sandbox_plugins(request_for, target, tmp_path):
    plugin = tmp_path / "pulumi-resource-aws"
    plugin.write_text("#!/bin/sh\nexec python -m gpuinfra.sandbox.plugin aws\n")
    plugin.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    cloud = Target(name="cloud", environment={**target.environment, "PATH": path})

    with pytest.raises(EngineError, match="is the sandbox's own plugin"):
        lifecycle.up(request_for(things(1), target=cloud))


def test_a_state_of_the_other_target_is_refused(request_for, target, engine, tmp_path):
    request = request_for(things(1))
    lifecycle.up(request)
    # What `pulumi stack rename cloud` leaves behind.
    state = tmp_path / "backend" / ".pulumi" / "stacks" / "demo"
    text = (state / "sandbox.json").read_text().replace(":sandbox::", ":cloud::")
    (state / "cloud.json").write_text(text.replace("demo-sandbox", "demo-cloud"))
    cloud = Target(name="cloud", environment=target.environment)

    for verb in (lifecycle.up, lifecycle.destroy, lifecycle.current_status):
        with pytest.raises(EngineError, match="built on target sandbox, and this run is for"):
            verb(replace(request, target=cloud))


def test_ctrl_c_stops_cleanly_and_the_next_up_goes_on(request_for):
    began = threading.Event()

    async def size():
        began.set()
        await asyncio.sleep(60)
        return 1

    def slow():
        first = Thing("t0")
        Thing("t1", first.urn.apply(lambda _: size()))

    def interrupt():
        assert began.wait(60)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    seen = []
    thread = threading.Thread(target=interrupt)
    thread.start()
    outcome = lifecycle.up(request_for(slow), seen.append)
    thread.join()

    assert (outcome.ending, outcome.exit_code) == ("interrupted", 130)
    assert next(event.message for event in seen if event.kind == "note").startswith("stopping")
    again = lifecycle.up(request_for(things(1, 1)))
    assert again.ok
    assert again.changes == {"same": 1, "create": 1}


def test_a_lock_left_behind_is_explained_and_freed(request_for, tmp_path):
    request = request_for(things(1))
    lifecycle.up(request)
    locks = tmp_path / "backend" / ".pulumi" / "locks" / "organization" / "demo" / "sandbox"
    locks.mkdir(parents=True, exist_ok=True)
    lock = {
        "pid": 4194304,
        "username": "ann",
        "hostname": "box",
        "timestamp": "2026-01-01T00:00:00Z",
    }
    (locks / "0d9a.json").write_text(json.dumps(lock))

    with pytest.raises(EngineError, match=r"by ann@box, process 4194304, since 2026.*--unlock"):
        lifecycle.up(request)
    lifecycle.unlock(request)

    assert lifecycle.up(request).is_unchanged


@pytest.fixture
def left_open(request_for, tmp_path):
    """A stack with an operation of unknown outcome, and the URN that it is about."""
    request = request_for(things(1))
    lifecycle.up(request)
    path = tmp_path / "backend" / ".pulumi" / "stacks" / "demo" / "sandbox.json"
    state = json.loads(path.read_text())
    urn = "urn:pulumi:sandbox::demo::aws:ec2/instance:Instance::n0"
    state["checkpoint"]["latest"]["pending_operations"] = [
        {
            "type": "creating",
            "resource": {"urn": urn, "type": "aws:ec2/instance:Instance", "custom": True},
        }
    ]
    path.write_text(json.dumps(state))
    return request, urn


def test_deleting_is_not_done_while_an_operation_is_left_open(left_open):
    request, _ = left_open

    outcome = lifecycle.destroy(request)
    assert (outcome.ending, outcome.exit_code, len(outcome.work_left)) == ("fine", 3, 1)

    lifecycle.refresh(request, clear_pending=True)
    assert lifecycle.destroy(request).exit_code == 0


def test_an_operation_left_open_is_told_and_the_next_up_goes_on(left_open):
    request, urn = left_open

    assert [operation.urn for operation in lifecycle.current_status(request).pending] == [urn]
    outcome = lifecycle.up(request)
    assert outcome.ok
    (left,) = outcome.work_left
    assert left == (
        "creating aws:ec2/instance:Instance n0: a pending operation of an interrupted run; "
        "its outcome is unknown"
    )
    assert lifecycle.refresh(request, clear_pending=True).work_left == ()
    assert lifecycle.current_status(request).pending == ()


@pytest.mark.parametrize("verb", [lifecycle.refresh, lifecycle.destroy])
def test_a_run_that_does_not_name_the_rung_keeps_it(request_for, verb):
    rung = {"gpuinfra:rung.trainer": "on-demand"}
    lifecycle.up(request_for(things(1), config={**rung, "demo:size": "3"}))

    assert verb(request_for(things(1))).ok

    assert lifecycle.current_status(request_for(things(1))).config == rung
    other = {"gpuinfra:rung.trainer": "spot"}
    lifecycle.refresh(request_for(things(1), config=other))
    assert lifecycle.current_status(request_for(things(1))).config == other


def test_a_cloud_run_without_a_login_says_how_to_log_in(request_for, tmp_path, monkeypatch):
    monkeypatch.delenv("PULUMI_BACKEND_URL", raising=False)
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "nobody"))
    request = request_for(things(1), target=Target(name="cloud"))

    with pytest.raises(EngineError) as caught:
        lifecycle.preview(request)

    message = str(caught.value)
    assert "PULUMI_ACCESS_TOKEN" in message
    assert "stderr" not in message
    assert "PULUMI_BACKEND_URL=file://~/.pulumi-state" in message
    assert "error:" not in message
    assert str(install.find().path) not in message
    assert "PULUMI_BACKEND_URL" in message


def test_the_rung_is_kept_beside_the_stack_file(request_for, tmp_path):
    settings = tmp_path / "Pulumi.sandbox.yaml"
    settings.write_text("config:\n  # why: spot was gone\n  demo:size: '3'\n")
    rung = {"gpuinfra:rung.trainer": "on-demand"}
    request = request_for(things(1), work_dir=tmp_path, config=rung)

    lifecycle.preview(request)
    assert "rung" not in settings.read_text()
    lifecycle.up(request)
    assert "# why: spot was gone" in settings.read_text()

    kept = lifecycle.up(replace(request, config={}))
    assert kept.ok
    assert lifecycle.current_status(request).config == {"demo:size": "3", **rung}
