"""The reports: what they are made of, the requests that a database answers, the history in memory."""
