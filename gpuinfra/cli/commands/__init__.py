"""One module per command; each has `command` and the code that only this command uses."""
