"""Other machines, reached through OpenSSH: an agent that reads meters and starts programs there."""
