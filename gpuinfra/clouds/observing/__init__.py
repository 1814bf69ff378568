"""What every room's observe shares: who refers to whom, values with unknowns, rows."""
