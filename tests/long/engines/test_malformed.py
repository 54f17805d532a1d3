"""Malformed requests to each web framework on each server that tests/live leaves out."""

from tests.live.engines.test_malformed import (
    test_a_bare_cr_or_a_blank_in_a_name_is_400,
    test_a_blank_behind_the_size_of_a_chunk_is_400,
    test_a_body_with_a_length_and_a_coding_is_400,
    test_a_body_with_two_lengths_is_400,
    test_a_chunked_body_with_a_length_is_400,
    test_a_client_that_does_not_wait_for_the_answer,
    test_a_correct_length_is_taken,
    test_a_length_that_is_no_number_of_http_is_400,
    test_a_line_that_ends_in_lf_is_400,
    test_a_request_in_pieces_is_a_request,
    test_a_size_of_a_chunk_that_ends_in_another_way_is_400,
    test_half_a_request_and_gone,
    test_nobody_is_answered_in_http_2,
    test_old_http_is_answered_and_closed,
    test_what_is_not_http_is_refused,
)

__all__ = [
    "test_a_bare_cr_or_a_blank_in_a_name_is_400",
    "test_a_blank_behind_the_size_of_a_chunk_is_400",
    "test_a_body_with_a_length_and_a_coding_is_400",
    "test_a_body_with_two_lengths_is_400",
    "test_a_chunked_body_with_a_length_is_400",
    "test_a_client_that_does_not_wait_for_the_answer",
    "test_a_correct_length_is_taken",
    "test_a_length_that_is_no_number_of_http_is_400",
    "test_a_line_that_ends_in_lf_is_400",
    "test_a_request_in_pieces_is_a_request",
    "test_a_size_of_a_chunk_that_ends_in_another_way_is_400",
    "test_half_a_request_and_gone",
    "test_nobody_is_answered_in_http_2",
    "test_old_http_is_answered_and_closed",
    "test_what_is_not_http_is_refused",
]
