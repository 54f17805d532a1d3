"""Floods to each web framework on each server that tests/live leaves out."""

from tests.live.engines.clients.test_floods import (
    alive,
    test_a_body_is_not_decompressed,
    test_a_body_of_8_gb_is_refused_when_it_is_announced,
    test_a_form_of_many_fields_is_none,
    test_many_requests_on_one_connection_are_no_flood,
    test_memory_does_not_grow_by_answers_that_nobody_reads,
    test_memory_does_not_grow_by_what_one_client_sends,
    test_who_reads_late_gets_every_answer,
)

__all__ = [
    "alive",
    "test_a_body_is_not_decompressed",
    "test_a_body_of_8_gb_is_refused_when_it_is_announced",
    "test_a_form_of_many_fields_is_none",
    "test_many_requests_on_one_connection_are_no_flood",
    "test_memory_does_not_grow_by_answers_that_nobody_reads",
    "test_memory_does_not_grow_by_what_one_client_sends",
    "test_who_reads_late_gets_every_answer",
]
