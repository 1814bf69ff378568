"""What software, drivers and machines go together, as far as somebody says it."""
