"""Outages behind each web framework on each backend."""

from tests.live.engines.test_outage import (
    quiet,
    test_a_hung_database_gives_bounded_answers,
    test_a_killed_database_is_away_and_then_back,
    test_an_exhausted_pool_turns_away_in_time,
    test_more_visitors_than_connections,
    test_workers_that_are_started_again_meanwhile_serve_once_it_is_back,
)

__all__ = [
    "quiet",
    "test_a_hung_database_gives_bounded_answers",
    "test_a_killed_database_is_away_and_then_back",
    "test_an_exhausted_pool_turns_away_in_time",
    "test_more_visitors_than_connections",
    "test_workers_that_are_started_again_meanwhile_serve_once_it_is_back",
]
