"""The choice of a machine: the request, the machines that fit, and why others don't."""
