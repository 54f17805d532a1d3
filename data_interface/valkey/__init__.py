"""Valkey, and Redis from 7.0 on: what no single command does is a function in the server."""
