"""Code shared by every cloud's `declare`: children of a component, names, run-time inputs."""
