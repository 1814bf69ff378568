import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.program_preview import failures
from gpuinfra.engine.program_preview.missing_configuration import (
    UnconfiguredError,
    with_config_hint,
)
from gpuinfra.engine.program_preview.project import Project
from gpuinfra.errors import CloudError, EngineError, GpuinfraError, InputError, Problem
from gpuinfra.pulumi_special_values import UNKNOWN_TEXT
from gpuinfra.stackfile.messages import describe

FOLDER = Path("/home/me/town")
TOWN = Project(
    folder=FOLDER,
    file=FOLDER / "Pulumi.yaml",
    name="town",
    runtime="python",
    program=FOLDER,
    settings=FOLDER,
)
BUCKET = "urn:pulumi:dev::town::aws:s3/bucket:Bucket::b"
PROVIDER = "urn:pulumi:dev::town::pulumi:providers:aws::default_7_51_1"
RAISED = """an unhandled error occurred: python inline source runtime error: seven
Traceback (most recent call last):
  File "/opt/pulumi/runtime/stack.py", line 254, in run_in_stack
    await run_pulumi_func(run)
  File "/home/me/town/__main__.py", line 5, in <module>
    deep(1)
  File "/home/me/town/venv/lib/python3.11/site-packages/thing.py", line 9, in call
    f()
  File "/home/me/town/parts/deep.py", line 4, in deep
    raise KeyError("seven")
KeyError: 'seven'
"""


def problems(error: GpuinfraError) -> tuple[Problem, ...]:
    assert isinstance(error, InputError)
    return tuple(error.problems)


def of(*diagnostics):
    return failures.program_error(
        TOWN,
        [
            Diagnostic(severity="error", message=message, urn=urn)
            for message, urn in (
                diagnostic if isinstance(diagnostic, tuple) else (diagnostic, "")
                for diagnostic in diagnostics
            )
        ],
    )


def test_what_a_program_raised_is_told_with_its_own_lines_only():
    failure = of(RAISED)

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
    [problem] = of(text).problems

    assert (problem.message, problem.value) == ("the program failed: ValueError: wrong", "")


def test_an_error_that_the_sdk_can_say():
    [problem] = of("say please\n\tand thank you").problems

    assert problem.message == "the program failed: say please and thank you"


@pytest.mark.parametrize(
    ("message", "words", "key"),
    [
        (
            "Missing required configuration variable 'town:size'\n\tplease set a value",
            "Missing required configuration variable 'town:size'",
            "town:size=VALUE",
        ),
        (
            "validating stack config: Stack 'dev' is missing configuration value 'size'",
            "Stack 'dev' is missing configuration value 'size'",
            "size=VALUE",
        ),
        (
            "Configuration 'town:n' value 'x' is not a valid 'int'",
            "Configuration 'town:n' value 'x' is not a valid 'int'",
            "town:n=VALUE",
        ),
        (
            (
                (
                    "pulumi:providers:aws resource 'default': property region value {<nil>} has a "
                    "problem: missing region: set it with AWS_REGION (sandbox)"
                ),
                PROVIDER,
            ),
            "missing region (a check does not read AWS_REGION)",
            "aws:region=us-east-1",
        ),
    ],
)
def test_missing_configuration_is_told_once_with_the_way_out(message, words, key):
    again = ("an unhandled error occurred: " + message) if isinstance(message, str) else message
    failure = of(message, again, RAISED)

    assert isinstance(failure, InputError)
    [problem] = failure.problems
    assert problem.message == f"the program's configuration is incomplete or invalid: {words}"
    assert f"--config {key}" in problem.fix
    assert "--config-of" in problem.fix


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
    failure = of(message, RAISED)

    assert isinstance(failure, CloudError)
    [refusal] = failure.refusals
    assert refusal.what == "the call aws:x/getY:getY"
    assert refusal.why == "NoMatch: none; nothing after it was checked"
    assert "pulumi preview --json --show-sames" in refusal.fix


def test_a_crash_of_the_engine_is_no_fault_of_the_program():
    failure = of("it crashed: attempt to encrypt value")

    assert isinstance(failure, EngineError)
    assert str(failure).startswith("the engine failed: it crashed: attempt to encrypt value")
    assert "--config KEY=VALUE" in failure.fix


def test_a_stack_reference_is_a_question_that_nobody_answers():
    urn = "urn:pulumi:dev::town::pulumi:pulumi:StackReference::organization/net/dev"
    failure = of(('Preview failed: unknown stack "organization/net/dev"', urn), "preview failed")

    assert isinstance(failure, CloudError)
    [refusal] = failure.refusals
    assert refusal.what == "the stack reference organization/net/dev"
    assert "nothing after it was checked" in refusal.why


