"""Reads clusters of containers: control planes, nodes, and what their objects make."""
