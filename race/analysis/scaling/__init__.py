"""How a contender's rate grows with its workers."""
