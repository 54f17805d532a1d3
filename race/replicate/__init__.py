"""Replications: ten published ratios, predicted for and tried on a machine of the user's own."""
