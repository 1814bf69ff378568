"""Reads rights: policies and roles, who has them, and who may take them."""
