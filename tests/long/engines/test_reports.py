"""The reports of each web framework on each backend."""

from tests.live.engines.test_reports import (
    model,
    stopped,
    test_a_vote_is_reported_at_once,
    test_every_engine_gives_the_same_bytes,
)

__all__ = [
    "model",
    "stopped",
    "test_a_vote_is_reported_at_once",
    "test_every_engine_gives_the_same_bytes",
]
