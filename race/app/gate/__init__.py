"""The gate: whether a commit made an application slower."""
