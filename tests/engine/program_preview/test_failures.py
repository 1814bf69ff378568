import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.program_preview import failures
from gpuinfra.errors import CloudError, EngineError, InputError
from gpuinfra.stackfile.messages import describe
from tests.engine.program_preview.cases import FOLDER, PROVIDER, RAISED, TOWN, error_of, problems

BUCKET = "urn:pulumi:dev::town::aws:s3/bucket:Bucket::b"


def test_what_a_program_raised_is_told_with_its_own_lines_only():
    failure = error_of(RAISED)

    assert isinstance(failure, InputError)
    [problem] = failure.problems
    assert problem.message == "the program failed: KeyError: 'seven'"
    assert problem.value == "__main__.py:5 > parts/deep.py:4"
    assert problem.position is not None
    assert (problem.position.file, problem.position.line) == (str(FOLDER / "parts/deep.py"), 4)


def test_what_a_program_raised_stands_at_its_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "__main__.py").write_text("a = {}\nif a == {}:\n    a['b']\n")
    town = replace(TOWN, folder=tmp_path / "town")
    raised = (
        "python inline source runtime error: 'b'\nTraceback (most recent call last):\n"
        f"  File \"{tmp_path}/town/__main__.py\", line 3, in <module>\n    a[]\nKeyError: 'b'\n"
    )
    failure = failures.program_error(town, [Diagnostic(severity="error", message=raised)])
    assert isinstance(failure, InputError)
    [problem] = failure.problems

    assert describe(problem).startswith(
        "town/__main__.py:3:5: the program failed: KeyError: 'b'\n    3 |     a['b']\n"
    )
    assert problem.value == ""


def test_an_exception_without_a_line_of_the_programs():
    text = (
        "python inline source runtime error: wrong\nTraceback (most recent call last):\n"
        '  File "/opt/pulumi/x.py", line 2, in run\n    await task\nValueError: wrong\n'
    )
    [problem] = error_of(text).problems

    assert (problem.message, problem.value) == ("the program failed: ValueError: wrong", "")


def test_an_error_that_the_sdk_can_say():
    [problem] = error_of("say please\n\tand thank you").problems

    assert problem.message == "the program failed: say please and thank you"


@pytest.mark.parametrize(
    "message",
    [
        (
            "python inline source runtime error: invoke of aws:x/getY:getY failed: invocation of "
            "aws:x/getY:getY returned an error: NoMatch: none\n"
            "Traceback (most recent call last):\n"
        ),
        (
            "rpc error: code = Unknown desc = invocation of aws:x/getY:getY returned an error: "
            "NoMatch: none"
        ),
    ],
)
def test_an_unanswered_question_ends_the_judgement(message):
    failure = error_of(message, RAISED)

    assert isinstance(failure, CloudError)
    [refusal] = failure.refusals
    assert refusal.what == "the call aws:x/getY:getY"
    assert refusal.why == "NoMatch: none; nothing after it was checked"
    assert "pulumi preview --json --show-sames" in refusal.fix


def test_a_crash_of_the_engine_is_no_fault_of_the_program():
    failure = error_of("it crashed: attempt to encrypt value")

    assert isinstance(failure, EngineError)
    assert str(failure).startswith("the engine failed: it crashed: attempt to encrypt value")
    assert "--config KEY=VALUE" in failure.fix


def test_a_stack_reference_is_a_question_that_nobody_answers():
    urn = "urn:pulumi:dev::town::pulumi:pulumi:StackReference::organization/net/dev"
    failure = error_of(
        ('Preview failed: unknown stack "organization/net/dev"', urn), "preview failed"
    )

    assert isinstance(failure, CloudError)
    [refusal] = failure.refusals
    assert refusal.what == "the stack reference organization/net/dev"
    assert "nothing after it was checked" in refusal.why


def test_a_resource_that_somebody_else_made_is_a_question_too():
    failure = error_of(("Preview failed: resource 'abc' does not exist", BUCKET))

    assert isinstance(failure, CloudError)
    [refusal] = failure.refusals
    assert refusal.what == "aws:s3/bucket:Bucket b"
    assert refusal.why.startswith(
        "the resources that it reads or imports are in a cloud, and a check has no"
    )


def test_what_a_program_itself_misses_is_its_own_fault():
    raised = "python inline source runtime error: resource 'abc' does not exist"

    assert isinstance(error_of(raised), InputError)


def test_a_refused_resource_is_told_in_the_plugins_words():
    failure = error_of(
        (
            (
                "aws:s3/bucket:Bucket resource 'b': property bucket value {A{1}\nB} has a "
                "problem: no valid name (sandbox)"
            ),
            BUCKET,
        )
    )

    assert isinstance(failure, CloudError)
    [refusal] = failure.refusals
    assert (refusal.what, refusal.why) == (
        "aws:s3/bucket:Bucket b",
        "bucket: no valid name (sandbox)",
    )


