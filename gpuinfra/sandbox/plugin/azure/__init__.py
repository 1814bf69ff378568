"""Azure's rules for the sandbox's plugin; all its resources live in the ledger."""
