"""The access log of each web framework on each server that tests/live leaves out."""

from tests.live.engines.test_access_log import (
    test_a_malformed_request_is_a_line,
    test_at_info_no_request_writes_a_line,
    test_each_request_is_a_line,
    test_workers_write_it_too,
)

__all__ = [
    "test_a_malformed_request_is_a_line",
    "test_at_info_no_request_writes_a_line",
    "test_each_request_is_a_line",
    "test_workers_write_it_too",
]
