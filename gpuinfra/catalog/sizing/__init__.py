"""What a model takes of GPUs, term by term, and how many machines hold it."""
