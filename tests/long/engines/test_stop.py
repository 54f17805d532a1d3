"""The end of a server of each web framework on each backend."""

from tests.live.engines.test_stop import (
    test_a_signal_ends_it_in_good_order,
    test_a_signal_under_load_loses_no_vote,
    test_requests_in_flight_finish,
)

__all__ = [
    "test_a_signal_ends_it_in_good_order",
    "test_a_signal_under_load_loses_no_vote",
    "test_requests_in_flight_finish",
]
