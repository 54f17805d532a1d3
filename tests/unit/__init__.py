"""Tests of pure code: no process is started and no socket is opened."""
