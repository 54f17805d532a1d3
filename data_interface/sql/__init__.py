"""What the SQL databases have in common: what is asked when, schema and cleaning, placeholders."""
