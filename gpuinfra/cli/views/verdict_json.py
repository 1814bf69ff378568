"""The verdict of any SOURCE as JSON."""

from gpuinfra.cli.views.render import json_value
from gpuinfra.report import Report, ReportEntry
from gpuinfra.report.user_inputs import influence_phrases


def verdict_fields(report: Report) -> dict[str, object]:
    """Return the part of a verdict that all SOURCEs share, as in docs/json.md."""
    quote = report.quote
    return {
        "stack": report.name,
        "influences": influence_phrases(report),
        "as_of": report.as_of,
        "ok": report.ok,
        "findings": [
            {
                **json_value(finding),
                "position": report.locate(finding.path) if finding.path else None,
            }
            for finding in report.verdict.findings
        ],
        "waived": [
            {**json_value(entry.finding), "waiver": waiver_of(entry)}
            for entry in report.waived_findings
        ],
        "not_judged": report.not_judged,
        "fabric": report.fabric,
        "per_hour": quote and quote.per_hour,
        "per_month": quote and quote.per_month,
        "per_run": quote and quote.per_run,
        "comparison": cost_difference(report),
        "fixes": report.fixes,
        **_stop_reason(report),
    }


def _stop_reason(report: Report) -> dict[str, object]:
    """Return why only a part was judged, in the form of an error message."""
    if report.stop_reason is None:
        return {}
    from gpuinfra.report import error_report  # noqa: PLC0415  (seldom needed)

    return error_report.error_as_json(report.stop_reason.error)


def cost_difference(report: Report) -> dict[str, object] | None:
    """Return the cost difference as in docs/json.md; None without a comparison."""
    if report.comparison is None:
        return None
    from gpuinfra.cli.views import compare  # noqa: PLC0415  (only with --base)

    return compare.comparison_json(report.comparison)


def waiver_of(entry: ReportEntry) -> dict[str, object] | None:
    """Return a waiver as in docs/json.md; None without one."""
    if entry.waiver is None:
        return None
    keys = ("rule", "resource", "reason", "owner", "until")
    return {name: getattr(entry.waiver, name) for name in keys}
