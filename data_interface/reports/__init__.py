"""The reports: their rows, the requests that a database answers, the history in memory."""
