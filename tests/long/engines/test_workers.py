"""Worker processes of the web frameworks that tests/live leaves out."""

from tests.live.engines.test_workers import (
    server,
    test_a_killed_worker_is_back,
    test_a_signal_ends_them_all,
    test_a_worker_that_dies_again_and_again_is_back_each_time,
    test_a_worker_that_hangs_is_ended_with_its_parent,
    test_ctrl_c_reaches_the_whole_group_and_ends_it_quietly,
    test_every_worker_gives_the_same_pages,
    test_it_can_be_stopped_while_a_worker_is_away,
    test_statistics_are_read_once,
    test_statistics_are_the_same_from_every_worker,
    test_votes_count_once_whoever_takes_them,
    test_workers_do_not_outlive_their_parent,
)

__all__ = [
    "server",
    "test_a_killed_worker_is_back",
    "test_a_signal_ends_them_all",
    "test_a_worker_that_dies_again_and_again_is_back_each_time",
    "test_a_worker_that_hangs_is_ended_with_its_parent",
    "test_ctrl_c_reaches_the_whole_group_and_ends_it_quietly",
    "test_every_worker_gives_the_same_pages",
    "test_it_can_be_stopped_while_a_worker_is_away",
    "test_statistics_are_read_once",
    "test_statistics_are_the_same_from_every_worker",
    "test_votes_count_once_whoever_takes_them",
    "test_workers_do_not_outlive_their_parent",
]
