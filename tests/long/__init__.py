"""Tests that take too long for each commit: every engine, every fault. The nightly run has them."""
