"""The analysis of a saved race: rankings, effects, noise and their comparison."""
