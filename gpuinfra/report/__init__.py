"""Reports for machines and reviewers: pure functions from one judgement to text."""

from gpuinfra.report.report import Report, ReportEntry

__all__ = ["Report", "ReportEntry"]
