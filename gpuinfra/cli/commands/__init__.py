"""One module per command, each with `command`, and what only this command does."""
