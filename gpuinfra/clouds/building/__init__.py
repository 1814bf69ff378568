"""What every room's build shares: children, their names, customised arguments, mounts, pins."""
