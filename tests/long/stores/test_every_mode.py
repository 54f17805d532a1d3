"""The tests of tests/live/stores in every other connection mode of every backend."""

# ruff: noqa: F403
from tests.live.stores.test_bounds import *
from tests.live.stores.test_data import *
from tests.live.stores.test_limits import *
from tests.live.stores.test_reports import *
from tests.live.stores.test_server import *
from tests.live.stores.test_trouble import *
from tests.live.stores.test_votes import *