@pytest.mark.parametrize(
    ("message", "named"),
    [
        (
            (
                (
                    "no resource plugin 'pulumi-resource-random' found in the workspace or on "
                    "your $PATH"
                ),
                "urn:pulumi:dev::town::pulumi:providers:random::default",
            ),
            "the package random",
        ),
        (
            "awsx:ec2:Vpc resource 'p' has a problem: the sandbox cannot construct awsx:ec2:Vpc",
            "the component awsx:ec2:Vpc",
        ),
    ],
)
def test_a_missing_plugin_is_named(message, named):
    failure = error_of(message, "resource monitor shut down")

    assert isinstance(failure, EngineError)
    assert named in str(failure)
    assert "nothing after it was checked" in str(failure)


def test_that_the_engine_has_gone_is_no_cause_where_there_is_one():
    gone = "python inline source runtime error: resource monitor shut down"

    assert "Bucket b" in str(error_of(gone, ("too large", BUCKET)))
    assert "resource monitor shut down" in str(error_of(gone))


def test_what_nobody_knows_is_the_engines_own():
    failure = error_of(("rpc error: it is gone", PROVIDER), ("rpc error: it is gone", PROVIDER))

    assert isinstance(failure, EngineError)
    assert str(failure) == "the engine failed: rpc error: it is gone"
    assert str(error_of()) == "the engine failed: without a message"


def test_an_interpreter_without_pulumi():
    failure = failures.unusable_interpreter(Path("/v/bin/python"), "No module named 'pulumi'")

    assert isinstance(failure, EngineError)
    assert str(failure).startswith("/v/bin/python can't run a Pulumi program: No module named")


@pytest.mark.parametrize(("code", "how"), [(7, "exit code 7"), (-9, "signal 9")])
def test_a_program_whose_process_is_gone(code, how):
    [problem] = failures.crash_error(code, "line\nSegmentation fault\n").problems

    assert problem.message == f"the program's process ended early, with {how}"
    assert problem.value == "Segmentation fault"
    assert failures.crash_error(code, " ").problems[0].value == ""


def test_a_stack_that_the_engine_does_not_make():
    assert "could not create stack a b for the preview: error: no" in str(
        failures.stack_not_created("a b", "x\nerror: no\n")
    )


def test_a_project_file_that_the_engine_refuses():
    why = "Configuration key 'aws:region' should not define a default value. Use 'value'"
    error = failures.stack_not_created(
        "dev", f"error: could not unmarshal '/tmp/x/Pulumi.yaml': {why}\n"
    )

    assert isinstance(error, InputError)
    [problem] = error.problems
    assert problem.message == f"the engine refuses Pulumi.yaml: {why}"
    assert problem.fix == "correct Pulumi.yaml; every `pulumi` command shows the same error"


def test_a_look_up_that_the_end_of_the_engine_cut_off_is_not_the_cause():
    cut = "invoke of aws:ec2/getAmi:getAmi failed: grpc: the client connection is closing"
    failure = error_of(cut, ("resource 'a' has a problem: no", "urn:pulumi:dev::p::x:y/z:Z::a"))

    assert "getAmi" not in str(failure)
    assert "has a problem: no" in str(failure)


@pytest.mark.parametrize(
    ("module", "requirements", "options", "line"),
    [
        ("pulumi_random", False, {}, "{python} -m pip install pulumi-random"),
        ("pulumi_tls.x", True, {}, "{python} -m pip install -r {folder}/requirements.txt"),
        (
            "pulumi_tls",
            False,
            {"virtualenv": "venv"},
            "python3 -m venv {folder}/venv && {folder}/venv/bin/python -m pip install pulumi-tls",
        ),
        ("pulumi_tls", True, {"toolchain": "uv"}, "uv sync --project {folder}"),
    ],
)
def test_a_missing_package_is_named_with_the_line_that_installs_it(
    module, requirements, options, line, tmp_path, monkeypatch
):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    if requirements:
        (tmp_path / "requirements.txt").write_text("")
    text = (
        "python inline source runtime error: No module\nTraceback (most recent call last):\n"
        f'  File "{tmp_path}/__main__.py", line 1, in <module>\n    import {module}\n'
        f"ModuleNotFoundError: No module named '{module}'\n"
    )
    project = replace(TOWN, folder=tmp_path, options=options)
    [problem] = problems(
        failures.program_error(project, [Diagnostic(severity="error", message=text)])
    )

    assert problem.position is not None
    assert (Path(problem.position.file).name, problem.position.line) == ("__main__.py", 1)
    assert problem.fix == line.format(folder=tmp_path, python=sys.executable)


@pytest.mark.parametrize(
    ("message", "lost"),
    [
        ("error reading from server: EOF", True),
        ("rpc error: code = Unavailable desc = connection refused", True),
        ("KeyError: 'seven'", False),
    ],
)
def test_a_program_that_has_gone_is_known_by_what_the_engine_says(message, lost):
    diagnostic = Diagnostic(severity="error", message=message, urn="")

    assert failures.lost_program([diagnostic]) is lost
    assert not failures.lost_program(None)
