"""The GPU memory that a model needs, term by term, and the number of machines for it."""
