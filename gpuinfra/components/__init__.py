"""Pulumi components that any program may use, and `deploy`, which reads a stack file."""
