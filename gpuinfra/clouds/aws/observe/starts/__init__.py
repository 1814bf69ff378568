"""Reads what may start machines that no resource declares: schedules, code and calls."""
