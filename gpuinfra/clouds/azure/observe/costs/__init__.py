"""Reads what is billed beside machines, and the budgets that watch it."""
