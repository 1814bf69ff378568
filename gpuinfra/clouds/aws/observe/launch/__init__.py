"""Reads what machines are launched with: their options, templates, images and places."""
