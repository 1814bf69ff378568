"""What every cloud's `observe` shares: references, values with unknowns, rows."""
