"""What every cloud's `declare` shares: children of a component, names, run-time inputs."""
