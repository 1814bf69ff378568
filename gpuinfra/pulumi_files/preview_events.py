"""The reader of the streaming `pulumi preview --json`: one event of the engine per line.

PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true asks for it.
https://github.com/pulumi/pulumi/blob/master/sdk/go/common/apitype/events.go (EngineEvent)
"""

from typing import Any

from gpuinfra.pulumi_files.file_faults import FileError, OnFault, refuse
from gpuinfra.pulumi_files.file_stack import EntryCollector
from gpuinfra.pulumi_files.json_window import JsonWindow
from gpuinfra.pulumi_files.preview_steps import StepReader
from gpuinfra.pulumi_files.property_values import Values
from gpuinfra.pulumi_files.resource_entries import mapping

KEYS = frozenset(
    {
        *("sequence", "timestamp", "cancelEvent", "stdoutEvent", "diagnosticEvent"),
        *("preludeEvent", "summaryEvent", "resourcePreEvent", "resOutputsEvent"),
        *("resOpFailedEvent", "policyEvent", "policyRemediationEvent", "policyLoadEvent"),
        *("policyAnalyzeSummaryEvent", "policyRemediateSummaryEvent"),
        *("policyAnalyzeStackSummaryEvent", "startDebuggingEvent", "progressEvent", "errorEvent"),
    }
)
"""The top-level keys of an event: its number, its time, and what happened."""


def read_stream(window: JsonWindow, on_fault: OnFault = refuse) -> tuple[EntryCollector, Values]:
    """Read a stream, event by event.

    Raises:
        InputError: it is broken, or leaves something out.
        FileError: the preview as a whole can't be judged.
    """
    steps = StepReader(new_key="new", old_key="old", on_failure=on_fault)
    number = 0
    while window.peek():
        number += 1
        try:
            _event(steps, mapping(window.value(), f"event {number}"), f"event {number}")
        except FileError as error:
            window.fail(error)
    return steps.close(), steps.values


def _event(steps: StepReader, event: dict[str, Any], location: str) -> None:
    for key, content in event.items():
        if key in {"resourcePreEvent", "resOutputsEvent"}:
            step = mapping(content, f"{location}.{key}").get("metadata")
            steps.step(step, location, begins=key == "resourcePreEvent")
        elif key == "resOpFailedEvent":
            steps.record_diagnostic("error", "an operation of the preview failed")
        elif key == "diagnosticEvent":
            diagnostic = mapping(content, f"{location}.{key}")
            steps.record_diagnostic(
                diagnostic.get("severity"), diagnostic.get("message"), diagnostic.get("urn")
            )
        elif key == "errorEvent":
            steps.record_diagnostic("error", mapping(content, f"{location}.{key}").get("error"))
        elif key == "preludeEvent":
            steps.configure(
                mapping(content, f"{location}.{key}").get("config"), f"{location}.{key}"
            )
        elif key == "summaryEvent":
            _summary(steps, mapping(content, f"{location}.{key}"), f"{location}.{key}")
        elif key not in KEYS:
            raise FileError(
                f"{location} is an event of a kind that is not supported",
                value=key[:80],
                allowed=", ".join(sorted(KEYS)),
                fix="use pulumi preview --json, or a newer gpuinfra",
            )


def _summary(steps: StepReader, summary: dict[str, Any], location: str) -> None:
    if summary.get("maybeCorrupt"):
        raise FileError("the preview reports that it may be corrupt")
    if not summary.get("isPreview", True):
        raise FileError(
            "these are the events of an update, not of a preview",
            fix="check its result: pulumi stack export > state.json",
        )
    if summary.get("result", "succeeded") != "succeeded":
        steps.record_diagnostic("error", f"its result is {summary['result']}")
    steps.summarise(summary.get("resourceChanges") or {}, f"{location}.resourceChanges")
