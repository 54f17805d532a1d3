"""The deaths of tests/live/databases on the other databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from databases import DATABASES, find
from tests.live.databases.test_private import (
    need,
    private_folder,
    test_a_folder_may_have_any_name,
    test_a_killed_database_is_back_at_the_same_address,
    test_a_killed_user_counts_as_gone,
    test_one_database_for_all_users_and_none_after_the_last,
    test_sigterm_to_the_supervisor_ends_the_database,
)
from tests.live.databases.test_supervisor_dies import (
    site,
    test_a_running_server_brings_another_supervisor,
    test_who_only_holds_a_database_may_check_its_supervisor,
)
from tests.support.stores.databases import prepare

__all__ = [
    "private_folder",
    "site",
    "test_a_folder_may_have_any_name",
    "test_a_killed_database_is_back_at_the_same_address",
    "test_a_killed_user_counts_as_gone",
    "test_a_running_server_brings_another_supervisor",
    "test_one_database_for_all_users_and_none_after_the_last",
    "test_sigterm_to_the_supervisor_ends_the_database",
    "test_who_only_holds_a_database_may_check_its_supervisor",
]


@pytest.fixture(params=[one for one in DATABASES if one != "tarantool" and not find(one).embedded])
def name(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The databases that tests/live leaves out."""
    need(request.param)
    prepare(request.param, tmp_path)
    return str(request.param)
