"""The output of commands: tables, texts, cost differences, and their layout."""
