"""A program that failed in the preview, and the problems of its error."""

from pathlib import Path

from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.program_preview import failures
from gpuinfra.engine.program_preview.project import Project
from gpuinfra.errors import GpuinfraError, InputError, Problem

FOLDER = Path("/home/me/town")
TOWN = Project(
    folder=FOLDER,
    file=FOLDER / "Pulumi.yaml",
    name="town",
    runtime="python",
    program=FOLDER,
    settings=FOLDER,
)
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


def error_of(*diagnostics):
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
