"""The plugin's rules for AWS beyond the schema tables: names, references, refusals."""
