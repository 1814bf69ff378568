"""Reports for machines and reviewers: pure functions from one judgement to text."""

from gpuinfra.report.judged import Entry, Report

__all__ = ["Entry", "Report"]
