"""Documentation pages that are generated from the code."""
