"""Mutation tests: each condition of each rule is flipped, and a test has to fail."""
