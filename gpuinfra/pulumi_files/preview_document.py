"""The reader of `pulumi preview --json`: one document with the steps and a summary.

https://github.com/pulumi/pulumi/blob/master/sdk/go/common/display/digest.go (PreviewDigest)
"""

from gpuinfra.pulumi_files.file_faults import FileError, OnFault, refuse
from gpuinfra.pulumi_files.file_stack import EntryCollector
from gpuinfra.pulumi_files.json_window import JsonWindow
from gpuinfra.pulumi_files.preview_steps import StepReader
from gpuinfra.pulumi_files.property_values import Values
from gpuinfra.pulumi_files.resource_entries import mapping

KEYS = frozenset({"config", "steps", "diagnostics", "duration", "changeSummary", "maybeCorrupt"})
"""The top-level keys of a digest."""


def read_digest(window: JsonWindow, on_fault: OnFault = refuse) -> tuple[EntryCollector, Values]:
    """Read a digest, step by step.

    Raises:
        InputError: it is broken, or leaves something out.
        FileError: the preview as a whole can't be judged.
    """
    steps = StepReader(new_key="newState", old_key="oldState", on_failure=on_fault)
    for key in window.members():
        if key == "steps":
            for index, _ in enumerate(window.items()):
                _step(steps, window, index)
        elif key == "diagnostics":
            for _ in window.items():
                diagnostic = mapping(window.value(), "diagnostics[]")
                steps.record_diagnostic(
                    diagnostic.get("severity"), diagnostic.get("message"), diagnostic.get("urn")
                )
        else:
            _member(steps, key, window)
    window.end()
    return steps.close(), steps.values


def _step(steps: StepReader, window: JsonWindow, index: int) -> None:
    try:
        steps.step(window.value(), f"steps[{index}]")
    except FileError as error:
        window.fail(error)


def _member(steps: StepReader, key: str, window: JsonWindow) -> None:
    value = window.value()
    if key == "config":
        steps.configure(value, key)
    elif key == "changeSummary":
        steps.summarise(value, key)
    elif key == "maybeCorrupt" and value:
        raise FileError("the preview reports that it may be corrupt")
