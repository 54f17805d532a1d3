"""Tests against real servers, databases, load generators and a browser."""
