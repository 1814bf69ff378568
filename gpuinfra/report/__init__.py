"""Reports for programs and reviewers: pure functions from a check's result to text."""

from gpuinfra.report.report import Report, ReportEntry

__all__ = ["Report", "ReportEntry"]
