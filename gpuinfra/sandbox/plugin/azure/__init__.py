"""Azure's rules for the sandbox's plugin; all its resources are in the ledger."""
