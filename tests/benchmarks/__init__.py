"""Benchmarks: each yields (name, ratio, limit, details), against a floor of the same run."""


class Skipped(Exception):  # noqa: N818 - like unittest.SkipTest, it is no error
    """What a benchmark measures against is not to be had here; the message says why."""
