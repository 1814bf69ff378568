"""Reads networks: subnets, routes, firewalls, and the paths of machines through them."""
