"""Code shared by every cloud's `observe`: references, values with unknowns, rows."""