def test_a_resource_that_somebody_else_made_is_a_question_too():
    failure = of(("Preview failed: resource 'abc' does not exist", BUCKET))

    assert isinstance(failure, CloudError)
    [refusal] = failure.refusals
    assert refusal.what == "aws:s3/bucket:Bucket b"
    assert refusal.why.startswith(
        "the resources that it reads or imports are in a cloud, and a check has no"
    )


def test_what_a_program_itself_misses_is_its_own_fault():
    raised = "python inline source runtime error: resource 'abc' does not exist"

    assert isinstance(of(raised), InputError)


def test_a_refused_resource_is_told_in_the_plugins_words():
    failure = of(
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
    failure = of(message, "resource monitor shut down")

    assert isinstance(failure, EngineError)
    assert named in str(failure)
    assert "nothing after it was checked" in str(failure)


def test_that_the_engine_has_gone_is_no_cause_where_there_is_one():
    gone = "python inline source runtime error: resource monitor shut down"

    assert "Bucket b" in str(of(gone, ("too large", BUCKET)))
    assert "resource monitor shut down" in str(of(gone))


def test_what_nobody_knows_is_the_engines_own():
    failure = of(("rpc error: it is gone", PROVIDER), ("rpc error: it is gone", PROVIDER))

    assert isinstance(failure, EngineError)
    assert str(failure) == "the engine failed: rpc error: it is gone"
    assert str(of()) == "the engine failed: without a message"


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
    failure = of(cut, ("resource 'a' has a problem: no", "urn:pulumi:dev::p::x:y/z:Z::a"))

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


def test_keys_without_a_value_are_all_told():
    failure = of("Stack 'dev' is missing configuration values 'a', 'b' and 'c'")

    assert isinstance(failure, UnconfiguredError)
    assert failure.missing == ("a", "b", "c")


@pytest.mark.parametrize(
    ("message", "given", "offers"),
    [
        ("Missing required configuration variable 'town:size'", False, True),
        ("Missing required configuration variable 'town:size'", True, False),
        ("Configuration 'town:size' value 'x' is not a valid int", False, False),
        ("missing region: set it with AWS_REGION", False, False),
    ],
)
def test_config_unknown_is_offered_where_it_helps_and_was_not_given(message, given, offers):
    [problem] = problems(with_config_hint(of(message), (), has_config=given))

    assert ("--config-unknown" in problem.fix) is offers
    assert "--config " in problem.fix


def test_a_value_of_a_wrong_type_is_not_missing():
    failure = of("Configuration 'town:size' value 'x' is not a valid int")

    assert isinstance(failure, UnconfiguredError)
    assert failure.missing == ()


def test_a_failure_with_unknown_values_names_them():
    error = of(f"Configuration 'town:size' value '{UNKNOWN_TEXT}' is not a valid int")
    [problem] = problems(with_config_hint(error, ("town:size",)))

    assert "value 'unknown' is not a valid int" in problem.message
    assert problem.fix.endswith("--config town:size=VALUE")
    assert with_config_hint(error, ()) is error
    silent = with_config_hint(EngineError("the engine failed"), ("town:size",))
    assert str(silent) == (
        "the engine failed; the program may need values: --config town:size=VALUE"
    )


@pytest.mark.parametrize("unknown", [("privateKey",), ()])
@pytest.mark.parametrize(
    "message",
    [
        "TypeError: Missing required property 'public_key'",
        "TypeError: sequence item 1: expected str instance, NoneType found",
    ],
)
def test_a_value_that_is_none_may_be_a_key_that_nothing_sets(message, unknown):
    hint = {"optional": ("publicKey", "keyName")}
    [problem] = problems(with_config_hint(of(message), unknown, **hint))

    assert problem.fix == (
        "the program reads keys that have no value: --config publicKey=VALUE "
        "--config keyName=VALUE"
    )


def test_configuration_is_no_cause_of_another_error_or_of_a_missing_package():
    raised = "python inline source runtime error: "
    hint = {"optional": ("publicKey",)}
    [other] = problems(with_config_hint(of("KeyError: 'a'"), ("privateKey",), **hint))
    [same] = problems(with_config_hint(of(f"{raised}KeyError: 'a'"), (), **hint))
    missing = of(f"{raised}ModuleNotFoundError: No module named 'requests'")
    [package] = problems(with_config_hint(missing, ("privateKey",), **hint))

    assert other.fix.endswith("--config privateKey=VALUE")
    assert same.fix == failures.MEND
    assert "pip install" in package.fix


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
