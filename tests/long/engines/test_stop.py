"""The end of each web framework on each server and each backend."""

from tests.live.engines.test_stop import (
    test_a_body_on_its_way_is_taken,
    test_a_client_that_fell_silent_does_not_hold_it_up,
    test_a_signal_ends_it_in_good_order,
    test_a_signal_under_load_loses_no_vote,
    test_ctrl_c_reaches_the_whole_group_and_ends_it_quietly,
    test_requests_in_flight_finish,
)

__all__ = [
    "test_a_body_on_its_way_is_taken",
    "test_a_client_that_fell_silent_does_not_hold_it_up",
    "test_a_signal_ends_it_in_good_order",
    "test_a_signal_under_load_loses_no_vote",
    "test_ctrl_c_reaches_the_whole_group_and_ends_it_quietly",
    "test_requests_in_flight_finish",
]
