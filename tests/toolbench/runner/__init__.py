"""Runners: what speaks the contract, in Python."""
