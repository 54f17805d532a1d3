"""The common part of the SQL databases: requests, schema and cleaning, placeholders."""
