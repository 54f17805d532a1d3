"""Faults made on purpose: each is one file here, and `make chaos` writes docs/reliability.md."""
