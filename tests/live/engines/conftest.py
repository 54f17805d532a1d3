"""The fixtures that start servers of engines, for all tests of this folder."""

from tests.support.engines import (
    availability,
    pytest_generate_tests,
    quiet,
    reference,
    site,
    starter,
)

__all__ = [
    "availability",
    "pytest_generate_tests",
    "quiet",
    "reference",
    "site",
    "starter",
]
