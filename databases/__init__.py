"""Private databases: started when they are needed, gone after the last user."""
