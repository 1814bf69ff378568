"""Mutation tests of the declared graph: one thing is broken, and a judge has to notice."""
