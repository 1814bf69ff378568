"""Forty stacks as other people write them, each with the verdict that it deserves."""
