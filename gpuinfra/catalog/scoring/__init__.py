"""Providers weighed as the guides weigh them, in ranges."""
