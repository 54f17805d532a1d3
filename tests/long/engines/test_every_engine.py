"""Every engine that the pairwise cover of tests/live leaves out."""

from tests.live.engines.test_every_engine import test_an_engine_serves_the_site

__all__ = ["test_an_engine_serves_the_site"]
