"""What the plugin knows of AWS beyond the schema tables: names, references, refusals."""
